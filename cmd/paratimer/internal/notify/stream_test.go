package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestLine checks the notifications about an alert, tick by tick. Small letters are states, a plus says that the
// watcher had seen the query before it ended.
func TestLine(t *testing.T) {
	for _, c := range []struct{ name, seen, want string }{
		{"on track to the end", "on_track on_track met", ""},
		{"at risk, then not", "on_track at_risk at_risk on_track on_track met", "at_risk resolved"},
		{"it gets worse and ends", "at_risk late late missed missed", "at_risk late resolved"},
		{"late is never taken down to at risk", "late at_risk late missed", "late resolved"},
		{"twice", "at_risk on_track at_risk met", "at_risk resolved at_risk resolved"},
		{"blind changes nothing", "at_risk blind blind at_risk blind met", "at_risk resolved"},
		{"blind from the start", "blind blind met", ""},
		{"it ended late between two looks", "on_track missed missed", "late resolved"},
		{"it was over before anybody looked", "missed missed", ""},
		{"killed by its user", "at_risk ended", "at_risk resolved"},
		{"killed while on track", "on_track ended", ""},
		{"jobs came after all", "late missed late missed", "late resolved late resolved"},
		{"it never starts", "on_track late late late", "late"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := alertStream{}
			now := time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC)
			opened, ids := false, map[string]bool{}
			for _, s := range strings.Fields(c.seen) {
				a := frame.Alert{Bound: "b", State: frame.AlertState(s)}
				if o := frame.Outcome(s); o == frame.Met || o == frame.Missed {
					a.State, a.Outcome = frame.Ended, &o
				}
				a.Opened = opened
				l.follow(Notification{Fingerprint: "f", Alert: a}, now)
				opened = opened || a.State != frame.Ended && a.State != frame.Blind
			}
			var sent []string
			for _, n := range l.Queue {
				if ids[n.ID] {
					t.Errorf("the key %s is used twice", n.ID)
				}
				ids[n.ID] = true
				sent = append(sent, n.ID[strings.LastIndexByte(n.ID, '-')+1:])
				if (n.Status == Resolved) != (n.EndsAt != nil) || n.EndsAt != nil && !n.EndsAt.After(n.StartsAt) {
					t.Errorf("%s: %s from %v to %v", n.ID, n.Status, n.StartsAt, n.EndsAt)
				}
			}
			if got := strings.Join(sent, " "); got != c.want {
				t.Errorf("sent %q, want %q", got, c.want)
			}
		})
	}
}

// TestClockSetBack: another episode has another key and comes later, even where the clock was set back an hour.
func TestClockSetBack(t *testing.T) {
	l := alertStream{}
	now := time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC)
	for _, s := range []frame.AlertState{frame.AtRisk, frame.OnTrack, frame.AtRisk, frame.OnTrack} {
		l.follow(Notification{Fingerprint: "f", Alert: frame.Alert{State: s}}, now)
		now = now.Add(-time.Hour)
	}
	if len(l.Queue) != 4 || l.Queue[0].ID == l.Queue[2].ID || !l.Queue[2].StartsAt.After(l.Queue[0].StartsAt) {
		t.Errorf("%+v", l.Queue)
	}
}

// TestCrop: a queue that is too long loses its oldest, never its newest.
func TestCrop(t *testing.T) {
	l := alertStream{Queue: []Notification{{ID: "1"}, {ID: "2"}, {ID: "3"}}}
	if n := l.crop(2); n != 1 || l.Queue[0].ID != "2" {
		t.Errorf("dropped %d of it: %+v", n, l.Queue)
	}
	if n := l.crop(0); n != 1 || len(l.Queue) != 1 || l.Queue[0].ID != "3" {
		t.Errorf("dropped %d of it: %+v", n, l.Queue)
	}
}

// TestNewest checks which alerts a repeating sink gets after it was away.
func TestNewest(t *testing.T) {
	missed, met := frame.Missed, frame.Met
	over := Notification{ID: "r", Status: Resolved, Alert: frame.Alert{State: frame.Ended, Outcome: &missed}}
	fine := Notification{ID: "r", Status: Resolved, Alert: frame.Alert{State: frame.Ended, Outcome: &met}}
	fires := Notification{ID: "f", Status: Firing}
	for _, c := range []struct {
		name          string
		l             alertStream
		id            string
		isSent, brief bool
	}{
		{"it fires", alertStream{Queue: []Notification{fires}}, "f", true, false},
		{"reported, and ended", alertStream{Reported: true, Queue: []Notification{over}}, "r", true, false},
		{"never reported, and late", alertStream{Queue: []Notification{fires, over}}, "r", true, true},
		{"never reported, and back on track", alertStream{Queue: []Notification{fires, fine}}, "r", false, false},
		{"another fires now", alertStream{Queue: []Notification{over, fires}}, "f", true, false},
	} {
		if n, isSent := c.l.newest(); n.ID != c.id || isSent != c.isSent || n.Brief != c.brief {
			t.Errorf("%s: got %s, sent %v, brief %v", c.name, n.ID, isSent, n.Brief)
		}
	}
}
