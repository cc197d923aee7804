package schedule_test

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// twoJobs are a job of five maps and a reduce, and one of two maps after it, on two map slots and a reduce slot.
func twoJobs() *dag.Plan {
	return &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 1},
		Jobs: []dag.Job{
			{Node: "load", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 5}, dag.Stage{Known: true, Tasks: 1})},
			{
				Node: "join", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 2}, dag.Stage{Known: true}),
				After: []int{0},
			},
		},
	}
}

// Another scheduler brings two things: a snapshot of what runs, and a Left that returns how long each task would still
// hold its slot. Here each map takes 10 s and each reduce 20 s.
func ExampleReplay() {
	left := func(t schedule.Task) schedule.Cost {
		if t.Stage == dag.Reduce {
			return schedule.Cost{Work: 20 * time.Second, Same: 1, Origin: schedule.Profiled}
		}
		// the maps after it take as long
		return schedule.Cost{Work: 10 * time.Second, Same: 1000, Origin: schedule.Profiled}
	}
	plan := twoJobs()
	s, err := schedule.Replay(&dag.Snapshot{Plan: plan}, left, schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ends in", s.Remaining())
	for _, sp := range s.Spans {
		fmt.Printf("%2d s to %2d s, slots %v: %s", sp.Start/1000, sp.End/1000, sp.Slots,
			schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First), int(sp.Attempt)))
		if sp.Count > 1 {
			fmt.Printf(" and %d more", sp.Count-1)
		}
		fmt.Println()
	}
	// Output:
	// ends in 1m0s
	//  0 s to 10 s, slots [0 1]: load.m1 and 1 more
	// 10 s to 20 s, slots [0 1]: load.m3 and 1 more
	// 20 s to 30 s, slots [0]: load.m5
	// 30 s to 50 s, slots [0]: load.r1
	// 50 s to 60 s, slots [0 1]: join.m1 and 1 more
}

// In mid-run a task that is running comes with its attempt: what is left of it follows from when it started, or from
// how far its counters are.
func ExampleReplay_running() {
	plan := twoJobs()
	s := &dag.Snapshot{
		Plan: plan, At: 12_000, State: dag.Running,
		Jobs: []dag.JobState{
			{
				State: dag.Running, Submitted: 0, Started: 0, Finished: dag.NoInstant,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			},
			{
				State: dag.Blocked, Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			},
		},
	}
	s.Jobs[0].Stages[dag.Map].Attempts = []dag.Attempt{
		{Task: 0, State: dag.AttemptSucceeded, Slot: 0, Start: 0, End: 10_000},
		{Task: 1, State: dag.AttemptRunning, Slot: 1, Start: 0, End: dag.NoInstant}, // it takes longer
		{Task: 2, State: dag.AttemptRunning, Slot: 0, Start: 10_000, End: dag.NoInstant},
	}
	left := func(t schedule.Task) schedule.Cost {
		whole := 10 * time.Second
		if t.Stage == dag.Reduce {
			whole = 20 * time.Second
		}
		if t.Running == nil {
			return schedule.Cost{Work: whole, Same: 1}
		}
		return schedule.Cost{Work: max(time.Second, whole-s.At.Sub(t.Running.Start)), Same: 1}
	}
	sch, err := schedule.Replay(s, left, schedule.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ends in", sch.Remaining())
	for _, sp := range sch.Spans {
		if sp.Start <= s.At && sp.End > s.At {
			fmt.Println(schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First), 0), "ends in", sp.End.Sub(s.At))
		}
	}
	// Output:
	// ends in 48s
	// load.m2 ends in 1s
	// load.m3 ends in 8s
}

// What might go wrong is asked for each attempt as it starts: here the last map fails 3 s after its start, once.
func ExampleOptions() {
	left := func(schedule.Task) schedule.Cost { return schedule.Cost{Work: 10 * time.Second, Same: 1} }
	fault := func(t schedule.Task, start, _ dag.Instant) (dag.Instant, bool) {
		return start + 3000, t.Job == 0 && t.Stage == dag.Map && t.Index == 4 && t.Attempt == 0
	}
	for _, opt := range []schedule.Options{{}, {Fault: fault}} {
		s, err := schedule.Replay(&dag.Snapshot{Plan: twoJobs()}, left, opt)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Remaining())
	}
	// Output:
	// 50s
	// 53s
}
