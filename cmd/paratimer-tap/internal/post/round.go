package post

import (
	"context"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

// A Rounds sends batches at intervals, in parallel to the command.
type Rounds struct {
	stop chan tap.Batch
	done chan struct{}
	late time.Duration
}

// Start sends the batches that take returns at the interval every, unless take returns false. If full returns true, a
// batch is sent early; full may be nil. Another goroutine calls both functions. A panic in them ends only the rounds.
func Start(p *Post, every time.Duration, take func() (tap.Batch, bool), full func() bool) *Rounds {
	r := &Rounds{make(chan tap.Batch, 1), make(chan struct{}), farewell}
	go r.run(p, every, take, full)
	return r
}

func (r *Rounds) run(p *Post, every time.Duration, take func() (tap.Batch, bool), full func() bool) {
	defer close(r.done)
	defer func() { _ = recover() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last := make(chan tap.Batch, 1)
	go func() {
		// Cancel a request in progress when the command ends, because the end has its own time limit.
		b := <-r.stop
		last <- b
		cancel()
	}()
	tick := time.NewTicker(max(every/8, time.Millisecond))
	defer tick.Stop()
	for sent := time.Now(); ; {
		select {
		case b := <-last:
			r.end(p, b)
			return
		case now := <-tick.C:
			if now.Sub(sent) < every && (full == nil || !full()) {
				continue
			}
			sent = now
			if b, any := take(); any {
				p.Send(ctx, b)
			}
		}
	}
}

func (r *Rounds) end(p *Post, b tap.Batch) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell-200*time.Millisecond)
	defer cancel()
	b.Final = true
	p.Send(ctx, b)
}

// End sends the last batch and waits for it, but only for a limited time: a disk may hang as well as a collector.
func (r *Rounds) End(b tap.Batch) {
	r.stop <- b
	late := time.NewTimer(r.late)
	defer late.Stop()
	select {
	case <-r.done:
	case <-late.C:
	}
}
