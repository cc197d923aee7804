package estimators_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// A truth is the real run of a plan: the same scheduler with true costs, which estimators do not have.
type truth struct {
	Plan  *dag.Plan
	Seed  uint64
	Noise float64       // sigma of the lognormal factor of a task's time
	Stall time.Duration // blocking combine at the end of each map: K = N, not finished (facts/paratimer.md A5)
	Fault schedule.Fault
	// Order[j] is the order in which job j's reduces start, unknown to estimators: position p is task Order[j][p].
	Order map[int][]int
	// Believed is the plan in the snapshot of an instant; nil: the true one.
	Believed func(at dag.Instant) *dag.Plan
}

// A finishedRun is the truth, and its schedule.
type finishedRun struct {
	truth
	Total    dag.Instant
	Schedule *schedule.Schedule
}

// play runs the truth to its end.
func play(t testing.TB, tr truth) *finishedRun {
	t.Helper()
	left := func(task schedule.Task) schedule.Cost {
		setup, parts, stall := tr.times(task.Job, task.Stage, task.Index, task.Attempt)
		for _, ms := range parts {
			stall += ms
		}
		ms := func(d dag.Instant) time.Duration { return time.Duration(d) * time.Millisecond }
		return schedule.Cost{Setup: ms(setup), Work: ms(stall), Same: 1}
	}
	s, err := schedule.Replay(golden.Start(tr.Plan), left, schedule.Options{Fault: tr.Fault})
	if err != nil {
		t.Fatal(err)
	}
	return &finishedRun{truth: tr, Total: s.End, Schedule: s}
}

// real returns the task at a position of the order in which tasks start.
func (tr *truth) real(job int, k dag.StageIndex, position int) int {
	if order := tr.Order[job]; k == dag.Reduce && order != nil {
		return order[position]
	}
	return position
}

// times are the true milliseconds of an attempt: set-up, each pipeline, and the stall at its end.
func (tr *truth) times(job int, k dag.StageIndex, position, attempt int) (setup dag.Instant, parts []dag.Instant,
	stall dag.Instant,
) {
	i := tr.real(job, k, position)
	factor := 1.0
	if tr.Noise > 0 {
		h := fnv.New64a()
		h.Write([]byte{byte(job), byte(k), byte(i), byte(i >> 8), byte(attempt)})
		r := rand.New(rand.NewPCG(tr.Seed, h.Sum64()))
		factor = math.Exp(tr.Noise * r.NormFloat64())
	}
	for _, pipe := range tr.Plan.Jobs[job].Stages[k].Pipelines {
		parts = append(parts, dag.Instant(math.Floor(factor*pipe.Alpha.At(i)*pipe.Tuples.At(i)+0.5)))
	}
	if k == dag.Map {
		stall = dag.Instant(tr.Stall.Milliseconds())
	}
	return dag.Instant(tr.Plan.Cluster.Setup.Milliseconds()), parts, stall
}

// At returns the snapshot of the run at an instant.
func (c *finishedRun) At(at dag.Instant) *dag.Snapshot {
	s := golden.Start(c.Plan)
	s.At = at
	if c.Believed != nil {
		s.Plan = c.Believed(at)
	}
	for j := range s.Jobs {
		if t := c.Schedule.Submitted[j]; t.Known() && t <= at {
			s.Jobs[j].Submitted, s.Jobs[j].State = t, dag.Running
		}
		if t := c.Schedule.Finished[j]; t.Known() && t <= at {
			s.Jobs[j].Finished, s.Jobs[j].State = t, dag.Succeeded
		}
	}
	for _, span := range c.Schedule.Spans {
		if span.Start > at {
			continue
		}
		for i := range int(span.Count) {
			phase := &s.Jobs[span.Job].Stages[span.Stage]
			phase.Attempts = append(phase.Attempts, c.attempt(&span, i, at))
		}
	}
	for j := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			slices.SortFunc(s.Jobs[j].Stages[k].Attempts, func(a, b dag.Attempt) int {
				if a.Task != b.Task {
					return int(a.Task - b.Task)
				}
				return int(a.Number - b.Number)
			})
		}
	}
	return s
}

func (c *finishedRun) attempt(span *schedule.Span, i int, at dag.Instant) dag.Attempt {
	job, position := int(span.Job), int(span.First)+i
	nan, never := math.NaN(), dag.Mark{At: dag.NoInstant}
	a := dag.Attempt{
		Task: int32(c.real(job, span.Stage, position)), Number: span.Attempt, State: dag.AttemptRunning,
		Slot: span.Slots[i], Node: span.Slots[i] / int32(max(1, c.Plan.Cluster.SlotsPerNode)), Start: span.Start,
		End:   dag.NoInstant,
		Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan, Bytes: nan, Ratio: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, First: never, Last: never, FirstReport: dag.NoInstant,
	}
	if span.End <= at {
		a.State, a.End = dag.AttemptSucceeded, span.End
		if span.Outcome == schedule.Fails {
			a.State = dag.AttemptFailed
		}
	}
	setup, parts, _ := c.times(job, span.Stage, position, int(span.Attempt))
	t0 := span.Start + setup
	for p, took := range parts {
		n := c.Plan.Jobs[job].Stages[span.Stage].Pipelines[p].Tuples.At(int(a.Task))
		switch {
		case a.State == dag.AttemptSucceeded || at >= t0+took:
			a.Done[p] = n
		case at > t0:
			a.Done[p] = math.Floor(n * float64(at-t0) / float64(took))
		}
		t0 += took
	}
	return a
}

// A grading has the scores of scenarios over a run, by name.
type grading map[string]estimators.Score

// Watch evaluates scenarios at every tick of a run.
func (c *finishedRun) Watch(t testing.TB, tick time.Duration, model estimators.Model, par pathfrag.Params,
	scenarios []estimators.Scenario,
) grading {
	t.Helper()
	samples := make(map[string][]estimators.Sample)
	c.Each(tick, model, par, func(at dag.Instant, w *estimators.ReplayContext) {
		for _, s := range scenarios {
			e, err := s.Of(w)
			if err != nil {
				t.Fatalf("t=%d: %v", at, err)
			}
			x := estimators.Sample{Elapsed: float64(at) / 1000, Remaining: math.NaN(), Progress: e.Progress}
			if e.Remaining != nil {
				x.Remaining = e.Remaining.Seconds()
			}
			samples[s.Name] = append(samples[s.Name], x)
		}
	})
	g := make(grading)
	for _, s := range scenarios {
		g[s.Name] = estimators.Grade(float64(c.Total)/1000, samples[s.Name])
	}
	return g
}

// Each visits the ticks strictly inside the run.
func (c *finishedRun) Each(tick time.Duration, model estimators.Model, par pathfrag.Params,
	visit func(at dag.Instant, w *estimators.ReplayContext),
) {
	run := dag.Run{}.Append(c.At(0))
	w := estimators.NewReplayContext(run, model, estimators.Options{Path: &par})
	for at := dag.Instant(tick.Milliseconds()); at < c.Total; at += dag.Instant(tick.Milliseconds()) {
		run = run.Append(c.At(at))
		w = w.Next(run)
		visit(at, w)
	}
}

// pick returns those of the scenarios that have the names, in the order of the names.
func pick(t testing.TB, all []estimators.Scenario, names ...string) []estimators.Scenario {
	t.Helper()
	var out []estimators.Scenario
	for _, name := range names {
		i := slices.IndexFunc(all, func(s estimators.Scenario) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("no scenario %q", name)
		}
		out = append(out, all[i])
	}
	return out
}

// joinPlan is the paper's query of section 4.2, two DISTINCTs and a JOIN over 16 + 16 slots, with alphas that give its
// published times (facts/paratimer.md A2): 4 maps of 557 s, maps2 maps of 727 s, and 226 s of reduces and job 3 at
// 17 maps.
func joinPlan(maps2 int) *dag.Plan {
	in1, in2 := 4*2_500_000/16., float64(maps2)*2_500_000/16
	third := golden.PhaseOf(32, in1, 0.01)
	sizes := make([]float64, 32)
	for i := range sizes {
		if sizes[i] = in1; i >= 16 {
			sizes[i] = in2
		}
	}
	third.Pipelines[0].Tuples = dag.Each(sizes)
	all := in1 + in2
	return &dag.Plan{
		Name:    "join",
		Cluster: dag.Cluster{MapSlots: 16, ReduceSlots: 16, SlotsPerNode: 2, Setup: 2 * time.Second},
		Jobs: []dag.Job{
			{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(4, 2_500_000, 0.222),
				golden.PhaseOf(16, in1, 0.0128, in1, 0.0064, in1, 0.0208))},
			{Node: "j2", Stages: dag.MapReduce(golden.PhaseOf(maps2, 2_500_000, 0.29),
				golden.PhaseOf(16, in2, 0.0128, in2, 0.0064, in2, 0.0208))},
			{Node: "j3", After: []int{0, 1}, Stages: dag.MapReduce(third,
				golden.PhaseOf(16, all, 0.0064, all, 0.0032, all, 0.0144))},
		},
	}
}

// failsAt makes the first attempt of one task fail at an instant.
func failsAt(job int, k dag.StageIndex, task int, at dag.Instant) schedule.Fault {
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		return at, t.Job == job && t.Stage == k && t.Index == task && t.Attempt == 0 && start <= at && at < end
	}
}

// joinPath has tolerances, as in the golden files of section 4.2.
var joinPath = pathfrag.Params{Delta1: 30 * time.Second, Delta2: 5 * time.Second}

// shuffled is a random order of n tasks.
func shuffled(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 44)).Perm(n) }

// zipfSizes returns n sizes that fall as rank^-s, of the given sum.
func zipfSizes(n int, s, sum float64) []float64 {
	sizes, all := make([]float64, n), 0.0
	for i := range sizes {
		sizes[i] = math.Pow(float64(i+1), -s)
		all += sizes[i]
	}
	for i := range sizes {
		sizes[i] = math.Floor(sizes[i] / all * sum)
	}
	return sizes
}
