package recordings

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

// TestTappedRuns scores two real Streaming jobs on a real Hadoop 3.4.2 with Zipf keys on four reduces, watched through
// the tap: of quadratic cost, where the largest group is most of the run, and of linear cost.
func TestTappedRuns(t *testing.T) {
	t.Parallel()
	quadratic := meanPoints(t, "testdata/tapped/quadratic.jsonl.gz")
	linear := meanPoints(t, "testdata/tapped/linear.jsonl.gz")
	for _, name := range []string{"standard", "nearestfit_stream"} {
		got, ratio, hadoop := quadratic[name], quadratic["task_ratio"], quadratic["hadoop"]
		if !(got <= 3 && got <= ratio/2 && got <= hadoop/2) {
			t.Errorf("quadratic: %s is off by %.1f points, task_ratio by %.1f, Hadoop by %.1f", name, got, ratio,
				hadoop)
		}
	}
	for _, name := range []string{"standard", "nearestfit"} {
		if got, ratio := linear[name], linear["task_ratio"]; !(got <= ratio+0.5) {
			t.Errorf("linear: %s is off by %.1f points, task_ratio by %.1f", name, got, ratio)
		}
	}
}

// meanPoints is the mean error of each estimator along a recording, in points of progress; NaN where it gave none.
func meanPoints(t *testing.T, path string) map[string]float64 {
	t.Helper()
	var out, err bytes.Buffer
	if code := program.Run(t.Context(), []string{"paratimer", "score", "--estimators", "all", "--output", "json", path},
		session.Environ(t), new(bytes.Buffer), &out, &err); code != 0 {
		t.Fatalf("%s: exit code %d: %s", path, code, &err)
	}
	var got struct {
		Runs []struct {
			Estimators []struct {
				Name       string
				MeanPoints *float64 `json:"mean_points"`
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	means := map[string]float64{}
	for _, e := range got.Runs[0].Estimators {
		means[e.Name] = math.NaN()
		if e.MeanPoints != nil {
			means[e.Name] = *e.MeanPoints
		}
	}
	return means
}
