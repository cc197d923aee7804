package dag_test

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// A plan of three jobs on a cluster of map slots and reduce slots, and how far it is: what every other package asks
// for.
func Example() {
	plan := &dag.Plan{
		Name:    "visits.pig",
		Cluster: dag.Cluster{MapSlots: 4, ReduceSlots: 2},
		Jobs: []dag.Job{
			{Node: "load", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 8}, dag.Stage{Known: true})},
			{
				Node: "rank", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 2}, dag.Stage{Known: true, Tasks: 2}),
				After: []int{0},
			},
			// its maps are unknown
			{Node: "join", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{Known: true, Tasks: 2}), After: []int{0, 1}},
		},
	}
	if err := dag.Validate(plan); err != nil {
		fmt.Println(err)
		return
	}
	snapshot := &dag.Snapshot{
		Plan: plan, At: 1_000_000, State: dag.Running, Stale: dag.NoInstant,
		Jobs: []dag.JobState{
			{
				ID: "j-1", State: dag.Running, Submitted: 988_000, Started: 988_000, Finished: dag.NoInstant,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			},
			{
				State: dag.Blocked, Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			},
			{
				State: dag.Blocked, Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			},
		},
	}
	snapshot.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{
		{Task: 0, State: dag.AttemptSucceeded, Start: 988_000, End: 997_000},
		{Task: 1, Number: 0, State: dag.AttemptFailed, Start: 988_000, End: 992_000, Diagnosis: "disk full"},
		{Task: 1, Number: 1, State: dag.AttemptRunning, Start: 992_000, End: dag.NoInstant},
	}
	fmt.Println("runs for", snapshot.At.Sub(snapshot.Origin()))
	fmt.Println("maps that hold a slot:", snapshot.Jobs[0].Stages[dag.Map].Running())

	graph, err := dag.NewGraph(plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("order:", graph.Order(), "waves:", graph.Levels())
	// Output:
	// runs for 12s
	// maps that hold a slot: 1
	// order: [0 1 2] waves: [[0] [1] [2]]
}

// A run has the observations of a watcher: a minute of snapshots, and the ones that plans are made from.
func ExampleRun_Append() {
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "load", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}
	var run dag.Run
	for at := dag.Instant(0); at <= 300_000; at += 20_000 {
		run = run.Append(&dag.Snapshot{Plan: plan, At: at, State: dag.Running, Stale: dag.NoInstant})
	}
	fmt.Println("snapshots:", len(run.Window), "oldest:", run.Window[0].At, "now:", run.Now().At)
	fmt.Println("ten seconds before:", run.Before(10_000).At)
	// Output:
	// snapshots: 4 oldest: 240000 now: 300000
	// ten seconds before: 280000
}
