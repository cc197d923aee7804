//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// recordings checks what a watcher has left behind: what plays checks, and that the score's truth is the history
// server's.
func (w *watcher) recordings(code int) {
	l := w.lab
	l.t.Helper()
	if !w.plays(code) {
		return
	}
	truth := l.truth(w.last().jobs())
	if e := w.last().Elapsed; e == nil || math.Abs(*e-truth) > 0.5 {
		l.t.Errorf("%s: the last frame's elapsed_seconds: got %s, want %.3f as in the history server", w.name, number(e),
			truth)
	}
}

// plays checks that a watcher's tape gives its frames again, byte for byte, and that its capture plays to the same end.
// It reports whether the capture plays at all.
func (w *watcher) plays(code int) bool {
	l := w.lab
	l.t.Helper()
	if w.tape != "" {
		w.replays(code)
	}
	l.run(w.name+"-replay-capture", code,
		w.with(append([]string{"replay", "--output", "ndjson"}, w.ofCapture()...)...)...)
	_, replayed := l.readFrames(filepath.Join(l.dir, w.name+"-replay-capture.out"))
	if len(replayed) == 0 {
		l.t.Errorf("%s: the capture replays to nothing", w.name)
		return false
	}
	if live, now := w.last(), replayed[len(replayed)-1]; now.Workflow.State != live.Workflow.State ||
		strings.Join(now.jobs(), " ") != strings.Join(live.jobs(), " ") {
		l.t.Errorf("%s: the capture replays to %s of %v, live it was %s of %v", w.name,
			now.Workflow.State, now.jobs(), live.Workflow.State, live.jobs())
	}
	return true
}

// ofCapture names the watcher's workflow in its capture, which may hold others.
func (w *watcher) ofCapture() []string {
	return []string{"--workflow", cmp.Or(w.dag(), w.last().jobs()[0]), w.capture}
}

// with adds the replay flags of the watcher to arguments.
func (w *watcher) with(args ...string) []string { return append(args, w.replayFlags...) }

// firstDifference shows where two outputs part.
func firstDifference(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(0, n-60)
	line := 1 + bytes.Count(a[:n], []byte("\n"))
	return strings.Join([]string{
		"at byte", number(n), "of", number(len(a)), "and", number(len(b)), "in line", number(line),
		"\n live   …" + string(a[from:min(len(a), n+60)]) + "\n replay …" + string(b[from:min(len(b), n+60)]),
	}, " ")
}

// A score is how right one estimator was along a run, in percentage points.
type score struct {
	Name        string
	Mean        *float64 `json:"mean_points"`
	Max         *float64 `json:"max_points"`
	MeanSeconds *float64 `json:"mean_seconds"`
	None        *float64 `json:"no_estimate_ratio"`
}

// A graded run has the scores of all estimators.
type graded struct {
	Total      float64 `json:"total_seconds"`
	Ticks      int
	Estimators []score
}

// of finds an estimator's score.
func (g graded) of(name string) score {
	for _, s := range g.Estimators {
		if s.Name == name {
			return s
		}
	}
	return score{}
}

// score scores the watcher's capture and prints the table.
func (w *watcher) score(name string, more ...string) graded {
	w.lab.t.Helper()
	return w.grade(name, append(more, w.ofCapture()...)...)
}

// grade scores a recording of the watcher's and prints the table.
func (w *watcher) grade(name string, args ...string) graded {
	l := w.lab
	l.t.Helper()
	args = append([]string{"score"}, args...)
	l.t.Logf("%s\n%s", name, l.run(w.name+"-score-"+name, 0, args...))
	var all struct{ Runs []graded }
	l.must(json.Unmarshal(l.run(w.name+"-scorejson-"+name, 0, append(args, "--output", "json")...), &all))
	if len(all.Runs) != 1 || all.Runs[0].of("standard").Name == "" {
		l.t.Fatalf("score has no line for standard: %+v", all)
	}
	g := all.Runs[0]
	truth := g.Total // Spark's history server is read elsewhere
	switch w.last().Workflow.Engine {
	case "":
		truth = l.truth(w.last().jobs())
	case "Tez":
		truth = l.tezTruth(w.dag()).seconds
	}
	if math.Abs(g.Total-truth) > 0.5 {
		l.t.Errorf("%s: got %.3f s from score, want %.3f s as in the cluster", w.name, g.Total, truth)
	}
	return g
}

// learn makes a profile of the watcher's run.
func (w *watcher) learn() string {
	w.lab.t.Helper()
	file := filepath.Join(w.lab.dir, w.name+".profile.yaml")
	w.lab.run(w.name+"-learn", 0, append([]string{"learn", "-o", file}, w.ofCapture()...)...)
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		w.lab.t.Fatalf("learn wrote no profile: %v", err)
	}
	return file
}
