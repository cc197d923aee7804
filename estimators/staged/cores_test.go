package staged

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// onFour is an application on four cores with one stage; the first four tasks are the first on their cores.
func onFour(took, records []float64) *dag.Snapshot {
	p := &dag.Plan{
		Name: "app", Engine: "Spark", Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4},
		Driver: dag.Eager, Jobs: []dag.Job{{
			Node: "application", Stages: []dag.Stage{{
				Name: "map", Tasks: len(took), Known: true,
				Pipelines: make([]dag.Pipeline, 1),
			}},
		}},
	}
	s := &dag.Snapshot{Plan: p, At: 1_000_000, State: dag.Running, Stale: dag.NoInstant, Jobs: p.BlockedJobs()}
	s.Jobs[0].Submitted, s.Jobs[0].State = 0, dag.Running
	free := [4]dag.Instant{}
	for i, ms := range took {
		slot := i % 4
		nan := math.NaN()
		a := dag.Attempt{
			Task: int32(i), State: dag.AttemptSucceeded, Slot: int32(slot), Node: -1, Start: free[slot],
			End:  free[slot] + dag.Instant(ms),
			Done: [dag.Pipelines]float64{records[i], nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan,
			Bytes: nan, Ratio: nan,
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant,
		}
		a.First.At, a.Last.At = dag.NoInstant, dag.NoInstant
		free[slot] = a.End
		s.Jobs[0].Stages[0].Attempts = append(s.Jobs[0].Stages[0].Attempts, a)
	}
	return s
}

// TestColdCores holds that the first task of each core is not in what a stage's tasks cost, and is learned beside it.
func TestColdCores(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000}, []float64{
		100, 100, 100, 100, 100, 100, 100,
		100,
	})
	m := New(dag.Run{}.Append(s))
	if got := m.stages[0][0].rate; math.Abs(got-10) > 0.1 {
		t.Errorf("a record takes %.1f ms, in tasks that are not the first on their core 10", got)
	}
	if got := m.start.extra; math.Abs(got-8000) > 1 {
		t.Errorf("a first task takes %.0f ms more, not 8000", got)
	}
	if got := Learn(dag.Run{}.Append(s)).Overheads.Cold.Seconds(); got != 8 {
		t.Errorf("the profile has %.1f s for it", got)
	}
}

// TestLoadOfFirstTasks holds that the first tasks of the cores show this machine's load, while they run and when they
// have ended: start-up takes so many times as long as in the profile's run, work a power of it.
func TestLoadOfFirstTasks(t *testing.T) {
	t.Parallel()
	eight := []float64{100, 100, 100, 100, 100, 100, 100, 100}
	profile := Learn(dag.Run{}.Append(onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000}, eight)))
	pace := math.Pow(10, launchPower)
	first := 80_000 + 1000*pace
	s := onFour([]float64{first, first, first, first, 1, 1, 1, 1}, eight)
	stage := &s.Jobs[0].Stages[0]
	stage.Attempts = stage.Attempts[:4]
	for _, running := range []bool{false, true} {
		if running {
			s.At = dag.Instant(first / (1 + launchWait))
			for i := range stage.Attempts {
				a := &stage.Attempts[i]
				a.State, a.End, a.Done[0] = dag.AttemptRunning, dag.NoInstant, math.NaN()
			}
		}
		s.Plan.Profiles = []*dag.Plan{profile}
		m := New(dag.Run{}.Append(s))
		if got := m.start.scale; math.Abs(got-10) > 0.01 {
			t.Errorf("running %v: the load is %.2f times that of the profile's run, not 10", running, got)
		}
		if got := m.stages[0][0].rate; math.Abs(got-10*pace) > 0.05 {
			t.Errorf("running %v: a record takes %.2f ms, not %.2f", running, got, 10*pace)
		}
	}
	s.At = 1000 // a first task that has just begun shows nothing
	if got := New(dag.Run{}.Append(s)).start.scale; got != 1 {
		t.Errorf("after a second the load is %.2f, not 1", got)
	}
}

// TestCurve holds that a fixed part of what tasks take is found where they differ in size, and half of it is expected.
func TestCurve(t *testing.T) {
	t.Parallel()
	p := prior{records: true, units: []float64{100, 200, 300, 1000}, took: []float64{6000, 7000, 8000, 15000}}
	fixed, each, ok := p.curve()
	mean := 36000.0 / 1600
	if !ok || math.Abs(each-(10+mean)/2) > 0.01 || math.Abs(fixed+400*each-9000) > 0.01 {
		t.Errorf("%.0f ms and %.2f ms a record, %v", fixed, each, ok)
	}
	if _, _, ok := (&prior{
		records: true, units: []float64{100, 110, 120, 130},
		took: []float64{1, 2, 3, 4},
	}).curve(); ok {
		t.Error("tasks of about the same size show nothing")
	}
}
