package live

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators/cost"
)

// TestSkewOfFinishedRun holds that a finished run of Spark is told as it was: the hot task of the recording worked 31 s
// on 36 % of the records, the median one 4 s, and the run took 45 s.
func TestSkewOfFinishedRun(t *testing.T) {
	t.Parallel()
	const path = "../../../../../adapters/spark/testdata/skew-3.eventlog.gz"
	open := func() (watch.Source, io.Closer, error) { return input.OpenRecording(path, "", 0) }
	for _, at := range []string{"", "100%"} {
		when, err := input.ParseMoment(at)
		if err != nil {
			t.Fatal(err)
		}
		run, err := skewedThen(t.Context(), cost.Costs, path, open, when)
		if err != nil {
			t.Fatal(err)
		}
		r, err := skewReport(cost.Costs, run)
		if err != nil || len(r.Skew) != 1 || r.RemainingSeconds != nil {
			t.Fatalf("%+v, %v", r, err)
		}
		s := &r.Skew[0]
		worst := &s.Worst[0]
		near := func(got, want float64) bool { return math.Abs(got-want) < 0.02*want }
		if worst.Task != 5 || !worst.Done || !near(float64(worst.WorkSeconds), 31) ||
			!near(float64(*worst.ShareRatio), 0.36) ||
			s.MedianSeconds.Duration().Round(time.Second) != 4*time.Second || s.Skewed != 2 {
			t.Errorf("%+v", s)
		}
		if s.DelaySeconds < 15 || s.DelaySeconds > 25 {
			t.Errorf("it held the end back by %v s", s.DelaySeconds)
		}
		var text bytes.Buffer
		if err := view.SkewText(&text, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"skew-3 took 45s\n", "had 51 % of the records and held the end back by ", "with others"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%q is missing in\n%s", want, &text)
			}
		}
		if strings.Contains(text.String(), " 0s") || strings.Contains(text.String(), "left") {
			t.Error(text.String())
		}
	}
}
