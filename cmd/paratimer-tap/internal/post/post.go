// Package post sends a tap's batches to a collector. Where none takes them they go to a file beside the task's log,
// said once. Nothing here may hold up the task: it runs beside it, and its end is bounded.
package post

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

const (
	// patience is how long a collector may take for a batch.
	patience = 2 * time.Second
	// farewell bounds all that is done when the command has ended.
	farewell = 2 * time.Second
	// kept is how many batches wait for a collector that may come back. More are in the spool alone.
	kept = 16
	// rest is how long a collector is left alone after it did not answer; it doubles up to mostRest.
	rest, mostRest = 2 * time.Second, 30 * time.Second
)

// Config says where an attempt's batches go.
type Config struct {
	Collector string // HOST:PORT; "": none
	Token     string
	Spool     string // a folder; "": none
	Job       string
	Attempt   string
	Say       func(string) // a line for people; it must not be mistaken for the command's
}

// A Post sends one attempt's batches, in order. It is used by one goroutine.
type Post struct {
	config   Config
	client   *http.Client
	seq      int
	unsent   []waiting
	again    time.Time // the collector is left alone until then
	rest     time.Duration
	over     bool // the collector has said that it will never take any
	hung     bool // the last try ended without an answer
	spool    *spool
	reported bool
}

type waiting struct {
	batch tap.Batch
	made  time.Time
}

// New returns a post that has sent nothing yet.
func New(c Config) *Post {
	p := &Post{config: c, rest: rest, over: c.Collector == "", client: newClient()}
	if c.Spool != "" {
		p.spool = newSpool(c.Spool, c.Attempt)
	}
	return p
}

// Send numbers a batch and sends it, after those that still wait. What cannot be sent now is spooled, and sent later if
// the collector comes back in time.
func (p *Post) Send(ctx context.Context, b tap.Batch) {
	b.Version, b.Job, b.Attempt, b.Seq = tap.Version, p.config.Job, p.config.Attempt, p.seq
	p.seq++
	p.unsent = append(p.unsent, waiting{b, time.Now()})
	if !p.over && (b.Final && !p.hung || !time.Now().Before(p.again)) {
		// What was given up because the command has ended says nothing about the collector.
		if err := p.try(ctx); err != nil && !errors.Is(context.Cause(ctx), context.Canceled) {
			p.trouble(err)
		}
	}
	if n := len(p.unsent); n > 0 && p.unsent[n-1].batch.Seq == b.Seq {
		p.keep(p.unsent[n-1])
		p.unsent = p.unsent[max(0, n-kept):]
	}
	if p.over {
		p.unsent = nil
	}
}

// try sends all that wait, until one is not taken.
func (p *Post) try(ctx context.Context) error {
	for len(p.unsent) > 0 {
		w := p.unsent[0]
		err := p.post(ctx, w)
		var no *refusal
		switch {
		case errors.As(err, &no) && no.batch():
			// This one will never be taken; others may be.
			if w.batch.Seq == p.seq-1 {
				p.keep(w)
			}
			p.say(err)
		case err != nil:
			return err
		default:
			p.rest, p.hung = rest, false
		}
		p.unsent = p.unsent[1:]
	}
	return nil
}

// trouble decides when the collector is tried again, if at all.
func (p *Post) trouble(err error) {
	var no *refusal
	answered := errors.As(err, &no)
	p.over = answered && no.all()
	p.hung = !answered && !errors.Is(err, errUnreachable)
	p.again = time.Now().Add(p.rest)
	p.rest = min(2*p.rest, mostRest)
	p.say(err)
}

// say says once that batches do not arrive, and where they are.
func (p *Post) say(err error) {
	if p.reported {
		return
	}
	p.reported = true
	where := "the measurements are lost"
	if p.spool != nil {
		where = "the measurements go to " + p.spool.path()
	}
	p.config.Say(fmt.Sprintf("%s does not take measurements of key groups (%v): %s; the command is not affected",
		p.config.Collector, err, where))
}

// keep writes a batch to the spool.
func (p *Post) keep(w waiting) {
	if p.spool == nil {
		return
	}
	line, err := w.encode()
	if err == nil {
		err = p.spool.write(line)
	}
	if err != nil {
		p.config.Say(fmt.Sprintf("no more measurements of key groups are kept: %v; the command is not affected", err))
		p.spool.close()
		p.spool = nil
	}
}

// encode writes the batch as of now: ages have grown while it waited.
func (w waiting) encode() ([]byte, error) {
	older := time.Since(w.made).Seconds()
	b := w.batch
	b.Points = append([]tap.Point(nil), b.Points...)
	for i := range b.Points {
		b.Points[i].Age = min(math.Round((b.Points[i].Age+older)*1e3)/1e3, tap.MaxSeconds)
	}
	return b.Encode()
}
