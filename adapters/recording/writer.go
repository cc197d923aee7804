package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/paratimer/paratimer/dag"
)

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
		rec := Record{T: float64(w.now()), URL: scrubURL(r.URL)}
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
