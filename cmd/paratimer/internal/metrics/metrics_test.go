package metrics

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/dag"
)

// TestSeries compares every series by value: of a frame with all values, and of one without values.
func TestSeries(t *testing.T) {
	m, _ := newMetrics(Options{Every: 3 * time.Second, Version: "v1", Revision: "abc", Go: "go1"})
	of := empty("wf-2", "new.pig")
	of.Workflow.Engine = "Tez"
	show(t, m, full("wf-1", "join.pig", 90*time.Second), of)
	want := `paratimer_alert_state{bound="deadline",state="at_risk",workflow="join.pig"} 1
paratimer_alert_state{bound="deadline",state="at_risk",workflow="new.pig"} 0
paratimer_alert_state{bound="deadline",state="blind",workflow="join.pig"} 0
paratimer_alert_state{bound="deadline",state="blind",workflow="new.pig"} 0
paratimer_alert_state{bound="deadline",state="ended",workflow="join.pig"} 0
paratimer_alert_state{bound="deadline",state="ended",workflow="new.pig"} 0
paratimer_alert_state{bound="deadline",state="late",workflow="join.pig"} 0
paratimer_alert_state{bound="deadline",state="late",workflow="new.pig"} 0
paratimer_alert_state{bound="deadline",state="on_track",workflow="join.pig"} 0
paratimer_alert_state{bound="deadline",state="on_track",workflow="new.pig"} 1
paratimer_build_info{goversion="go1",revision="abc",version="v1"} 1
paratimer_deadline_timestamp_seconds{bound="deadline",workflow="join.pig"} 1.00000366e+09
paratimer_elapsed_seconds{workflow="join.pig"} 30
paratimer_frames_total 2
paratimer_headline_remaining_seconds{workflow="join.pig"} 90
paratimer_last_observation_timestamp_seconds{workflow="join.pig"} 1.0000036e+09
paratimer_late_by_seconds{bound="deadline",workflow="join.pig"} 30
paratimer_late_probability_ratio{bound="deadline",workflow="join.pig"} 0.71
paratimer_predicted_end_timestamp_seconds{workflow="join.pig"} 1.00000369e+09
paratimer_progress_ratio{workflow="join.pig"} 0.25
paratimer_remaining_quantile_seconds{q="0.1",workflow="join.pig"} 80
paratimer_remaining_quantile_seconds{q="0.9",workflow="join.pig"} 120.5
paratimer_remaining_seconds{scenario="one_failure",workflow="join.pig"} 180
paratimer_remaining_seconds{scenario="standard",workflow="join.pig"} 90
paratimer_skew_delay_seconds{workflow="join.pig"} 40
paratimer_stale_frames_total 0
paratimer_stale_seconds{workflow="join.pig"} 0
paratimer_stale_seconds{workflow="new.pig"} 0
paratimer_watcher_interval_seconds 3
paratimer_watcher_last_observation_timestamp_seconds 1e+09
`
	var states []string
	for _, name := range []string{"join.pig", "new.pig"} {
		for s := dag.Blocked; s <= dag.EndedUnconfirmed; s++ {
			is := 0
			if name == "join.pig" && s == dag.Running || name == "new.pig" && s == dag.Submitted {
				is = 1
			}
			states = append(states, fmt.Sprintf("paratimer_workflow_state{state=%q,workflow=%q} %d", s, name, is))
		}
	}
	got := scrape(t, m)
	for _, s := range states {
		if !strings.Contains(got, s+"\n") {
			t.Errorf("no %s", s)
		}
		got = strings.Replace(got, s+"\n", "", 1)
	}
	want += `paratimer_workflow_info{engine="MapReduce",workflow="join.pig"} 1
paratimer_workflow_info{engine="Tez",workflow="new.pig"} 1
` + "paratimer_workflows 2\nparatimer_workflows_overflow 0\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestNothing checks that no series about time exists before the first frame.
func TestNothing(t *testing.T) {
	m, _ := newMetrics(Options{})
	const want = `paratimer_build_info{goversion="",revision="",version=""} 1
paratimer_frames_total 0
paratimer_stale_frames_total 0
paratimer_workflows 0
paratimer_workflows_overflow 0
`
	if d := cmp.Diff(want, scrape(t, m)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestNewID checks that a script is one run, though it has its first job's id until more is known of it.
func TestNewID(t *testing.T) {
	m, _ := newMetrics(Options{})
	before := full("job_1_0001", "join.pig", 2*time.Minute)
	after := full("pig_1", "join.pig", time.Minute)
	for _, f := range []*frame.Frame{&before, &after} {
		f.Jobs = []frame.Job{{ID: frame.Text("job_1_0001")}, {ID: nil}}
	}
	show(t, m, before, after, after)
	if got := remaining(t, m, "join.pig"); got != "60" {
		t.Errorf("%s s remain, want those of the newest frame: 60", got)
	}
	if got := scrape(t, m); !strings.Contains(got, "paratimer_workflows 1\n") {
		t.Errorf("it is not one run:\n%s", got)
	}
	// Another run of the same name is another run.
	show(t, m, full("pig_2", "join.pig", time.Minute))
	if got := scrape(t, m); !strings.Contains(got, "paratimer_workflows 2\n") {
		t.Errorf("there are not two runs:\n%s", got)
	}
}

// TestStale checks that a repeated frame moves neither of the instants of the last observation.
func TestStale(t *testing.T) {
	m, c := newMetrics(Options{})
	f := full("wf-1", "join.pig", 90*time.Second)
	show(t, m, f)
	c.pass(20 * time.Second)
	show(t, m, f.Aged(20*time.Second, fmt.Errorf("no route to host")))
	got := scrape(t, m)
	for _, want := range []string{
		`paratimer_stale_seconds{workflow="join.pig"} 20`,
		`paratimer_last_observation_timestamp_seconds{workflow="join.pig"} 1.0000036e+09`,
		`paratimer_watcher_last_observation_timestamp_seconds 1e+09`,
		`paratimer_headline_remaining_seconds{workflow="join.pig"} 70`,
		`paratimer_frames_total 2`,
		`paratimer_stale_frames_total 1`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// remaining is the headline that a scrape shows of a name.
func remaining(t *testing.T, m *Metrics, name string) string {
	t.Helper()
	for line := range strings.Lines(scrape(t, m)) {
		if v, ok := strings.CutPrefix(line, "paratimer_headline_remaining_seconds{workflow=\""+name+"\"} "); ok {
			return strings.TrimSpace(v)
		}
	}
	return "absent"
}

// TestRunsOfOneName checks that of several runs of one name the one that ends last is shown.
func TestRunsOfOneName(t *testing.T) {
	m, _ := newMetrics(Options{})
	steps := []struct {
		frame frame.Frame
		want  string
	}{
		{full("a", "q", 50*time.Second), "50"},
		{full("b", "q", 90*time.Second), "90"},
		{full("c", "q", 70*time.Second), "90"},
		{full("b", "q", 60*time.Second), "70"},                       // it has come nearer
		{ended(full("c", "q", 99*time.Second), dag.Succeeded), "60"}, // one that runs goes before one that has ended
		{empty("d", "q"), "60"},                                      // nothing is known of its end
		{full("other", "r", 500*time.Second), "60"},
	}
	for i, s := range steps {
		show(t, m, s.frame)
		if got := remaining(t, m, "q"); got != s.want {
			t.Errorf("step %d: %s, want %s", i, got, s.want)
		}
	}
	m.Forget("b")
	if got := remaining(t, m, "q"); got != "50" {
		t.Errorf("without b: got %s, want 50", got)
	}
	if got := scrape(t, m); !strings.Contains(got, "paratimer_workflows 3\n") {
		t.Errorf("not 3 runs in\n%s", got)
	}
}

// TestGrace checks that series of a run that has ended go, but not at once.
func TestGrace(t *testing.T) {
	m, c := newMetrics(Options{Grace: time.Minute})
	over := ended(full("a", "q", 0), dag.Succeeded)
	show(t, m, full("a", "q", 50*time.Second), over)
	c.pass(59 * time.Second)
	show(t, m, over) // shown again, it has not ended again
	if got := remaining(t, m, "q"); got != "0" {
		t.Errorf("within the grace: %s, want 0", got)
	}
	c.pass(time.Second)
	if got := remaining(t, m, "q"); got != "absent" {
		t.Errorf("after the grace: %s", got)
	}
	if len(m.runs) != 0 {
		t.Errorf("got %d runs in memory", len(m.runs))
	}
	show(t, m, full("b", "q", 40*time.Second))
	if got := remaining(t, m, "q"); got != "40" {
		t.Errorf("the next run: %s, want 40", got)
	}
}

// TestCardinality checks that names beyond the most are counted, and that a newcomer takes no series away.
func TestCardinality(t *testing.T) {
	m, c := newMetrics(Options{Most: 2, Grace: time.Minute})
	for _, name := range []string{"zeta", "beta", "alpha", "gamma"} {
		show(t, m, full(name+"-1", name, time.Minute))
	}
	shown := func() string {
		var names []string
		for _, name := range []string{"alpha", "beta", "gamma", "zeta"} {
			if remaining(t, m, name) != "absent" {
				names = append(names, name)
			}
		}
		return strings.Join(names, " ")
	}
	if got := shown(); got != "beta zeta" {
		t.Errorf("shown: %s, want the first two", got)
	}
	if got := scrape(t, m); !strings.Contains(got, "paratimer_workflows_overflow 2\n") ||
		!strings.Contains(got, "paratimer_workflows 4\n") {
		t.Errorf("the others are not counted:\n%s", got)
	}
	show(t, m, ended(full("zeta-1", "zeta", 0), dag.Killed))
	c.pass(time.Minute)
	if got := shown(); got != "alpha beta" {
		t.Errorf("once zeta is gone: %s, want alpha beta", got)
	}
}

func TestLabels(t *testing.T) {
	long := strings.Repeat("ä", 200)
	for name, want := range map[string]string{
		"join.pig": "join.pig",
		"":         "(unnamed)",
		" \t":      "(unnamed)",
		"oozie:launcher:T=pig:W=etl:A=join:ID=0000123-261121000000123-oozie-oozi-W": "oozie:launcher:T=pig:W=etl:A=join:ID=ID",
		"copy of application_1795222440184_0007 again":                              "copy of ID again",
		"a\xffb": "a\uFFFDb",
		long:     strings.Repeat("ä", 62) + "…",
	} {
		if got := workflow(&name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if got := workflow(&name); len(got) > maxLabel {
			t.Errorf("%q: %d bytes", name, len(got))
		}
	}
	if got := workflow(nil); got != "(unnamed)" {
		t.Errorf("no name: %q", got)
	}
}

// TestHostileFrames checks that no frame spoils the scrape: not one with a series twice, nor one with names of no
// sense.
func TestHostileFrames(t *testing.T) {
	m, _ := newMetrics(Options{})
	f := full("x", "a\"b\\c\nd\xff", time.Minute)
	f.Estimates = append(f.Estimates, f.Estimates[0])
	f.Alerts = append(f.Alerts, f.Alerts[0], frame.Alert{Bound: "\xfe\n\"", State: "unheard of"})
	for i := range 1000 {
		f.Alerts = append(f.Alerts, frame.Alert{Bound: fmt.Sprint(i), State: frame.Late})
	}
	show(t, m, f)
	if _, err := m.ours.Gather(); err != nil {
		t.Fatal(err)
	}
	got := scrape(t, m)
	if n := strings.Count(got, "paratimer_alert_state{"); n > 5*maxBounds {
		t.Errorf("%d series of alerts: they are not bounded", n)
	}
	if !strings.Contains(got, `workflow="a\"b\\c\nd`+"\uFFFD"+`"`) {
		t.Errorf("the name is not escaped:\n%.500s", got)
	}
}

// TestScrapeDoesNotBlock checks that the loop goes on while a client reads slowly.
func TestScrapeDoesNotBlock(t *testing.T) {
	m, _ := newMetrics(Options{})
	show(t, m, full("a", "q", time.Minute))
	out := make(chan prometheus.Metric)
	done := make(chan struct{})
	go func() {
		collector{m}.Collect(out)
		close(done)
	}()
	<-out // it has begun, and its body is not read on
	if !m.mu.TryLock() {
		t.Fatal("the lock is held while series are read")
	}
	m.mu.Unlock()
	show(t, m, full("a", "q", 40*time.Second))
	for reading := true; reading; {
		select {
		case <-out:
		case <-done:
			reading = false
		}
	}
	if got := remaining(t, m, "q"); got != "40" {
		t.Errorf("%s, want 40", got)
	}
}

// TestManyAtOnce is for the race detector: many watchers, many scrapes.
func TestManyAtOnce(t *testing.T) {
	m, _ := newMetrics(Options{Most: 5})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 50 {
				f := full(fmt.Sprint("id", i), fmt.Sprint("q", i), time.Duration(k)*time.Second)
				if k%10 == 9 {
					f = ended(f, dag.Succeeded)
				}
				_ = m.Show(frame.Tick{Frame: f})
				m.Observed()
				if k%20 == 0 {
					m.Forget(fmt.Sprint("id", i))
					_, _ = m.ours.Gather()
				}
			}
		})
	}
	all.Wait()
	if got := scrape(t, m); !strings.Contains(got, "paratimer_frames_total 400\n") {
		t.Errorf("frames are lost:\n%s", got)
	}
}

func TestDeliveries(t *testing.T) {
	m, _ := newMetrics(Options{})
	m.Also(func(emit Emit) {
		Deliveries(emit, []notify.Stat{
			{Sink: "webhook-0a1b2c3d", Sent: 3, Failed: 1, Waiting: 2},
			{Sink: "webhook-4e5f6071", Sent: 4, Dropped: 1},
			{Sink: "exec-8293a4b5", Sent: 1},
		})
	})
	got := scrape(t, m)
	for _, want := range []string{
		`paratimer_notifications_total{sink="webhook"} 7`,
		`paratimer_notifications_total{sink="exec"} 1`,
		`paratimer_notifications_failed_total{sink="webhook"} 1`,
		`paratimer_notifications_dropped_total{sink="webhook"} 1`,
		`paratimer_notifications_waiting{sink="webhook"} 2`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "example") {
		t.Errorf("an address is in a label:\n%s", got)
	}
}
