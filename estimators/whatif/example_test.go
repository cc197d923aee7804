package whatif_test

import (
	"fmt"
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

// What would be with other slots, twice the data, and both.
func ExampleAsk() {
	run := nightly()
	model := paper.Model(func(dag.Run) paper.Slowdown { return paper.Slowdown{} })
	scene := whatif.Scene{
		Models: []whatif.Predictor{whatif.NewReplay(run, model)},
		Room:   whatif.RoomOf(run.Now()), Wanted: []int{40, 8},
	}
	more, err := whatif.ParseSlots("map=+8")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := whatif.Ask(scene, []whatif.Change{{Slots: []whatif.Slots{more}}, {Scale: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(name string, r *whatif.Row) {
		if left := r.Remaining(); left != nil {
			fmt.Println(name+":", left.Round(time.Second))
		}
	}
	show("as it is", &report.Base)
	for i := range report.Alone {
		show(report.Alone[i].Change.String(), &report.Alone[i])
	}
	show("both", report.Together)
	for i := range report.Limits {
		show("at best, "+report.Limits[i].Name, &report.Limits[i])
	}
	// Output:
	// as it is: 1m50s
	// slots map=+8: 1m30s
	// scale 2: 3m40s
	// both: 2m50s
	// at best, infinite_slots: 40s
	// at best, no_skew: 1m50s
	// at best, no_failures: 1m50s
	// at best, ideal: 40s
}
