//go:build e2e

package e2e

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// A collector is where a watcher takes what taps send.
type collector struct{ address, token, file string }

func (l *lab) collector() collector {
	l.t.Helper()
	c := collector{address: l.free(), token: "only-for-tests", file: filepath.Join(l.t.TempDir(), "token")}
	l.must(os.WriteFile(c.file, []byte(c.token), 0o600))
	return c
}

// flags are those of its watcher.
func (c collector) flags() []string {
	return []string{"--collect", c.address, "--set", "collect-token-file=" + c.file}
}

// wrapper is how a job's commands find it.
func (c collector) wrapper() wrapper {
	return wrapper{
		program: filepath.Base(tapBinary),
		options: []string{
			"-files", "file://" + tapBinary, "-cmdenv", "PARATIMER_COLLECT=" + c.address, "-cmdenv",
			"PARATIMER_TOKEN=" + c.token,
		},
	}
}

// tapped runs a job through the tap to its end, watched. more are further flags of its watcher.
func (l *lab) tapped(name, input string, reduces int, mapper, reducer string, more ...string) (*watcher, *streaming) {
	l.t.Helper()
	c := l.collector()
	job := l.streaming(name, input, reduces, c.wrapper(), mapper, reducer)
	w := l.attach("attach-"+name, job.app.ID, append(c.flags(), more...)...)
	w.ends(0, "succeeded")
	job.succeed()
	w.recordings(0)
	w.hides(c)
	return w, job
}

// hides checks that a watcher does not disclose its token: the job's conf has it, but no recording.
func (w *watcher) hides(c collector) {
	l := w.lab
	l.t.Helper()
	for _, r := range l.records(w.capture) {
		if strings.Contains(r.Body, c.token) {
			l.t.Errorf("the capture has the collector's token in the answer to %s", r.URL)
			break
		}
	}
	for _, file := range []string{w.tape, w.stdout} {
		b, err := os.ReadFile(file)
		l.must(err)
		if strings.Contains(string(b), c.token) {
			l.t.Errorf("%s has the collector's token", file)
		}
	}
}

// bare runs the same job as it is, not watched.
func (l *lab) bare(name, input string, reduces int, mapper, reducer string) *streaming {
	l.t.Helper()
	job := l.streaming(name+"-bare", input, reduces, wrapper{}, mapper, reducer)
	job.succeed()
	return job
}

// lastSnapshot is the end of the watcher's tape.
func (w *watcher) lastSnapshot() *dag.Snapshot {
	l := w.lab
	l.t.Helper()
	raw, err := os.ReadFile(w.tape)
	l.must(err)
	f, err := recording.NewReader(bytes.NewReader(raw))
	l.must(err)
	var last *dag.Snapshot
	for {
		snap, err := f.Next(l.ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if _, missed := errors.AsType[*dag.MissedError](err); missed {
			continue
		}
		l.must(err)
		last = snap
	}
	if last == nil || len(last.Jobs) != 1 {
		l.t.Fatalf("%s ends without a job", w.tape)
	}
	return last
}

// promised checks the reports of taps of a job with maps that copy its input: the bytes that maps report for each
// reduce are those that the partitioner gives it, to the byte, and the counters of Hadoop agree. The bytes that a
// reduce reports as processed are at most these, and at least their share least: a tap does not report the last groups,
// which a command may have read without pause.
func (w *watcher) promised(s *streaming, input string, least float64) {
	l := w.lab
	l.t.Helper()
	got := w.lastSnapshot().Jobs[0].Groups
	if got == nil {
		l.t.Fatal("the tape has no key groups")
	}
	if got.Origin < dag.GroupsTapped || got.Note != "" || len(got.Reduces) != s.reduces {
		l.t.Errorf("groups are of origin %d for %d reduces, and say %q", got.Origin, len(got.Reduces), got.Note)
	}
	var all float64
	for r, part := range l.shuffled(input, s.reduces) {
		g := got.Reduces[r]
		var done, largest float64
		for _, p := range g.Done {
			done += p.Bytes * p.Count
		}
		for _, key := range part {
			largest = max(largest, key.bytes)
		}
		want := part.total()
		all += want
		if !near(g.Bytes, want) {
			l.t.Errorf("maps reported for reduce %d %.0f bytes, the partitioner gives it %.0f", r, g.Bytes, want)
		}
		l.t.Logf("reduce %d has reported %.0f of %.0f bytes, in %d points", r, done, want, len(g.Done))
		if done > want && !near(done, want) || done < least*want {
			l.t.Errorf("reduce %d has reported %.0f bytes, the partitioner gives it %.0f", r, done, want)
		}
		if want > 0 && (len(g.Top) == 0 || !near(g.Top[0].Bytes, largest) || !strings.HasPrefix(g.Top[0].Key, "#")) {
			l.t.Errorf("of reduce %d the largest group is %v, want one of %.0f bytes with a hash for a name", r,
				g.Top[:min(1, len(g.Top))], largest)
		}
	}
	if counted := l.counters(s.app)["MAP_OUTPUT_BYTES"]; !near(all, float64(counted)) {
		l.t.Errorf("the input makes %.0f bytes of map output, Hadoop counts %d", all, counted)
	}
}

// near allows for the sums of means that points are made of.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// logs are the files of this name that a job's containers left.
func (l *lab) logs(a app, name string) []string {
	l.t.Helper()
	files, err := filepath.Glob(filepath.Join(l.root, "run", "node*", "containers", a.ID, "container_*", name))
	l.must(err)
	return files
}

// stderrOf returns what all containers of a job wrote to stderr.
func (l *lab) stderrOf(a app) string {
	l.t.Helper()
	var all strings.Builder
	for _, file := range l.logs(a, "stderr") {
		b, err := os.ReadFile(file)
		l.must(err)
		all.Write(b)
	}
	return all.String()
}
