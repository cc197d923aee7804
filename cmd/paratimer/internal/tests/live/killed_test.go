package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// receiver has the notifications of sinks about the runs and their bound "within", by workflow: the states of webhook
// and command with their keys, in the order in which they came, and how often Alertmanager has taken an alert.
type receiver struct {
	mu     sync.Mutex
	hook   map[string][]string
	board  map[string]int
	victim *os.Process // the watcher; nil where it is to live
}

// kill kills the watcher during some of the deliveries.
func (h *receiver) kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.victim != nil && rand.IntN(6) == 0 {
		_ = h.victim.Kill() // it may have ended by now
	}
}

// aim sets the process that kill kills, nil for none.
func (h *receiver) aim(victim *os.Process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.victim = victim
}

// stateOf is the state that a notification's key ends with.
func stateOf(key string) string { return key[strings.LastIndexByte(key, '-')+1:] }

// once is keys without those that came again.
func once(keys []string) (out []string) {
	for _, k := range keys {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func (h *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Alerts []alertMessage }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Alerts) != 1 {
		http.Error(w, "no alert", http.StatusServiceUnavailable) // it was killed while it sent
		return
	}
	h.kill()
	h.mu.Lock()
	if l := body.Alerts[0].Labels; l["bound"] == "within" {
		h.hook[l["workflow_id"]] = append(h.hook[l["workflow_id"]], r.Header.Get("Idempotency-Key"))
	}
	h.mu.Unlock()
	h.kill()
}

// proxy is before an Alertmanager, and counts the alerts that it has taken.
func (h *receiver) proxy(t *testing.T, to string) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(u)
	through.ErrorLog = log.New(io.Discard, "", 0) // the client may have been killed
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(b))
		h.kill()
		defer h.kill()
		answer := httptest.NewRecorder()
		through.ServeHTTP(answer, r)
		var alerts []alertMessage
		if answer.Code == http.StatusOK && json.Unmarshal(b, &alerts) == nil {
			h.mu.Lock()
			for _, a := range alerts {
				if a.Labels["bound"] == "within" {
					h.board[a.Labels["workflow_id"]]++
				}
			}
			h.mu.Unlock()
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // as above
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A shown run is the content of its frames: the ids of its workflow (a script has its first job's until a master
// answers), which states of the alert they show one after the other ("fired" where they show by its end alone that it
// was late), and whether it had ended late before any frame showed it.
type shown struct {
	ids    []string
	states []string
	late   bool
	trace  []string // each id with its state, where it changes
}

// framesOf reads the frames of all watchers of a run. The last line of one that was killed may be cut off.
func framesOf(t *testing.T, path string) (s shown) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type alert struct {
		Bound   string
		State   frame.AlertState
		Outcome frame.Outcome
	}
	was, opened := "", false
	for line := range bytes.Lines(b) {
		var f struct {
			Workflow struct{ ID string }
			Alerts   []alert
		}
		if json.Unmarshal(line, &f) != nil {
			continue
		}
		i := slices.IndexFunc(f.Alerts, func(a alert) bool { return a.Bound == "within" })
		if i < 0 {
			continue
		}
		s.trace = slices.Compact(append(s.trace, fmt.Sprintf("%s %s%s", f.Workflow.ID, f.Alerts[i].State,
			f.Alerts[i].Outcome)))
		if !slices.Contains(s.ids, f.Workflow.ID) {
			s.ids = append(s.ids, f.Workflow.ID)
		}
		a, now := f.Alerts[i], was
		missed := a.State == frame.Ended && a.Outcome == frame.Missed
		switch {
		case a.State == frame.Blind:
		case a.State.Firing():
			now = string(a.State)
		case missed && opened && len(s.states) == 0:
			s.states, now = []string{"fired"}, "resolved"
		case was != "":
			now = "resolved"
		}
		s.late = s.late || missed && !opened
		opened = opened || a.State != frame.Ended
		if now != was {
			s.states, was = append(s.states, now), now
		}
	}
	return s
}

// missing returns the items of want that are not in got, in its order.
func missing(want, got []string) (out []string) {
	for _, w := range want {
		i := slices.IndexFunc(got, func(g string) bool { return g == w || w == "fired" && g != "resolved" })
		if i < 0 {
			out = append(out, w)
			continue
		}
		got = got[i+1:]
	}
	return out
}

// TestKilledWatcher kills a whole watcher with kill -9 at random moments of runs that are late, starts it again, and
// checks that every sink got the alerts of its frames: the real Alertmanager, a webhook and a command.
// PARATIMER_KILLED_RUNS is how many runs; docs/alerts.md has the figures of 200.
func TestKilledWatcher(t *testing.T) {
	t.Parallel()
	am := startAlertmanager(t)
	runs := 4
	if s := os.Getenv("PARATIMER_KILLED_RUNS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	var kills, states, unseen, againHook, againExec atomic.Int64
	t.Run("runs", func(t *testing.T) {
		for i := range runs {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				h := &receiver{hook: map[string][]string{}, board: map[string]int{}}
				hook := httptest.NewServer(h)
				t.Cleanup(hook.Close)
				rng, dir := rand.New(rand.NewPCG(uint64(i), 5)), t.TempDir()
				file := filepath.Join(dir, "sent")
				kills.Add(int64(h.killing(t, rng, dir, i, "--alertmanager", h.proxy(t, am.URL), "--set", "repost=500ms",
					"--webhook", hook.URL, "--exec", "cat >> '"+file+"'")))
				s := framesOf(t, filepath.Join(dir, "frames"))
				if s.late {
					unseen.Add(1)
				}
				states.Add(int64(len(s.states)))
				exec, webhook := h.check(t, s, keysIn(t, file))
				againExec.Add(int64(exec))
				againHook.Add(int64(webhook))
			})
		}
	})
	if kills.Load() == 0 || states.Load() == 0 {
		t.Errorf("%d kills, %d states of alerts: nothing was tried", kills.Load(), states.Load())
	}
	t.Logf("%d runs, %d kills, %d states shown; sent again: webhook %d, command %d; ended late before a watcher had seen them: %d",
		runs, kills.Load(), states.Load(), againHook.Load(), againExec.Load(), unseen.Load())
}

// check compares what a run's frames show with what the sinks received. exec are the keys that the command received. It
// returns how many notifications the command and the webhook received again.
func (h *receiver) check(t *testing.T, s shown, exec []string) (againExec, againHook int) {
	t.Helper()
	if len(s.ids) == 0 {
		t.Fatal("no frame shows the alert")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var hook []string
	under, posts := 0, 0 // ids that the webhook received; alerts that Alertmanager has taken
	for _, id := range s.ids {
		under += min(len(h.hook[id]), 1)
		hook = append(hook, h.hook[id]...)
		posts += h.board[id]
	}
	if under > 1 {
		t.Errorf("the webhook received one alert under several ids (%v)", s.trace)
	}
	if len(s.states) > 0 && posts == 0 {
		t.Errorf("Alertmanager has taken no alert, frames show %v", s.states)
	}
	again := func(sink string, keys []string) int {
		var states []string
		for _, k := range once(keys) {
			states = append(states, stateOf(k))
		}
		if lost := missing(s.states, states); len(lost) > 0 {
			t.Errorf("%s did not receive %v: frames show %v (%v), it received %v", sink, lost, s.states, s.trace, states)
		}
		if n := len(states); n > 0 && states[n-1] != "resolved" && slices.Contains(s.states, "resolved") {
			t.Errorf("%s: got %v, want the end (%v)", sink, states, s.trace)
		}
		return len(keys) - len(once(keys))
	}
	return again("the command", exec), again("the webhook", hook)
}

// keysIn are the ids of the notifications that a command got. A line that was cut off, as its watcher was killed, is
// none.
func keysIn(t *testing.T, path string) (keys []string) {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var n struct {
			ID     string
			Labels map[string]string
		}
		if json.Unmarshal(lines.Bytes(), &n) == nil && n.Labels["bound"] == "within" {
			keys = append(keys, n.ID)
		}
	}
	return keys
}

// killing watches one run to its end. It kills up to four watchers, at random moments or during a delivery, and returns
// how many. The run continues between watchers.
func (h *receiver) killing(t *testing.T, rng *rand.Rand, dir string, n int, sinks ...string) (kills int) {
	t.Helper()
	const speed = 25
	m := restsim.Empty(dag.InstantOf(time.Now()))
	app := lateRun(t, m, n)
	cluster := restsim.ServeCrowd(t, m, speed)
	frames, err := os.OpenFile(filepath.Join(dir, "frames"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	args := append([]string{
		"attach", app, "--rm", cluster, "--jhs", cluster, "--every", "100ms", "--output", "ndjson", "--within", "40s",
		"--state-dir", filepath.Join(dir, "state"), "--set", "drain=30s",
	}, sinks...)
	for most := 1 + rng.IntN(4); ; {
		cmd := exec.CommandContext(t.Context(), "paratimer", args...)
		cmd.Env = append(session.Environ(t), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = frames, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var timer <-chan time.Time
		if kills < most {
			h.aim(cmd.Process)
			timer = time.After(time.Duration(rng.Int64N(int64(2 * time.Second))))
		}
		select {
		case err = <-ended:
		case <-timer:
			_ = cmd.Process.Kill() // it may have ended by now
			err = <-ended
		}
		h.aim(nil)
		switch code := cmd.ProcessState.ExitCode(); {
		case code < 0:
			kills++
			_, _ = fmt.Fprintln(frames) // a line that was cut off ends here
			<-time.After(time.Duration(rng.Int64N(int64(3 * time.Second))))
		case code != program.ExitOK && code != program.ExitFailed &&
			code != program.ExitBlind || // blind: it ended unobserved, and no service reports how
			strings.Contains(stderr.String(), "could be sent within"):
			t.Fatalf("run %d: exit code %d, %v\n%s", n, code, err, &stderr)
		default:
			return kills
		}
	}
}

// lateRun starts run number n on the cluster now and returns the id of its first application. The workflow's id
// contains n.
func lateRun(t *testing.T, m *restsim.Cluster, n int) string {
	t.Helper()
	p, err := planfile.ReadFile(session.JoinPlan, planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := m.Now()
	run, err := simulate.New(p, simulate.Options{
		Seed: uint64(n), Noise: 0.2, Know: simulate.Nothing,
		Every: time.Second, Start: start,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("application_%d_0001", start)
}
