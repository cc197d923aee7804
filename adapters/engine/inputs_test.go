package engine

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
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

// TestInputsAreRecorded: a capture has what HDFS told of sizes, so that it plays to the same plan.
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
	player := &withFiles{Player: Player(rec)}
	to := filepath.Join(t.TempDir(), "again.jsonl.gz")
	w, err := recording.CreateAnswers(to, player.Now)
	if err != nil {
		t.Fatal(err)
	}
	rm := Manager(rec)
	client, err := mapreduce.NewClient(hadoopconf.Site{RMs: []hadoopconf.Manager{{URL: rm}}, JHS: rm},
		rest.Options{User: "alice", Transport: player, Now: player.Now, Tap: w.Layer})
	if err != nil {
		t.Fatal(err)
	}
	target, err := Job(rec, "")
	if err != nil {
		t.Fatal(err)
	}
	target.Made = player.Made
	src := mapreduce.NewSource(client, target)
	var last *dag.Snapshot
	for _, at := range rec.Polls(IsPoll) {
		player.Seek(at)
		if s, err := src.Next(context.Background()); err == nil {
			last = s
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
