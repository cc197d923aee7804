// Package recording records what a watcher observes, and plays it again.
//
// A recording has JSON lines, compressed by zstd. Its first line is a header. If it is of observations, each later line
// is a snapshot, or what changed since the snapshot of the line before, or a missed observation: Tee writes it, and
// Reader is a source that reads it. If it is of answers, each later line is an answer of a service to one request: a
// Writer writes it, and a Player serves the answers again to the sources of live clusters. docs/history.md describes
// the format.
//
// Snapshots come back bit by bit, including NaN, unknown instants and nil slices. Profiles are arguments of a run, not
// observations, and are not recorded. A recording depends on no field of package dag: see package
//
// # Stability
//
// Names and meanings stay within a major version, and recordings of older versions can be read (CONTRIBUTING.md).
package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/paratimer/paratimer/dag"
)

// Create creates the file of a recording. Every Write is flushed to the file before it returns, so that a crash loses
// at most the current line. The caller must close it.
func Create(name string) (io.WriteCloser, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &created{Compress(f), f}, nil
}

// created is a file with its compression.
type created struct {
	io.WriteCloser
	file io.Closer
}

func (c *created) Close() error { return errors.Join(c.WriteCloser.Close(), c.file.Close()) }

// Compress returns a writer that compresses what is written to w in the caller's goroutine, and flushes every Write.
// Close does not close w.
func Compress(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // an option is wrong
	}
	return &compressed{z}
}

type compressed struct{ *zstd.Encoder }

func (c *compressed) Write(b []byte) (int, error) {
	n, err := c.Encoder.Write(b)
	if err != nil {
		return n, err
	}
	return n, c.Flush()
}

// window is the number of bytes before a line in which a repeated text is found: more than a poll of a wide job.
const window = 8 << 20

// A Writer records the traffic of its Layer without secrets. It is safe for concurrent use. An error of the recording
// does not affect the traffic; Close returns it.
type Writer struct {
	now func() dag.Instant

	mu  sync.Mutex
	out io.WriteCloser
	err error
}

// CreateAnswers returns a Writer to a new file. now is the cluster's clock. It returns an error if the file exists.
func CreateAnswers(file string, now func() dag.Instant) (*Writer, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return NewWriter(f, now), nil
}

// NewWriter returns a Writer to out. Close closes out. Each answer is flushed, so that a crash loses none of them.
func NewWriter(out io.WriteCloser, now func() dag.Instant) *Writer {
	w := &Writer{now: now, out: &created{Compress(out), out}}
	_, err := w.out.Write(headerOf(wordAnswers))
	w.fail(err)
	return w
}

// maxKept bounds the recorded part of a response, in bytes.
const maxKept = 128 << 20

// Layer records each exchange of next. It must be at a position where bodies are uncompressed and the user's name and
// cookies are not visible. It keeps what the client reads of a body, which the client bounds.
func (w *Writer) Layer(next http.RoundTripper) http.RoundTripper {
	return layer(func(r *http.Request) (*http.Response, error) {
		address := *r.URL
		address.User = nil
		rec := Record{T: float64(w.now()), URL: scrubText(address.String())}
		resp, err := next.RoundTrip(r)
		if err != nil {
			rec.Body = scrubText(err.Error())
			w.write(&rec)
			return nil, err
		}
		rec.Type, rec.Date = resp.Header.Get("Content-Type"), resp.Header.Get("Date")
		to := resp.Header.Get("Location")
		resp.Body = &kept{ReadCloser: resp.Body, done: func(body []byte, err error) {
			switch {
			case err != nil:
				rec.Body = scrubText(err.Error())
			case to != "":
				rec.Status, rec.Body = resp.StatusCode, "Location: "+scrubText(to)
			default:
				rec.Status, rec.Body = resp.StatusCode, scrubBody(r.URL.Path, body)
			}
			rec.Ms = float64(w.now()) - rec.T
			w.write(&rec)
		}}
		return resp, nil
	})
}

type layer func(*http.Request) (*http.Response, error)

func (f layer) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// kept is a body that keeps what was read of it, and passes that to done when it is closed.
type kept struct {
	io.ReadCloser
	read []byte
	err  error
	done func(body []byte, err error) // nil once it was called
}

func (k *kept) Read(b []byte) (int, error) {
	n, err := k.ReadCloser.Read(b)
	if len(k.read)+n <= maxKept {
		k.read = append(k.read, b[:n]...)
	} else {
		k.err = fmt.Errorf("an answer of more than %d MB", maxKept>>20)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		k.err = err
	}
	return n, err
}

func (k *kept) Close() error {
	err := k.ReadCloser.Close()
	if k.done != nil {
		k.done(k.read, k.err)
		k.done = nil
	}
	return err
}

// write appends an answer, unless the recording has failed.
func (w *Writer) write(rec *Record) {
	line, err := json.Marshal(rec)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && w.err == nil {
		_, err = w.out.Write(append(line, '\n'))
	}
	w.fail(err)
}

// fail records the first error.
func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("recording: it stops: %w", err)
	}
}

// Close ends the recording. It returns the first error since the beginning.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail(w.out.Close())
	return w.err
}

// Version is the version of the format that this package writes. It also reads the tapes and captures of older
// programs.
const Version = 1

// Bounds of the memory that a recording can make a reader use, in bytes.
const (
	maxLine     = 160 << 20 // a line
	maxSnapshot = 384 << 20 // the lists of a snapshot
)

// A header is the first line of a recording. Old tapes have a header of their own, old captures have none.
type header struct {
	Version int    `json:"paratimer_recording,omitempty"`
	Of      string `json:"of,omitempty"` // wordObservations or wordAnswers
	Tape    int    `json:"paratimer_tape,omitempty"`
}

const (
	wordObservations = "observations"
	wordAnswers      = "answers"
)

// headerOf returns the first line of a recording.
func headerOf(what string) []byte {
	b, _ := json.Marshal(header{Version: Version, Of: what}) // it has a number and a word
	return append(b, '\n')
}

// A line is an observation.
type line struct {
	N      int64        `json:"n"`                // counts the observations from 1, so that a lost or repeated line shows
	At     *dag.Instant `json:"t"`                // null: unknown
	Missed *string      `json:"missed,omitempty"` // why the observation was missed; nothing changes then
	Whole  bool         `json:"whole,omitempty"`  // the change is independent of the lines before
	change              // what changed in the snapshot, except for its instant
}

// blank is the base of a whole line.
func blank() *dag.Snapshot { return &dag.Snapshot{Stale: dag.NoInstant} }

// The encoder writes a whole line once the lines since the last one have wholeFactor times its size, and at least
// wholeFloor bytes. Whole lines are then a small part of a recording.
const (
	wholeFactor = 8
	wholeFloor  = 16 << 10
)

// An encoder encodes observations as lines. The caller must not change the snapshots.
type encoder struct {
	n      int64
	before *dag.Snapshot // previous snapshot; nil: the next line is whole
	since  int           // bytes since the last whole line
	weight int           // bytes of the last whole line
}

// line returns the text of a line.
func (e *encoder) line(at dag.Instant, l line) ([]byte, error) {
	if e.n++; at.Known() {
		l.At = &at
	}
	l.N = e.n
	b, err := json.Marshal(l)
	return append(b, '\n'), err
}

// snapshot returns the line of s.
func (e *encoder) snapshot(s *dag.Snapshot) ([]byte, error) {
	old := e.before
	e.before = nil // after an error, the next line is whole
	if err := check(s); err != nil {
		return nil, fmt.Errorf("recording: the observation %d cannot be written: %w", e.n+1, err)
	}
	l := line{Whole: old == nil || e.since > max(wholeFloor, wholeFactor*e.weight)}
	if l.Whole {
		old = blank()
	}
	now := *s
	now.At = old.At // the line has it
	l.change = changeOf(old, &now)
	b, err := e.line(s.At, l)
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxLine:
		return nil, fmt.Errorf("recording: the observation %d takes %d bytes, more than the %d of a line", e.n, len(b), maxLine)
	case l.Whole:
		e.since, e.weight = 0, len(b)
	default:
		e.since += len(b)
	}
	e.before = s
	return b, nil
}

// A Source yields snapshots of one query.
type Source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// Tee returns a source that writes the snapshots and missed observations of src to w before it returns them. Each
// line is one Write.
//
// A write error does not end the watch. It ends the recording, and all later snapshots have a warning
// (dag.WarnTornTape).
func Tee(src Source, w io.Writer) Source { return &tee{src: src, w: w} }

type tee struct {
	src  Source
	w    io.Writer
	enc  encoder
	open bool
	torn error
}

func (t *tee) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := t.src.Next(ctx)
	var missed *dag.MissedError
	switch {
	case t.torn != nil:
	case err == nil:
		t.write(t.enc.snapshot(s))
	case errors.As(err, &missed):
		why := missed.Err.Error()
		t.write(t.enc.line(missed.At, line{Missed: &why}))
	}
	if err == nil && t.torn != nil {
		s = withWarnings(s, dag.Warning{Code: dag.WarnTornTape, Text: "the recording ends here: " + t.torn.Error()})
	}
	return s, err
}

func (t *tee) write(line []byte, err error) {
	if err == nil && !t.open {
		_, err = t.w.Write(headerOf(wordObservations))
		t.open = true
	}
	if err == nil {
		_, err = t.w.Write(line)
	}
	if err != nil {
		t.torn = fmt.Errorf("cannot write it: %w", err)
	}
}
