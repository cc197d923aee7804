package capture

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/dag"
)

// A Writer records the traffic of its Layer without secrets. It is safe for concurrent use. An error of the recording
// does not affect the traffic; Close returns it.
type Writer struct {
	now func() dag.Instant

	mu    sync.Mutex
	out   *bufio.Writer
	zip   *gzip.Writer // nil for a plain file
	under io.Closer
	lines int
	err   error
}

// Create returns a Writer to a new file, gzipped if its name ends in .gz. now is the cluster's clock. Create returns
// an error if the file exists.
func Create(file string, now func() dag.Instant) (*Writer, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	return NewWriter(f, strings.HasSuffix(file, ".gz"), now), nil
}

// NewWriter returns a Writer to out. Close closes out.
func NewWriter(out io.WriteCloser, zipped bool, now func() dag.Instant) *Writer {
	w := &Writer{now: now, under: out}
	var to io.Writer = out
	if zipped {
		w.zip = gzip.NewWriter(out)
		to = w.zip
	}
	w.out = bufio.NewWriterSize(to, 64<<10)
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

// write appends a line. The first line of each poll flushes the previous polls to disk, so that a crash loses one
// poll at most.
func (w *Writer) write(rec *Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if w.lines == 0 {
		rec.Version = Version
	}
	line, err := json.Marshal(rec)
	if err != nil {
		w.err = fmt.Errorf("capture: %w", err)
		return
	}
	if path, _, _ := strings.Cut(rec.URL, "?"); strings.HasSuffix(path, appsPath) && w.lines > 0 {
		w.flush()
	}
	w.lines++
	if _, err := w.out.Write(append(line, '\n')); err != nil && w.err == nil {
		w.err = fmt.Errorf("capture: the recording stops: %w", err)
	}
}

func (w *Writer) flush() {
	err := w.out.Flush()
	if err == nil && w.zip != nil {
		err = w.zip.Flush()
	}
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("capture: the recording stops: %w", err)
	}
}

// Close ends the recording. It returns the first error since the beginning.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	if w.zip != nil {
		if err := w.zip.Close(); err != nil && w.err == nil {
			w.err = fmt.Errorf("capture: %w", err)
		}
	}
	if err := w.under.Close(); err != nil && w.err == nil {
		w.err = fmt.Errorf("capture: %w", err)
	}
	return w.err
}
