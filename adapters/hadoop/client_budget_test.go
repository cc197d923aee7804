package hadoop

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// TestAnswersStayWithinTheBudget: four answers at once, packed or without an end, are each refused; together they never
// draw more than there is, read little more than they may, and give everything back.
func TestAnswersStayWithinTheBudget(t *testing.T) {
	packed := bomb(t)
	for _, mode := range []string{"bomb", "endless", "both"} {
		var n, read atomic.Int64
		c := clientOf(t, Options{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
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
		c.budget, c.opt.MaxBody = newBudget(most), 6<<20
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err,
					errTooBig) && !errors.Is(err, errCrowded) {
					t.Errorf("%s: %v", mode, err)
				}
			})
		}
		wg.Wait()
		if c.budget.free != most || len(c.budget.leases) != 0 || c.budget.least < 0 || c.budget.least == most {
			t.Errorf("%s: %d of %d bytes are free, %d at least, %d leases", mode, c.budget.free, int64(most),
				c.budget.least, len(c.budget.leases))
		}
		if got := read.Load(); got > 4*(c.opt.MaxBody+2*shortBody) {
			t.Errorf("%s: %d bytes were read", mode, got)
		}
	}
}

// TestLimitsByPath: a job's own answer and an error page are short, lists may be long.
func TestLimitsByPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int64{
		"/ws/v1/cluster/apps":                                                longBody,
		"/ws/v1/cluster/apps/application_1_0001":                             shortBody,
		"/ws/v1/cluster/nodes":                                               longBody,
		"/ws/v1/cluster/metrics":                                             shortBody,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001":          shortBody,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/tasks":    longBody,
		"/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/conf":     middleBody,
		"/ws/v1/cluster/scheduler":                                           middleBody,
		"/proxy/application_1_0001/ws/v2/tez/dagInfo":                        shortBody,
		"/proxy/application_1_0001/ws/v2/tez/tasksInfo":                      longBody,
		"/proxy/application_1_0001/ws/v2/tez/attemptsInfo":                   middleBody,
		"/ws/v1/node/containers/container_1_0001_01_000001/logs":             shortBody,
		"/ws/v1/node/containers/container_1_0001_01_000001/logs/syslog":      middleBody,
		"/ws/v1/history/mapreduce/jobs/job_1_0001/tasks/task_1_m_0/counters": shortBody,
	} {
		if got := bodyLimit(&url.URL{Path: path}); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	long := `{"tasks":{"task":[` + strings.Repeat(" ", 3<<20) + `]}}`
	status, kind := http.StatusOK, "application/json"
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, long)
	})
	c := clientOf(t, Options{}, s.URL)
	if body, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); err != nil ||
		string(body) != long {
		t.Errorf("a long list: %d bytes, %v", len(body), err)
	}
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001"); !errors.Is(err, errTooBig) ||
		!strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Errorf("a job: %v", err)
	}
	status = http.StatusInternalServerError
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err, errTooBig) {
		t.Errorf("an error: %v", err)
	}
	status, kind = http.StatusOK, "text/html"
	if _, err := c.AM(t.Context(), "application_1_0001", "jobs/job_1_0001/tasks"); !errors.Is(err, errTooBig) {
		t.Errorf("a page: %v", err)
	}
}

// TestLargestGivesWay: where nothing is free the largest answer that is still being read is given up, and one that is
// decoded is waited for.
func TestLargestGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(10)
		open := func() (*lease, context.Context) {
			ctx, giveWay := context.WithCancelCause(t.Context())
			return b.open(giveWay), ctx
		}
		slow, slowCtx := open()
		small, ctx := open()
		if b.take(slowCtx, slow, 7) != nil || b.take(ctx, small, 2) != nil {
			t.Fatal("nothing is free")
		}
		got := make(chan error, 1)
		go func() { got <- b.take(ctx, small, 3) }()
		<-slowCtx.Done()
		if !errors.Is(context.Cause(slowCtx), errCrowded) || !errors.Is(b.take(t.Context(), slow, 1), errCrowded) {
			t.Errorf("the largest was ended by %v", context.Cause(slowCtx))
		}
		if reported := context.Cause(slowCtx).Error(); reported != "this answer was given up: it was the largest of those that together need too much memory" {
			t.Errorf("it says %q", reported)
		}
		b.release(slow)
		if err := <-got; err != nil || small.bytes != 5 {
			t.Errorf("the smaller one: %v, %d bytes", err, small.bytes)
		}
		b.settle(small)
		next, nextCtx := open()
		go func() { got <- b.take(nextCtx, next, 8) }()
		synctest.Wait()
		if len(got) != 0 {
			t.Fatalf("it did not wait: %v", <-got)
		}
		b.release(small)
		if err := <-got; err != nil {
			t.Errorf("after the other was decoded: %v", err)
		}
		if err := b.take(nextCtx, next, 3); !errors.Is(err, errCrowded) {
			t.Errorf("the largest, alone: %v", err)
		}
		b.release(next)
		if b.free != 10 || len(b.leases) != 0 {
			t.Errorf("%d free, %d leases", b.free, len(b.leases))
		}
	})
}

// TestWaitingEnds: who waits for memory hears of the end of his context.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	b := newBudget(10)
	held := b.open(func(error) {})
	if err := b.take(t.Context(), held, 10); err != nil {
		t.Fatal(err)
	}
	b.settle(held)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if err := b.take(ctx, b.open(func(error) {}), 1); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// TestAnswersAreHeldUntilDecoded: an answer counts until its question is over.
func TestAnswersAreHeldUntilDecoded(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, `{"apps":{}`+strings.Repeat(" ", 3<<20)+`}`)
	})
	c := clientOf(t, Options{}, s.URL)
	ask(t.Context(), func(ctx context.Context) {
		body, err := c.RM(ctx, "apps")
		if held := inMemory - c.budget.free; err != nil || held != int64(len(body)) {
			t.Errorf("%d bytes are held of an answer of %d, %v", held, len(body), err)
		}
	})
	if c.budget.free != inMemory {
		t.Errorf("%d bytes are free after it", c.budget.free)
	}
}

// TestCookies: what Hadoop and Knox set is kept, and nothing else; what is kept is bounded.
func TestCookies(t *testing.T) {
	t.Parallel()
	u := &url.URL{Scheme: "http", Host: "rm:8088", Path: "/proxy/application_1_0001/ws"}
	c := newCookies()
	for _, name := range []string{
		"hadoop.auth", "hadoop-jwt", "KNOXSESSIONID", "JSESSIONID",
		"checked_application_1_0001", "track", "checked_", "auth",
	} {
		c.set(u, []*http.Cookie{{Name: name, Value: "x", Path: "/"}})
	}
	c.set(u, []*http.Cookie{{Name: "hadoop.auth", Value: strings.Repeat("x", maxCookie), Path: "/long"}})
	var names []string
	for _, k := range c.of(u) {
		names = append(names, k.Name)
	}
	if got := strings.Join(names,
		" "); got != "hadoop.auth hadoop-jwt KNOXSESSIONID JSESSIONID checked_application_1_0001" {
		t.Errorf("kept %s", got)
	}
	for i := range 3 * allCookies / 4000 {
		c.set(u, []*http.Cookie{{
			Name: fmt.Sprintf("checked_application_1_%d", i), Value: strings.Repeat("x", 4000),
			Path: "/",
		}})
	}
	sent := 0
	for _, k := range c.of(u) {
		sent += len(k.Value)
	}
	if sent == 0 || sent > allCookies || c.bytes > allCookies {
		t.Errorf("%d bytes are kept, %d counted", sent, c.bytes)
	}
}
