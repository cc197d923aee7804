package notify_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestTakeOver: of two watchers that share a folder one sends alerts, and the other continues them.
func TestTakeOver(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a, b := newDesk(t, open(t, dir), newWebhook(t, s.URL, "")), newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	a.keep(frame.AtRisk, "")
	b.keep(frame.AtRisk, "")
	if n := len(s.all()); n != 1 {
		t.Fatalf("sent %d times, want once", n)
	}
	b.keep(frame.Late, "")
	if n := len(s.all()); n != 1 {
		t.Fatalf("the second watcher sends as well: %d", n)
	}
	a.d.Close(0)
	b.keep(frame.Late, "")
	if n := len(s.all()); n != 2 {
		t.Errorf("sent %d times, want that it is late", n)
	}
	b.keep(frame.Ended, frame.Missed)
	all := s.all()
	if len(all) != 3 || !strings.HasSuffix(all[2].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("sent %d times", len(all))
	}
	// A third one comes when all is sent.
	c := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	_, f := seen("wf_1", frame.Ended, frame.Missed)
	c.w.Recall(f)
	c.keep(frame.Ended, frame.Missed)
	if n := len(s.all()); n != 3 {
		t.Errorf("the third watcher sends it again: %d", n)
	}
}

// TestTakeOverSeesNoMore: who takes over resolves what the other fired, though it sees it on track itself.
func TestTakeOverSeesNoMore(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a, b := newDesk(t, open(t, dir), newWebhook(t, s.URL, "")), newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	b.keep(frame.OnTrack, "")
	a.keep(frame.AtRisk, "")
	b.keep(frame.OnTrack, "")
	a.d.Close(0)
	b.time += time.Minute
	b.keep(frame.OnTrack, "")
	if all := s.all(); len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("sent %d times", len(all))
	}
}

// TestApart: two watchers that share nothing resolve only their own alerts.
func TestApart(t *testing.T) {
	s := newServer(t, nil)
	a, b := newDesk(t, nil, newWebhook(t, s.URL, "")), newDesk(t, nil, newWebhook(t, s.URL, ""))
	a.keep(frame.AtRisk, "")
	b.keep(frame.OnTrack, "")
	b.keep(frame.Ended, frame.Met)
	if n := len(s.all()); n != 1 {
		t.Errorf("sent %d times: a watcher that has not fired it resolves it", n)
	}
	a.keep(frame.OnTrack, "")
	if n := len(s.all()); n != 2 {
		t.Errorf("sent %d times", n)
	}
}

// TestWithdrawn: a query without its bound any more causes no alerts.
func TestWithdrawn(t *testing.T) {
	s := newServer(t, nil)
	k := newDesk(t, open(t, t.TempDir()), newWebhook(t, s.URL, ""))
	k.keep(frame.AtRisk, "")
	st, f := seen("wf_1", frame.AtRisk, "")
	f.Alerts = nil
	for range 2 {
		k.w.Keep(st, f)
		k.flush()
	}
	if all := s.all(); len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("got %d notifications, want 2: firing and resolved", len(all))
	}
}

// TestNewID: a watcher that was there before the script had its own id shares an alert with one that came after.
func TestNewID(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a, b := newDesk(t, open(t, dir), newWebhook(t, s.URL, "")), newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	keep(t, a.w, "job_1", frame.OnTrack, "")
	for _, k := range []*desk{a, b} {
		keep(t, k.w, "pig_1", frame.AtRisk, "")
		k.flush()
	}
	if n := len(s.all()); n != 1 {
		t.Errorf("sent %d times, want once", n)
	}
	a.d.Close(0)
	_, f := seen("pig_1", frame.OnTrack, "")
	if is := newDesk(t, open(t, dir)).w.Recall(f).Bounds; len(is) != 1 {
		t.Errorf("got %v stored for the script", is)
	}
}

// TestNewIDLate checks that alerts sent before the script had its own id are resolved where they were sent.
func TestNewIDLate(t *testing.T) {
	s := newServer(t, nil)
	k := newDesk(t, open(t, t.TempDir()), newWebhook(t, s.URL, ""))
	for _, at := range []struct {
		id string
		is frame.AlertState
	}{{"job_1", frame.AtRisk}, {"pig_1", frame.AtRisk}, {"pig_1", frame.OnTrack}} {
		keep(t, k.w, at.id, at.is, "")
		k.flush()
	}
	if all := s.all(); len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("got %d notifications, want 2: firing and resolved", len(all))
	} else if first, last := bytes.Count(all[0].body, []byte(`"job_1"`)),
		bytes.Count(all[1].body, []byte(`"job_1"`)); first == 0 || first != last {
		t.Errorf("got the end under another id:\n%s", all[1].body)
	}
}

// TestNewIDElsewhere checks that a watcher that comes when the script has its own id continues the alerts sent before.
func TestNewIDElsewhere(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	keep(t, a.w, "job_1", frame.AtRisk, "")
	a.flush()
	b := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	st, f := seen("pig_1", frame.AtRisk, "")
	f.Jobs = []frame.Job{{ID: frame.Text("job_1")}}
	for range 2 {
		if is := b.w.Recall(f).Bounds; len(is) != 1 {
			t.Errorf("got %v stored for the script", is)
		}
		b.w.Keep(st, f)
		b.flush()
	}
	if n := len(s.all()); n != 1 {
		t.Errorf("sent %d times, want once", n)
	}
}

// TestOldIDAgain checks that a later watcher that sees one of its jobs before the script continues the alerts of the
// script.
func TestOldIDAgain(t *testing.T) {
	for _, sent := range []bool{true, false} {
		s := newServer(t, nil)
		dir := t.TempDir()
		shows := func(k *desk, id string, is frame.AlertState, o frame.Outcome) {
			t.Helper()
			st, f := seen(id, is, o)
			f.Jobs = []frame.Job{{ID: frame.Text("job_1")}, {ID: frame.Text("job_2")}}
			if got := k.w.Recall(f).Bounds; o != "" && len(got) != 1 {
				t.Errorf("%s: got %v in the store", id, got)
			}
			k.w.Keep(st, f)
			k.flush()
		}
		a := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
		shows(a, "job_1", frame.OnTrack, "")
		shows(a, "pig_1", frame.OnTrack, "")
		if sent {
			shows(a, "pig_1", frame.AtRisk, "")
		}
		a.d.Close(0)
		b := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
		for _, id := range []string{"job_2", "job_2", "pig_1"} {
			shows(b, id, frame.Ended, frame.Missed)
		}
		all := s.all()
		if len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
			t.Fatalf("sent before: %v: got %d notifications, want 2: firing and resolved", sent, len(all))
		}
		for _, m := range all {
			if !bytes.Contains(m.body, []byte(`"workflow_id":"pig_1"`)) {
				t.Errorf("sent another id than the script's:\n%s", m.body)
			}
		}
	}
}
