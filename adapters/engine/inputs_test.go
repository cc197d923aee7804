package engine

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/dag"
)

// withFiles answers as a recording does, and for HDFS beside it.
type withFiles struct {
	*recording.Player
	asked int
}

func (w *withFiles) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.URL.Path, "/webhdfs/v1/") {
		return w.Player.RoundTrip(r)
	}
	w.asked++
	text := fmt.Sprintf(`{"ContentSummary":{"length":%d}}`, 1000*len(r.URL.Path))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(text)), Request: r,
	}, nil
}

// TestInputsAreRecorded: a recording has the sizes of inputs that HDFS returned, so that it plays to the same plan.
func TestInputsAreRecorded(t *testing.T) {
	t.Parallel()
	file := ""
	for _, f := range recordings(t) {
		if strings.HasPrefix(filepath.Base(f), "failing-1") {
			file = f
		}
	}
	if file == "" {
		t.Skip("no recording of a run on HDFS")
	}
	rec := open(t, file)
	player := &withFiles{Player: tez.NewPlayer(rec)}
	to, last := recordAgain(t, rec, player.Player, player)
	sizes := func(s *dag.Snapshot) (all []float64) {
		for j := range s.Plan.Jobs {
			all = append(all, s.Plan.Jobs[j].InputBytes)
		}
		return all
	}
	run, _ := play(t, open(t, to), recording.Options{})
	live, again := fmt.Sprint(sizes(last)), fmt.Sprint(sizes(run[len(run)-1]))
	if live != again || strings.Contains(live, " 0 ") || player.asked != 4 {
		t.Errorf("live %s, replayed %s, after %d questions", live, again, player.asked)
	}
}
