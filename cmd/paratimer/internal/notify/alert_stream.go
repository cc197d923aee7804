package notify

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// An alertStream is one alert towards one sink: what has been told of it, and what must still be.
type alertStream struct {
	Bound string `json:"bound"`
	Sink  string `json:"sink"` // Sink.Key
	// State is the worst that was told of the episode that runs: at_risk or late; "" where none runs.
	State    frame.AlertState `json:"state,omitempty"`
	StartsAt time.Time        `json:"starts_at,omitzero"` // of the last episode
	Reported bool             `json:"heard,omitempty"`    // the last that the sink has taken was a firing
	Ended    bool             `json:"ended,omitempty"`    // the workflow has ended; nothing more is told
	Queue    []Notification   `json:"queue,omitempty"`    // to be sent, oldest first
	Queued   time.Time        `json:"queued,omitzero"`    // when the oldest of it came

	sent time.Duration // when it was last sent by this process, by the steady clock
}

// trace says whether anything must be remembered of a stream.
func (l *alertStream) trace() bool { return l.State != "" || !l.StartsAt.IsZero() || len(l.Queue) > 0 }

// A view is what is seen of an alert now.
type view struct {
	about Notification // all but its ID, status and times
	// opened says that the alert was seen before the workflow had ended: only then can a missed bound be news.
	opened bool
}

// rank orders how bad states are. 0: nobody should hear of it.
func rank(s frame.AlertState) int {
	switch s {
	case frame.AtRisk:
		return 1
	case frame.Late:
		return 2
	}
	return 0
}

// follow queues what a view makes necessary to tell, and says whether the stream has changed. What was told before is
// the stream's own memory: the same view again changes nothing.
func (l *alertStream) follow(v view, now time.Time) bool {
	a := v.about.Alert
	switch {
	case a.State == frame.Blind:
		return false
	case a.State.Firing():
		return l.fire(v.about, a.State, now)
	case l.State != "":
		l.resolve(v.about, a.State, now)
		return true
	case a.State == frame.Ended && !l.Ended && v.opened && missed(a):
		// It ended between two observations, or while nobody looked: it is said that it was late, and that it is over.
		l.fire(v.about, frame.Late, now)
		l.resolve(v.about, a.State, now)
		return true
	}
	return false
}

func missed(a frame.Alert) bool { return a.Outcome != nil && *a.Outcome == frame.Missed }

// fire tells of an episode's begin, or that it got worse.
func (l *alertStream) fire(n Notification, s frame.AlertState, now time.Time) bool {
	if rank(s) <= rank(l.State) {
		return false
	}
	if l.State == "" {
		l.StartsAt, l.Ended = after(l.StartsAt, now), false
	}
	l.State = s
	n.Status, n.StartsAt, n.ID = Firing, l.StartsAt, l.id(n, string(s))
	l.push(n, now)
	return true
}

// after is now, or just after an earlier time that it must differ from: the clock may have been set back.
func after(before, now time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if !now.After(before) {
		return before.Add(time.Millisecond)
	}
	return now
}

// resolve tells of an episode's end.
func (l *alertStream) resolve(n Notification, s frame.AlertState, now time.Time) {
	l.State, l.Ended = "", s == frame.Ended
	end := after(l.StartsAt, now)
	n.Status, n.StartsAt, n.EndsAt, n.ID = Resolved, l.StartsAt, &end, l.id(n, string(Resolved))
	l.push(n, now)
}

// id is the same whenever the same thing of the same episode is told.
func (l *alertStream) id(n Notification, what string) string {
	return fmt.Sprintf("%s-%d-%s", n.Fingerprint, l.StartsAt.UnixMilli(), what)
}

func (l *alertStream) push(n Notification, now time.Time) {
	if len(l.Queue) == 0 {
		l.Queued = now.UTC().Truncate(time.Millisecond)
	}
	l.Queue = append(l.Queue, n)
}

// taken marks that a sink has taken a notification, or never will, and says whether the stream has changed.
func (l *alertStream) taken(n Notification, reported bool) bool {
	was := l.Reported
	if reported {
		l.Reported = n.Status == Firing
	}
	for i := range l.Queue {
		if l.Queue[i].ID == n.ID {
			l.Queue = append([]Notification(nil), l.Queue[i+1:]...) // what is older was left out, or taken before
			return true
		}
	}
	return l.Reported != was
}

// newest is what a sink that repeats must hear of the queue. Where it ended before the sink heard that it fired, what
// was late is told once, and let expire; what was only feared is not told at all.
func (l *alertStream) newest() (n Notification, tell bool) {
	n = l.Queue[len(l.Queue)-1]
	if n.Status == Firing || l.Reported {
		return n, true
	}
	if !missed(n.Alert) {
		return n, false
	}
	n.Brief = true
	return n, true
}

// crop keeps a queue within limit: the oldest go first, never the newest. It returns how many were dropped.
func (l *alertStream) crop(limit int) int {
	n := max(0, len(l.Queue)-max(limit, 1))
	l.Queue = l.Queue[n:]
	return n
}

// again is the notification of a stream that fires and whose sink forgets, as it is seen now.
func (l *alertStream) again(v view) Notification {
	n := v.about
	n.Status, n.StartsAt, n.ID = Firing, l.StartsAt, l.id(n, string(l.State))
	return n
}
