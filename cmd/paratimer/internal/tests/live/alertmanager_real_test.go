package live

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/dag"
)

// watcher is a dispatcher with one Alertmanager, as attach makes it.
func watcher(t *testing.T, url string, store *state.Store, repost time.Duration) *notify.Dispatcher {
	t.Helper()
	am, err := notify.NewAlertmanager(url, repost, notify.NewClient(nil), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	c := notify.Config{Sinks: []*notify.Sink{am}, Repost: repost, Log: zerolog.New(zerolog.TestWriter{T: t})}
	if store != nil {
		c.Store = store
	}
	d := notify.New(c)
	d.Start()
	return d
}

func open(t *testing.T, dir string) *state.Store {
	t.Helper()
	s, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seen is a frame of a workflow with one alert.
func seen(id string, s frame.AlertState, outcome frame.Outcome) (alert.State, frame.Frame) {
	now := dag.InstantOf(time.Now())
	name := "nightly.pig"
	a := frame.Alert{Bound: "deadline", State: s, Since: frame.TimeOf(now), Text: "it is " + string(s)}
	st := alert.Standing{State: s, Since: now}
	if outcome != "" {
		a.Outcome, st.Outcome = &outcome, &outcome
	}
	f := frame.Frame{
		At: frame.TimeOf(now), Workflow: frame.Workflow{ID: &id, Name: &name, State: dag.Running},
		Alerts: []frame.Alert{a},
	}
	return alert.State{Bounds: map[string]alert.Standing{"deadline": st}}, f
}

func keep(t *testing.T, w *notify.Watch, id string, s frame.AlertState, o frame.Outcome) {
	t.Helper()
	st, f := seen(id, s, o)
	w.Keep(st, f)
}

func statuses(all []alertMessage, id string) string {
	s := ""
	for _, m := range all {
		if m.Labels["workflow_id"] == id {
			s += m.Status + " " + m.Annotations["state"] + ";"
		}
	}
	return s
}

// TestRealAlertmanager checks that a firing alert is sent on once, over a restart of ours and with a second watcher,
// and its end is.
func TestRealAlertmanager(t *testing.T) {
	am := startAlertmanager(t)
	const repost = 500 * time.Millisecond
	store := open(t, t.TempDir())
	d := watcher(t, am.URL, store, repost)
	w := d.Watch(nil)
	keep(t, w, "wf_1", frame.OnTrack, "")
	keep(t, w, "wf_1", frame.AtRisk, "")
	eventually(t, "the alert is received", func() bool { return len(am.Received()) == 1 })
	if n := len(am.Active(t)); n != 1 {
		t.Fatalf("%d alerts at Alertmanager, want 1", n)
	}
	w.Close()
	if left := d.Close(time.Minute); left != 0 {
		t.Errorf("%d notifications left", left)
	}

	// Two watchers after the restart, one with the same state folder and one with none.
	d, other := watcher(t, am.URL, store, repost), watcher(t, am.URL, nil, repost)
	w, w2 := d.Watch(nil), other.Watch(nil)
	_, f := seen("wf_1", frame.AtRisk, "")
	if got := w.Recall(f).Bounds["deadline"].State; got != frame.AtRisk {
		t.Errorf("after the restart it stands at %q, want at_risk", got)
	}
	for range 2 {
		keep(t, w, "wf_1", frame.Late, "")
		keep(t, w2, "wf_1", frame.Late, "")
	}
	eventually(t, "both have posted", func() bool { return d.Stats()[0].Sent > 2 && other.Stats()[0].Sent > 2 })
	if got := am.Active(t); len(got) != 1 || got[0].Annotations["state"] != "late" {
		t.Errorf("at Alertmanager: %+v, want one alert, late", got)
	}
	if got := statuses(am.Received(), "wf_1"); got != "firing at_risk;" {
		t.Errorf("notifications %q, want the alert once", got)
	}
	keep(t, w2, "wf_1", frame.Ended, frame.Missed)
	keep(t, w, "wf_1", frame.Ended, frame.Missed)
	w.Close()
	w2.Close()
	if left := d.Close(time.Minute) + other.Close(time.Minute); left != 0 {
		t.Errorf("%d notifications left", left)
	}
	eventually(t, "the end is received", func() bool { return len(am.Received()) > 1 })
	if got := statuses(am.Received(), "wf_1"); got != "firing at_risk;resolved ended;" {
		t.Errorf("notifications %q, want one alert and its end", got)
	}
}

// TestRealAlertmanagerAway: an Alertmanager that is down when it fires, and crashes later, gets the alert when it is
// back.
func TestRealAlertmanagerAway(t *testing.T) {
	am := startAlertmanager(t)
	am.Down(t)
	d := watcher(t, am.URL, open(t, t.TempDir()), 300*time.Millisecond)
	w := d.Watch(nil)
	keep(t, w, "wf_2", frame.AtRisk, "")
	eventually(t, "it was tried", func() bool { return d.Stats()[0].Failed > 0 })
	am.Up(t)
	eventually(t, "the alert is received", func() bool { return len(am.Received()) == 1 })
	am.Down(t)
	am.Up(t)
	eventually(t, "it is posted again", func() bool { return len(am.Active(t)) == 1 })
	keep(t, w, "wf_2", frame.OnTrack, "")
	w.Close()
	if left := d.Close(time.Minute); left != 0 {
		t.Errorf("%d notifications left", left)
	}
	eventually(t, "nothing fires", func() bool { return len(am.Active(t)) == 0 })
}

// TestRealAlertmanagerRefuses: an alert that Alertmanager does not take does not take others with it.
func TestRealAlertmanagerRefuses(t *testing.T) {
	am := startAlertmanager(t)
	d := watcher(t, am.URL, nil, time.Minute)
	bad, good := d.Watch(map[string]notify.Dress{"deadline": {Labels: map[string]string{"not-a-label": "x"}}}),
		d.Watch(nil)
	keep(t, bad, "wf_bad", frame.Late, "")
	keep(t, good, "wf_good", frame.Late, "")
	if left := d.Close(time.Minute); left != 0 {
		t.Errorf("%d notifications left", left)
	}
	s := d.Stats()[0]
	if s.Dropped != 1 || s.Sent != 1 {
		t.Errorf("%+v, want one dropped and one sent", s)
	}
	if got := am.Active(t); len(got) != 1 || got[0].Labels["workflow_id"] != "wf_good" {
		t.Errorf("at Alertmanager: %+v", got)
	}
}
