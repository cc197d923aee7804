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

// A Writer records the traffic of its Layer without secrets. It is safe for concurrent use. An error of the recording
// does not affect the traffic; Close returns it.
type Writer struct {
	now func() dag.Instant

	mu    sync.Mutex
	zip   *zstd.Encoder
	under io.Closer
	err   error
}

// CreateAnswers returns a Writer to a new file. now is the cluster's clock. It returns an error if the file exists.
func CreateAnswers(file string, now func() dag.Instant) (*Writer, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return NewWriter(f, now), nil
}

// NewWriter returns a Writer to out. Close closes out.
func NewWriter(out io.WriteCloser, now func() dag.Instant) *Writer {
	w := &Writer{now: now, under: out, zip: packer(out)}
	w.add(headerOf(wordAnswers))
	return w
}

// maxKept bounds the recorded part of a response, in bytes.
const maxKept = 128 << 20

// Layer records each exchange of next. It must be at a position where bodies are uncompressed and the user's name and
// cookies are not visible.
func (w *Writer) Layer(next http.RoundTripper) http.RoundTripper {
	return layer(func(r *http.Request) (*http.Response, error) {
		rec := Record{T: float64(w.now()), URL: scrubURL(r.URL)}
		resp, err := next.RoundTrip(r)
		if err != nil {
			rec.Body = scrubText(err.Error())
			w.write(&rec)
			return nil, err
		}
		rec.Status, rec.Type, rec.Date = resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("Date")
		to := resp.Header.Get("Location")
		resp.Body = &kept{body: resp.Body, done: func(body []byte, err error) {
			switch {
			case err != nil:
				rec.Status, rec.Body = 0, scrubText(err.Error())
			case to != "":
				rec.Body = "Location: " + scrubText(to)
			default:
				rec.Body = scrubBody(r.URL.Path, body)
			}
			rec.Ms = float64(w.now()) - rec.T
			w.write(&rec)
		}}
		return resp, nil
	})
}

type layer func(*http.Request) (*http.Response, error)

func (f layer) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// kept stores the read part of a body, and passes it to done when the body is closed.
type kept struct {
	body io.ReadCloser
	read []byte
	err  error
	once sync.Once
	done func(body []byte, err error)
}

func (k *kept) Read(b []byte) (int, error) {
	n, err := k.body.Read(b)
	if len(k.read)+n <= maxKept {
		k.read = append(k.read, b[:n]...)
	} else if k.err == nil {
		k.err = fmt.Errorf("an answer of more than %d MB", maxKept>>20)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		k.err = err
	}
	return n, err
}

func (k *kept) Close() error {
	err := k.body.Close()
	k.once.Do(func() { k.done(k.read, k.err) })
	return err
}

func (w *Writer) write(rec *Record) {
	line, err := json.Marshal(rec)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.fail(err)
		return
	}
	w.add(append(line, '\n'))
}

// add appends a line, unless the recording has failed.
func (w *Writer) add(line []byte) {
	if w.err == nil {
		_, err := w.zip.Write(line)
		w.fail(err)
	}
}

// fail records the first error.
func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("recording: it stops: %w", err)
	}
}

// Flush writes all answers so far to the file, so that a crash loses none of them.
func (w *Writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.fail(w.zip.Flush())
	}
}

// Flushed returns a source that flushes the answers of each observation of src.
func (w *Writer) Flushed(src Source) Source { return &flushed{src, w} }

type flushed struct {
	Source
	w *Writer
}

func (f *flushed) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := f.Source.Next(ctx)
	f.w.Flush()
	return s, err
}

// Close ends the recording. It returns the first error since the beginning.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail(w.zip.Close())
	w.fail(w.under.Close())
	return w.err
}
