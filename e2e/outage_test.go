//go:build e2e

package e2e

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"
)

// managers are the addresses of both ResourceManagers of a cluster with a standby.
func (l *lab) managers() []string {
	l.t.Helper()
	return []string{l.rm, settings(l.hadoop("env"))["PARATIMER_RM2"]}
}

// toActive waits until one of the ResourceManagers is active, and sends later requests to it.
func (l *lab) toActive(managers []string) {
	l.t.Helper()
	l.await("an active ResourceManager", func() bool {
		for _, url := range managers {
			var got struct{ ClusterInfo struct{ HAState string } }
			if l.get(url+"/ws/v1/cluster/info", &got) && got.ClusterInfo.HAState == "ACTIVE" {
				l.rm = url
				return true
			}
		}
		return false
	})
}

// paused reads the time in what fault.sh prints of a pause.
func (l *lab) paused(output string) time.Time {
	l.t.Helper()
	return l.killed(strings.Replace(output, "paused", "killed", 1))
}

// kill has the ResourceManager kill an application, as `yarn application -kill` does.
func (l *lab) kill(id string) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.ctx, http.MethodPut, l.rm+"/ws/v1/cluster/apps/"+id+"/state",
		strings.NewReader(`{"state":"KILLED"}`))
	l.must(err)
	req.Header.Set("Content-Type", "application/json")
	l.await(id+" is killed", func() bool {
		resp, err := http.DefaultClient.Do(req.Clone(l.ctx))
		l.must(err)
		resp.Body.Close()
		var got struct{ App app }
		return l.get(l.rm+"/ws/v1/cluster/apps/"+id, &got) && got.App.State == "KILLED"
	})
}

// awaitEnd waits until the ResourceManager reports the end of an application, and returns its time.
func (l *lab) awaitEnd(id string) time.Time {
	l.t.Helper()
	var got struct {
		App struct {
			State        string
			FinishedTime int64
		}
	}
	l.await(id+" over", func() bool {
		return l.get(l.rm+"/ws/v1/cluster/apps/"+id, &got) && got.App.State == "FINISHED" && got.App.FinishedTime > 0
	})
	return time.UnixMilli(got.App.FinishedTime)
}

// fingerprints are those of a bound's alerts in Alertmanager now.
func (o *oncall) fingerprints(bound string) (all []string) {
	var got []struct {
		Fingerprint string
		Labels      map[string]string
	}
	o.lab.get(o.alertmanager.url+"/api/v2/alerts", &got)
	for _, a := range got {
		if a.Labels["bound"] == bound {
			all = append(all, a.Fingerprint)
		}
	}
	slices.Sort(all)
	return all
}

// hasWarning reports whether a warning has this text.
func (f frame) hasWarning(part string) bool {
	for _, w := range f.Warnings {
		if strings.Contains(w.Text, part) {
			return true
		}
	}
	return false
}

// at is the index of the first frame after an instant.
func (w *watcher) at(t time.Time) int {
	return slices.IndexFunc(w.frames, func(f frame) bool { return f.At != nil && f.At.After(t) })
}

// outage is how long frames were stale after an instant, or showed that a master did not respond while others did.
// There must be such frames, and the query must be seen again after them.
func (w *watcher) outage(from time.Time) time.Duration {
	l := w.lab
	l.t.Helper()
	isUnobserved := func(f frame) bool { return f.Stale > 0 || f.warned("observation") }
	i := tickOf(w.frames, from)
	first := slices.IndexFunc(w.frames[max(i, 0):], isUnobserved)
	if first < 0 {
		l.t.Errorf("%s: no frame is stale after %.1f s", w.name, w.since(from))
		return 0
	}
	first += max(i, 0)
	n := slices.IndexFunc(w.frames[first:], func(f frame) bool { return !isUnobserved(f) })
	if n < 0 {
		l.t.Errorf("%s: stale from %.1f s to the end", w.name, *w.frames[first].Elapsed)
		return 0
	}
	observed := w.frames[first+n]
	long := observed.At.Sub(*w.frames[max(first-1, 0)].At)
	l.t.Logf("%s: broken at %.1f s; last seen at %s s, %d stale frames, seen again at %s s", w.name, w.since(from),
		number(w.frames[max(first-1, 0)].Elapsed), n, number(observed.Elapsed))
	return long
}

// kept checks that bounds never were worse than before an instant.
func (w *watcher) kept(since time.Time, bounds ...string) {
	w.lab.t.Helper()
	for _, bound := range bounds {
		for i, f := range w.frames {
			if is := f.alert(bound); f.At.After(since) && (is == "late" || is == "at_risk") {
				w.lab.t.Errorf("%s: frame %d (%s s): %s is %s", w.name, i+1, number(f.Elapsed), bound, is)
				break
			}
		}
	}
}

// undisturbed checks that no work counts as lost: done tasks stay done, no master counts as restarted, and no
// failure moves the end.
func (w *watcher) undisturbed(since time.Time) {
	l := w.lab
	l.t.Helper()
	done := map[string]int{}
	for i, f := range w.frames {
		for _, j := range f.Jobs {
			n := j.Maps.Done + j.Reduces.Done
			if n < done[j.Node] {
				l.t.Errorf("%s: frame %d (%s s): job %s has %d tasks done, it had %d", w.name, i+1, number(f.Elapsed),
					j.Node, n, done[j.Node])
			}
			done[j.Node] = max(done[j.Node], n)
		}
		if f.warned("am_restarted") {
			l.t.Errorf("%s: frame %d (%s s) warns of am_restarted", w.name, i+1, number(f.Elapsed))
			break
		}
		for _, c := range f.Changes {
			if c.Reason == "failure" && f.At.After(since) {
				l.t.Errorf("%s: frame %d (%s s): %s moves the end by %.1f s", w.name, i+1, number(f.Elapsed),
					deref(c.Subject), c.Delta)
			}
		}
		if f.Workflow.State != "running" && i+1 < len(w.frames) {
			l.t.Errorf("%s: frame %d of %d has the state %s", w.name, i+1, len(w.frames), f.Workflow.State)
		}
	}
}

// replays checks that the tape gives the same frames. Where no history was left there is no truth to hold them against.
func (w *watcher) replays(code int) {
	l := w.lab
	l.t.Helper()
	again := l.run(w.name+"-replay", code, w.with("replay", "--output", "ndjson", w.tape)...)
	if !bytes.Equal(again, w.raw) {
		l.t.Errorf("%s: the tape replays to other frames: %s", w.name, firstDifference(w.raw, again))
	}
}

// waitsForHistory checks that the end was known while the history server was awaited, and returns for how long it was.
func (w *watcher) waitsForHistory(over time.Time) time.Duration {
	l := w.lab
	l.t.Helper()
	n := 0
	for i, f := range w.frames {
		if f.WaitingOn == nil || !strings.Contains(*f.WaitingOn, "history server") {
			continue
		}
		n++
		if f.Workflow.State != "running" || f.Jobs[0].State != "succeeded" || f.Headline.Remaining == nil ||
			*f.Headline.Remaining != 0 ||
			f.Headline.EndAt == nil || f.Headline.EndAt.Sub(over).Abs() > time.Second {
			l.t.Errorf("%s: frame %d, which waits for the history server, has the query %s and the job %s, %s s left, an end at %v, want %v",
				w.name, i+1, f.Workflow.State, f.Jobs[0].State, number(f.Headline.Remaining), f.Headline.EndAt, over)
		}
	}
	if n == 0 {
		l.t.Errorf("%s: no frame waits for the history server", w.name)
	}
	return w.last().At.Sub(over)
}
