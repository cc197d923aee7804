//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// soon is a bound that the small join misses on any machine, held for so few ticks that it is a risk before it is
// missed.
var soon = []string{"--within", "35s", "--set", "hold=2"}

// An oncall has the services beside a watcher: Alertmanager, Prometheus, and the history.
type oncall struct {
	lab          *lab
	alertmanager *server
	prometheus   *server
	state        string // the folder
	metrics      string // the address
	alerts       int    // how many have come and gone
}

// oncall starts what there is on this machine.
func (l *lab) oncall() *oncall {
	l.t.Helper()
	o := &oncall{lab: l, state: filepath.Join(l.dir, "state"), metrics: l.free()}
	o.alertmanager, o.prometheus = l.alertmanager(), l.prometheus(o.metrics)
	return o
}

// flags let a watcher send alerts and store its run. It serves its metrics two scrapes longer than it watches.
func (o *oncall) flags() []string {
	return append(o.sinks(), "--metrics", o.metrics, "--set", "metrics-linger=3s")
}

// sinks are the flags for sinks. Alertmanager resolves alerts that are not repeated within 20 s.
func (o *oncall) sinks() []string {
	args := []string{"--no-history=false", "--state-dir", o.state}
	if o.alertmanager.url != "" {
		args = append(args, "--alertmanager", o.alertmanager.url, "--set", "repost=5s")
	}
	return args
}

// awaitAlert waits until a bound fires in Alertmanager, and checks that it is one alert. It returns the workflow's id
// there, which is its first job's if the alert was sent before a master had answered.
func (o *oncall) awaitAlert(bound string) (id string) {
	l := o.lab
	l.t.Helper()
	if o.alertmanager.url == "" {
		return ""
	}
	l.await(bound+" fires in Alertmanager", func() bool { return len(o.alertmanager.active(bound)) > 0 })
	ids := o.alertmanager.active(bound)
	if len(ids) != 1 {
		l.t.Errorf("Alertmanager has %s of %v, want it once", bound, ids)
	}
	return ids[0]
}

// over checks that people were notified once that a bound of a workflow that has ended fired, once that it is over, and
// of nothing else.
func (o *oncall) over(id, bound string) {
	l := o.lab
	l.t.Helper()
	if o.alertmanager.url == "" {
		return
	}
	l.await(bound+" of "+id+" is resolved", func() bool { return o.alertmanager.notified(id, bound, "resolved") > 0 })
	if fired, resolved := o.alertmanager.notified(id, bound, "firing"), o.alertmanager.notified(id, bound, "resolved"); fired !=
		1 || resolved != 1 {
		l.t.Errorf("%d notifications say that %s fires and %d that it is resolved, want each once", fired,
			bound, resolved)
	}
	o.alerts++
	if n := o.alertmanager.notified("", bound, "firing"); n != o.alerts {
		l.t.Errorf("Alertmanager has sent %d alerts of %s, want %d", n, bound, o.alerts)
	}
	if ids := o.alertmanager.active(bound); len(ids) > 0 {
		l.t.Errorf("%s still fires in Alertmanager for %v", bound, ids)
	}
}

// missed checks the states of a bound that was missed: on track, at risk, late, ended. In a run without history
// the risk may show only late, and may be skipped. It may come back once: on a busy machine an estimate can fall below
// the bound for some ticks.
func (w *watcher) missed(bound string, warned bool) {
	l := w.lab
	l.t.Helper()
	var way []string
	for _, f := range w.frames {
		if is := f.alert(bound); len(way) == 0 || way[len(way)-1] != is {
			way = append(way, is)
			l.t.Logf("%s: %s at %s s", bound, is, number(f.Elapsed))
		}
	}
	switch strings.Join(way, " ") {
	case "on_track at_risk late ended", "on_track at_risk on_track at_risk late ended":
	case "on_track late ended":
		if warned {
			l.t.Errorf("%s went %v without a warning", bound, way)
		}
	default:
		l.t.Errorf("%s went %v, want on_track at_risk late ended", bound, way)
	}
	for _, a := range w.last().Alerts {
		if a.Bound == bound && deref(a.Outcome) != "missed" {
			l.t.Errorf("%s ended with the outcome %q, want missed", bound, deref(a.Outcome))
		}
	}
}

// plugin has a monitoring plugin look until the bound is in danger: a warning, or critical once the run is late. A
// single look may come too early for either, since what a plugin sees in its own few seconds is less than what the
// watcher beside it has seen.
func (o *oncall) plugin(name string) {
	l := o.lab
	l.t.Helper()
	words := map[int]string{1: "WARNING", 2: "CRITICAL"}
	l.await("check warns of join.pig", func() bool {
		p := l.start(name, l.paratimer(append([]string{
			"check", "join.pig", "--no-history=false", "--state-dir",
			o.state,
		}, soon[:2]...)...))
		code := p.wait()
		out, err := os.ReadFile(p.stdout)
		l.must(err)
		line, _, _ := strings.Cut(string(out), "\n")
		l.t.Logf("check: exit code %d: %s", code, line)
		word, warns := words[code]
		if warns && (!strings.HasPrefix(line, "PARATIMER "+word+" - join.pig ") || !strings.Contains(line, "within")) {
			l.t.Fatalf("check: exit code %d: %s", code, out)
		}
		return warns
	})
}

// remembered checks that a watcher has used the history, has reported that, and gave ranges from its first frame
// on.
func (o *oncall) remembered(w *watcher) {
	l := o.lab
	l.t.Helper()
	if output, err := os.ReadFile(w.stderr); err != nil ||
		!strings.Contains(string(output), "using the profile of 1 run of join.pig") {
		l.t.Errorf("%s does not print which runs it uses: %s (%v)", w.name, output, err)
	}
	for i, f := range w.frames {
		if f.Workflow.State == "running" && len(f.Quantiles) != 7 {
			l.t.Errorf("%s: frame %d has %d quantiles, though the history has a run", w.name, i+1, len(f.Quantiles))
			return
		}
	}
}

// runs checks that the history has exactly these watchers' runs.
func (o *oncall) runs(watchers ...*watcher) {
	l := o.lab
	l.t.Helper()
	var got struct{ Runs []struct{ ID, State string } }
	name := deref(watchers[0].last().Workflow.Name)
	l.must(json.Unmarshal(l.run("history", 0, "history", "show", name, "--state-dir", o.state, "--output",
		"json"), &got))
	var ids, want []string
	for _, r := range got.Runs {
		ids = append(ids, r.ID+" "+r.State)
	}
	for _, w := range watchers {
		want = append(want, deref(w.last().Workflow.ID)+" "+w.last().Workflow.State)
	}
	if !slices.Equal(ids, want) {
		l.t.Errorf("history has %v, want %v", ids, want)
	}
	l.t.Logf("history show\n%s", l.run("history-text", 0, "history", "show", name, "--state-dir", o.state))
}

// exportProfile writes the profile that a watcher got from the history, for its replay, and returns the file.
func (o *oncall) exportProfile(w *watcher) string {
	file := filepath.Join(o.lab.dir, w.name+".given.yaml")
	o.lab.run(w.name+"-export", 0, "history", "profile", "join.pig", "--before", deref(w.last().Workflow.ID),
		"--state-dir", o.state, "-o", file)
	return file
}
