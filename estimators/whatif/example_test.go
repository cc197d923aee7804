package whatif_test

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// nightly is a plan of 40 maps of 10 s and 8 reduces of 30 s on 8 map slots and 4 reduce slots, before it runs.
func nightly() dag.Run {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 8, ReduceSlots: 4},
		Jobs: []dag.Job{{
			Node: "nightly",
			Stages: dag.MapReduce(dag.Stage{
				Known: true, Tasks: 40,
				Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}},
			},
				dag.Stage{Known: true, Tasks: 8, Pipelines: []dag.Pipeline{
					{Tuples: dag.Uniform(0), Alpha: dag.Uniform(0)},
					{Tuples: dag.Uniform(0), Alpha: dag.Uniform(0)},
					{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(30)},
				}}),
		}},
	}
	s := &dag.Snapshot{Plan: plan, State: dag.Blocked, Stale: dag.NoInstant, Jobs: []dag.JobState{
		{
			Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		},
	}}
	return dag.Run{}.Append(s)
}

// What would be with other slots, twice the data, both, and a slot for every task.
func ExampleReplay_Predict() {
	model := paper.Model(func(dag.Run) paper.Slowdown { return paper.Slowdown{} })
	replay := whatif.NewReplay(nightly(), model)
	more, err := whatif.Parse("slots", "map=+8")
	if err != nil {
		fmt.Println(err)
		return
	}
	twice := whatif.Change{Scale: 2}
	both, err := whatif.Together([]whatif.Change{more, twice})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []whatif.Change{{}, more, twice, both, {Slots: []whatif.Slots{{N: math.Inf(1)}}}} {
		a, err := replay.Predict(c)
		if err != nil || a.Remaining == nil {
			fmt.Println(c, "has no answer:", err)
			return
		}
		fmt.Printf("%q: %v\n", c, a.Remaining.Round(time.Second))
	}
	// Output:
	// "": 1m50s
	// "slots map=+8": 1m30s
	// "scale 2": 3m40s
	// "slots map=+8, scale 2": 2m50s
	// "slots inf": 40s
}
