package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// An endlessBody never ends; read counts what was taken of it.
type endlessBody struct{ read *atomic.Int64 }

func (e endlessBody) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	e.read.Add(int64(len(b)))
	return len(b), nil
}

func (endlessBody) Close() error { return nil }

// bomb is 64 MiB of spaces, packed.
func bomb(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 64 {
		if _, err := z.Write(bytes.Repeat([]byte{' '}, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestAnswersStayWithinTheBudget: four responses at once, packed or endless, are each refused. They read little more
// than their limits, and keep nothing.
func TestAnswersStayWithinTheBudget(t *testing.T) {
	packed := bomb(t)
	for _, mode := range []string{"bomb", "endless", "both"} {
		var n, read atomic.Int64
		c := clientOf(t, Options{Transport: RoundTrip(func(*http.Request) (*http.Response, error) {
			h := http.Header{"Content-Type": {"application/json"}}
			if mode == "bomb" || mode == "both" && n.Add(1)%2 == 0 {
				z, err := gzip.NewReader(bytes.NewReader(packed)) // as the network's transport has it
				return &http.Response{StatusCode: http.StatusOK, Header: h, Body: z}, err
			}
			return &http.Response{StatusCode: http.StatusOK, Header: h, Body: endlessBody{&read}}, nil
		})}, "http://rm:8088")
		c.opt.MaxBody = 6 << 20
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := c.list(t.Context()); !errors.Is(err, ErrTooBig) {
					t.Errorf("%s: %v", mode, err)
				}
			})
		}
		wg.Wait()
		if len(c.large) != 0 {
			t.Errorf("%s: %d large answers are kept", mode, len(c.large))
		}
		if got := read.Load(); got > 4*(c.opt.MaxBody+2*Short) {
			t.Errorf("%s: %d bytes were read", mode, got)
		}
	}
}

// TestWaitingEnds: a wait for memory ends with its context, and returns the cause.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	c := clientOf(t, Options{}, "http://rm:8088")
	for range maxLarge {
		c.large <- struct{}{}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, _, err := c.read(ctx, endlessBody{&atomic.Int64{}}, Long); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestAnswersAreHeldUntilDecoded: a large response counts as in memory until done is called, and several count once.
func TestAnswersAreHeldUntilDecoded(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, `{"apps":{}`+strings.Repeat(" ", 3<<20)+`}`)
	})
	c := clientOf(t, Options{}, s.URL)
	ctx, done := Keep(t.Context())
	for range maxLarge + 1 {
		inner, innerDone := Keep(ctx)
		if _, err := c.list(inner); err != nil || len(c.large) != 1 {
			t.Errorf("%d are held, %v", len(c.large), err)
		}
		innerDone()
	}
	done()
	if len(c.large) != 0 {
		t.Errorf("%d are held after it", len(c.large))
	}
}
