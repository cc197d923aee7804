//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A Post sends one attempt's batches in order to a collector. Batches that no collector accepts go to a file beside the
// task's log, with one message. It never delays the task: it runs in parallel, and the time at its end is limited. Only
// one goroutine may use it.
type Post struct {
	options  options
	task     task
	print    func(string) // prints a message for people, which must be distinct from the command's output
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

// newPost returns a Post of a task to the collector and the spool of the options.
func newPost(o options, t task, print func(string)) *Post {
	p := &Post{options: o, task: t, print: print, rest: rest, over: o.collector == "", client: newClient()}
	if o.spool != "" {
		p.spool = &spool{folder: o.spool, name: "paratimer-tap." + t.id + ".ndjson"}
	}
	return p
}

// Send numbers a batch and sends it after the waiting ones. A batch that cannot be sent now goes to the spool, and is
// sent later if the collector responds in time.
func (p *Post) Send(ctx context.Context, b tap.Batch) {
	b.Version, b.Job, b.Attempt, b.Seq = tap.Version, p.task.attempt.Job, p.task.id, p.seq
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
		switch no, refused := errors.AsType[*refusal](err); {
		case refused && no.batch():
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
	no, answered := errors.AsType[*refusal](err)
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
	p.print(fmt.Sprintf("%s does not take measurements of key groups (%v): %s; the command is not affected",
		p.options.collector, err, where))
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
		p.print(fmt.Sprintf("no more measurements of key groups are kept: %v; the command is not affected", err))
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

// A Rounds sends batches at intervals, in parallel to the command.
type Rounds struct {
	stop   chan tap.Batch
	cancel context.CancelFunc // cancels a request in progress
	done   chan struct{}
	late   time.Duration
}

// startRounds sends the batches that take returns at the interval every, unless take returns false. If full returns
// true, a batch is sent early; full may be nil. Another goroutine calls both functions. A panic in them ends only the
// rounds.
func startRounds(p *Post, every time.Duration, take func() (tap.Batch, bool), full func() bool) *Rounds {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Rounds{make(chan tap.Batch, 1), cancel, make(chan struct{}), farewell}
	go r.run(ctx, p, every, take, full)
	return r
}

func (r *Rounds) run(ctx context.Context, p *Post, every time.Duration, take func() (tap.Batch, bool),
	full func() bool,
) {
	defer close(r.done)
	defer func() { _ = recover() }()
	tick := time.NewTicker(max(every/8, time.Millisecond))
	defer tick.Stop()
	for sent := time.Now(); ; {
		select {
		case b := <-r.stop:
			ctx, cancel := context.WithTimeout(context.Background(), farewell-200*time.Millisecond)
			defer cancel()
			b.Final = true
			p.Send(ctx, b)
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

// End sends the last batch and waits for it, but only for a limited time: a disk may hang as well as a collector. A
// request in progress is canceled, because the end has its own time limit.
func (r *Rounds) End(b tap.Batch) {
	r.stop <- b
	r.cancel()
	late := time.NewTimer(r.late)
	defer late.Stop()
	select {
	case <-r.done:
	case <-late.C:
	}
}

func newClient() *http.Client {
	return &http.Client{
		Timeout: patience,
		Transport: &http.Transport{
			// A task's environment may set a proxy for its own work. The collector is reached directly.
			Proxy:              nil,
			DialContext:        (&net.Dialer{Timeout: time.Second}).DialContext,
			MaxIdleConns:       1,
			IdleConnTimeout:    time.Minute,
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// errUnreachable means that the connection was refused. Unlike a timeout, this error comes at once.
var errUnreachable = errors.New("cannot be reached")

// A refusal is a response other than success.
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return fmt.Sprintf("it answers %d: %s", r.status, r.why) }

// all reports whether the collector will never accept a batch: it is no collector, the token is wrong, or the job has
// ended.
func (r *refusal) all() bool {
	return r.status < 400 || slices.Contains(finalStatuses, r.status)
}

// finalStatuses are statuses from 400 on after which a collector accepts no batch.
var finalStatuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone,
}

// batch reports whether the collector will never accept this batch.
func (r *refusal) batch() bool {
	return r.status >= 400 && r.status < 500 && !r.all() && r.status != http.StatusTooManyRequests &&
		r.status != http.StatusRequestTimeout
}

// post sends one batch. The error is nil if the collector accepted it.
func (p *Post) post(ctx context.Context, w waiting) error {
	body, err := w.encode()
	if err != nil {
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	url := "http://" + p.options.collector + tap.Path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.options.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" && !dial.Timeout() {
			return fmt.Errorf("%w: %w", errUnreachable, dial.Err)
		}
		return err
	}
	defer resp.Body.Close()
	why, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	if resp.StatusCode/100 == 2 {
		return nil
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(why)), "\n")
	return &refusal{resp.StatusCode, strings.Trim(fmt.Sprintf("%+q", line), `"`)} // it cannot affect a terminal
}

// spoolBytes limits the size of an attempt's spool file on its node.
const spoolBytes = 8 << 20

// A spool is a file of batches, one a line. It contains only whole lines.
type spool struct {
	folder, name string
	file         *os.File
	size         int64
}

func (s *spool) path() string { return filepath.Join(s.folder, s.name) }

// write appends a line. It creates the file on first use.
func (s *spool) write(line []byte) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return fmt.Errorf("%s: %w", s.folder, err)
		}
	}
	line = append(line, '\n')
	if s.size+int64(len(line)) > spoolBytes {
		return fmt.Errorf("%s has reached %d bytes", s.path(), spoolBytes)
	}
	n, err := s.file.Write(line)
	if err != nil {
		if n > 0 {
			err = errors.Join(err, s.file.Truncate(s.size))
		}
		return err
	}
	s.size += int64(n)
	return nil
}

func (s *spool) open() error {
	// OpenRoot does not follow links that lead out of the folder.
	in, err := os.OpenRoot(s.folder)
	if err != nil {
		return err
	}
	f, err := in.OpenFile(s.name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	_ = in.Close()
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", s.path())
	}
	if err != nil {
		f.Close()
		return err
	}
	s.file, s.size = f, info.Size()
	return nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
