package sinks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestTakeOver: of two watchers that share a folder one tells, and the other goes on where that one left off.
func TestTakeOver(t *testing.T) {
	s := newServer(t, nil)
	dir := t.TempDir()
	a, b := newDesk(t, open(t, dir), newWebhook(t, s.URL, "")), newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	a.keep(frame.AtRisk, "")
	b.keep(frame.AtRisk, "")
	if n := len(s.all()); n != 1 {
		t.Fatalf("told %d times, want once", n)
	}
	b.keep(frame.Late, "")
	if n := len(s.all()); n != 1 {
		t.Fatalf("the second watcher tells as well: %d", n)
	}
	a.d.Close(0)
	b.keep(frame.Late, "")
	if n := len(s.all()); n != 2 {
		t.Errorf("told %d times, want that it is late", n)
	}
	b.keep(frame.Ended, frame.Missed)
	all := s.all()
	if len(all) != 3 || !strings.HasSuffix(all[2].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("told %d times", len(all))
	}
	// A third one comes when all is said.
	c := newDesk(t, open(t, dir), newWebhook(t, s.URL, ""))
	_, f := seen("wf_1", frame.Ended, frame.Missed)
	c.w.Recall(f)
	c.keep(frame.Ended, frame.Missed)
	if n := len(s.all()); n != 3 {
		t.Errorf("the third watcher tells it again: %d", n)
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
		t.Errorf("told %d times", len(all))
	}
}

// TestApart: of two watchers that share nothing each resolves only what it fired.
func TestApart(t *testing.T) {
	s := newServer(t, nil)
	a, b := newDesk(t, nil, newWebhook(t, s.URL, "")), newDesk(t, nil, newWebhook(t, s.URL, ""))
	a.keep(frame.AtRisk, "")
	b.keep(frame.OnTrack, "")
	b.keep(frame.Ended, frame.Met)
	if n := len(s.all()); n != 1 {
		t.Errorf("told %d times: who has not fired it resolves it", n)
	}
	a.keep(frame.OnTrack, "")
	if n := len(s.all()); n != 2 {
		t.Errorf("told %d times", n)
	}
}

// TestWithdrawn: a query that is no longer held to a bound is no longer told of.
func TestWithdrawn(t *testing.T) {
	s := newServer(t, nil)
	k := newDesk(t, open(t, t.TempDir()), newWebhook(t, s.URL, ""))
	k.keep(frame.AtRisk, "")
	st, f := seen("wf_1", frame.AtRisk, "")
	f.Alerts = nil
	for range 2 {
		if err := k.w.Keep(st, f); err != nil {
			t.Fatal(err)
		}
		k.flush()
	}
	if all := s.all(); len(all) != 2 || !strings.HasSuffix(all[1].header.Get("Idempotency-Key"), "resolved") {
		t.Errorf("told %d times, want that it fires and that it is over", len(all))
	}
}
