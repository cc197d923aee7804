package simulate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// join is the paper's query in small (section 4.2): two jobs side by side and one after both. 8 nodes of 2 + 2 slots.
func join() *dag.Plan {
	phase := func(tasks int, pipes ...dag.Pipeline) dag.Stage {
		return dag.Stage{Known: true, Tasks: tasks, Pipelines: pipes, Out: dag.Uniform(100)}
	}
	pipe := func(n, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(n), Alpha: dag.Uniform(alpha)}
	}
	reduce := []dag.Pipeline{pipe(1000, 0.5), pipe(1000, 0.25), pipe(1000, 3)}
	return &dag.Plan{
		Name:    "join",
		Cluster: dag.Cluster{MapSlots: 16, ReduceSlots: 16, SlotsPerNode: 2, Setup: time.Second},
		Jobs: []dag.Job{
			{Node: "j1", Stages: dag.MapReduce(phase(4, pipe(10_000, 5.5)), phase(16, reduce...))},
			{Node: "j2", Stages: dag.MapReduce(phase(17, pipe(10_000, 7.2)), phase(16, reduce...))},
			{Node: "j3", After: []int{0, 1}, Stages: dag.MapReduce(phase(32, pipe(1000, 8)), phase(16, reduce...))},
		},
	}
}

// record returns the tape of a run.
func record(t testing.TB, p *dag.Plan, o Options) []byte {
	t.Helper()
	src, err := New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	tee := recording.Tee(src, &w)
	for {
		switch _, err := tee.Next(context.Background()); {
		case errors.Is(err, io.EOF):
			return w.Bytes()
		case err != nil:
			t.Fatal(err)
		}
	}
}

var trouble = Options{
	Seed: 7, Noise: 0.02, Stall: 5 * time.Second, FailRate: 5, Skew: 0.5, Shuffle: true,
	Slow: []SlowNode{{3, 2}}, Lose: []LostNode{{2, 100 * time.Second, 20 * time.Second}},
}

func TestSameSeedSameBytes(t *testing.T) {
	other := trouble
	other.Seed++
	one, two, three := record(t, join(), trouble), record(t, join(), trouble), record(t, join(), other)
	if !bytes.Equal(one, two) {
		t.Error("two runs of one seed differ")
	}
	if bytes.Equal(one, bytes.ReplaceAll(three, []byte("simulated-8"), []byte("simulated-7"))) {
		t.Error("two seeds give one run")
	}
}

// What a simulation keeps from snapshot to snapshot does not show, except for the marks.
func TestShownTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		src, err := New(p, drawOptions(t, p))
		if err != nil {
			t.Fatal(err)
		}
		for {
			s, err := src.Next(context.Background())
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, job := range src.run.jobs {
				for _, st := range job.stages {
					st.shownAt = dag.NoInstant
					for _, a := range st.attempts {
						a.seen.End = dag.NoInstant
					}
				}
			}
			again := src.run.show(s.At)
			for j := range s.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					a, b := s.Jobs[j].Stages[k].Attempts, again.Jobs[j].Stages[k].Attempts
					if !slices.EqualFunc(a, b, func(a, b dag.Attempt) bool { return equal(a, b) }) {
						t.Fatalf("at %d:\n%+v\n%+v", s.At, a, b)
					}
				}
			}
		}
	})
}

// facts/paratimer.md A5: at the end of a map K = N for as long as the combine stalls, and the run is as much
// longer as stalls follow each other.
func TestStall(t *testing.T) {
	plain, stalled := all(t, join(), Options{Every: time.Second}),
		all(t, join(), Options{Every: time.Second, Stall: 5 * time.Second})
	if got, want := stalled[len(stalled)-1].At-plain[len(plain)-1].At, dag.Instant(4*5000); got != want {
		t.Errorf("four rounds of stalled maps follow each other: %d ms longer, want %d", got, want)
	}
	full := 0
	for _, s := range stalled {
		if a := s.Jobs[0].Stages[dag.Map].Attempts[0]; a.State == dag.AttemptRunning && a.Done[0] == 10_000 {
			full++
			if a.Ratio != 0.667 || a.Last.At != 56_000 {
				t.Errorf("at %d a stalled map has ratio %v and moved last at %d", s.At, a.Ratio, a.Last.At)
			}
		}
	}
	if full != 5 {
		t.Errorf("a map is seen stalled %d times, want 5", full)
	}
}

// A watcher without knowledge gets no size or cost before a report implies it, and nothing of jobs to come.
func TestKnowNothing(t *testing.T) {
	for _, know := range []Know{Profile, Nothing} {
		plan := join()
		o := trouble
		o.Know = know
		for _, s := range all(t, plan, o) {
			if know == Profile && (len(s.Profiles) != 1 || s.Profiles[0] != plan) || know == Nothing &&
				s.Profiles != nil {
				t.Fatalf("know %v: profiles %v", know, s.Profiles)
			}
			if s.Plan.Cluster.Setup != 0 || s.Plan.Overheads != (dag.Overheads{}) {
				t.Fatalf("at %d: the plan has pauses", s.At)
			}
			for j := range s.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					p := &s.Plan.Jobs[j].Stages[k]
					if p.Known != s.Jobs[j].Submitted.Known() || p.Pipelines != nil || p.Out.Known() || !p.Known &&
						p.Tasks != 0 {
						t.Fatalf("at %d: job %d, submitted at %d: %+v", s.At, j, s.Jobs[j].Submitted, *p)
					}
					for _, a := range s.Jobs[j].Stages[k].Attempts {
						for i, n := range a.Total {
							if !math.IsNaN(n) && !a.FirstReport.Known() {
								t.Fatalf("at %d: pipeline %d of %v tuples, nothing reported: %+v", s.At, i, n, a)
							}
						}
					}
				}
			}
		}
	}
}

// A watcher with full knowledge gets the true sizes, skew included, but not which nodes are slow.
func TestKnowAll(t *testing.T) {
	run := all(t, join(), trouble)
	for _, s := range run {
		work := s.Plan.Jobs[2].Stages[dag.Reduce].Pipelines[dag.Work].Tuples
		if sum := work.Sum(16); math.Abs(sum-16_000) > 16 || work.At(0) < 2*work.At(15) {
			t.Fatalf("sizes %v, sum %v: not a skewed 16,000", work.Values(), sum)
		}
	}
	last := run[len(run)-1]
	for _, a := range last.Jobs[2].Stages[dag.Reduce].Attempts {
		if n := last.Plan.Jobs[2].Stages[dag.Reduce].Pipelines[dag.Work].Tuples.At(int(a.Task)); a.State ==
			dag.AttemptSucceeded && a.Done[dag.Work] != n {
			t.Errorf("task %d has done %v of %v tuples", a.Task, a.Done[dag.Work], n)
		}
	}
}

// A lost node: its attempts stand still until it is noticed and then run elsewhere, its finished maps run again, its
// slots are gone.
func TestLostNode(t *testing.T) {
	o := Options{Every: time.Second, Lose: []LostNode{{Node: 1, At: 60 * time.Second, Detect: 30 * time.Second}}}
	run := all(t, join(), o)
	lost, unseen, after := run[60], run[89], run[90]
	// Node 1 holds slots 2 and 3: tasks 2 and 3 of j1, done at 56 s, then tasks 14 and 15 of j2.
	for task := int32(14); task <= 15; task++ {
		first := func(s *dag.Snapshot) dag.Attempt {
			as := s.Jobs[1].Stages[dag.Map].Attempts
			return as[slices.IndexFunc(as, func(a dag.Attempt) bool { return a.Task == task })]
		}
		if a := first(unseen); a.State != dag.AttemptRunning || a.Done[0] != first(lost).Done[0] || a.Done[0] == 0 ||
			a.Node != 1 {
			t.Errorf("task %d at 89 s: %+v", task, a)
		}
		if a := first(after); a.State != dag.AttemptKilled || a.End != 90_000 {
			t.Errorf("task %d at 90 s: %+v", task, a)
		}
	}
	// Two reduces of j1 ran there and start over: they need the outputs of the two maps that ran there as well.
	if as := after.Jobs[0].Stages[dag.Map].Attempts; len(as) != 6 || as[2].State != dag.AttemptKilled ||
		as[3].State != dag.AttemptRunning {
		t.Errorf("maps of j1 at 90 s: %s", brief(as))
	}
	if after.Plan.Cluster.MapSlots != 14 || unseen.Plan.Cluster.MapSlots != 16 || !after.Nodes[1].Lost ||
		after.Warnings[0].Code != dag.WarnNodeLost {
		t.Errorf("at 90 s: %d map slots, nodes %+v, warnings %v", after.Plan.Cluster.MapSlots, after.Nodes,
			after.Warnings)
	}
	last := run[len(run)-1]
	// With the node lost a second later they had been done, and the maps are not needed.
	later := all(t, join(), Options{
		Every: time.Second,
		Lose:  []LostNode{{Node: 1, At: 61 * time.Second, Detect: 29 * time.Second}},
	})[90]
	if as := later.Jobs[0].Stages[dag.Map].Attempts; len(as) != 4 || as[2].State != dag.AttemptSucceeded {
		t.Errorf("maps of j1 at 90 s: %s", brief(as))
	}
	if plain := all(t, join(), Options{}); last.State != dag.Succeeded || last.At <= plain[len(plain)-1].At {
		t.Errorf("the run is %v at %d", last.State, last.At)
	}
}

// After a loss reduces that have copied everything go on; others wait for maps that run again, and may fail meanwhile.
func TestWaitingReduce(t *testing.T) {
	o := Options{
		Every: time.Second, Lose: []LostNode{{Node: 1, At: 57200 * time.Millisecond, Detect: 200 * time.Millisecond}},
		Fail: []Failure{{Job: "j1", Stage: dag.Reduce, Task: 0, At: 70 * time.Second}},
	}
	plan := join()
	// Reduce 15 copies half as much, and has all of it when the node is lost.
	sizes := slices.Repeat([]float64{1000}, 16)
	sizes[15] = 500
	plan.Jobs[0].Stages[dag.Reduce].Pipelines[dag.Copy].Tuples = dag.Each(sizes)
	as := all(t, plan, o)[75].Jobs[0].Stages[dag.Reduce].Attempts
	if a := as[0]; a.State != dag.AttemptFailed || a.End != 70_000 || a.CopyEnd.Known() {
		t.Errorf("a waiting reduce that fails: %+v", a)
	}
	if a := as[1]; a.Task != 1 || a.State != dag.AttemptRunning || a.Done[dag.Copy] == 0 || a.CopyEnd.Known() {
		t.Errorf("a waiting reduce: %+v", a)
	}
	if a := as[len(as)-1]; a.Task != 15 || a.State != dag.AttemptSucceeded || a.End != 60_500 {
		t.Errorf("a reduce that has copied everything: %+v", a)
	}
}

// A task that fails as often as MaxAttempts fails its job; jobs after it never come.
func TestJobFails(t *testing.T) {
	var o Options
	for n := range 4 {
		o.Fail = append(o.Fail, Failure{Job: "j2", Stage: dag.Map, Task: 5, After: 3 * time.Second, Attempt: n})
	}
	run := all(t, join(), o)
	last := run[len(run)-1]
	if last.State != dag.Failed || last.Jobs[0].State != dag.Succeeded || last.Jobs[1].State != dag.Failed ||
		last.Jobs[2].State != dag.Blocked {
		t.Errorf("the run is %v, its jobs %v, %v, %v", last.State, last.Jobs[0].State, last.Jobs[1].State,
			last.Jobs[2].State)
	}
	if want := "map task 5 failed 4 times"; last.Jobs[1].Diagnosis != want {
		t.Errorf("diagnosis %q, want %q", last.Jobs[1].Diagnosis, want)
	}
	o.MaxAttempts = 5
	run = all(t, join(), o)
	if last := run[len(run)-1]; last.State != dag.Succeeded {
		t.Errorf("with five attempts the run is %v", last.State)
	}
}

// 36,000 task-seconds at ten failures a task-hour are 100 failures, give or take three standard deviations.
func TestFailRate(t *testing.T) {
	p := join()
	p.Jobs = p.Jobs[:1]
	p.Jobs[0].SetStage(dag.Map, dag.Stage{
		Known: true, Tasks: 1000,
		Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(35)}},
	})
	p.Jobs[0].SetStage(dag.Reduce, dag.Stage{Known: true})
	run := all(t, p, Options{FailRate: 10, Every: time.Minute})
	failed := 0
	for _, a := range run[len(run)-1].Jobs[0].Stages[dag.Map].Attempts {
		if a.State == dag.AttemptFailed {
			failed++
		}
	}
	if failed < 70 || failed > 130 {
		t.Errorf("%d failures", failed)
	}
}

// Lognormal noise has median 1 and the sigma that was asked for; a slow node takes its factor longer.
func TestNoise(t *testing.T) {
	p := join()
	o := Options{Noise: 0.2, Slow: []SlowNode{{Node: 5, Factor: 3}}}
	run := newSimulation(p, &o)
	var logs []float64
	for task := range 4000 {
		logs = append(logs, math.Log(o.Family.factor(random(o.Seed, drawNoise, 0, dag.Map, int32(task), 0), o.Noise)))
	}
	mean, square := 0.0, 0.0
	for _, l := range logs {
		mean, square = mean+l/4000, square+l*l/4000
	}
	if math.Abs(mean) > 0.01 || math.Abs(math.Sqrt(square)-0.2) > 0.01 {
		t.Errorf("logs of noise: mean %v, deviation %v", mean, math.Sqrt(square))
	}
	fast, _ := begin(run, 0, 4)
	slow, _ := begin(run, 0, 5)
	if math.Abs(float64(slow.work)-3*float64(fast.work)) > 2 {
		t.Errorf("%d ms on a slow node, %d on another", slow.work, fast.work)
	}
}

func TestRefused(t *testing.T) {
	unknown := join()
	unknown.Jobs[1].Stages[dag.Reduce].Pipelines[dag.Work].Alpha = dag.Series{}
	cyclic := join()
	cyclic.Jobs[0].After = []int{2}
	slotless := join()
	slotless.Cluster.ReduceSlots = 0
	for name, c := range map[string]struct {
		plan *dag.Plan
		opt  Options
		want string
	}{
		"unknown cost":  {unknown, Options{}, `simulate: plan: the number of reduce tasks of job`},
		"cycle":         {cyclic, Options{}, `cycle`},
		"no slots":      {slotless, Options{}, `no reduce slots`},
		"negative":      {join(), Options{Noise: -1}, `simulate: noise: sigma -1 is not from 0 to 3`},
		"NaN":           {join(), Options{Skew: math.NaN()}, `simulate: skew: exponent NaN`},
		"no such node":  {join(), Options{Lose: []LostNode{{Node: 8}}}, `simulate: lose: node 8`},
		"no such job":   {join(), Options{Fail: []Failure{{Job: "j9"}}}, `simulate: fail: the plan has no job "j9"`},
		"no such task":  {join(), Options{Fail: []Failure{{Job: "j1", Task: 4}}}, `simulate: fail: task 4`},
		"zero slowness": {join(), Options{Slow: []SlowNode{{Node: 1}}}, `simulate: slow: factor 0`},
	} {
		if _, err := New(c.plan, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	_, circle := New(cyclic, Options{})
	_, stuck := New(slotless, Options{})
	if !errors.As(circle, new(*dag.CycleError)) || !errors.As(stuck, new(*schedule.StuckError)) {
		t.Errorf("%T, %T", circle, stuck)
	}
}
