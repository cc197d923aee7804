package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// TestAnswersStayWithinTheBudget: four responses at once, packed or endless, are each refused. Together they never draw
// more than the memory, read little more than their limits, and return everything.
func TestAnswersStayWithinTheBudget(t *testing.T) {
	packed := bomb(t)
	for _, mode := range []string{"bomb", "endless", "both"} {
		var n, read atomic.Int64
		c := clientOf(t, Options{Transport: RoundTrip(func(*http.Request) (*http.Response, error) {
			h := http.Header{"Content-Type": {"application/json"}}
			if mode == "bomb" || mode == "both" && n.Add(1)%2 == 0 {
				h.Set("Content-Encoding", "gzip")
				return &http.Response{
					StatusCode: http.StatusOK, Header: h,
					Body: io.NopCloser(bytes.NewReader(packed)),
				}, nil
			}
			return &http.Response{StatusCode: http.StatusOK, Header: h, Body: endlessBody{&read}}, nil
		})}, "http://rm:8088")
		const most = 8 << 20
		c.memory, c.opt.MaxBody = newMemory(most), 6<<20
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := c.list(t.Context()); !errors.Is(err,
					ErrTooBig) && !errors.Is(err, errCrowded) {
					t.Errorf("%s: %v", mode, err)
				}
			})
		}
		wg.Wait()
		if c.memory.free != most || len(c.memory.leases) != 0 || c.memory.least < 0 || c.memory.least == most {
			t.Errorf("%s: %d of %d bytes are free, %d at least, %d leases", mode, c.memory.free, int64(most),
				c.memory.least, len(c.memory.leases))
		}
		if got := read.Load(); got > 4*(c.opt.MaxBody+2*Short) {
			t.Errorf("%s: %d bytes were read", mode, got)
		}
	}
}

// TestLargestGivesWay: if nothing is free, the largest response that is still being read is dropped. For one that is
// being decoded there is a wait.
func TestLargestGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newMemory(10)
		open := func() (*lease, context.Context) {
			ctx, giveWay := context.WithCancelCause(t.Context())
			return b.open(giveWay), ctx
		}
		slow, slowCtx := open()
		small, ctx := open()
		if slow.take(slowCtx, 7) != nil || small.take(ctx, 2) != nil {
			t.Fatal("nothing is free")
		}
		got := make(chan error, 1)
		go func() { got <- small.take(ctx, 3) }()
		<-slowCtx.Done()
		if !errors.Is(context.Cause(slowCtx), errCrowded) || !errors.Is(slow.take(t.Context(), 1), errCrowded) {
			t.Errorf("the largest was ended by %v", context.Cause(slowCtx))
		}
		if reported := context.Cause(slowCtx).Error(); reported != "this answer was given up: it was the largest of those that together need too much memory" {
			t.Errorf("it says %q", reported)
		}
		slow.release()
		if err := <-got; err != nil || small.bytes != 5 {
			t.Errorf("the smaller one: %v, %d bytes", err, small.bytes)
		}
		small.complete = true
		next, nextCtx := open()
		go func() { got <- next.take(nextCtx, 8) }()
		synctest.Wait()
		if len(got) != 0 {
			t.Fatalf("it did not wait: %v", <-got)
		}
		small.release()
		if err := <-got; err != nil {
			t.Errorf("after the other was decoded: %v", err)
		}
		if err := next.take(nextCtx, 3); !errors.Is(err, errCrowded) {
			t.Errorf("the largest, alone: %v", err)
		}
		next.release()
		if b.free != 10 || len(b.leases) != 0 {
			t.Errorf("%d free, %d leases", b.free, len(b.leases))
		}
	})
}

// TestWaitingEnds: a wait for memory ends with its context, and returns the cause.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	b := newMemory(10)
	held := b.open(func(error) {})
	if err := held.take(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	held.complete = true
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if err := b.open(func(error) {}).take(ctx, 1); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestAnswersAreHeldUntilDecoded: a response counts as in memory until done is called.
func TestAnswersAreHeldUntilDecoded(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, `{"apps":{}`+strings.Repeat(" ", 3<<20)+`}`)
	})
	c := clientOf(t, Options{}, s.URL)
	ctx, done := Keep(t.Context())
	body, err := c.list(ctx)
	if held := inMemory - c.memory.free; err != nil || held != int64(len(body)) {
		t.Errorf("%d bytes are held of an answer of %d, %v", held, len(body), err)
	}
	done()
	if c.memory.free != inMemory {
		t.Errorf("%d bytes are free after it", c.memory.free)
	}
}
