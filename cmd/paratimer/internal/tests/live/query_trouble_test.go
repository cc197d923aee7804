package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A life is that of a query on the simulated cluster: it starts, or waits for its master for ever, until it ends at
// an unexpected time.
type life struct {
	start time.Duration // after the watch began
	waits bool
	end   time.Duration // after its start; 0: by itself, or never where it waits
	how   dag.State
}

// A reel is snapshots in a row.
type reel = watch.Snapshots

// film simulates a life. length is the time up to the last snapshot before its end.
func film(t *testing.T, c life, began dag.Instant) (r *reel, length time.Duration) {
	t.Helper()
	p, err := planfile.ReadFile(session.JoinPlan, planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := began.Add(c.start) // the seed, too: it sets the workflow's id
	run, err := simulate.New(p, simulate.Options{
		Seed: uint64(start), Noise: 0.1, Know: simulate.Nothing,
		Every: time.Second, Start: start,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out reel
	for {
		s, err := run.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.end > 0 && s.At >= start.Add(c.end) {
			break
		}
		if c.waits {
			s = standing(s, dag.Submitted, s.At)
		}
		out = append(out, s)
		if c.waits && s.At >= start.Add(10*time.Second) {
			break
		}
	}
	last := out[len(out)-1]
	if c.end > 0 {
		out = append(out, standing(last, c.how, start.Add(c.end)))
	}
	return &out, last.At.Sub(start)
}

// standing is a snapshot in which all jobs that were submitted and have not ended are as reported.
func standing(s *dag.Snapshot, how dag.State, at dag.Instant) *dag.Snapshot {
	out := *s
	out.At, out.Jobs = at, dag.CloneStates(s.Jobs)
	for i := range out.Jobs {
		j := &out.Jobs[i]
		if j.State.Ended() || !j.Submitted.Known() {
			continue
		}
		j.State, j.HeldMB = how, 0
		if how == dag.Submitted {
			j.Started, j.Stages[dag.Map], j.Stages[dag.Reduce] = dag.NoInstant, dag.StageState{}, dag.StageState{}
			continue
		}
		j.Finished = at
		for _, p := range []*dag.StageState{&j.Stages[dag.Map], &j.Stages[dag.Reduce]} {
			p.Attempts = slices.Clone(p.Attempts)
			for k := range p.Attempts {
				if a := &p.Attempts[k]; a.State == dag.AttemptRunning || a.State == dag.AttemptWaiting {
					a.State, a.End = dag.AttemptKilled, at
				}
			}
		}
	}
	return &out
}

// The services are the cluster, a webhook's receiver and an Alertmanager, behind one socket and with one clock.
type services struct {
	*restsim.Cluster
	mu       sync.Mutex
	ids      []string // of workflows, as they came
	keys     map[string]bool
	notified string
	last     time.Time // when it was sent
	until    map[string]time.Time
	rang     map[string]int
}

func (w *services) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Cluster.ServeHTTP(out, r)
		return
	}
	now := w.Now().Time()
	out.Header().Set("Date", now.Format(http.TimeFormat))
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	if r.URL.Path == "/hook" {
		err = w.webhook(r, now)
	} else {
		err = w.list(r, now)
	}
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
	}
}

// webhook is the receiver. Notifications at one time are joined by a +.
func (w *services) webhook(r *http.Request, now time.Time) error {
	var m struct {
		ParaTimer struct {
			Workflow struct{ ID string }
			Alert    struct{ Outcome string }
		}
	}
	err := json.NewDecoder(r.Body).Decode(&m)
	key := r.Header.Get("Idempotency-Key")
	if w.keys[key] {
		key += " again"
	}
	w.keys[key] = true
	what := w.short(m.ParaTimer.Workflow.ID) + " " + key[strings.LastIndexByte(key, '-')+1:] + " " +
		m.ParaTimer.Alert.Outcome
	switch {
	case w.notified == "":
	case now.Equal(w.last):
		w.notified += " + "
	default:
		w.notified += ", "
	}
	w.notified, w.last = w.notified+strings.TrimSpace(what), now
	return err
}

// list is Alertmanager. Alerts that are not posted again expire.
func (w *services) list(r *http.Request, now time.Time) error {
	var all []struct {
		Labels map[string]string
		EndsAt time.Time
	}
	err := json.NewDecoder(r.Body).Decode(&all)
	for _, a := range all {
		id := w.short(a.Labels["workflow_id"])
		if a.EndsAt.After(now) && !w.until[id].After(now) {
			w.rang[id]++
		}
		w.until[id] = a.EndsAt
	}
	return err
}

// short is a number for a workflow.
func (w *services) short(id string) string {
	i := slices.Index(w.ids, id)
	if i < 0 {
		i, w.ids = len(w.ids), append(w.ids, id)
	}
	return fmt.Sprint(i + 1)
}

// board has the alerts of Alertmanager: how often each fired, and whether it still does.
func (w *services) board() string {
	var all []string
	for i := range w.ids {
		id := fmt.Sprint(i + 1)
		s := fmt.Sprintf("%s rang %d", id, w.rang[id])
		if w.until[id].After(w.Now().Time()) {
			s += " fires"
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// TestQueryTrouble checks the alerts about queries that behave unexpectedly. `paratimer watch --rules` sees it by
// the responses of the cluster, and notifies a webhook and an Alertmanager, over sockets and in virtual time.
func TestQueryTrouble(t *testing.T) {
	const m = time.Minute
	for _, c := range []struct {
		name  string
		lives []life
		due   time.Duration // after its start; with + or - 2 s, after its own end
		hold  int
		play  time.Duration
		hook  string
		board string
	}{
		{"it never starts", []life{{waits: true}}, 10 * m, 1, 30 * m, "1 late", "1 rang 1 fires"},
		{
			"it never starts and its user kills it late",
			[]life{{waits: true, end: 20 * m, how: dag.Killed}},
			10 * m, 1,
			30 * m, "1 late, 1 resolved missed", "1 rang 1",
		},
		{
			"it never starts and its user kills it in time",
			[]life{{waits: true, end: 5 * m, how: dag.Killed}},
			10 * m,
			1, 15 * m, "", "",
		},
		{
			"it fails and comes again under a new id",
			[]life{{end: m, how: dag.Failed}, {start: 2 * m}},
			80 * time.Second, 1, 12 * m,
			"1 at_risk, 1 resolved missed, 2 at_risk, 2 late, 2 resolved missed", "1 rang 1, 2 rang 1",
		},
		// Their start is such that no look falls between the end, or the bound, and whichever comes next.
		{
			"it ends late between two looks",
			[]life{{start: 10 * time.Second}},
			-2 * time.Second, 100, 15 * m,
			"1 late missed + 1 resolved missed", "1 rang 1",
		},
		{
			"it ends in time between two looks",
			[]life{{start: 10 * time.Second}},
			2 * time.Second, 100, 15 * m, "",
			"",
		},
		{
			"its user kills it late",
			[]life{{end: 2 * m, how: dag.Killed}},
			m, 100, 15 * m, "1 late, 1 resolved missed",
			"1 rang 1",
		},
		{
			"its user kills it at risk",
			[]life{{end: 100 * time.Second, how: dag.Killed}},
			110 * time.Second, 1, 15 * m,
			"1 at_risk, 1 resolved", "1 rang 1",
		},
		{"its user kills it on track", []life{{end: 100 * time.Second, how: dag.Killed}}, 10 * m, 1, 15 * m, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := dag.InstantOf(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) // as synctest's clock
			w := &services{
				Cluster: restsim.Empty(began), keys: map[string]bool{}, until: map[string]time.Time{},
				rang: map[string]int{},
			}
			due := c.due
			for _, one := range c.lives {
				r, length := film(t, one, began)
				if err := w.Add(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				if c.due.Abs() < m {
					due = length + c.due
				}
			}
			server := httptest.NewUnstartedServer(w)
			server.Config.SetKeepAlivesEnabled(false) // who waits for a next answer holds up the bubble's time
			server.Start()
			defer server.Close()
			path := filepath.Join(t.TempDir(), "rules.yaml")
			if err := os.WriteFile(path,
				fmt.Appendf(nil, "rules:\n  - {name: nightly, match: {user: alice}, within: %v, hold: %d}\n", due,
					c.hold), 0o600); err != nil {
				t.Fatal(err)
			}
			session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
			session.Setenv(t, "XDG_STATE_HOME", t.TempDir())
			warm := make(chan os.Signal, 1)
			signal.Notify(warm, syscall.SIGHUP) // its goroutine never ends: it must not be the bubble's
			signal.Stop(warm)
			args := []string{
				"paratimer", "watch", "--rules", path, "--rm", server.URL, "--jhs", server.URL, "--every", "30s",
				"--output", "none",
				// who waits for a file's lock sleeps with another lock in hand: the bubble's time would stand still
				"--no-history",
				"--webhook", server.URL + "/hook", "--alertmanager", server.URL,
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				var stderr Output
				ended := make(chan int, 1)
				go func() {
					ended <- program.Run(ctx, args, session.Environ(t), strings.NewReader(""), io.Discard, &stderr)
				}()
				time.Sleep(time.Second / 2)
				for range int(c.play / time.Second) {
					if err := w.Advance(ctx, dag.InstantOf(time.Now())); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
				}
				cancel(command.ErrInterrupted)
				if code := <-ended; code != program.ExitInterrupted {
					t.Errorf("exit code %d\n%s", code, &stderr)
				}
			})
			if w.notified != c.hook {
				t.Errorf("the webhook gets %q, want %q", w.notified, c.hook)
			}
			if got := w.board(); got != c.board {
				t.Errorf("Alertmanager: %q, want %q", got, c.board)
			}
		})
	}
}
