package observed

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

var nan = math.NaN()

// mapAttempt is a paced map as a watcher sees it at now: it starts, sets up, and reports each second.
func mapAttempt(task int32, start, setup dag.Instant, alpha, n float64, now dag.Instant) dag.Attempt {
	a := dag.Attempt{
		Task: task, Slot: -1, Node: 0, Start: start, End: dag.NoInstant, State: dag.AttemptRunning,
		Done: [3]float64{nan, nan, nan}, Total: [3]float64{nan, nan, nan}, Out: nan, Bytes: nan, Ratio: 0,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant,
		First: dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant},
	}
	work := start + setup
	end := work + dag.Instant(alpha*n)
	for at := work + 1000; at <= min(now, end); at += 1000 {
		k := math.Floor(float64(at-work) / alpha)
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

func limits() dag.MapReduceLimits {
	return dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5}
}

// group is one job of 10 maps, 8 of which run at once, and 4 reduces.
func group(now dag.Instant, alpha, n float64) *dag.Snapshot {
	p := &dag.Plan{Name: "group.pig", Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 2560}, Jobs: []dag.Job{{
		Node: "scope-1", Feature: "GROUP_BY", Alias: "a,b", MasterMB: 512, MapReduce: limits(),
		Stages: dag.MapReduce(dag.Stage{Tasks: 10, Known: true}, dag.Stage{Tasks: 4, Known: true}),
	}}}
	js := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Submitted: 0, Started: 3000, Finished: dag.NoInstant,
		Attempt: 1, HeldMB: 2560, Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	for i := range int32(8) {
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts, mapAttempt(i, 5000+dag.Instant(i), 5000,
			alpha, n, now))
	}
	return &dag.Snapshot{
		Plan: p, At: now, ID: "pig_1", State: dag.Running, Jobs: []dag.JobState{js},
		Stale: dag.NoInstant,
	}
}

func runOf(ss ...*dag.Snapshot) dag.Run {
	var r dag.Run
	for _, s := range ss {
		r = r.Append(s)
	}
	return r
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %.0f, want %.0f ± %.0f", what, got, want, within)
	}
}

// A task's set-up is told from its work: eight JVMs that start together take five seconds before their first record.
func TestSetupIsToldFromWork(t *testing.T) {
	m := New(runOf(group(19_000, 25, 600), group(20_000, 25, 600)), Options{})
	near(t, "alpha in µs", 1000*m.phases[0][dag.Map].alpha, 25_000, 500)
	near(t, "start-up of eight", m.setup.at(8)+m.setup.cold, 5000, 700)
	cost := m.Left(schedule.Task{Stage: dag.Map, Index: 9, Node: -1, Slot: -1, Together: 1})
	near(t, "work of a map to come", taskcost.MS(cost.Work), 15_000, 300)
	if cost.Setup > 3*time.Second || cost.Setup < 500*time.Millisecond {
		t.Errorf("a map that starts alone sets up for %v", cost.Setup)
	}
	a := &m.Snapshot.Jobs[0].Stages[dag.Map].Attempts[0]
	left := m.Left(schedule.Task{Stage: dag.Map, Running: a})
	near(t, "left of a running map", taskcost.MS(left.Setup+left.Work), 5000, 700)
}

// Before anything has reported, nothing is known, and all of what remains is assumed.
func TestNothingSeenIsAssumed(t *testing.T) {
	m := New(runOf(group(6000, 25, 600)), Options{})
	sch, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := m.AssumedRatio(sch); r != 1 {
		t.Errorf("assumed %v, want all", r)
	}
}

// The reduces of a lone job are half of it: until they have shown themselves more than a third is assumed, however
// long its maps still run.
func TestLoneJobsReducesAreAssumed(t *testing.T) {
	m := New(runOf(group(14_000, 100, 6000), group(20_000, 100, 6000)), Options{})
	sch, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := m.AssumedRatio(sch); r <= 1.0/3 {
		t.Errorf("assumed %v", r)
	}
}

// reduceAttempt has copied and sorted by 30 s, and has done in, out of its input and output.
func reduceAttempt(task int32, bytes, ratio float64, first, last dag.Mark) dag.Attempt {
	a := mapAttempt(task, 25_000, 1e9, 1, 1, 0)
	a.CopyEnd, a.SortEnd, a.Bytes, a.Ratio = 30_000, 30_000, bytes, ratio
	a.First, a.Last, a.Done[dag.Work], a.Out = first, last, last.Done, last.Out
	return a
}

func reducing(now dag.Instant, attempts ...dag.Attempt) *dag.Snapshot {
	s := group(now, 10, 600)
	for i := range int32(2) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			mapAttempt(8+i, 16_000, 2000, 10, 600, now))
	}
	s.Jobs[0].Stages[dag.Reduce].Attempts = attempts
	return s
}

// A bag is read at once, so input says 95 % while output has just begun (recording skew-1): output tells what is left.
func TestReduceGoesByItsOutput(t *testing.T) {
	a := reduceAttempt(0, 24_000, 0.955, dag.Mark{At: 32_000, Done: 1000, Out: 60}, dag.Mark{
		At: 40_000, Done: 1000,
		Out: 300,
	})
	m := New(runOf(reducing(39_000, a), reducing(40_000, a)), Options{})
	left := m.Left(schedule.Task{Stage: dag.Reduce, Running: &a})
	// 700 tuples are left at 33.3 ms each.
	near(t, "left", taskcost.MS(left.Work), 23_300, 1500)
	if left.Origin != schedule.Observed {
		t.Errorf("origin %v", left.Origin)
	}
}

// All input is read, nothing is written, nothing moves (Streaming): the counters say nothing.
func TestSilentReduceIsUnknown(t *testing.T) {
	mark := dag.Mark{At: 31_000, Done: 1530, Out: 0}
	a := reduceAttempt(0, 26_000, 1, mark, mark)
	done := reduceAttempt(1, 13_900, 1, dag.Mark{At: 31_000, Done: 819}, dag.Mark{At: 34_800, Done: 819, Out: 91})
	done.State, done.End = dag.AttemptSucceeded, 34_800
	m := New(runOf(reducing(39_000, a, done), reducing(40_000, a, done)), Options{})
	if left := m.Left(schedule.Task{Stage: dag.Reduce, Running: &a}); left.Origin != schedule.Unknown {
		t.Errorf("origin %v, want unknown, although another reduce has ended", left.Origin)
	}
	sch, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := m.AssumedRatio(sch); r <= 1.0/3 {
		t.Errorf("assumed %v", r)
	}
}

// One that is past its time may end at any moment, but not for ever: what is left grows with how late it is.
func TestOverdue(t *testing.T) {
	if got := taskcost.Overdue(5000, 100); got != 5000 {
		t.Errorf("not late: %v", got)
	}
	soon, later := taskcost.Overdue(-1000, 10_000), taskcost.Overdue(-60_000, 100_000)
	if soon < taskcost.LeastMS || later <= soon {
		t.Errorf("a second late: %v, a minute late: %v", soon, later)
	}
}

// One that is far past its time has met something that no counter tells: its node is dead, and nobody has noticed yet.
func TestFarPastItsTimeIsUnknown(t *testing.T) {
	s := group(60_000, 25, 600)
	a := &s.Jobs[0].Stages[dag.Map].Attempts[0]
	*a = mapAttempt(0, 5000, 5000, 25, 600, 20_000) // the last report came at 20 s, 5 s before its end
	m := New(runOf(s), Options{})
	if left := m.Left(schedule.Task{Stage: dag.Map, Running: a}); left.Origin != schedule.Unknown {
		t.Errorf("35 s late: origin %v, left %v", left.Origin, left.Work)
	}
	soon := group(28_000, 25, 600)
	b := &soon.Jobs[0].Stages[dag.Map].Attempts[0]
	*b = mapAttempt(0, 5000, 5000, 25, 600, 20_000)
	m = New(runOf(soon), Options{})
	if left := m.Left(schedule.Task{Stage: dag.Map, Running: b}); left.Origin != schedule.Observed {
		t.Errorf("3 s late: origin %v", left.Origin)
	}
}
