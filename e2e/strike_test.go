//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// joinLong has maps of 18 s in one of its first jobs, four of them, so that there is time to break something.
var joinLong = []string{
	"join", "-p", "a=4x600x200", "-p", "b=3x160x80", "-p", "pace=30", "-p", "pace_b=25", "-p", "pace_out=180",
	"-p", "parallel_a=3", "-p", "parallel_b=2", "-p", "parallel=3",
}

// TestKilledTask kills the JVM of a map when two thirds of its work are done.
func TestKilledTask(t *testing.T) {
	l := up(t)
	pig := l.client("pig", append([]string{"pig"}, joinLong...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "")
	long := l.awaitJob(4)
	// A map's progress is 66.7 once all its input is read.
	l.awaitTask(long, "m_000002", 44)
	killed := l.killed(l.fault("kill-task", long.ID, "m_000002_0"))
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	shown := w.costNamed("m_000002_0")

	before := w.before(killed)
	standard, one := before.total("standard"), before.total("one_failure")
	if standard == nil || one == nil || *one < *standard {
		t.Errorf("before the kill one_failure (%s s) should be no less than standard (%s s)", number(one),
			number(standard))
	}
	total := *w.last().Elapsed
	t.Logf("before the kill: standard %s s, one_failure %s s; it became %.1f s", number(standard), number(one), total)
	w.summarize("a map's JVM killed at two thirds", shown,
		fmt.Sprintf("cost named in `changes`; before the kill `standard` was %s s and `one_failure` %s s",
			short(standard), short(one)))
}

// TestKilledMaster kills the AM of a job whose maps are half done. Pig's output committer recovers nothing: all run
// again.
func TestKilledMaster(t *testing.T) {
	l := up(t)
	pig := l.client("pig", append([]string{"pig"}, joinLong...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "")
	long := l.awaitJob(4)
	l.awaitTask(long, "m_000002", 33)
	killed := l.killed(l.fault("kill-am", long.ID))
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	shown := slices.IndexFunc(w.frames, func(f frame) bool { return f.At.After(killed) && f.warned("am_restarted") })
	if shown < 0 {
		t.Fatal("no frame warns of am_restarted")
	}
	moved := w.failures(killed)
	if moved <= 0 {
		t.Errorf("the lost work moves the end by %.1f s; `changes` should list its reason", moved)
	}
	w.summarize("an AM killed with its maps half done", shown, fmt.Sprintf("`am_restarted`; %+.0f s by `failure`",
		moved))
}

// awaitJob waits for the application with this number of maps.
func (l *lab) awaitJob(maps int) (found app) {
	l.t.Helper()
	l.await(fmt.Sprintf("a job with %d maps", maps), func() bool {
		for _, a := range l.apps() {
			var got struct{ Job struct{ MapsTotal int } }
			if l.get(l.rm+"/proxy/"+a.ID+"/ws/v1/mapreduce/jobs/"+a.job(), &got) && got.Job.MapsTotal == maps {
				found = a
				return true
			}
		}
		return false
	})
	return found
}

// killed reads the time in what fault.sh prints: "killed WHAT at MILLISECONDS".
func (l *lab) killed(output string) time.Time {
	l.t.Helper()
	var ms int64
	_, at, ok := strings.Cut(output, " at ")
	if _, err := fmt.Sscan(at, &ms); !ok || err != nil {
		l.t.Fatalf("fault.sh printed %q, which has no time", output)
	}
	return time.UnixMilli(ms)
}

// before is the last frame before t.
func (w *watcher) before(t time.Time) frame {
	w.lab.t.Helper()
	i := tickOf(w.frames, t)
	if i < 0 {
		w.lab.t.Fatalf("no frame before %v", t)
	}
	return w.frames[i]
}

// costNamed checks that the failure of this attempt has a cost, and returns the index of the frame that names both.
func (w *watcher) costNamed(attempt string) int {
	l := w.lab
	l.t.Helper()
	for i, f := range w.frames {
		for _, c := range f.Changes {
			if c.Reason == "failure" && c.Subject != nil && f.failed(attempt) {
				l.t.Logf("%.1f s: %+.1f s: %s", *f.Elapsed, c.Delta, *c.Subject)
				if c.Delta <= 0 {
					l.t.Errorf("a failure that saves %.1f s", -c.Delta)
				}
				return i
			}
		}
	}
	w.logChanges()
	l.t.Fatalf("no change names the failure of %s", attempt)
	return -1
}

// failures sums what failures have moved the end by since t.
func (w *watcher) failures(t time.Time) (sum float64) {
	w.lab.t.Helper()
	w.logChanges()
	for _, f := range w.frames {
		for _, c := range f.Changes {
			if c.Reason == "failure" && f.At.After(t) {
				sum += c.Delta
			}
		}
	}
	return sum
}

func (w *watcher) logChanges() {
	w.lab.t.Helper()
	for _, f := range w.frames {
		for _, c := range f.Changes {
			subject := ""
			if c.Subject != nil {
				subject = *c.Subject
			}
			w.lab.t.Logf("%.1f s: %+.1f s by %s: %s", *f.Elapsed, c.Delta, c.Reason, subject)
		}
	}
}

// summarize scores the run, with the profile of TestJoin if that has run the same script, and adds it to the summary.
// shown is the index of the first frame that shows the fault, -1 for none.
func (w *watcher) summarize(scenario string, shown int, checked string) {
	w.lab.t.Helper()
	profile := profiles["join.pig"]
	if !strings.HasSuffix(deref(w.last().Workflow.Name), "join.pig") {
		profile = ""
	}
	w.summarizeWith(profile, scenario, shown, checked)
}

// summarizeWith does so with a profile, "" for none.
func (w *watcher) summarizeWith(profile, scenario string, shown int, checked string) {
	l := w.lab
	l.t.Helper()
	bare := w.score("bare")
	after := ""
	if shown >= 0 {
		after = w.errors(w.frames[shown:]).String()
	}
	var known *graded
	if profile != "" {
		g := w.score("profile", "--profile", profile)
		known = &g
		if shown >= 0 {
			l.run(w.name+"-known", 0, "replay", "--output", "ndjson", "--profile", profile, w.tape)
			_, frames := l.readFrames(filepath.Join(l.dir, w.name+"-known.out"))
			after += "; " + w.errors(frames[shown:]).String()
		}
	}
	if after != "" {
		l.t.Logf("from the first tick that shows it: %s", after)
	}
	l.addRow(scenario, bare, known, after, checked)
}

// errors is how right the headline was in frames of the run, in percentage points of progress.
func (w *watcher) errors(frames []frame) *score {
	total := *w.last().Elapsed
	var sum, most, none, points, ticks float64
	for _, f := range frames {
		if f.Workflow.State != "running" || f.Stale > 0 || f.Elapsed == nil {
			continue
		}
		ticks++
		if f.Headline.Remaining == nil {
			none++
			continue
		}
		off := 100 * math.Abs(*f.Elapsed/total-*f.Elapsed/(*f.Elapsed+*f.Headline.Remaining))
		sum, most, points = sum+off, max(most, off), points+1
	}
	s := &score{}
	if points > 0 {
		mean, share := sum/points, none/ticks
		s.Mean, s.Max, s.None = &mean, &most, &share
	}
	return s
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// short prints seconds for a table.
func short(s *float64) string {
	if s == nil {
		return "?"
	}
	return fmt.Sprintf("%.0f", *s)
}

// failed reports whether the frame lists a failed attempt with this part in its id.
func (f *frame) failed(part string) bool {
	return slices.ContainsFunc(f.Failures, func(x failure) bool { return strings.Contains(x.Attempt, part) })
}
