package cost

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

var nan = math.NaN()

// fixed are numbers of the tests' own, so that a new fit of those of MapReduce changes no expectation.
var fixed = Numbers{
	Pace: 0.4, Load: 0.4, Both: 0.3, Change: 0.2, Head: 0.15, Task: 0.1, Launch: 0.5, Growth: 0.45, Files: 0.1,
	Node: 0.3, Drift: 0.1, Waves: 31, Pause: 0.4, ToCome: 0.4, Unseen: -0.7, UnseenSigma: 1, UnseenRead: -0.7,
}

// modelOf is the model of a run with fixed numbers.
func modelOf(ss ...*dag.Snapshot) *Model {
	return newModel(runOf(ss...), Options{Numbers: &fixed})
}

func runOf(ss ...*dag.Snapshot) dag.Run {
	var r dag.Run
	for _, s := range ss {
		r = r.Append(s)
	}
	return r
}

func near(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > most {
		t.Errorf("%s: %.4g, want %.4g ± %.4g", what, got, want, most)
	}
}

// blank is an attempt that runs and has reported nothing.
func blank(task int32, start dag.Instant) dag.Attempt {
	never := dag.Mark{At: dag.NoInstant}
	return dag.Attempt{
		Task: task, Slot: -1, Node: 0, Start: start, End: dag.NoInstant, State: dag.AttemptRunning,
		Done: [dag.Pipelines]float64{nan, nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan, Bytes: nan,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant, First: never, Last: never,
	}
}

// mapOf is a map of n records as it is seen at an instant: it starts up, then each record takes ms milliseconds, and
// it reports each second.
func mapOf(task int32, start, up dag.Instant, ms, n float64, now dag.Instant) dag.Attempt {
	a := blank(task, start)
	work := start + up
	end := work + dag.Instant(ms*n)
	for at := work + 1000; at <= min(now, end); at += 1000 {
		k := math.Floor(float64(at-work) / ms)
		a.Last = dag.Mark{At: at, Done: k, Out: k}
		if !a.First.At.Known() {
			a.First, a.FirstReport = a.Last, at
		}
		a.Done[0], a.Total[0], a.Out, a.Ratio = k, n, k, k/n*2/3
	}
	if now >= end {
		a.State, a.End, a.Done[0], a.Total[0], a.Out, a.Ratio = dag.AttemptSucceeded, end, n, n, n, 1
	}
	return a
}

// silence takes away what reports of an attempt have shown before its end.
func silence(a *dag.Attempt) {
	a.First, a.Last, a.FirstReport = dag.Mark{At: dag.NoInstant}, dag.Mark{At: dag.NoInstant}, dag.NoInstant
}

// reduceOf is a reduce that has copied and sorted by 30 s.
func reduceOf(task int32, bytes, ratio float64, first, last dag.Mark) dag.Attempt {
	a := blank(task, 25_000)
	a.CopyEnd, a.SortEnd, a.Bytes, a.Ratio = 30_000, 30_000, bytes, ratio
	a.First, a.Last, a.Done[dag.Work], a.Out = first, last, last.Done, last.Out
	return a
}

var limits = dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5}

// mapping is a job of ten maps, of which eight started at 5 s and take 5 s to start up, and of four reduces.
func mapping(now dag.Instant, ms, n float64) *dag.Snapshot {
	p := &dag.Plan{Name: "group.pig", Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 2560}, Jobs: []dag.Job{{
		Node: "scope-1", Feature: "GROUP_BY", Alias: "a,b", MasterMB: 512, MapReduce: limits,
		Stages: dag.MapReduce(dag.Stage{Tasks: 10, Known: true}, dag.Stage{Tasks: 4, Known: true}),
	}}}
	js := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Started: 3000, Finished: dag.NoInstant, Attempt: 1, HeldMB: 2560,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	for i := range int32(8) {
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts,
			mapOf(i, 5000+dag.Instant(i), 5000, ms, n, now))
	}
	return &dag.Snapshot{
		Plan: p, At: now, ID: "pig_1", State: dag.Running, Jobs: []dag.JobState{js}, Stale: dag.NoInstant,
	}
}

// reducing is the job once its maps have ended, with reduces.
func reducing(now dag.Instant, reduces ...dag.Attempt) *dag.Snapshot {
	s := mapping(now, 10, 600)
	for i := range int32(2) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			mapOf(8+i, 16_000, 2000, 10, 600, now))
	}
	s.Jobs[0].Stages[dag.Reduce].Attempts = reduces
	return s
}

// finished is the job at its end: 600 records a map at ms milliseconds, and reduces of 100 to 400 records at 40 ms,
// 20 bytes each.
func finished(ms float64) *dag.Snapshot {
	s := reducing(200_000)
	s.Jobs[0].Stages[dag.Map].Attempts = nil
	for i := range int32(10) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			mapOf(i, 5000+dag.Instant(i), 5000, ms, 600, 200_000))
	}
	for i := range int32(4) {
		in := float64(100 * (i + 1))
		a := reduceOf(i, 20*in, 1, dag.Mark{At: 32_000, Done: in, Out: 5}, dag.Mark{At: 40_000, Done: in, Out: in})
		a.State, a.End = dag.AttemptSucceeded, a.CopyEnd+dag.Instant(40*in)
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
	}
	s.State, s.Jobs[0].State, s.Jobs[0].Finished = dag.Succeeded, dag.Succeeded, 70_000
	return s
}

// learned is the profile of that run.
func learned() *dag.Plan { return Learn(runOf(finished(25))) }

// cloned is a profile whose jobs may be changed.
func cloned(p *dag.Plan) *dag.Plan {
	out := *p
	out.Jobs = dag.CloneJobs(p.Jobs)
	return &out
}

func attached(s *dag.Snapshot, profile *dag.Plan) *dag.Snapshot {
	return profiles.Attach(s, []*dag.Plan{profile})
}

// toCome is the time of a task that has not started, beside so many others.
func (m *Model) toCome(k dag.StageIndex, i, together int) schedule.Cost {
	return m.left(schedule.Task{Stage: k, Index: i, Node: -1, Slot: -1, Together: together})
}

// leftOf is the rest of the attempt at place i of the stage's.
func (m *Model) leftOf(k dag.StageIndex, i int) schedule.Cost {
	a := &m.s.Jobs[0].Stages[k].Attempts[i]
	return m.left(schedule.Task{Stage: k, Index: int(a.Task), Running: a, Node: -1, Slot: -1, Together: 1})
}

func workOf(c schedule.Cost) float64 { return taskcost.MS(c.Work) }

func replayed(t *testing.T, m *Model) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Replay(m.s, m.left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawn is the distribution of what is left of a run.
func drawn(t *testing.T, s *dag.Snapshot) estimators.Distribution {
	t.Helper()
	e, err := estimators.New(estimators.Sampled(), With(Options{Numbers: &fixed}),
		estimators.Options{Samples: 256}).Estimate(runOf(s))
	if err != nil {
		t.Fatal(err)
	}
	return e.Distribution
}
