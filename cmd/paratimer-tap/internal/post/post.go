// Package post sends a tap's batches to a collector. Batches that no collector accepts go to a file beside the task's
// log, with one message. The package never delays the task: it runs in parallel, and the time at its end is limited.
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
	// patience is the timeout of a request.
	patience = 2 * time.Second
	// farewell limits the time after the command has ended.
	farewell = 2 * time.Second
	// kept is the number of batches that are retried. Older ones are only in the spool.
	kept = 16
	// rest is the pause after a request without a response. It doubles up to mostRest.
	rest, mostRest = 2 * time.Second, 30 * time.Second
)

// Config is the destination of an attempt's batches.
type Config struct {
	Collector string // HOST:PORT; "": none
	Token     string
	Spool     string // a folder; "": none
	Job       string
	Attempt   string
	Say       func(string) // prints a message for people, which must be distinct from the command's output
}

// A Post sends one attempt's batches in order. Only one goroutine may use it.
type Post struct {
	config   Config
	client   *http.Client
	seq      int
	unsent   []waiting
	again    time.Time // time of the next try
	rest     time.Duration
	over     bool // the collector will never accept a batch
	hung     bool // the last request timed out
	spool    *spool
	reported bool
}

type waiting struct {
	batch tap.Batch
	made  time.Time
}

// New returns a Post for the given destination.
func New(c Config) *Post {
	p := &Post{config: c, rest: rest, over: c.Collector == "", client: newClient()}
	if c.Spool != "" {
		p.spool = newSpool(c.Spool, c.Attempt)
	}
	return p
}

// Send numbers a batch and sends it after the waiting ones. A batch that cannot be sent now goes to the spool, and is
// sent later if the collector responds in time.
func (p *Post) Send(ctx context.Context, b tap.Batch) {
	b.Version, b.Job, b.Attempt, b.Seq = tap.Version, p.config.Job, p.config.Attempt, p.seq
	p.seq++
	p.unsent = append(p.unsent, waiting{b, time.Now()})
	if !p.over && (b.Final && !p.hung || !time.Now().Before(p.again)) {
		// A request that was canceled because the command ended is no error of the collector.
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

// try sends the waiting batches until one fails.
func (p *Post) try(ctx context.Context) error {
	for len(p.unsent) > 0 {
		w := p.unsent[0]
		err := p.post(ctx, w)
		var no *refusal
		switch {
		case errors.As(err, &no) && no.batch():
			// This batch will never be accepted; others may be.
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

// trouble sets the time of the next try, if there will be one.
func (p *Post) trouble(err error) {
	var no *refusal
	answered := errors.As(err, &no)
	p.over = answered && no.all()
	p.hung = !answered && !errors.Is(err, errUnreachable)
	p.again = time.Now().Add(p.rest)
	p.rest = min(2*p.rest, mostRest)
	p.say(err)
}

// say prints once that batches do not arrive, and where they go.
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

// encode encodes the batch as of now: its ages grow while it waits.
func (w waiting) encode() ([]byte, error) {
	older := time.Since(w.made).Seconds()
	b := w.batch
	b.Points = append([]tap.Point(nil), b.Points...)
	for i := range b.Points {
		b.Points[i].Age = min(math.Round((b.Points[i].Age+older)*1e3)/1e3, tap.MaxSeconds)
	}
	return b.Encode()
}
