package rest

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestGzip(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 100_000) + `"}`
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		z := gzip.NewWriter(w)
		if _, err := io.WriteString(z, long); err != nil {
			t.Error(err)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	})
	body, err := clientOf(t, Options{}, s.URL).get(context.Background(), "info")
	if err != nil || string(body) != long {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	// A small answer must not unpack into a large one.
	small := clientOf(t, Options{MaxBody: 1000}, s.URL)
	if _, err := small.get(context.Background(), "info"); !errors.Is(err, ErrTooBig) {
		t.Errorf("got %v", err)
	}
}

func TestAtMostFourUnderWay(t *testing.T) {
	release := make(chan struct{})
	arrived := make(chan struct{}, 20)
	var underWay, most, requests atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if n := underWay.Add(1); n > most.Load() {
			most.Store(n)
		}
		arrived <- struct{}{}
		<-release
		underWay.Add(-1)
		sendJSON(w, `{}`)
	})
	c := clientOf(t, Options{}, s.URL)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.get(context.Background(), "info"); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 {
		<-arrived
	}
	close(release)
	wg.Wait()
	if most.Load() != 4 || requests.Load() != 20 {
		t.Errorf("%d under way at most, %d in all; want 4 and 20", most.Load(), requests.Load())
	}
}

// TestByteOrderMark: an answer that a proxy has put a byte order mark before is JSON still.
func TestByteOrderMark(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, "\ufeff{}") })
	if body, err := clientOf(t, Options{}, s.URL).get(context.Background(), "info"); err != nil || string(body) != "{}" {
		t.Errorf("%q, %v", body, err)
	}
}
