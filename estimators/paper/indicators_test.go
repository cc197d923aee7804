package paper

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// live is a snapshot as a Hadoop gives it: no tuples in the plan, two jobs, the second not submitted and its size
// unknown. Job 1: four maps, two done, one at half by its own total, one waiting; two reduces, one copying.
func live() *dag.Snapshot {
	nan := math.NaN()
	attempt := func(task int32, state dag.AttemptState, done, total, ratio float64) dag.Attempt {
		return dag.Attempt{
			Task: task, State: state, Done: [3]float64{done}, Total: [3]float64{total, nan, nan},
			Ratio: ratio, End: dag.NoInstant,
		}
	}
	s := &dag.Snapshot{At: 30_000, State: dag.Running, Plan: &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 3072},
		Jobs: []dag.Job{
			{
				Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: 4, Known: true}, dag.Stage{Tasks: 2, Known: true}),
				MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 512, MaxReduces: 3},
			},
			{Node: "b", After: []int{0}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
		},
	}}
	s.Jobs = []dag.JobState{
		{
			State: dag.Running, Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		},
		{Submitted: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages)},
	}
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{
		attempt(0, dag.AttemptSucceeded, 100, nan, 1), attempt(1, dag.AttemptSucceeded, 300, 300, 1),
		attempt(2, dag.AttemptRunning, 100, 200, 0.5), attempt(3, dag.AttemptWaiting, 0, nan, nan),
	}
	s.Jobs[0].Stages[dag.Reduce].Attempts = []dag.Attempt{attempt(0, dag.AttemptRunning, 0, nan, 1/6.)}
	return s
}

// Indicators use the reports of attempts where the plan has no costs.
func TestIndicatorsWithoutPlan(t *testing.T) {
	w := estimators.NewReplayContext(runOf(live()), plannedCosts, estimators.Options{})
	a := amounts(w.Run.Now())
	// Maps: 100 + 300 + 200 known, the fourth as their mean; job 2 has as many.
	if got := a[0][0]; got != (amount{500, 800}) {
		t.Errorf("maps of job 1: %+v", got)
	}
	if got := a[1][0]; got != (amount{0, 800}) {
		t.Errorf("maps of job 2: %+v", got)
	}
	// Reduces: no size is known, so each is a mean map, and 1/6 of one is half of its copy.
	if got := a[0][1]; math.Abs(got.done-100) > 1e-9 || got.total != 400 {
		t.Errorf("copies of job 1: %+v", got)
	}
	for _, c := range []struct {
		name string
		of   func(*estimators.ReplayContext) (estimators.Estimate, error)
		want float64
	}{
		// (2.5/4 + 1/12) / 2 of the first of two jobs.
		{"pig", pig, (2.5/4 + 1/12.) / 4},
		// Six tasks of the submitted job.
		{"hadoop", hadoop, (2.5 + 1/6.) / 6},
		{"dne", dne, 600. / (800 + 3*400 + 800 + 3*400)},
		{"gnm", gnm, 1600. / (2400 + 3*400 + 2400 + 3*400)},
	} {
		e, err := c.of(w)
		if err != nil || math.Abs(e.Progress-c.want) > 1e-9 || e.Remaining != nil {
			t.Errorf("%s = %v (%v, %v), want %v", c.name, e.Progress, e.Remaining, err, c.want)
		}
	}
}

// Before anything is known there is no estimate; after the end there is one, of nothing.
func TestIndicatorsAtTheEnds(t *testing.T) {
	s := live()
	for i := range s.Plan.Jobs {
		s.Plan.Jobs[i].Stages = dag.Bare(s.Plan.Jobs[i].Stages)
	}
	s.Jobs[0] = dag.JobState{Submitted: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages)}
	for _, c := range everyScenario() {
		e, err := c.Of(estimators.NewReplayContext(runOf(s), plannedCosts, estimators.Options{}))
		if err == nil && e.Remaining != nil && *e.Remaining > 0 {
			t.Errorf("%s predicts %v for an unknown workflow", c.Name, *e.Remaining)
		}
	}
	s.State = dag.Killed
	for _, c := range everyScenario() {
		e, err := c.Of(estimators.NewReplayContext(runOf(s), plannedCosts, estimators.Options{}))
		if err != nil || e.Progress != 1 || e.Remaining != nil && *e.Remaining != 0 {
			t.Errorf("%s: got %v, %v, %v for a workflow that has ended", c.Name, e.Remaining, e.Progress, err)
		}
	}
}

// facts/paratimer.md A5: units left, at the speed of the last ten seconds, of all the time where nothing moved in
// them.
func TestLuo(t *testing.T) {
	for _, c := range []struct{ done, total, before, window, elapsed, want float64 }{
		{50, 150, 30, 10_000, 60_000, 50_000},
		{50, 150, 50, 10_000, 60_000, 120_000},
		{150, 150, 30, 10_000, 60_000, 0},
		{0, 150, 0, 10_000, 60_000, math.NaN()},
		{50, 150, 60, 10_000, 60_000, 120_000},
	} {
		if got := luoLeft(c.done, c.total, c.before, c.window, c.elapsed); got != c.want &&
			!(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("luoLeft(%+v) = %v", c, got)
		}
	}
}

// C under YARN is the number of containers beside the job's own master.
func TestSlotsOfYARN(t *testing.T) {
	plan := live().Plan
	for _, c := range []struct {
		k    dag.StageIndex
		want int
	}{{dag.Map, 10}, {dag.Reduce, 3}} {
		if got := estimators.Slots(plan, 0, c.k); got != c.want {
			t.Errorf("stage %d: %d, want %d", c.k, got, c.want)
		}
	}
	plan.Cluster.QueueMB = 1024
	if got := estimators.Slots(plan, 0, dag.Map); got != 2 {
		t.Errorf("in a queue of 1024 MB: %d, want 2", got)
	}
	plan.Jobs[0].MapReduce.MapMB = 0
	if got := estimators.Slots(plan, 0, dag.Map); got != 4 {
		t.Errorf("where no size is known: %d, want all 4", got)
	}
}

// A job that has succeeded is whole to Pig, with reduces or not; one that is not submitted has no page with Hadoop,
// even if its size is known.
func TestIndicatorsOfJobsThatDoNotRun(t *testing.T) {
	s := live()
	s.Plan.Jobs[0].SetStage(dag.Reduce, dag.Stage{Known: true})
	s.Plan.Jobs[1].SetStage(dag.Map, dag.Stage{Tasks: 6, Known: true})
	s.Jobs[0].Stages[dag.Reduce] = dag.StageState{}
	s.Jobs[0].State = dag.Succeeded
	w := estimators.NewReplayContext(runOf(s), plannedCosts, estimators.Options{})
	for _, c := range []struct {
		name string
		of   func(*estimators.ReplayContext) (estimators.Estimate, error)
		want float64
	}{{"pig", pig, 0.5}, {"hadoop", hadoop, 1}} {
		if e, err := c.of(w); err != nil || e.Progress != c.want {
			t.Errorf("%s = %v (%v), want %v", c.name, e.Progress, err, c.want)
		}
	}
}
