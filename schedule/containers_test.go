package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

const second = time.Second

// recordedOverheads are those of the recordings (docs/facts/measured.md 4).
var recordedOverheads = dag.Overheads{
	Launch: 5100 * time.Millisecond, AMStart: 800 * time.Millisecond, Beat: second, Finish: 250 * time.Millisecond,
	Wave: 2200 * time.Millisecond, Stagger: 200 * time.Millisecond, Handoff: 100 * time.Millisecond,
	AMHold: 5500 * time.Millisecond, Copy: 500 * time.Millisecond,
}

func yarnJobOf(node string, after []int, maps, reduces int) dag.Job {
	return dag.Job{
		Node: node, After: after, Stages: dag.MapReduce(dag.Stage{Tasks: maps, Known: true},
			dag.Stage{Tasks: reduces, Known: true}),
		MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5},
	}
}

// joinPlan is the recordings' join: two DISTINCTs and a JOIN on one node of 3072 MB.
func joinPlan() *dag.Plan {
	return &dag.Plan{
		Cluster:   dag.Cluster{Policy: dag.YARN, MemoryMB: 3072},
		Overheads: recordedOverheads,
		Jobs:      []dag.Job{yarnJobOf("a", nil, 20, 6), yarnJobOf("b", nil, 7, 4), yarnJobOf("c", []int{0, 1}, 10, 6)},
	}
}

func blankSnapshot(p *dag.Plan) *dag.Snapshot {
	return &dag.Snapshot{Plan: p, Jobs: p.BlockedJobs(), Stale: dag.NoInstant}
}

// joinLeft has the costs of recording join-1: 25 ms for each of 600 records, 150 ms for each of 33 joined ones.
func joinLeft(t Task) Cost {
	c := Cost{Setup: time.Duration(300+550*max(t.Together, 1)) * time.Millisecond, Work: 15 * second, Same: 1}
	switch {
	case t.Stage == dag.Reduce && t.Job == 2:
		c.Work = 5 * second
	case t.Stage == dag.Reduce:
		c.Work = 300 * time.Millisecond
	case t.Job == 2:
		c.Work = 200 * time.Millisecond
	}
	return c
}

func TestYARNJoinTakesAsLongAsRecorded(t *testing.T) {
	s := blankSnapshot(joinPlan())
	sch, err := Replay(s, joinLeft, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sp := range sch.Spans {
		t.Logf("job %d %-6s %3d+%d %6.1f %6.1f %v", sp.Job, sp.What(s.Plan), sp.First, sp.Count, float64(sp.Start)/1000,
			float64(sp.End)/1000, sp.Slots)
	}
	// join-1 took 111.7 s, failure-1 with one attempt killed 126.4 s.
	if total := sch.Remaining(); total < 105*second || total > 128*second {
		t.Errorf("the join takes %v; recorded were 112 s and, with a failure, 126 s", total)
	}
}
