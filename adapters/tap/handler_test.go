package tap

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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
		says                    string
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
			"said to be long", Path, "hu-sh", good, func(r *http.Request) { r.ContentLength = 1 << 40 }, 413,
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
		{"of a job that is over", Path, "hu-sh", strings.ReplaceAll(good, "1700000000000_0001",
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
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) ||
			strings.Count(w.Body.String(), "\n") != 1 {
			t.Errorf("%s: %d %q, want %d %s", c.name, w.Code, w.Body, c.status, c.says)
		}
	}
	if c := s.Counts(); c.Taken != 1 || c.Refused != 11 || c.Orphans != 1 {
		t.Errorf("%+v", c)
	}
	if n := len(reported); n != 13 || !strings.Contains(reported[1], "wrong token") {
		t.Errorf("told of %d: %q", n, reported)
	}
	for _, line := range reported {
		if strings.Contains(line, "hu-sh") {
			t.Errorf("the token is told: %s", line)
		}
	}
	for range 100 {
		post(h, Path, "", nil)
	}
	if len(reported) != maxComplain {
		t.Errorf("told of %d refusals, want %d at most", len(reported), maxComplain)
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

// TestHandlerCrowd: so many batches are read at a time; others wait, and are turned away after a while.
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

// FuzzHandler: whatever is posted, the answer is one line, and the store holds what it counts.
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
