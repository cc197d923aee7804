//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

const (
	postedJob = "job_1700000000000_0001"
	attempt   = "attempt_1700000000000_0001_r_000003_0"
)

// A collector that lives in the test: its answers are a function of the batch.
type collector struct {
	mu     sync.Mutex
	answer func(b tap.Batch) (int, error)
	got    []tap.Batch
	tries  int
}

func (c *collector) RoundTrip(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries++
	b, err := tap.Decode(req.Body)
	if err != nil {
		return nil, err
	}
	status, err := c.answer(b)
	if errors.Is(err, errHang) {
		c.mu.Unlock()
		defer c.mu.Lock()
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	if status == http.StatusNoContent {
		c.got = append(c.got, b)
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("no\x1b[2J\nmore"))}, nil
}

var (
	errHang    = errors.New("hangs")
	errRefused = &net.OpError{Op: "dial", Err: errors.New("connection refused")}
)

// posted is the task of the batches.
var posted = task{id: attempt, attempt: tap.Attempt{Job: postedJob}}

func setup(t *testing.T, c *collector) (p *Post, messages *[]string, folder string) {
	folder, messages = t.TempDir(), new([]string)
	p = newPost(options{collector: "watcher:9", token: "secret", spool: folder}, posted,
		func(line string) { *messages = append(*messages, line) })
	p.client.Transport = c
	return p, messages, folder
}

func points(n int) tap.Batch {
	return tap.Batch{Points: []tap.Point{{Age: 1, Bytes: float64(n), Seconds: 1, Count: 1}}}
}

func spooled(t *testing.T, folder string) (seqs []int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "paratimer-tap."+attempt+".ndjson"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		b, err := tap.Decode(bytes.NewReader(line))
		if err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("%.100s: %v", line, err)
		}
		seqs = append(seqs, b.Seq)
	}
	return seqs
}

func seqs(batches []tap.Batch) (out []int) {
	for _, b := range batches {
		out = append(out, b.Seq)
	}
	return out
}

func same(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func TestAllIsWell(t *testing.T) {
	c := &collector{answer: func(tap.Batch) (int, error) { return 204, nil }}
	p, messages, folder := setup(t, c)
	for i := range 3 {
		p.Send(t.Context(), points(i))
	}
	same(t, "sent", seqs(c.got), 0, 1, 2)
	same(t, "spooled", spooled(t, folder))
	if len(*messages) > 0 || c.got[2].Job != postedJob || c.got[2].Attempt != attempt || c.got[2].Points[0].Bytes != 2 {
		t.Errorf("%v, %+v", *messages, c.got[2])
	}
}

// TestComesBack checks that a collector which is away for a while gets the batches that it has missed, in order and
// with its age.
func TestComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := true
		c := &collector{answer: func(tap.Batch) (int, error) {
			if away {
				return 0, errRefused
			}
			return 204, nil
		}}
		p, messages, folder := setup(t, c)
		for i := range 5 {
			p.Send(t.Context(), points(i))
			time.Sleep(time.Second)
		}
		if c.tries != 2 { // at 0, 2 and not before 6 s
			t.Errorf("%d tries within 5 s", c.tries)
		}
		same(t, "spooled", spooled(t, folder), 0, 1, 2, 3, 4)
		if len(*messages) != 1 || !strings.Contains((*messages)[0], "connection refused") ||
			!strings.Contains((*messages)[0], folder) {
			t.Errorf("messages: %q", *messages)
		}
		away = false
		time.Sleep(time.Minute)
		p.Send(t.Context(), points(5))
		same(t, "sent", seqs(c.got), 0, 1, 2, 3, 4, 5)
		same(t, "spooled", spooled(t, folder), 0, 1, 2, 3, 4)
		away = true
		p.Send(t.Context(), points(6))
		time.Sleep(rest)
		away = false
		p.Send(t.Context(), points(7))
		same(t, "sent", seqs(c.got), 0, 1, 2, 3, 4, 5, 6, 7)
		if age := c.got[0].Points[0].Age; age != 66 {
			t.Errorf("the first group ended %v s ago, not 66", age)
		}
	})
}

// TestNotForEver checks that what waits is bounded, and so are the tries.
func TestNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answer: func(tap.Batch) (int, error) { return 503, nil }}
		p, messages, folder := setup(t, c)
		for i := range 1800 {
			p.Send(t.Context(), points(i))
			time.Sleep(2 * time.Second)
		}
		if len(p.unsent) != kept || c.tries > 130 || c.tries < 100 {
			t.Errorf("%d batches wait, %d tries in an hour", len(p.unsent), c.tries)
		}
		if got := spooled(t, folder); len(got) != 1800 || len(*messages) != 1 || strings.ContainsAny((*messages)[0], "\x1b\n") {
			t.Errorf("%d spooled; messages %q", len(got), *messages)
		}
	})
}

func TestRefusals(t *testing.T) {
	for status, want := range map[int]struct {
		tries   int
		sent    []int
		spooled []int
	}{
		400: {3, []int{0, 2}, []int{1}}, // this batch, never
		409: {3, []int{0, 2}, []int{1}},
		401: {2, []int{0}, []int{1, 2}}, // none, never
		404: {2, []int{0}, []int{1, 2}},
		410: {2, []int{0}, []int{1, 2}},
		302: {2, []int{0}, []int{1, 2}},
	} {
		c := &collector{}
		c.answer = func(b tap.Batch) (int, error) {
			if b.Seq == 1 {
				return status, nil
			}
			return 204, nil
		}
		synctest.Test(t, func(t *testing.T) {
			p, messages, folder := setup(t, c)
			for i := range 3 {
				p.Send(t.Context(), points(i))
				time.Sleep(time.Minute)
			}
			name := fmt.Sprint(status)
			same(t, name+" sent", seqs(c.got), want.sent...)
			same(t, name+" spooled", spooled(t, folder), want.spooled...)
			if c.tries != want.tries || len(*messages) != 1 || strings.Contains((*messages)[0], "secret") {
				t.Errorf("%s: %d tries; messages %q", name, c.tries, *messages)
			}
		})
	}
}

// TestEnd checks that the end is bounded, whatever the collector does, and that the last batch is not lost.
func TestEnd(t *testing.T) {
	well := func(int) (int, error) { return 204, nil }
	for name, c := range map[string]struct {
		answer func(try int) (int, error)
		runs   time.Duration // a batch a second
		most   time.Duration
		sent   bool
	}{
		"well": {well, 1500 * time.Millisecond, 0, true},
		"down": {func(int) (int, error) { return 0, errRefused }, 1500 * time.Millisecond, 0, false},
		"down, then up": {
			func(try int) (int, error) { return 204, when(try == 1, errRefused) },
			1500 * time.Millisecond, 0, true,
		},
		"no response": {
			func(int) (int, error) { return 0, errHang }, 1500 * time.Millisecond, farewell,
			false,
		},
		"no response before the end": {
			func(try int) (int, error) { return 204, when(try == 1, errHang) },
			1500 * time.Millisecond, 0, true,
		},
		"no response for long": {func(int) (int, error) { return 0, errHang }, 4500 * time.Millisecond, 0, false},
		"slow": {
			func(int) (int, error) { time.Sleep(1500 * time.Millisecond); return 503, nil },
			9500 * time.Millisecond, farewell, false,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := &collector{}
			server.answer = func(tap.Batch) (int, error) { return c.answer(server.tries) }
			p, _, folder := setup(t, server)
			n := 0
			r := startRounds(p, time.Second, func() (tap.Batch, bool) { n++; return points(n), true }, nil)
			time.Sleep(c.runs)
			begin := time.Now()
			r.End(points(99))
			if took := time.Since(begin); took > c.most {
				t.Errorf("%s: the end took %v", name, took)
			}
			synctest.Wait()
			last := append(spooled(t, folder), seqs(server.got)...)
			if len(last) == 0 || slices.Max(last) != n {
				t.Errorf("%s: only %v are anywhere, not %d", name, last, n)
			}
			if c.sent && (len(server.got) == 0 || !server.got[len(server.got)-1].Final) {
				t.Errorf("%s: sent %+v", name, server.got)
			}
		})
	}
}

func when(yes bool, err error) error {
	if yes {
		return err
	}
	return nil
}

// TestRounds checks that batches go every so often, early if there is much, and not if there is nothing.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answer: func(tap.Batch) (int, error) { return 204, nil }}
		p, _, _ := setup(t, c)
		var full, none atomic.Bool
		r := startRounds(p, 8*time.Second, func() (tap.Batch, bool) { return points(1), !none.Load() }, full.Load)
		wait := func(d time.Duration, want int) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.got) != want {
				t.Errorf("%d batches, not %d", len(c.got), want)
			}
		}
		wait(7500*time.Millisecond, 0)
		wait(time.Second, 1)
		full.Store(true)
		wait(time.Second, 2)
		full.Store(false)
		none.Store(true)
		wait(time.Minute, 2)
		r.End(tap.Batch{})
		wait(0, 3)
		if !c.got[2].Final || c.got[1].Final {
			t.Errorf("%+v", c.got)
		}
	})
}

// TestPanic checks that a fault of the tap's own ends the sending alone.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := setup(t, &collector{})
		r := startRounds(p, time.Second, func() (tap.Batch, bool) { panic("fault") }, nil)
		time.Sleep(time.Minute)
		begin := time.Now()
		r.End(tap.Batch{})
		if time.Since(begin) > 0 {
			t.Error("the end waits for rounds that have ended")
		}
	})
}

// TestHungDisk checks that the end does not wait for a spool that cannot be written to.
func TestHungDisk(t *testing.T) {
	p, _, _ := setup(t, &collector{answer: func(tap.Batch) (int, error) { return 0, errRefused }})
	path := p.spool.path()
	if err := syscall.Mkfifo(path, 0o600); err != nil { // opening it waits for a reader
		t.Skipf("SKIPPED: %v", err)
	}
	r := startRounds(p, time.Hour, nil, nil)
	r.late = 0
	r.End(points(1))
	select {
	case <-r.done:
		t.Error("the disk did not hang")
	default:
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	<-r.done
}

// TestSpool checks that a spool is bounded and never has half a line, and that its end is reported.
func TestSpool(t *testing.T) {
	big := tap.Batch{Note: strings.Repeat("n", tap.MaxNote)}
	for range tap.MaxPoints {
		big.Points = append(big.Points, tap.Point{Age: 0.123456, Bytes: 1234567, Seconds: 0.123456, Count: 1})
	}
	p, messages, folder := setup(t, &collector{answer: func(tap.Batch) (int, error) { return 0, errRefused }})
	for range 60 {
		p.Send(t.Context(), big)
	}
	if got := spooled(t, folder); len(got) < 30 || len(got) == 60 {
		t.Errorf("%d batches spooled", len(got))
	}
	if len(*messages) != 2 || !strings.Contains((*messages)[1], "8388608 bytes") {
		t.Errorf("messages: %q", *messages)
	}

	p, messages, folder = setup(t, &collector{answer: func(tap.Batch) (int, error) { return 0, errRefused }})
	p.Send(t.Context(), points(1))
	p.spool.file.Close() // a disk that has gone
	p.Send(t.Context(), points(2))
	p.Send(t.Context(), points(3))
	same(t, "spooled", spooled(t, folder), 0)
	if len(*messages) != 2 {
		t.Errorf("messages: %q", *messages)
	}

	p, messages, folder = setup(t, &collector{answer: func(tap.Batch) (int, error) { return 0, errRefused }})
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), p.spool.path()); err != nil {
		t.Fatal(err)
	}
	p.Send(t.Context(), points(1))
	if got := spooled(t, folder); got != nil || len(*messages) != 2 {
		t.Errorf("followed a link: %v, %q", got, *messages)
	}
}

// TestWithout checks that no collector and no folder are no trouble.
func TestWithout(t *testing.T) {
	warnings := 0
	p := newPost(options{spool: filepath.Join(t.TempDir(), "none")}, posted, func(string) { warnings++ })
	p.Send(t.Context(), points(1))
	p.Send(t.Context(), points(1))
	if warnings != 1 || len(p.unsent) > 0 {
		t.Errorf("%d warnings, want 1; %d wait", warnings, len(p.unsent))
	}
	p = newPost(options{collector: "127.0.0.1:1"}, posted, func(string) { warnings++ })
	p.Send(t.Context(), points(1))
	if warnings != 2 {
		t.Errorf("%d warnings, want 2", warnings)
	}
}

// TestOverHTTP is with a real server: a connection refused, then a token, a path and a body that are right.
func TestOverHTTP(t *testing.T) {
	var got *http.Request
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	if newClient().Transport.(*http.Transport).Proxy != nil {
		t.Error("got a request through the proxy of the task's environment")
	}
	message := ""
	p := newPost(options{collector: strings.TrimPrefix(s.URL, "http://"), token: "secret"}, posted,
		func(l string) { message = l })
	p.Send(context.Background(), points(7))
	if got == nil || got.Method != http.MethodPost || got.URL.Path != tap.Path ||
		got.Header.Get("Authorization") != "Bearer secret" || message != "" {
		t.Fatalf("%+v; message %q", got, message)
	}
	if b, err := tap.Decode(bytes.NewReader(body)); err != nil || b.Points[0].Bytes != 7 {
		t.Errorf("%s: %v", body, err)
	}
	p.client.CloseIdleConnections()
}
