package rest

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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

// TestTrustedHost: what trust-host takes.
func TestTrustedHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"rm2": true, "rm2.example.com": true, "10.0.0.2": true, "::1": true, "[fe80::1]": true,
		"": false, "http://rm2": false, "rm2:8088": false, "rm2/x": false, "a b": false, "*": false,
	} {
		if err := TrustedHost(host); (err == nil) != want {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// TestPasswordStaysHome: the password is sent to the addresses that were given alone, for any redirect, and
// never in the clear.
func TestPasswordStaysHome(t *testing.T) {
	bases := []string{"https://rm:8090", "https://RM"}
	layer, err := Basic("alice", "hu-sh", bases...)
	if err != nil {
		t.Fatal(err)
	}
	var sent string
	chain := layer(RoundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r.Header.Get("Authorization")
		return nil, errors.New("no answer")
	}))
	for to, want := range map[string]bool{
		"https://rm:8090/ws": true, "https://rm:443/ws": true, "https://rm/ws": true, "https://RM:8090/ws": true,
		"https://rm:8091/ws": false, "https://evil.example:8090/ws": false, "http://rm:8090/ws": false,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := chain.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		if (sent != "") != want || r.Header.Get("Authorization") != "" {
			t.Errorf("%s: sent %q, want %v; the request itself has %q", to, sent, want, r.Header.Get("Authorization"))
		}
	}
	for _, c := range []struct{ user, password, other, want string }{
		{"alice", "x", "http://jhs:19888", "in the clear to http://jhs:19888"},
		{"alice", "x", "http://127.0.0.1:19888", ""},
		{"alice", "x", "http://localhost:19888", ""},
		{"", "x", "https://jhs", "user's name"},
		{"a:b", "x", "https://jhs", "user's name"},
		{"alice", "", "https://jhs", "password is empty"},
		{"alice", "a\nb", "https://jhs", "control characters"},
	} {
		bases[1] = c.other
		_, err := Basic(c.user, c.password, bases...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && c.password != "" && c.password != "x" && strings.Contains(err.Error(), c.password) {
			t.Errorf("the password is in the error: %v", err)
		}
	}
}

// TestBearer checks where a token is sent, and which tokens are refused.
func TestBearer(t *testing.T) {
	layer, err := Bearer("dapi-0123", "https://gateway/driver")
	if err != nil {
		t.Fatal(err)
	}
	sent := ""
	chain := layer(RoundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r.Header.Get("Authorization")
		return nil, errors.New("no answer")
	}))
	for to, want := range map[string]string{"https://gateway/a": "Bearer dapi-0123", "https://other/a": ""} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := chain.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		if sent != want {
			t.Errorf("%s: sent %q, want %q", to, sent, want)
		}
	}
	for _, token := range []string{"", "a b", "a\nb", "ü"} {
		if _, err := Bearer(token, "https://gateway"); err == nil {
			t.Errorf("%q is a token", token)
		}
	}
	if _, err := Bearer("x", "http://gateway"); err == nil || !strings.Contains(err.Error(), "a token would travel in the clear") {
		t.Errorf("got %v", err)
	}
}

// engines matches the names of engines, of their services and of their file systems.
var engines = regexp.MustCompile(`(?i)yarn|\btez|spark|hadoop|map-?reduce|\bhive|\bpig\b|hdfs|flink|trino|impala|` +
	`resource ?manager|node ?manager|name ?node|application ?master|history ?server|executor|mapred|dfs\.`)

// TestNamesNoEngine: this package serves any engine, so that neither its code, nor its texts, comments or imports name
// one. A request brings what depends on the engine.
func TestNamesNoEngine(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		checked++
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if name := engines.FindString(line); name != "" {
				t.Errorf("%s:%d names %s: %s", file, i+1, name, strings.TrimSpace(line))
			}
		}
	}
	if checked == 0 {
		t.Error("no file was checked")
	}
}
