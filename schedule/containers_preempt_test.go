package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// afterLostMaps is a job whose early reduces hold all ten containers while the outputs of so many maps are lost. All
// are at hand to run.
func afterLostMaps(lost int) *dag.Snapshot {
	p := joinPlan()
	p.Jobs = []dag.Job{yarnJobOf("a", nil, 20, 12)}
	p.Jobs[0].MapReduce.RampUp = 1
	s := blankSnapshot(p)
	s.At = 60 * 1000
	js := &s.Jobs[0]
	js.State, js.Submitted, js.Started, js.HeldMB = dag.Running, 0, 1000, 512
	for i := range int32(20) {
		a := dag.Attempt{Task: i, State: dag.AttemptSucceeded, Start: 5000, End: 30 * 1000}
		if int(i) >= 20-lost {
			a.State = dag.AttemptKilled
		}
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts, a)
	}
	for i := range int32(10) {
		js.Stages[dag.Reduce].Attempts = append(js.Stages[dag.Reduce].Attempts,
			dag.Attempt{
				Task: i, State: dag.AttemptRunning, Node: -1, Slot: -1, Start: 10 * 1000, End: dag.NoInstant,
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
			})
	}
	return s
}

// The master makes room for all maps that hang at once, up to half of its memory (docs/facts/hadoop.md F, reduce
// preemption; recording nodelost-1).
func TestYARNPreemptsForAllMapsThatHang(t *testing.T) {
	for _, c := range []struct{ lost, want int }{{1, 1}, {3, 3}, {5, 5}, {8, 5}} {
		s := afterLostMaps(c.lost)
		sch := mustReplay(t, s, func(Task) Cost { return Cost{Work: 20 * second, Same: 1} }, Options{})
		killed, started, again := 0, 0, 0
		for _, sp := range sch.Spans {
			switch soon := sp.Start >= s.At && sp.Start <= s.At.Add(10*time.Second); {
			case sp.Stage == dag.Reduce && sp.Outcome == Fails && sp.End <= s.At.Add(10*time.Second):
				killed += int(sp.Count)
			case sp.Stage == dag.Map && soon:
				started += int(sp.Count)
			case sp.Stage == dag.Reduce && soon:
				again += int(sp.Count)
			}
		}
		if killed != c.want || started != c.want || again > 0 {
			t.Errorf("%d lost maps: %d reduces are killed, %d maps and %d reduces start; want %d, %d and 0", c.lost,
				killed, started, again, c.want, c.want)
		}
	}
}

// A job whose maps hang takes room from its own reduces although another job goes on.
func TestYARNPreemptsBesideAnotherJob(t *testing.T) {
	s := afterLostMaps(2)
	other := yarnJobOf("b", nil, 1, 0)
	s.Plan.Jobs = append(s.Plan.Jobs, other)
	s.Plan.Cluster.MemoryMB += 768
	s.Jobs = append(s.Jobs, dag.JobState{
		ID: "job_1_0002", State: dag.Running, Submitted: 2000, Started: 3000,
		Finished: dag.NoInstant, HeldMB: 512, Stages: make([]dag.StageState, dag.MapReduceStages),
	})
	s.Jobs[1].Stages[dag.Map].Attempts = []dag.Attempt{{
		Task: 0, State: dag.AttemptRunning, Node: -1, Slot: -1,
		Start: 50 * 1000, End: dag.NoInstant, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
	}}
	left := func(task Task) Cost {
		if task.Job == 1 {
			return Cost{Work: 300 * second, Same: 1}
		}
		return Cost{Work: 20 * second, Same: 1}
	}
	sch := mustReplay(t, s, left, Options{})
	for _, sp := range spansOf(sch, 0, dag.Map) {
		if sp.Start > s.At.Add(10*second) {
			t.Errorf("map %d waits until %d for the other job's end", sp.First, sp.Start)
		}
	}
}

// More maps than an int can hold the memory of still make room: a replay whose master says that it made room and kills
// nothing never ends.
func TestYARNPreemptsForMapsWithoutMeasure(t *testing.T) {
	c := newScheduler(afterLostMaps(8), func(Task) Cost { return Cost{Work: 20 * second, Same: 1} }, Options{})
	if c.load() != nil {
		t.Fatal("it does not load")
	}
	job := &c.jobs[0]
	maps, reduces := &job.stages[dag.Map], &job.stages[dag.Reduce]
	if maps.size, maps.waiting = 1<<40, 1<<23; len(reduces.copying) == 0 || job.state != active {
		t.Fatalf("%d reduces wait, state %v", len(reduces.copying), job.state)
	}
	before := len(c.spans)
	if waiting := len(reduces.copying); !job.preempt(c) || len(reduces.copying) == waiting && len(c.spans) == before {
		t.Errorf("%d reduces wait after it, and %d before", len(reduces.copying), waiting)
	}
}
