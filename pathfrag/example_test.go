package pathfrag_test

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// A schedule is cut into rounds and path fragments; the critical path leads through it from now to its end. Job "small"
// runs beside "large" and has slack.
func ExampleFind() {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 3, ReduceSlots: 1},
		Jobs: []dag.Job{
			{Node: "large", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 4}, dag.Stage{Known: true, Tasks: 1})},
			{Node: "small", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 1}, dag.Stage{Known: true})},
			{
				Node: "join", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 3}, dag.Stage{Known: true}),
				After: []int{0, 1},
			},
		},
	}
	s, err := schedule.Replay(&dag.Snapshot{Plan: plan}, func(t schedule.Task) schedule.Cost {
		if t.Job == 1 {
			return schedule.Cost{Work: 5 * time.Second, Same: 1}
		}
		return schedule.Cost{Work: 10 * time.Second, Same: 1}
	}, schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	path, err := pathfrag.Find(plan, s, pathfrag.Params{Delta1: time.Second, Delta2: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, r := range path.Rounds {
		fmt.Printf("round %d: %v %v\n", i, plan.StageName(0, r.Stage), tasksOf(path, plan, i))
	}
	for _, f := range path.Fragments {
		fmt.Printf("fragment %d: rounds %v, width %d, to %d s\n", f.ID, f.Rounds, f.Width, f.End/1000)
	}
	for _, seg := range path.Critical {
		fmt.Printf("critical: %d s to %d s", seg.Start/1000, seg.End/1000)
		for sp := range path.Spans(seg) {
			fmt.Print(", ", schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First), int(sp.Attempt)))
		}
		fmt.Println()
	}
	fmt.Println("length:", path.Length(), "slack:", path.Slack)
	// Output:
	// round 0: map [large.m1 large.m2 large.m3]
	// round 1: map [large.m4]
	// round 2: map [small.m1]
	// round 3: reduce [large.r1]
	// round 4: map [join.m1 join.m2 join.m3]
	// fragment 0: rounds [0 1], width 3, to 20 s
	// fragment 1: rounds [2], width 1, to 15 s
	// fragment 2: rounds [3], width 1, to 30 s
	// fragment 3: rounds [4], width 3, to 40 s
	// critical: 0 s to 20 s, large.m1, large.m2, large.m3, large.m4
	// critical: 20 s to 30 s, large.r1
	// critical: 30 s to 40 s, join.m1, join.m2, join.m3
	// length: 40s slack: [0s 15s 0s]
}

// tasksOf returns the names of the tasks of some rounds in order of (job, index), as schedule.TaskName does.
func tasksOf(path *pathfrag.Path, plan *dag.Plan, rounds ...int) (names []string) {
	for _, r := range rounds {
		for _, i := range path.Rounds[r].Spans {
			sp := &path.Schedule.Spans[i]
			for t := range sp.Count {
				names = append(names, schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First+t), int(sp.Attempt)))
			}
		}
	}
	return names
}
