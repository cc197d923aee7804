//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/sketch"
)

// A watcher takes batches as a collector does.
type watcher struct {
	*httptest.Server
	mu   sync.Mutex
	got  []tap.Batch
	bad  []error
	came chan struct{} // a batch has come
}

func newWatcher(t testing.TB) *watcher {
	w := &watcher{came: make(chan struct{}, 1000)}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		b, err := tap.Decode(r.Body)
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case err != nil:
			w.bad = append(w.bad, err)
		case r.Header.Get("Authorization") != "Bearer secret" || r.URL.Path != tap.Path:
			w.bad = append(w.bad, fmt.Errorf("%s with %q", r.URL, r.Header.Get("Authorization")))
		default:
			w.got = append(w.got, b)
		}
		out.WriteHeader(http.StatusNoContent)
		w.came <- struct{}{}
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *watcher) env() []string {
	return []string{"PARATIMER_COLLECT=" + strings.TrimPrefix(w.URL, "http://"), "PARATIMER_TOKEN=secret"}
}

// TestMapsAndReduces plays a small job: the records that maps write for a reduce are those that it then has, key by
// key.
func TestMapsAndReduces(t *testing.T) {
	w := newWatcher(t)
	var shuffled [3][]string
	promised := make([]float64, 3)
	keys := map[string]float64{}
	for m := range 2 {
		var input strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&input, "%d %d\n", m, i)
		}
		cmd := tapped(t, "map", "awk", `{ k = "key" ($2*$2)%97; printf "%s\t%s-%s\n", k, $1, $2 }`)
		cmd.Env = append(append(cmd.Env, mapTask...), w.env()...)
		got := play(t, cmd, strings.NewReader(input.String()))
		if got.code != 0 || len(got.messages) > 0 {
			t.Fatalf("exit %d, %q", got.code, got.messages)
		}
		for line := range strings.Lines(got.out) {
			key, _, _ := strings.Cut(line, "\t")
			r := sketch.Partition([]byte(key), 3)
			shuffled[r] = append(shuffled[r], line)
		}
	}
	for _, b := range w.got {
		if !b.Final || b.Attempt != mapAttempt || b.Map == nil || !b.Map.Complete || b.Map.Records != 4000 ||
			b.Note != "" {
			t.Fatalf("%+v", b)
		}
		for r, bytes := range b.Map.Bytes {
			promised[r] += bytes
		}
		for _, k := range b.Map.Top {
			keys[k.Name] += k.Bytes
		}
	}
	w.got = nil
	for r := range shuffled {
		sort.Strings(shuffled[r])
		cmd := tapped(t, "reduce --every 100ms", "awk", "-F", "\t",
			`$1 != k { if (n) print k, n; k = $1; n = 0 } { n++ } END { print k, n }`)
		cmd.Env = append(append(cmd.Env, reduceTask...), w.env()...)
		input := strings.Join(shuffled[r], "")
		if got := play(t, cmd, strings.NewReader(input)); got.code != 0 || len(got.messages) > 0 {
			t.Fatalf("exit %d, %q", got.code, got.messages)
		}
		bytes, groups, seqs := 0.0, 0.0, map[int]bool{}
		for _, b := range w.got {
			if seqs[b.Seq] { // sent again, as the answer came late on a busy machine: a collector takes it once
				continue
			}
			seqs[b.Seq] = true
			for _, p := range b.Points {
				bytes += p.Bytes * p.Count
				groups += p.Count
			}
		}
		all := 0.0
		for i, line := range shuffled[r] {
			if key, _, _ := strings.Cut(line, "\t"); i == 0 || !strings.HasPrefix(shuffled[r][i-1], key+"\t") {
				all++
			}
		}
		// What is in the pipe and with the command at the end has no time of its own, if it is small.
		if bytes > promised[r] || bytes < promised[r]-12<<10 || groups > all || groups < all-6 {
			t.Errorf("reduce %d: %v bytes in %v groups, promised %v; it had %v", r, bytes, groups, promised[r], all)
		}
		if n := len(w.got); !w.got[n-1].Final || w.got[n-1].Seq != len(seqs)-1 || w.got[n-1].Open != nil {
			t.Errorf("reduce %d: %+v", r, w.got)
		}
		w.got = nil
	}
	if len(w.bad) > 0 || len(keys) != 49 {
		t.Errorf("%d keys; refused %v", len(keys), w.bad)
	}
	for key, bytes := range keys {
		if math.Mod(bytes, 1) != 0 || !strings.HasPrefix(key, "#") {
			t.Errorf("%s: %v bytes", key, bytes)
		}
	}
}

// TestCollectorGoes checks that a collector which ends in mid-run harms nothing, and that what it misses is in the
// spool.
func TestCollectorGoes(t *testing.T) {
	w := newWatcher(t)
	spool := t.TempDir()
	cmd := tapped(t, "reduce --every 100ms", "cat")
	cmd.Env = append(append(append(cmd.Env, reduceTask...), w.env()...), "LOG_DIRS="+spool)
	records := strings.Repeat("a\t1\n", 3000) + strings.Repeat("b\t1\n", 3000)
	input := io.MultiReader(strings.NewReader(records), call(func() {
		<-w.came
		w.CloseClientConnections()
		w.Close()
	}), strings.NewReader(records))
	got := play(t, cmd, input)
	if got.code != 0 || got.out != records+records || len(got.messages) != 1 {
		t.Fatalf("exit %d, %d bytes, messages %q", got.code, len(got.out), got.messages)
	}
	text, err := os.ReadFile(filepath.Join(spool, "paratimer-tap."+reduceAttempt+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	final := false
	for line := range bytes.Lines(text) {
		b, err := tap.Decode(bytes.NewReader(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		final = final || b.Final
	}
	if !final {
		t.Errorf("the last batch is not in the spool: %s", text)
	}
}

// call is a reader that does something and has nothing.
type call func()

func (c call) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

// TestSilentCollector checks that a collector which takes a batch and never answers does not keep the task.
func TestSilentCollector(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(release)
	for side, env := range map[string][]string{"map": mapTask, "reduce --every 100ms": reduceTask} {
		cmd := tapped(t, side, "cat")
		cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+t.TempDir(), "PARATIMER_COLLECT="+
			strings.TrimPrefix(s.URL, "http://"))
		if got := play(t, cmd, strings.NewReader("a\t1\n")); got.code != 0 || got.out != "a\t1\n" ||
			len(got.messages) != 1 {
			t.Errorf("%s: exit %d, output %q, messages %q", side, got.code, got.out, got.messages)
		}
	}
}

// TestLittleDisk checks that a spool that cannot grow keeps whole batches, and that a warning reports it.
func TestLittleDisk(t *testing.T) {
	spool := t.TempDir()
	file := filepath.Join(spool, "paratimer-tap."+mapAttempt+".ndjson")
	if err := os.WriteFile(file, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var input strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&input, "key %d\tvalue\n", i)
	}
	inner := tapped(t, "map", "cat")
	cmd := tapped(t, "", "")
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 2; exec "$@"`, "sh"}, inner.Args...)
	cmd.Env = append(append(cmd.Env, mapTask...), "LOG_DIRS="+spool)
	got := play(t, cmd, strings.NewReader(input.String()))
	if got.code != 0 || got.out != input.String() || len(got.messages) != 1 ||
		!strings.Contains(got.messages[0], "file too large") {
		t.Errorf("exit %d, %d bytes, messages %q", got.code, len(got.out), got.messages)
	}
	if text, _ := os.ReadFile(file); string(text) != "before\n" {
		t.Errorf("the spool has %d bytes: half a batch", len(text))
	}
}

// TestNotes checks that a task without a profile reports it.
func TestNotes(t *testing.T) {
	for want, c := range map[string]struct {
		side string
		env  []string
	}{
		"no promises: a combiner, Sum, runs after the tap": {
			"map",
			append(mapTask, "mapred_combiner_class=org.x.Sum"),
		},
		"groups are not measured: the reduce's input is not text but Raw": {
			"reduce",
			append(reduceTask, "stream_reduce_input_writer_class=org.x.Raw"),
		},
	} {
		w := newWatcher(t)
		cmd := tapped(t, c.side, "cat")
		cmd.Env = append(append(cmd.Env, c.env...), w.env()...)
		got := play(t, cmd, strings.NewReader("a\t1\n"))
		if got.out != "a\t1\n" || len(w.got) != 1 || w.got[0].Note != want || w.got[0].Map != nil || !w.got[0].Final {
			t.Errorf("%s: %q, %+v", want, got.out, w.got)
		}
	}
}

// TestFailedMap checks that an attempt that fails has no profile.
func TestFailedMap(t *testing.T) {
	for command, whole := range map[string]bool{"cat": true, "cat; exit 3": false, "cat; kill -9 $$": false} {
		w := newWatcher(t)
		cmd := tapped(t, "map", "sh", "-c", command)
		cmd.Env = append(append(cmd.Env, mapTask...), w.env()...)
		play(t, cmd, strings.NewReader("a\t1\n"))
		if len(w.got) != 1 || (w.got[0].Map != nil) != whole {
			t.Errorf("%s: %+v", command, w.got)
		}
	}
}

// TestHostileKeys checks that keys of any kind reach a collector as what it may show.
func TestHostileKeys(t *testing.T) {
	for _, show := range []string{"", " --show-keys"} {
		w := newWatcher(t)
		var input strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&input, "%s%s\tv\n", strings.ReplaceAll(string(random(uint64(i), 1+i%90)), "\n", ""),
				[]string{"", "\x1b[2J", "\u202e", "\t"}[i%4])
		}
		for side, env := range map[string][]string{"map": mapTask, "reduce": reduceTask} {
			cmd := tapped(t, side+show, "cat")
			cmd.Env = append(append(cmd.Env, env...), w.env()...)
			got := play(t, cmd, strings.NewReader(input.String()))
			if got.out != input.String() || len(got.messages) > 0 {
				t.Errorf("%s%s: %d bytes, messages %q", side, show, len(got.out), got.messages)
			}
		}
		if len(w.bad) > 0 || len(w.got) < 2 {
			t.Errorf("%s: %d batches; refused %v", show, len(w.got), w.bad)
		}
	}
}
