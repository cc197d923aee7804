package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestRedirectLoopsEnd(t *testing.T) {
	n := 0
	self := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Location", r.URL.Path)
		w.WriteHeader(http.StatusFound)
	})
	_, err := clientOf(t, Options{}, self.URL).get(context.Background(), "apps")
	if err == nil || !strings.Contains(err.Error(), "circle") || n > maxHops+1 {
		t.Errorf("%v after %d requests", err, n)
	}
	// Two standbys that each take the other for active.
	var a, b *httptest.Server
	n = 0
	to := func(s **httptest.Server) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n++
			w.Header().Set("Location", (*s).URL+r.URL.Path)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}
	a, b = serve(t, to(&b)), serve(t, to(&a))
	_, err = clientOf(t, Options{}, a.URL, b.URL).get(context.Background(), "apps")
	if err == nil || !strings.Contains(err.Error(), "circle") || n > 2*(maxHops+1) {
		t.Errorf("%v after %d requests", err, n)
	}
	// An endless walk over ever new addresses.
	n = 0
	c := clientOf(t, Options{Transport: RoundTrip(func(r *http.Request) (*http.Response, error) {
		n++
		return &http.Response{
			StatusCode: http.StatusTemporaryRedirect,
			Header:     http.Header{"Location": {fmt.Sprintf("http://h%d%s", n, r.URL.Path)}}, Body: http.NoBody,
		}, nil
	})}, "http://h0")
	if _, err = c.get(context.Background(), "apps"); err == nil || n > maxHops+1 {
		t.Errorf("%v after %d requests", err, n)
	}
}

func TestNoStepBackFromTLS(t *testing.T) {
	c := clientOf(t, Options{Transport: RoundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Scheme == "http" {
			t.Error("got a request without TLS")
		}
		return &http.Response{
			StatusCode: http.StatusTemporaryRedirect,
			Header:     http.Header{"Location": {"http://rm" + r.URL.Path}}, Body: http.NoBody,
		}, nil
	})}, "https://rm:8090")
	if _, err := c.get(context.Background(), "apps"); err == nil || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("got %v", err)
	}
}

// answering answers every connection with the same bytes and hangs up; reset selects how.
func answering(t *testing.T, answer string, reset bool) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			_, err = c.Read(buf)
			if err == nil {
				_, err = io.WriteString(c, answer)
			}
			if err == nil && reset {
				err = c.(*net.TCPConn).SetLinger(0)
			}
			if err := errors.Join(err, c.Close()); err != nil {
				t.Error(err)
			}
		}
	}()
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	return "http://" + l.Addr().String()
}

func TestBrokenConnections(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		answer string
		reset  bool
		want   string
	}{
		"truncated":         {head + "Content-Length: 100\r\n\r\n{\"apps\":", false, "broke off after 8 bytes"},
		"truncated chunk":   {head + "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"apps\":", false, "broke off"},
		"nothing":           {"", false, "cut the connection"},
		"reset":             {"", true, "cut the connection"},
		"another language":  {"\x00\x00\x00\x7crpc", false, "does not speak HTTP"},
		"gzip that is none": {head + "Content-Encoding: gzip\r\nContent-Length: 22\r\n\r\nhello, this is no gzip", false, "gzip: invalid header"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientOf(t, Options{}, answering(t, c.answer, c.reset)).get(context.Background(), "apps")
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Status != 0 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if errors.Is(err, io.EOF) {
				t.Errorf("%v would pass for the source's end", err)
			}
		})
	}
}

func TestBodiesAreBounded(t *testing.T) {
	sent := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := bytes.Repeat([]byte(" "), 1<<16)
		for range 1024 {
			n, err := w.Write(chunk)
			if sent += n; err != nil {
				return
			}
		}
	})
	c := clientOf(t, Options{MaxBody: 1 << 20}, s.URL)
	_, err := c.get(context.Background(), "apps")
	s.Close() // waits for the handler
	if !errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), "1 MiB") || sent > 32<<20 {
		t.Errorf("%v after %d bytes", err, sent)
	}
}

// slowBody is a body that sends a byte a second for ever.
type slowBody struct{ ctx context.Context }

func (d slowBody) Read(b []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		b[0] = ' '
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d slowBody) Close() error { return nil }

func TestSlowAnswersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, rt := range map[string]RoundTrip{
			"slow body": func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusOK,
					Header:     http.Header{"Content-Type": {"application/json"}}, Body: slowBody{r.Context()},
				}, nil
			},
			"silence": func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			},
		} {
			c := clientOf(t, Options{Transport: rt, Total: 30 * time.Second}, "http://rm:8088")
			start := time.Now()
			_, err := c.get(context.Background(), "apps")
			e, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(err.Error(), "not done within 30s") || !strings.Contains(e.Hint, "too slow") {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(start); took != 30*time.Second {
				t.Errorf("%s took %v", name, took)
			}
		}
	})
}

func TestHeaderTimeout(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := clientOf(t, Options{Header: 20 * time.Millisecond}, s.URL).get(context.Background(), "apps")
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Hint, "too slow") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var n atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { n.Add(1); cancel(); <-r.Context().Done() })
	client := clientOf(t, Options{}, s.URL, s.URL+"/2", s.URL+"/3", s.URL+"/4", s.URL+"/5", s.URL+"/6", s.URL+"/7",
		s.URL+"/8")
	if _, err := client.get(ctx, "apps"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n.Load() != 1 {
		t.Errorf("%d requests after an interrupt", n.Load())
	}
	if _, err := client.get(ctx, "apps"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestException checks the name and the message of services' exceptions and of a web server's own errors.
func TestException(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"RemoteException":{"exception":"StandbyException","message":"read"}}`:              {"StandbyException", "read"},
		`{"RemoteException":{"exception":"WebApplicationException"},"message":"the server"}`: {"WebApplicationException", ""},
		`{"RemoteException":{"exception":"StandbyException","message":"read"},"message":5}`:  {"StandbyException", "read"},
		`{"message":"the server"}`: {"", "the server"},
		`[]`:                       {"", ""},
		`<html>`:                   {"", ""},
	} {
		if name, message := Exception([]byte(body)); name != want[0] || message != want[1] {
			t.Errorf("%s: %q, %q", body, name, message)
		}
	}
}
