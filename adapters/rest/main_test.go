package rest

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server that ends with the test.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// A service is one service with several addresses, and a client of it.
type service struct {
	*Client
	bases []string
}

// clientOf returns a client of a service. It trusts the service's hosts.
func clientOf(t testing.TB, o Options, bases ...string) *service {
	t.Helper()
	// A handshake under the race detector takes seconds on a busy machine.
	o.Connect = cmp.Or(o.Connect, time.Minute)
	for _, base := range bases {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		o.Trust = append(o.Trust, u.Hostname())
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &service{c, bases}
}

// get requests a path with a short response.
func (s *service) get(ctx context.Context, path string) ([]byte, error) {
	body, _, err := s.Get(ctx, &Request{Bases: s.bases, Path: "/" + path, Clock: true})
	return body, err
}

// list requests a long response.
func (s *service) list(ctx context.Context) ([]byte, error) {
	body, _, err := s.Get(ctx, &Request{Bases: s.bases, Path: "/list", Limit: Long})
	return body, err
}

// sendJSON answers as services do.
func sendJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	_, _ = io.WriteString(w, body) // a client that has gone is no fault of the server
}

// answered fails the test if a question has no answer.
func answered(t testing.TB) func([]byte, error) {
	t.Helper()
	return func(_ []byte, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
}
