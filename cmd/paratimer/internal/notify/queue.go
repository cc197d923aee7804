package notify

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
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
}

// oldest is the age from which notifications of a run that ended are not sent any more.
const oldest = 24 * time.Hour

// runPause is the least time between two notifications of a run that goes on.
const runPause = 30 * time.Second

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

// step sends one notification, if one is due. It returns the wait before the next step.
func (q *queue) step(ctx context.Context) time.Duration {
	p, wait := q.next()
	if wait > 0 {
		return wait
	}
	_, err := q.sink.Send(ctx, p.n)
	if ctx.Err() != nil && err != nil {
		return forever // the process stops: the notification stays in the queue
	}
	return q.settle(p, err)
}

// A delivery is a notification of a run's stream, and the wait before it is due.
type delivery struct {
	n    Notification
	r    *run
	l    *alertStream
	wait time.Duration
}

// next returns the notification to send first and the wait before it. What has failed goes behind the rest. It also
// repeats writes of the file that failed.
func (q *queue) next() (first delivery, wait time.Duration) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	now := q.d.c.Steady()
	if now < q.notBefore {
		return first, q.notBefore - now
	}
	wait = forever
	for _, r := range q.d.runs {
		if r.dirty && r.due() {
			r.write()
		}
		if r.dirty {
			wait = retry
		}
		for _, l := range r.led(q) {
			p, is := q.delivery(r, l, now)
			if is && (first.l == nil || cmp.Or(cmp.Compare(p.wait, first.wait), cmp.Compare(l.tries, first.l.tries),
				l.Queued.Compare(first.l.Queued)) < 0) {
				first = p
			}
		}
	}
	if first.l != nil {
		wait = min(wait, first.wait)
	}
	return first, wait
}

// delivery returns what a stream has to send: the first of its queue, or if the sink forgets, the newest or the same
// again.
func (q *queue) delivery(r *run, l *alertStream, now time.Duration) (p delivery, is bool) {
	p, is = delivery{r: r, l: l}, true
	switch {
	case len(l.Queue) > 0:
		p.n = l.Queue[0]
		if q.sink.Repeats {
			p.n, is = l.newest()
		}
		if is && (r.watched || q.d.c.Now().Sub(l.Queued) < oldest) {
			return p, true
		}
		q.d.c.Log.Info().Str("sink", l.Sink).Str("workflow", r.id).Str("alert", p.n.ID).Time("since", l.Queued).
			Msg("it ended before the sink was reachable; the alert is dropped")
		l.Queue = nil
		r.write()
	case (q.sink.Repeats || q.sink.Runs) && l.State != "" && r.watched && l.about.Fingerprint != "" && !l.refused:
		p.n = l.stamp(l.about, Firing, string(l.State))
		p.n.Again = true
		every := q.d.c.Repost
		if q.sink.Runs {
			every = runPause
		}
		if l.sent > 0 { // else an earlier process may have sent it, long ago
			p.wait = max(0, l.sent+every-now)
		}
		return p, true
	}
	return p, false
}

// settle records the result of a Send and returns the wait before the next step. An accepted notification, or one that
// is given up, is taken out of its queue, in the file as well.
func (q *queue) settle(p delivery, err error) (wait time.Duration) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	failure := &Failure{}
	errors.As(err, &failure)
	log := q.d.c.Log.With().Str("sink", q.sink.Key).Str("workflow", p.r.id).Str("alert", p.n.ID).Err(err).Logger()
	l := p.l
	if err == nil {
		q.fails = 0
		q.stat.Sent++
	} else {
		if !failure.Refused {
			q.fails++
			l.tries++
			q.stat.Failed++
			wait = min(max(q.backoff(), failure.After), maxPatience)
			q.notBefore = q.d.c.Steady() + wait
		}
		if !failure.Refused && (q.sink.Attempts == 0 || l.tries < q.sink.Attempts) {
			log.Warn().Int("failures", q.fails).Dur("again_in", wait).
				Msg("cannot send a notification now; it is kept and tried again")
			return wait
		}
		q.stat.Dropped++
		log.Error().Msg("a notification is dropped: it is refused, or has failed too often; it will not be sent again")
	}
	if l.release == nil {
		return wait
	}
	l.sent, l.tries, l.refused = q.d.c.Steady(), 0, err != nil
	if q.sink.Runs { // its state is sent again when a frame has shown a newer one
		l.about = Notification{}
	}
	if l.taken(p.n, err == nil) {
		p.r.write()
	}
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
