package notify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// The victim's environment.
const (
	victimURL = "TEST_VICTIM_URL"
	victimDir = "TEST_VICTIM_DIR"
)

// victim is a watcher with a webhook and a real state folder. It requests the query's state from the test until the
// query ends.
func victim() {
	base := os.Getenv(victimURL)
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	store, err := state.Open(os.Getenv(victimDir))
	fail(err)
	hook, err := notify.NewWebhook(base+"/hook", "", []byte("secret"), notify.NewClient(nil))
	fail(err)
	d := notify.New(notify.Config{Store: store, Sinks: []*notify.Sink{hook}, Log: zerolog.New(os.Stderr)})
	d.Start()
	w := d.Watch(nil)
	for first := true; ; first = false {
		resp, err := http.Get(base + "/query")
		fail(err)
		b, err := io.ReadAll(resp.Body)
		fail(err)
		resp.Body.Close()
		var f frame.Frame
		fail(json.Unmarshal(b, &f))
		if first {
			w.Recall(f)
		}
		s := alert.State{Bounds: map[string]alert.Standing{"deadline": {
			State:   f.Alerts[0].State,
			Outcome: f.Alerts[0].Outcome,
		}}}
		w.Keep(s, f)
		if f.Alerts[0].State == frame.Ended {
			break
		}
	}
	w.Close()
	fmt.Println(d.Close(time.Minute))
}

// A torturer is the cluster that the victim watches and its webhook, and kills it at chosen requests.
type torturer struct {
	rng      *rand.Rand
	mu       sync.Mutex
	cmd      *exec.Cmd
	requests int      // of the query, by one watcher, in its present state
	step     int      // of states
	keys     []string // as they came, again or not
	kill     float64  // how likely at each request
	n        int
}

// states are those of the query, one after the other, each for some requests.
var states = []frame.AlertState{frame.OnTrack, frame.AtRisk, frame.Late, frame.OnTrack, frame.AtRisk, frame.Ended}

func (k *torturer) killNow() bool {
	if k.rng.Float64() >= k.kill || k.cmd == nil {
		return false
	}
	k.n, k.requests = k.n+1, 0
	_ = k.cmd.Process.Kill()
	return true
}

func (k *torturer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.URL.Path == "/hook" {
		if k.killNow() && k.rng.IntN(2) == 0 {
			panic(http.ErrAbortHandler) // it was not read
		}
		k.keys = append(k.keys, r.Header.Get("Idempotency-Key"))
		k.killNow()
		return
	}
	k.killNow()
	// a second request shows that the first response was stored
	if k.requests++; k.requests == 3 && k.step < len(states)-1 {
		k.step, k.requests = k.step+1, 1
	}
	outcome := frame.Outcome("")
	if states[k.step] == frame.Ended {
		outcome = frame.Missed
	}
	_, f := seen("wf_9", states[k.step], outcome)
	if err := json.NewEncoder(w).Encode(f); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// TestKilled kills a watcher with kill -9 at random points and starts it again: nothing is lost, and what comes twice
// has the same key.
func TestKilled(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	kills := 0
	for round := range rounds {
		k := &torturer{rng: rand.New(rand.NewPCG(uint64(round), 9)), kill: 0.15}
		server := httptest.NewServer(k)
		dir := t.TempDir()
		out := ""
		for try := 0; out == ""; try++ {
			if try > 200 {
				t.Fatal("it never gets to the end")
			}
			out = k.run(t, server.URL, dir)
		}
		server.Close()
		kills += k.n
		if out != "0\n" {
			t.Errorf("round %d: the watcher leaves %q unsent", round, out)
		}
		var once, what []string
		for _, key := range k.keys {
			if !slices.Contains(once, key) {
				once, what = append(once, key), append(what, key[strings.LastIndexByte(key, '-')+1:])
			}
		}
		if got, want := strings.Join(what, " "), "at_risk late resolved at_risk resolved"; got != want {
			t.Errorf("round %d, killed %d times: notifications %q, want %q", round, k.n, got, want)
		}
		t.Logf("round %d: killed %d times, %d messages, %d of them again", round, k.n, len(k.keys),
			len(k.keys)-len(once))
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
}

// run starts the victim and returns its output at its end; "" if it was killed.
func (k *torturer) run(t *testing.T, url, dir string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), victimURL+"="+url, victimDir+"="+dir)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	k.mu.Lock()
	if err := cmd.Start(); err != nil {
		k.mu.Unlock()
		t.Fatal(err)
	}
	k.cmd = cmd
	k.mu.Unlock()
	err := cmd.Wait()
	if err != nil && cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("the watcher ends with %v:\n%s", err, &log)
	}
	if err != nil {
		return ""
	}
	return out.String()
}
