package tap

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

func post(h http.Handler, path, token string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, body)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func encoded(t *testing.T, b *Batch) []byte {
	t.Helper()
	out, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestHandler(t *testing.T) {
	var reported []string
	s := NewStore(Limits{})
	h := NewHandler(s, "hu-sh", func() time.Time { return noon },
		func(err error) { reported = append(reported, err.Error()) })
	good := string(encoded(t, mapBatch(theJob, 0, 0, 3, 2)))
	if w := post(h, Path, "hu-sh", strings.NewReader(good)); w.Code != http.StatusNoContent || w.Body.Len() != 0 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	s.watch("job_1700000000000_0002")
	s.leave("job_1700000000000_0002", true)
	for _, c := range []struct {
		name, path, token, body string
		change                  func(*http.Request)
		status                  int
		want                    string
	}{
		{"elsewhere", "/", "hu-sh", good, nil, 404, "posted to /v1/groups"},
		{"wrong token", Path, "hush", good, nil, 401, "wrong token"},
		{"no token", Path, "", good, nil, 401, "wrong token"},
		{
			"another scheme", Path, "", good,
			func(r *http.Request) { r.Header.Set("Authorization", "Basic hu-sh") },
			401, "wrong token",
		},
		{"fetched", Path, "hu-sh", "", func(r *http.Request) { r.Method = http.MethodGet }, 405, "posted"},
		{
			"packed", Path, "hu-sh", good, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415,
			"packed",
		},
		{
			"with a long Content-Length", Path, "hu-sh", good, func(r *http.Request) { r.ContentLength = 1 << 40 }, 413,
			"at most",
		},
		{
			"long", Path, "hu-sh", good + strings.Repeat(" ", MaxBatchBytes+100),
			func(r *http.Request) { r.ContentLength = -1 }, 400, "at most",
		},
		{"no batch", Path, "hu-sh", "{}", nil, 400, "v: missing"},
		{"two batches", Path, "hu-sh", good + good, nil, 400, "bad batch"},
		{"of another job's task", Path, "hu-sh", strings.Replace(good, `"job":"job_1700000000000_0001"`,
			`"job":"job_1700000000000_0003"`, 1), nil, 400, "job:"},
		{"of a job that has ended", Path, "hu-sh", strings.ReplaceAll(good, "1700000000000_0001",
			"1700000000000_0002"), nil, 410, "ended"},
		{"of other reduces", Path, "hu-sh", strings.NewReplacer(`"r":2,"b":[6,4]`, `"r":3,"b":[6,4,0]`).Replace(
			good), nil, 409, "3 reduces"},
	} {
		r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer "+c.token)
		if c.change != nil {
			c.change(r)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) ||
			strings.Count(w.Body.String(), "\n") != 1 {
			t.Errorf("%s: %d %q, want %d %s", c.name, w.Code, w.Body, c.status, c.want)
		}
	}
	if c := s.Counts(); c.Taken != 1 || c.Refused != 11 || c.Orphans != 1 {
		t.Errorf("%+v", c)
	}
	if n := len(reported); n != 13 || !strings.Contains(reported[1], "wrong token") {
		t.Errorf("reported %d: %q", n, reported)
	}
	for _, line := range reported {
		if strings.Contains(line, "hu-sh") {
			t.Errorf("the token is printed: %s", line)
		}
	}
	for range 100 {
		post(h, Path, "", nil)
	}
	if len(reported) != maxComplain {
		t.Errorf("reported %d refusals, want %d at most", len(reported), maxComplain)
	}
}

func TestHandlerIsFull(t *testing.T) {
	s := NewStore(Limits{Bytes: 2000})
	h := NewHandler(s, "t", time.Now, nil)
	big := make([]float64, 60)
	if w := post(h, Path, "t", bytes.NewReader(encoded(t, reduceBatch(theJob, 0, 0, 0, big...)))); w.Code !=
		http.StatusInsufficientStorage || s.Counts().Bytes != 0 {
		t.Errorf("%d %s, %+v", w.Code, w.Body, s.Counts())
	}
}

// TestHandlerCrowd: the number of batches read at a time is bounded; others wait, and are refused after a while.
func TestHandlerCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStore(Limits{})
		h := NewHandler(s, "t", time.Now, nil)
		slow, write := io.Pipe()
		codes := make(chan int, maxBatches+2)
		for range maxBatches {
			go func() { codes <- post(h, Path, "t", slow).Code }()
		}
		synctest.Wait()
		began := time.Now()
		if w := post(h, Path, "t", strings.NewReader("{}")); w.Code != http.StatusServiceUnavailable ||
			w.Header().Get("Retry-After") == "" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if d := time.Since(began); d != waitToRead {
			t.Errorf("turned away after %v", d)
		}
		go func() { codes <- post(h, Path, "t", bytes.NewReader(encoded(t, mapBatch(theJob, 0, 0, 3)))).Code }()
		synctest.Wait()
		write.CloseWithError(errors.New("the tap has gone"))
		served := map[int]int{}
		for range maxBatches + 1 {
			served[<-codes]++
		}
		if served[http.StatusNoContent] != 1 || served[http.StatusBadRequest] != maxBatches {
			t.Errorf("%v", served)
		}
	})
}

// FuzzHandler: whatever is posted, the response is one line, and the store has as much as it counts.
func FuzzHandler(f *testing.F) {
	for _, b := range []*Batch{mapBatch(theJob, 0, 0, 3, 2), reduceBatch(theJob, 1, 2, 3, 4, 5)} {
		body, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	s := NewStore(Limits{Bytes: 1 << 20})
	h := NewHandler(s, "t", func() time.Time { return noon }, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		w := post(h, Path, "t", bytes.NewReader(body))
		if w.Code != http.StatusNoContent && strings.Count(w.Body.String(), "\n") != 1 {
			t.Errorf("%d %q", w.Code, w.Body)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if all := s.cost(); all != s.held || all > 1<<20 {
			t.Errorf("%d bytes held, %d counted", all, s.held)
		}
	})
}

// TestReadSpool: lines that are no batches keep none of the others out.
func TestReadSpool(t *testing.T) {
	good := func(seq int) string { return string(encoded(t, reduceBatch(theJob, 0, 0, seq, 5))) + "\n" }
	spool := good(0) + "\n" + "{}\n" + strings.Repeat("x", MaxBatchBytes+5) + "\n" + good(1) + good(1) +
		strings.Repeat(" ", MaxBatchBytes*3) + "\n" + good(2)[:40]
	s := NewStore(Limits{})
	err := ReadSpool(strings.NewReader(spool), s, noon)
	if err == nil || !strings.Contains(err.Error(), "line 3: tap: bad batch: v: missing") || s.Counts().Taken != 3 {
		t.Errorf("%+v, %v", s.Counts(), err)
	}
	if n := len(s.jobs[theJob].tasks[0][0].points); n != 2 {
		t.Errorf("%d points", n)
	}
	broken := errors.New("the disk is gone")
	if err := ReadSpool(iotest.ErrReader(broken), s, noon); !errors.Is(err, broken) || s.Counts().Taken != 3 {
		t.Errorf("%+v, %v", s.Counts(), err)
	}
}

// TestAtEnd checks that groups from spools are added when the query has ended; its instants lie within the attempts.
func TestAtEnd(t *testing.T) {
	s := newStage(t, 1, Limits{})
	s.src.opt.AtEnd, s.src.opt.Now = true, func() time.Time { return noon }
	s.done(1)
	run := attemptAt(1, 0, dag.AttemptSucceeded, noon)
	run.End = cluster(after(7))
	s.reduces(run)
	last := reduceBatch(theJob, 1, 0, 0, 50, 60)
	last.Open = &Open{Name: "k", Bytes: 1, Seconds: 1} // the tap was killed
	s.take(mapBatch(theJob, 0, 0, 1, 100), last)
	if g := s.observe(); g != nil {
		t.Errorf("before the end: %+v", g)
	}
	s.snap.State, s.snap.Jobs[1].State = dag.Succeeded, dag.Succeeded
	g := s.observe()
	if g == nil || g.Maps != 1 || len(g.Reduces[1].Done) != 2 || g.Reduces[1].Done[1].At != run.End ||
		g.Reduces[1].OpenKey != "" {
		t.Errorf("%+v", g)
	}
}

// TestSpoolOfATape: a tape has what the collector took, a spool the rest: of each reduce the fuller one stands.
func TestSpoolOfATape(t *testing.T) {
	s := newStage(t, 3, Limits{})
	s.done(3)
	s.snap.State = dag.Succeeded
	one, two := dag.NoReduceGroups(), dag.NoReduceGroups()
	one.Bytes, one.Attempt, one.Done = 900, 0, []dag.GroupPoint{{Bytes: 100, Took: time.Second, Count: 9}}
	two.Bytes, two.Attempt, two.Done = 10, 0, []dag.GroupPoint{{Bytes: 1, Took: time.Second, Count: 1}}
	s.snap.Jobs[1].Groups = &dag.Groups{Origin: dag.GroupsTapped, Maps: 2, Reduces: []dag.ReduceGroups{one, two}}
	s.reduces(attemptAt(0, 0, dag.AttemptSucceeded, noon), attemptAt(1, 0, dag.AttemptSucceeded, noon))
	s.take(mapBatch(theJob, 0, 0, 7), reduceBatch(theJob, 0, 0, 5, 100), reduceBatch(theJob, 1, 0, 3, 6, 7))
	g := s.observe()
	if g.Maps != 2 || g.Reduces[0].Bytes != 900 || len(g.Reduces[0].Done) != 1 || g.Reduces[0].Done[0].Count != 9 ||
		len(g.Reduces[1].Done) != 2 {
		t.Errorf("%+v", g)
	}
	s.take(mapBatch(theJob, 1, 0, 7), mapBatch(theJob, 2, 0, 7))
	if g := s.observe(); g.Maps != 3 || g.Reduces[0].Bytes != 42 {
		t.Errorf("%+v", g)
	}
}

// TestEndlessBadLines: a spool of bad lines alone is an error soon, with the line. What was taken before
// stays.
func TestEndlessBadLines(t *testing.T) {
	good := string(encoded(t, reduceBatch(theJob, 0, 0, 0, 5))) + "\n"
	for _, bad := range []string{"x\n", "\n", "{}\n"} {
		s := NewStore(Limits{})
		err := ReadSpool(fixtures.Endless(good, bad), s, noon)
		if err == nil || !strings.Contains(err.Error(), "line 1002: more than 1000 lines in a row") ||
			s.Counts().Taken != 1 {
			t.Errorf("%q: %+v, %v", bad, s.Counts(), err)
		}
	}
}
