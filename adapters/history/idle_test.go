package history

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hanging sends a part and then nothing, until its request is given up.
type hanging struct {
	ctx  context.Context
	part io.Reader
}

func (h hanging) Read(b []byte) (int, error) {
	if n, err := h.part.Read(b); err == nil {
		return n, nil
	}
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

func (hanging) Close() error { return nil }

type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

type lockedOut struct{}

func (lockedOut) Error() string  { return "no ticket" }
func (lockedOut) Advice() string { return "kinit" }

// TestLoginAdvises checks the errors of a login before the transport, and their advice.
func TestLoginAdvises(t *testing.T) {
	_, _, err := OpenHDFS(t.Context(), "webhdfs://nn:9870/a", "",
		carrier(func(*http.Request) (*http.Response, error) { return nil, lockedOut{} }))
	if err == nil || !strings.Contains(err.Error(), "no ticket (kinit)") || !errors.As(err, new(lockedOut)) {
		t.Errorf("got %v", err)
	}
}

// TestHangingBodiesEnd: a NameNode or a DataNode that stops in the middle of an answer is given up.
func TestHangingBodiesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const status = `{"FileStatus":{"length":9,"pathSuffix":"","type":"FILE"}}`
		hangs := ""
		transport := carrier(func(r *http.Request) (*http.Response, error) {
			op := r.URL.Query().Get("op")
			resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(status)), Request: r}
			if op == hangs {
				resp.Body = hanging{r.Context(), strings.NewReader(`{"Fil`)}
			}
			return resp, nil
		})
		in, name, err := OpenHDFS(t.Context(), "webhdfs://nn:9870/a/file", "", transport)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		hangs = "GETFILESTATUS"
		if _, err := in.Stat(name); err == nil || !strings.Contains(err.Error(), "no data for 30s") {
			t.Errorf("status: %v", err)
		}
		hangs = "OPEN"
		f, err := in.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(f)
		if string(b) != `{"Fil` || err == nil || errors.Is(err, io.EOF) ||
			!strings.Contains(err.Error(), "no data for 30s") {
			t.Errorf("file: %q, %v", b, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 2*patience {
			t.Errorf("took %v", took)
		}
	})
}
