package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when a bubble's time begins

// A cluster plays runs, each in the bubble's time.
type cluster struct {
	mu       sync.Mutex
	apps     []yarn.Submitted
	runs     map[string]func() watch.Source
	down     bool
	requests int
	// total and free are the memory for containers.
	total, free int
}

func (c *cluster) Refresh(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	if c.down {
		return errors.New("connection refused")
	}
	return nil
}

func (c *cluster) Running() []yarn.Submitted {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.apps)
}

func (c *cluster) Room() (totalMB, freeMB int) { return c.total, c.free }

func (c *cluster) Identify(_ context.Context, app string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.apps {
		if c.apps[i].App == app {
			c.apps[i].Read = true
		}
	}
	return nil
}

func (c *cluster) Source(app string) watch.Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[app]()
}

// over takes an application off the list.
func (c *cluster) over(app string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apps = slices.DeleteFunc(c.apps, func(s yarn.Submitted) bool { return s.App == app })
}

// A live source yields the newest snapshot of a run at the bubble's time.
type live struct {
	run  *simulate.Source
	next *dag.Snapshot
	id   string
	over func()
	end  bool
}

func (l *live) Next(ctx context.Context) (*dag.Snapshot, error) {
	now := dag.InstantOf(time.Now())
	var s *dag.Snapshot
	for !l.end {
		if l.next == nil {
			n, err := l.run.Next(ctx)
			if errors.Is(err, io.EOF) {
				l.end = true
				break
			}
			if err != nil {
				return nil, err
			}
			l.next = n
		}
		if l.next.At > now && s != nil {
			break
		}
		s, l.next = l.next, nil
		if s.At > now {
			break
		}
	}
	if s == nil {
		l.over()
		return nil, io.EOF
	}
	s.ID = l.id
	return s, nil
}

// add puts n runs on the cluster, named w0, w1, …
func (c *cluster) add(t *testing.T, n int) {
	t.Helper()
	if c.runs == nil {
		c.runs = map[string]func() watch.Source{}
	}
	for i := range n {
		app := fmt.Sprintf("application_1_%04d", i)
		name := fmt.Sprintf("w%d", i)
		c.apps = append(c.apps, yarn.Submitted{
			App: app, Name: name, User: "etl", Queue: "root.prod",
			At: dag.InstantOf(time.Now()), Readable: true,
		})
		c.runs[app] = func() watch.Source {
			run, err := simulate.New(plan(name), simulate.Options{
				Seed: uint64(i), Noise: 0.1, Know: simulate.Nothing,
				Every: time.Second, Start: dag.InstantOf(time.Now()),
			})
			if err != nil {
				t.Error(err)
			}
			return &live{run: run, id: "job_1_" + app[len(app)-4:], over: func() { c.over(app) }}
		}
	}
}

func plan(name string) *dag.Plan {
	pipe := dag.Pipeline{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(20)}
	return &dag.Plan{
		Name: name, Cluster: dag.Cluster{Policy: dag.FIFO, MapSlots: 2, ReduceSlots: 1},
		Jobs: []dag.Job{{
			Node: "j",
			Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 12, Pipelines: []dag.Pipeline{pipe}},
				dag.Stage{Known: true}),
		}},
	}
}

func ruleset(t *testing.T, text string) []Rule {
	t.Helper()
	all, err := ParseRules([]byte(text), "rules.yaml", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A frameLog has the frames that a fleet has shown, by workflow.
type frameLog struct {
	frames map[string][]frame.Frame
	left   []string // the ids of those that are watched no more
}

func (s *frameLog) Forget(id string) { s.left = append(s.left, id) }

// hooks returns hooks with the functions that a test needs.
func hooks(join func(*watch.Watch), closed func()) Hooks {
	return Hooks{Join: join, Rules: func([]*Rule) time.Duration { return 0 }, Close: closed}
}

func (s *frameLog) Show(tick frame.Tick) error {
	if s.frames == nil {
		s.frames = map[string][]frame.Frame{}
	}
	name := frame.ValueOf(tick.Frame.Workflow.Name)
	s.frames[name] = append(s.frames[name], tick.Frame)
	return nil
}

// summary is the outcome of each workflow: its last state, and the states that its alerts went through.
func (s *frameLog) summary() string {
	var out []string
	for name, all := range s.frames {
		line := name + " " + all[len(all)-1].Workflow.State.String()
		last := map[string]frame.AlertState{}
		for _, f := range all {
			for _, a := range f.Alerts {
				if last[a.Bound] != a.State {
					last[a.Bound] = a.State
					line += fmt.Sprintf(" %s:%s", a.Bound, a.State)
				}
			}
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func options(c *cluster, s *frameLog) Options {
	return Options{
		Cluster: c, Sinks: []watch.Sink{s}, Open: func(string) Hooks { return hooks(func(*watch.Watch) {}, func() {}) },
		Listed: func(dag.Instant, []Blocking) {}, Every: 3 * time.Second, Most: time.Minute, Workers: 2,
		Drain: time.Second,
		Log:   zerolog.Nop(),
		Estimators: func() watch.EstimatorSet {
			all := estimators.Shared(append(estimators.Scenarios(), estimators.Sampled()), cost.Costs,
				estimators.Options{Samples: 16})
			n := len(all) - 1
			return watch.EstimatorSet{Scenarios: all[:n], Sampled: all[n], Model: cost.Costs}
		},
	}
}

const twoRules = `
rules:
  - {name: short, match: {name: "w[0-4]"}, within: 30s}
  - {name: long, match: {user: etl}, within: 1h}
`

func run(t *testing.T, o Options, r []Rule, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, errEnough)
	defer cancel()
	if err := New(o, r).Run(ctx); !errors.Is(err, errEnough) {
		t.Errorf("the fleet ended with %v", err)
	}
}

var errEnough = errors.New("enough")

func TestFleetWatchesWhatMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := &cluster{}, &frameLog{}
		c.add(t, 6)
		c.apps[5].User = "bob"
		run(t, options(c, s), ruleset(t, twoRules), 20*time.Minute)
		got := s.summary()
		want := ""
		for i := range 5 {
			want += fmt.Sprintf("w%d succeeded long:on_track short:on_track short:late short:ended long:ended\n", i)
		}
		// At risk comes before late, where it is seen in time; that is alert's matter.
		got = strings.ReplaceAll(got, " short:at_risk", "")
		if !sameWords(got, strings.TrimSpace(want)) {
			t.Errorf("\n%s\nwant\n%s", got, want)
		}
	})
}

// sameWords compares lines as sets of words.
func sameWords(a, b string) bool {
	norm := func(s string) []string {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			w := strings.Fields(l)
			slices.Sort(w)
			lines[i] = strings.Join(w, " ")
		}
		return lines
	}
	return slices.Equal(norm(a), norm(b))
}

// TestOrderDoesNotMatter checks that the reports about a workflow do not depend on which others there are, or in which
// order.
func TestOrderDoesNotMatter(t *testing.T) {
	summaryOf := func(order func([]yarn.Submitted)) (out string) {
		synctest.Test(t, func(t *testing.T) {
			c, s := &cluster{}, &frameLog{}
			c.add(t, 5)
			order(c.apps)
			run(t, options(c, s), ruleset(t, twoRules), 20*time.Minute)
			out = s.summary()
		})
		return out
	}
	straight := summaryOf(func([]yarn.Submitted) {})
	if back := summaryOf(func(all []yarn.Submitted) { slices.Reverse(all) }); back != straight || straight == "" {
		t.Errorf("\n%s\nin the other order\n%s", straight, back)
	}
}

// A panicky source panics at its third observation, once.
type panicky struct {
	watch.Source
	n    *int
	many bool
}

func (p *panicky) Next(ctx context.Context) (*dag.Snapshot, error) {
	if *p.n++; *p.n == 3 || p.many {
		panic("a bug")
	}
	return p.Source.Next(ctx)
}

// TestOneWorkflowsPanicIsItsOwn: the others go on, and it begins anew.
func TestOneWorkflowsPanicIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := &cluster{}, &frameLog{}
		c.add(t, 4)
		once, always := 0, 0
		first, second := c.runs["application_1_0001"], c.runs["application_1_0002"]
		c.runs["application_1_0001"] = func() watch.Source { return &panicky{Source: first(), n: &once} }
		c.runs["application_1_0002"] = func() watch.Source { return &panicky{Source: second(), n: &always, many: true} }
		run(t, options(c, s), ruleset(t, twoRules), 30*time.Minute)
		got := s.summary()
		for _, want := range []string{"w0 succeeded", "w1 succeeded", "w3 succeeded"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %s in\n%s", want, got)
			}
		}
		if strings.Contains(got, "w2 ") || always < 3 || always > 10 {
			t.Errorf("the one that always fails was begun %d times\n%s", always, got)
		}
	})
}

// TestBlindFleet: while the applications cannot be listed nothing new is found, which is logged once; it goes on
// afterwards.
func TestBlindFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := &cluster{down: true}, &frameLog{}
		c.add(t, 1)
		time.AfterFunc(time.Minute, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(s.frames) > 0 {
				t.Error("something was seen of a cluster that is down")
			}
			c.down = false
		})
		o, log := options(c, s), &strings.Builder{}
		o.Log = zerolog.New(log)
		run(t, o, ruleset(t, twoRules), 20*time.Minute)
		if got := s.summary(); !strings.Contains(got, "w0 succeeded") {
			t.Error(got)
		}
		for _, line := range []string{"cannot be listed", "listed again"} {
			if n := strings.Count(log.String(), line); n != 1 {
				t.Errorf("%q was logged %d times:\n%s", line, n, log)
			}
		}
	})
}

// An away source misses observations until a time.
type away struct {
	watch.Source
	until time.Time
}

func (a away) Next(ctx context.Context) (*dag.Snapshot, error) {
	if time.Now().Before(a.until) {
		return nil, &dag.MissedError{At: dag.NoInstant, Err: errors.New("connection refused")}
	}
	return a.Source.Next(ctx)
}

// TestMetBeforeAnOutage: the cluster goes away between the list of the applications and a workflow's first observation.
// The fleet keeps trying, and requests the stored alerts of the workflow at its first observation.
func TestMetBeforeAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := &cluster{}, &frameLog{}
		c.add(t, 1)
		back := time.Now().Add(time.Minute)
		then := c.runs["application_1_0000"]
		c.runs["application_1_0000"] = func() watch.Source {
			if time.Now().Before(back) {
				return away{until: back}
			}
			return then()
		}
		o := options(c, s)
		recalled := 0
		o.Open = func(string) Hooks {
			return hooks(func(w *watch.Watch) {
				w.Recall = func(frame.Frame) alert.State { recalled++; return alert.State{} }
			}, func() {})
		}
		run(t, o, ruleset(t, twoRules), 30*time.Minute)
		if got := s.summary(); !strings.Contains(got, "w0 succeeded") || recalled != 1 {
			t.Errorf("recalled %d times: %s", recalled, got)
		}
	})
}

// A stuck source does not respond until its context ends.
type stuck struct{ watch.Source }

func (stuck) Next(ctx context.Context) (*dag.Snapshot, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// TestDrain: what does not answer holds up the end no longer than it may, and is closed once.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := &cluster{}, &frameLog{}
		c.add(t, 1)
		c.runs["application_1_0000"] = func() watch.Source { return stuck{} }
		o := options(c, s)
		closed := 0
		o.Open = func(string) Hooks { return hooks(func(*watch.Watch) {}, func() { closed++ }) }
		from := time.Now()
		run(t, o, ruleset(t, twoRules), time.Minute)
		if d := time.Since(from); d != time.Minute+o.Drain || closed != 1 {
			t.Errorf("it ended after %v, and closed %d", d, closed)
		}
	})
}

// A hanging cluster does not answer.
type hanging struct{ *cluster }

func (hanging) Refresh(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestEndsWhileTheClusterHangs: a fleet that is interrupted does not wait for a list of the applications.
func TestEndsWhileTheClusterHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		f := New(Options{
			Cluster: hanging{&cluster{}}, Every: 5 * time.Second, Workers: 1,
			Estimators: func() watch.EstimatorSet { return watch.EstimatorSet{} }, Log: zerolog.Nop(),
		}, nil)
		began := time.Now()
		if err := f.Run(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestRulesAreReplaced: what no rule matches any more is left alone, and new bounds hold from then on.
func TestRulesAreReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := &cluster{}, &frameLog{}
		c.add(t, 2)
		closed, kept := 0, map[string]int{} // the newest frame's alerts
		o := options(c, s)
		var mu sync.Mutex
		keep := func(_ alert.State, f frame.Frame) {
			mu.Lock()
			defer mu.Unlock()
			kept[*f.Workflow.ID] = len(f.Alerts)
		}
		o.Open = func(string) Hooks {
			return hooks(func(w *watch.Watch) { w.Keep = keep }, func() { mu.Lock(); closed++; mu.Unlock() })
		}
		f := New(o, ruleset(t, twoRules))
		time.AfterFunc(20*time.Second,
			func() { f.SetRules(ruleset(t, "rules: [{name: other, match: {name: w1}, within: 1h}]")) })
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Minute, errEnough)
		defer cancel()
		if err := f.Run(ctx); !errors.Is(err, errEnough) {
			t.Error(err)
		}
		w0, w1 := s.frames["w0"], s.frames["w1"]
		if len(w0) == 0 || w0[len(w0)-1].Workflow.State.Ended() {
			t.Errorf("w0, which no rule matches any more, was watched to its end: %d frames", len(w0))
		}
		if len(w1) == 0 {
			t.Fatal("no frame of w1")
		}
		last := w1[len(w1)-1]
		if !last.Workflow.State.Ended() || len(last.Alerts) != 1 || last.Alerts[0].Bound != "other" {
			t.Errorf("w1 ends as %s with %+v", last.Workflow.State, last.Alerts)
		}
		if got := strings.Join(s.left, ", "); got != "job_1_0000" {
			t.Errorf("left: %s, want the one that has not ended", got)
		}
		if kept["job_1_0000"] != 0 || kept["job_1_0001"] != 1 {
			t.Errorf("got %v: the alerts of the one that no rule matches are not resolved", kept)
		}
		if closed != 2 {
			t.Errorf("%d of 2 were closed", closed)
		}
	})
}

func TestShownFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{}
		c.add(t, 3)
		o := options(c, nil)
		broken := errors.New("broken pipe")
		o.Sinks = []watch.Sink{watch.SinkFunc(func(frame.Tick) error { return broken })}
		if err := New(o, ruleset(t, twoRules)).Run(t.Context()); !errors.Is(err, broken) {
			t.Error(err)
		}
	})
}

// TestInterval: sooner where something is to be expected.
func TestInterval(t *testing.T) {
	at := dag.InstantOf(begin)
	sec := func(v float64) *frame.Seconds { s := frame.Seconds(v); return &s }
	for name, c := range map[string]struct {
		f    frame.Frame
		want time.Duration
	}{
		"hours left":    {frame.Frame{Headline: frame.Headline{LowSeconds: sec(7200)}}, time.Minute},
		"ten minutes":   {frame.Frame{Headline: frame.Headline{LowSeconds: sec(600)}}, 15 * time.Second},
		"the end":       {frame.Frame{Headline: frame.Headline{LowSeconds: sec(10)}}, 3 * time.Second},
		"just begun":    {frame.Frame{ElapsedSeconds: sec(0)}, 3 * time.Second},
		"no prediction": {frame.Frame{ElapsedSeconds: sec(300)}, 30 * time.Second},
		"a deadline": {frame.Frame{
			At: frame.TimeOf(at), Headline: frame.Headline{LowSeconds: sec(7200)},
			Alerts: []frame.Alert{{State: frame.OnTrack, DeadlineAt: frame.TimeOf(at.Add(5 * time.Minute))}},
		}, 15 * time.Second},
		"a doubt": {frame.Frame{
			At: frame.TimeOf(at), Headline: frame.Headline{LowSeconds: sec(7200)},
			Alerts: []frame.Alert{{
				State: frame.OnTrack, DeadlineAt: frame.TimeOf(at.Add(2 * time.Hour)),
				Probability: frame.RatioOf(0.6),
			}},
		}, 6 * time.Second},
	} {
		if got := interval(c.f, nil, 3*time.Second, time.Minute); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

type counter struct {
	engine.Services
	n int
}

func (c *counter) AM(context.Context, string, string) ([]byte, error) { c.n++; return nil, nil }
func (c *counter) JHS(context.Context, string) ([]byte, error)        { c.n++; return nil, nil }
func (c *counter) RM(context.Context, string) ([]byte, error)         { c.n++; return nil, nil }

func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		b := Budget(c, 10)
		from := time.Now()
		for range 100 {
			if _, err := b.AM(t.Context(), "", ""); err != nil {
				t.Fatal(err)
			}
		}
		if d := time.Since(from); d < 8900*time.Millisecond || d > 10*time.Second {
			t.Errorf("100 questions at 10 a second took %v", d)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errEnough)
		if _, err := b.AM(ctx, "", ""); !errors.Is(err, errEnough) || c.n != 100 {
			t.Errorf("%v after %d questions", err, c.n)
		}
	})
}

// TestBudgetOfManagers: no second has more requests than the budget of two and the saved ones, to any master.
// Lists do not wait.
func TestBudgetOfManagers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		b := Budget(c, 20)
		var at []time.Time
		for i := range 400 {
			var err error
			switch i % 4 {
			case 0:
				_, err = b.AM(t.Context(), "", "")
			case 1:
				_, err = b.JHS(t.Context(), "")
			default:
				_, err = b.RM(t.Context(), "apps/application_1_0001")
			}
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Now())
			if i%50 == 49 {
				time.Sleep(5 * time.Second) // the budget saves one second's requests
			}
		}
		for i := range at {
			n := 0
			for k := i; k < len(at) && at[k].Sub(at[i]) < time.Second; k++ {
				n++
			}
			if n > 41 {
				t.Fatalf("%d questions within the second after question %d", n, i)
			}
		}
		before := time.Now()
		for range 100 {
			if _, err := b.RM(t.Context(), "apps?states=RUNNING"); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(before) != 0 {
			t.Error("lists waited")
		}
	})
}
