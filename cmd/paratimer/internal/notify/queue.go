package notify

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// The back-off after a failure doubles from firstWait to lastWait. A sink that requests a longer wait gets up to
// maxPatience.
const (
	firstWait   = time.Second
	lastWait    = 5 * time.Minute
	maxPatience = 15 * time.Minute
)

// A Stat counts the notifications of one sink.
type Stat struct {
	Sink    string // Sink.Key
	Sent    int    // notifications that the sink accepted
	Failed  int    // attempts that failed and will be repeated
	Dropped int    // notifications that were refused or exceeded the limit
	Waiting int    // notifications still to be sent
}

// A queue serves one sink in its own goroutine, at the sink's own pace.
type queue struct {
	d    *Dispatcher
	sink *Sink
	rng  *rand.Rand
	kick chan struct{} // signals that something is new

	stat      Stat
	fails     int           // in a row
	notBefore time.Duration // by the steady clock
	alone     bool          // one at a time: a batch was refused, and any of it may be the cause
}

// forever is a wait that only a kick ends.
const forever = time.Duration(1<<63 - 1)

// serve sends until the context ends.
func (q *queue) serve(ctx context.Context) {
	for ctx.Err() == nil {
		timer := time.NewTimer(q.step(ctx))
		select {
		case <-ctx.Done():
		case <-q.kick:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// A delivery is a notification, its run and its stream.
type delivery struct {
	n Notification
	r *run
	l *alertStream
}

// step sends one batch, if there is one and notBefore has passed. It returns the wait before the next step.
func (q *queue) step(ctx context.Context) time.Duration {
	batch, wait := q.collect()
	if len(batch) == 0 {
		return wait
	}
	all := make([]Notification, len(batch))
	for i, p := range batch {
		all[i] = p.n
	}
	_, err := q.sink.Send(ctx, all)
	if ctx.Err() != nil && err != nil {
		return forever // the process stops: the notification stays in the queue
	}
	return q.settle(batch, err)
}

// settle records the result of a batch and returns the wait before the next step.
func (q *queue) settle(batch []delivery, err error) time.Duration {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	failure := &Failure{}
	errors.As(err, &failure)
	switch {
	case err == nil:
		q.fails = 0
		q.stat.Sent += len(batch)
		for _, p := range batch {
			q.mark(p, true)
		}
		return 0
	case failure.Refused && len(batch) > 1:
		q.alone = true
		return 0
	case failure.Refused:
		q.drop(batch[0], err, "it is refused; it will not be sent again")
		return 0
	}
	q.fails++
	q.stat.Failed++
	wait := min(max(q.backoff(), failure.After), maxPatience)
	q.d.c.Log.Warn().Str("sink", q.sink.Key).Str("workflow", batch[0].r.id).Str("alert", batch[0].n.ID).
		Int("failures", q.fails).Dur("again_in", wait).Err(err).
		Msg("cannot send a notification now; it is kept and tried again")
	for _, p := range batch {
		p.l.tries++
		if q.sink.Attempts > 0 && p.l.tries >= q.sink.Attempts {
			q.drop(p, err, "it has failed too often; it will not be sent again")
		}
	}
	q.notBefore = q.d.c.Steady() + wait
	return wait
}

// backoff doubles with each failure. It is random between half and all of that, so that many watchers do not retry at
// once.
func (q *queue) backoff() time.Duration {
	w := min(firstWait<<min(q.fails-1, 20), lastWait)
	if q.sink.Repeats {
		w = min(w, max(q.d.c.Repost, firstWait))
	}
	return w/2 + time.Duration(q.rng.Int64N(int64(w/2)+1))
}

// mark takes a notification out of its queue, in the file as well.
func (q *queue) mark(p delivery, reported bool) {
	l := p.r.stream(p.n.Alert.Bound, q.sink.Key)
	if l == nil || p.r.led[q.sink.Key] == nil {
		return
	}
	l.sent, l.tries, l.refused = q.d.c.Steady(), 0, !reported
	if l.taken(p.n, reported) {
		p.r.write()
	}
}

// drop gives up a notification and logs it.
func (q *queue) drop(p delivery, err error, why string) {
	q.d.c.Log.Error().Str("sink", q.sink.Key).Str("workflow", p.r.id).Str("alert", p.n.ID).Err(err).
		Msg("a notification is dropped: " + why)
	q.stat.Dropped++
	q.mark(p, false)
}

// collect returns the notifications to send now. If there are none, it returns the wait until the next repeat.
func (q *queue) collect() (batch []delivery, wait time.Duration) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	now := q.d.c.Steady()
	if now < q.notBefore {
		return nil, q.notBefore - now
	}
	waiting, firing, next := q.pending(now)
	size := q.sink.Batch
	if q.alone {
		size = 1
	}
	if len(waiting) > 0 {
		slices.SortStableFunc(waiting, func(a, b delivery) int {
			if c := a.l.tries - b.l.tries; c != 0 { // what fails repeatedly goes behind the rest
				return c
			}
			return a.l.Queued.Compare(b.l.Queued)
		})
		return waiting[:min(len(waiting), size)], next
	}
	var due []delivery
	repost := q.d.c.Repost
	for _, p := range firing {
		age := now - p.l.sent
		if p.l.sent == 0 { // this process has not sent it; an earlier one may have, long ago
			age = repost
		}
		next = min(next, repost-age)
		if age >= repost/2 { // so that alerts share a request
			due = append(due, p)
		}
	}
	if next > 0 {
		q.alone = false
		return nil, next
	}
	return due[:min(len(due), size)], next
}

// pending returns the waiting notifications for this sink, and its firing ones that may be repeated. It also repeats
// failed writes; next is the wait before the next one.
func (q *queue) pending(now time.Duration) (waiting, firing []delivery, next time.Duration) {
	next = forever
	for _, r := range q.d.runs {
		if r.dirty && now-r.wrote >= retry {
			r.write()
		}
		if r.dirty {
			next = retry
		}
		for _, l := range r.streams {
			if l.Sink != q.sink.Key || r.led[l.Sink] == nil {
				continue
			}
			v := r.views[l.Bound].about
			switch {
			case len(l.Queue) > 0 && !q.sink.Repeats:
				waiting = append(waiting, delivery{l.Queue[0], r, l})
			case len(l.Queue) > 0:
				n, tell := l.newest()
				if tell {
					waiting = append(waiting, delivery{n, r, l})
					continue
				}
				q.d.c.Log.Info().Str("sink", l.Sink).Str("workflow", r.id).Str("alert", n.ID).
					Msg("it was over before the sink could hear of it; it is not told")
				l.taken(n, false)
				r.write()
			case q.sink.Repeats && l.State != "" && r.watched && v.Fingerprint != "" && !l.refused:
				firing = append(firing, delivery{l.stamp(v, Firing, string(l.State)), r, l})
			}
		}
	}
	return waiting, firing, next
}
