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

// A senderQueue serves one sink in its own goroutine, at the sink's own pace.
type senderQueue struct {
	d       *Dispatcher
	sink    Sink
	key     string
	options Options
	rng     *rand.Rand
	kick    chan struct{} // signals that something is new

	fails     int           // in a row
	notBefore time.Duration // by the steady clock
	asked     bool          // the sink itself requested the wait until notBefore
	tries     map[string]int
	alone     bool // one at a time: a batch was refused, and any of it may be the cause
}

// forever is a wait that only a kick ends.
const forever = time.Duration(1<<63 - 1)

// serve sends until the context ends.
func (l *senderQueue) serve(ctx context.Context) {
	for ctx.Err() == nil {
		wait := l.step(ctx)
		l.d.progress()
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-l.kick:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// A delivery is a notification and its stream.
type delivery struct {
	r    *run
	k    streamKey
	n    Notification
	when time.Time     // since when it waits
	sent time.Duration // when it was last sent, by the steady clock
}

// step sends one batch, if there is one and notBefore has passed. It returns the wait before the next step.
func (l *senderQueue) step(ctx context.Context) time.Duration {
	now := l.d.steady()
	if now < l.notBefore {
		return l.notBefore - now
	}
	batch, repeat := l.collect(now)
	if len(batch) == 0 {
		l.alone = false
		return repeat
	}
	all := make([]Notification, len(batch))
	for i, p := range batch {
		all[i] = p.n
	}
	err := l.sink.Send(ctx, all)
	if ctx.Err() != nil && err != nil {
		return forever // the process stops: the notification stays in the queue
	}
	return l.judge(batch, err)
}

// judge records the result of a batch and returns the wait before the next step.
func (l *senderQueue) judge(batch []delivery, err error) time.Duration {
	var refused *Refused
	var later *Later
	switch {
	case err == nil:
		l.fails, l.asked = 0, false
		for _, p := range batch {
			l.mark(p, true)
		}
		l.d.count(l.key, func(s *Stat) { s.Sent += len(batch) })
		return 0
	case errors.As(err, &refused) && len(batch) > 1:
		l.alone = true
		return 0
	case errors.As(err, &refused):
		l.drop(batch[0], err, "it is refused; it will not be sent again")
		return 0
	case errors.As(err, &later):
		l.asked = true
	}
	l.fails++
	wait := l.backoff()
	if later != nil {
		wait = min(max(wait, later.After), maxPatience)
	}
	l.d.count(l.key, func(s *Stat) { s.Failed++ })
	l.d.c.Log.Warn().Str("sink", l.key).Str("workflow", batch[0].r.id).Str("alert", batch[0].n.ID).Int("failures",
		l.fails).
		Dur("again_in", wait).Err(err).Msg("cannot send a notification now; it is kept and tried again")
	for _, p := range batch {
		l.tries[p.n.ID]++
		if l.options.Attempts > 0 && l.tries[p.n.ID] >= l.options.Attempts {
			l.drop(p, err, "it has failed too often; it will not be sent again")
		}
	}
	l.notBefore = l.d.steady() + wait
	return wait
}

// backoff doubles with each failure. It is random between half and all of that, so that many watchers do not retry at
// once.
func (l *senderQueue) backoff() time.Duration {
	w := lastWait
	if l.fails < 20 {
		w = min(firstWait<<(l.fails-1), lastWait)
	}
	if l.options.Repeats {
		w = min(w, max(l.d.c.Repost, firstWait))
	}
	return w/2 + time.Duration(l.rng.Int64N(int64(w/2)+1))
}

// mark takes a notification out of its queue, in the file as well.
func (l *senderQueue) mark(p delivery, reported bool) {
	delete(l.tries, p.n.ID)
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	li := p.r.streams[p.k]
	if li == nil || p.r.led[p.k] == nil {
		return
	}
	if reported {
		delete(p.r.refused, p.k)
	}
	li.sent = l.d.steady()
	if li.taken(p.n, reported) {
		p.r.write()
		if p.r.over() {
			l.d.forget(p.r)
		}
	}
}

// drop gives up a notification and logs it.
func (l *senderQueue) drop(p delivery, err error, why string) {
	l.d.c.Log.Error().Str("sink", l.key).Str("workflow", p.r.id).Str("alert",
		p.n.ID).Err(err).Msg("a notification is dropped: " + why)
	l.d.count(l.key, func(s *Stat) { s.Dropped++ })
	p.r.mu.Lock()
	p.r.refused[p.k] = p.n.ID
	p.r.mu.Unlock()
	l.mark(p, false)
}

// collect returns the notifications to send now. If there are none, it returns the wait until the next repeat.
func (l *senderQueue) collect(now time.Duration) ([]delivery, time.Duration) {
	var waiting, firing []delivery
	next := forever
	for _, r := range l.d.open() {
		if r.rewrite() {
			next = retry
		}
		w, f := l.of(r)
		waiting, firing = append(waiting, w...), append(firing, f...)
	}
	size := l.options.Batch
	if l.alone {
		size = 1
	}
	if len(waiting) > 0 {
		slices.SortStableFunc(waiting, func(a, b delivery) int {
			if c := l.tries[a.n.ID] - l.tries[b.n.ID]; c != 0 { // what fails repeatedly goes behind the rest
				return c
			}
			return a.when.Compare(b.when)
		})
		return waiting[:min(len(waiting), size)], next
	}
	var due []delivery
	for _, p := range firing {
		age := now - p.sent
		if p.sent == 0 { // this process has not sent it; an earlier one may have, long ago
			age = l.d.c.Repost
		}
		next = min(next, l.d.c.Repost-age)
		if age >= l.d.c.Repost/2 { // so that alerts share a request
			due = append(due, p)
		}
	}
	if next > 0 {
		return nil, next
	}
	return due[:min(len(due), size)], next
}

// of returns the waiting notifications of a run for this sink, and its firing ones that may be repeated.
func (l *senderQueue) of(r *run) (waiting, firing []delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.order() {
		li := r.streams[k]
		if k.sink != l.key || r.led[k] == nil {
			continue
		}
		v, seen := r.views[k.bound]
		switch {
		case len(li.Queue) > 0 && !l.options.Repeats:
			waiting = append(waiting, delivery{r: r, k: k, n: li.Queue[0], when: li.Queued})
		case len(li.Queue) > 0:
			n, tell := li.newest()
			if !tell {
				l.d.c.Log.Info().Str("sink", l.key).Str("workflow", r.id).Str("alert", n.ID).
					Msg("it was over before the sink could hear of it; it is not told")
				li.taken(n, false)
				r.write()
				continue
			}
			waiting = append(waiting, delivery{r: r, k: k, n: n, when: li.Queued})
		case l.options.Repeats && li.State != "" && seen && r.refused[k] == "":
			firing = append(firing, delivery{r: r, k: k, n: li.again(v), sent: li.sent})
		}
	}
	return waiting, firing
}
