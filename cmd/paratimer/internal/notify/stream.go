package notify

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// An alertStream is the delivery state of one alert at one sink: what was sent and what waits to be sent.
type alertStream struct {
	Bound string `json:"bound"`
	Sink  string `json:"sink"` // Sink.Key
	// State is the worst state that was sent in the current episode: at_risk or late; "" if no episode is open.
	State    frame.AlertState `json:"state,omitempty"`
	StartsAt time.Time        `json:"starts_at,omitzero"` // of the last episode
	Reported bool             `json:"heard,omitempty"`    // the last accepted notification was firing
	Ended    bool             `json:"ended,omitempty"`    // the workflow has ended; nothing more is sent
	Queue    []Notification   `json:"queue,omitempty"`    // to be sent, oldest first
	Queued   time.Time        `json:"queued,omitzero"`    // when the oldest notification in Queue was added

	about   Notification  // as the newest frame shows it, without ID, status and times; for repeats
	sent    time.Duration // when this process last sent it, by the steady clock
	tries   int           // how often the first of the queue has failed
	refused bool          // the sink has refused its last notification: it is not repeated
	release func()        // gives up the lead; nil if this process does not lead the stream
}

// used reports whether the alert has ever fired.
func (l *alertStream) used() bool { return !l.StartsAt.IsZero() }

// stepDown gives up the lead.
func (l *alertStream) stepDown() {
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

func missed(a frame.Alert) bool { return a.Outcome != nil && *a.Outcome == frame.Missed }

// follow queues the notifications that an alert in its current state requires, and reports whether the stream has
// changed. The stream remembers what was sent: the same state again changes nothing. A missed bound is news only if the
// alert was seen before the workflow ended.
func (l *alertStream) follow(n Notification, now time.Time) bool {
	a := n.Alert
	switch {
	case a.State == frame.Blind:
		return false
	case a.State.Firing():
		return l.fire(n, a.State, now)
	case l.State == "" && (a.State != frame.Ended || l.Ended || !a.Opened || !missed(a)):
		return false
	case l.State == "": // it ended between two observations, or while no watcher ran: send late, then resolved
		l.fire(n, frame.Late, now)
	}
	l.State, l.Ended = "", a.State == frame.Ended
	l.push(n, Resolved, string(Resolved), now)
	return true
}

// fire queues that an episode begins or gets worse. It reports whether it queued anything.
func (l *alertStream) fire(n Notification, s frame.AlertState, now time.Time) bool {
	if l.State == s || l.State == frame.Late {
		return false
	}
	if l.State == "" {
		l.StartsAt, l.Ended = after(l.StartsAt, now), false
	}
	l.State = s
	l.push(n, Firing, string(s), now)
	return true
}

// after returns now, or one millisecond after before if the clock was set back: the two times must differ.
func after(before, now time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if !now.After(before) {
		return before.Add(time.Millisecond)
	}
	return now
}

func (l *alertStream) push(n Notification, status Status, what string, now time.Time) {
	if status == Resolved {
		n.EndsAt = new(after(l.StartsAt, now))
	}
	if len(l.Queue) == 0 {
		l.Queued = now.UTC().Truncate(time.Millisecond)
	}
	l.Queue = append(l.Queue, l.stamp(n, status, what))
}

// stamp completes a notification. Its ID is the same whenever the same event of the same episode is sent.
func (l *alertStream) stamp(n Notification, status Status, what string) Notification {
	n.Status, n.StartsAt = status, l.StartsAt
	n.ID = fmt.Sprintf("%s-%d-%s", n.Fingerprint, l.StartsAt.UnixMilli(), what)
	return n
}

// taken marks that a sink has accepted a notification, or never will, and reports whether the stream has changed.
func (l *alertStream) taken(n Notification, reported bool) bool {
	was := l.Reported
	if reported {
		l.Reported = n.Status == Firing
	}
	if i := slices.IndexFunc(l.Queue, func(q Notification) bool { return q.ID == n.ID }); i >= 0 {
		l.Queue = slices.Clone(l.Queue[i+1:]) // older notifications were skipped, or taken before
		return true
	}
	return l.Reported != was
}

// newest returns the only queued notification that a repeating sink still needs. If the alert ended before the sink
// got a firing notification, a missed bound is sent once and left to expire; an alert that was only at risk is not
// sent.
func (l *alertStream) newest() (n Notification, tell bool) {
	n = l.Queue[len(l.Queue)-1]
	if n.Status == Firing || l.Reported {
		return n, true
	}
	n.Brief = missed(n.Alert)
	return n, n.Brief
}

// crop limits the queue: the oldest notifications go first, the newest stays. It returns how many were dropped.
func (l *alertStream) crop(limit int) int {
	n := max(0, len(l.Queue)-max(limit, 1))
	l.Queue = l.Queue[n:]
	return n
}
