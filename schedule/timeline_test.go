package schedule

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// seen is an attempt as a snapshot shows it.
func seen(task, number, slot, node int32, state dag.AttemptState, start, end dag.Instant) dag.Attempt {
	return dag.Attempt{
		Task: task, Number: number, Slot: slot, Node: node, State: state, Start: start, End: end,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
	}
}

const never = dag.NoInstant

// lines writes the spans one a line, for people and for tests.
func lines(s *Schedule) string {
	var b strings.Builder
	for i := range s.Spans {
		sp := &s.Spans[i]
		past := ""
		if sp.Past {
			past = " past"
		}
		fmt.Fprintf(&b, "%d %v %d+%d.%d %v %d-%d %v%s\n", sp.Job,
			cmp.Or(sp.Pause.String(), [...]string{"map", "reduce"}[max(sp.Stage, 0)]), sp.First, sp.Count, sp.Attempt,
			[...]string{"OK", "Fails", "Waits"}[sp.Outcome], sp.Start, sp.End, sp.Slots, past)
	}
	return b.String()
}

func historyIs(t *testing.T, s *dag.Snapshot, end dag.Instant, want string) *Schedule {
	t.Helper()
	sch, err := History(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(sch); got != want || sch.End != end {
		t.Errorf("ends at %d, want %d; got\n%swant\n%s", sch.End, end, got, want)
	}
	return sch
}

// Unobserved data is missing: no start, no end, no slot.
func TestHistoryInventsNothing(t *testing.T) {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 4, ReduceSlots: 1},
		Jobs:    []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 9}, dag.Stage{})}},
	}
	s := &dag.Snapshot{Plan: plan, At: 100, State: dag.Running, Jobs: []dag.JobState{{
		State: dag.Running, Submitted: 10, Started: never, Finished: never,
		Stages: []dag.StageState{{Attempts: []dag.Attempt{
			seen(0, 0, 0, 0, dag.AttemptSucceeded, 10, 30),
			seen(1, 0, 1, 0, dag.AttemptSucceeded, 10, 30),
			seen(2, 0, 2, 0, dag.AttemptFailed, 10, 30),
			seen(2, 1, 0, 0, dag.AttemptRunning, 30, never),
			seen(3, 0, 3, 0, dag.AttemptSucceeded, never, 30),
			seen(4, 0, -1, 0, dag.AttemptSucceeded, 10, 40),
			seen(5, 0, -1, 0, dag.AttemptSucceeded, 10, 40),
			seen(6, 0, 1, 0, dag.AttemptKilled, 30, never),
			seen(7, 0, 2, 0, dag.AttemptSucceeded, 30, never),
			seen(8, 0, 2, 0, dag.AttemptWaiting, never, never),
			seen(9, 0, 3, 0, dag.AttemptSucceeded, 50, 40),
			seen(11, 0, 3, 0, dag.AttemptSucceeded, 50, 60),
			seen(13, 0, 4, 0, dag.AttemptSucceeded, 50, 60),
		}}, {}},
	}}}
	historyIs(t, s, 100, `0 map 4+2.0 OK 10-40 [] past
0 map 0+2.0 OK 10-30 [0 1] past
0 map 2+1.0 Fails 10-30 [2] past
0 map 2+1.1 OK 30-100 [0]
0 map 6+1.0 Fails 30-100 [1]
0 map 11+1.0 OK 50-60 [3] past
0 map 13+1.0 OK 50-60 [4] past
`)
	// Of a run that is over, attempts without an end have none.
	s.State, s.Jobs[0].State, s.Jobs[0].Finished = dag.Failed, dag.Failed, 70
	sch := historyIs(t, s, 70, `0 map 4+2.0 OK 10-40 [] past
0 map 0+2.0 OK 10-30 [0 1] past
0 map 2+1.0 Fails 10-30 [2] past
0 launch 0+0.0 Waits 40-50 [] past
0 map 11+1.0 OK 50-60 [3] past
0 map 13+1.0 OK 50-60 [4] past
0 finish 0+0.0 Waits 60-70 [] past
`)
	if sch.Now != 10 || sch.Submitted[0] != 10 || sch.Finished[0] != 70 {
		t.Errorf("%+v", sch)
	}
}

// Containers are lanes, node by node, those of unknown nodes last; pauses are named as a replay names them.
func TestHistoryRowsAndPauses(t *testing.T) {
	plan := &dag.Plan{Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 4096}, Jobs: []dag.Job{
		{Node: "a", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 4}, dag.Stage{Known: true})},
		{Node: "b", After: []int{0}, Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 2}, dag.Stage{Known: true})},
	}}
	s := &dag.Snapshot{
		Plan: plan, At: 1000, State: dag.Running, Nodes: []dag.NodeState{
			{Name: "x", LostAt: never},
			{Name: "y", LostAt: never},
		},
		Jobs: []dag.JobState{
			{
				State: dag.Succeeded, Submitted: 100, Started: 150, Finished: 500,
				Stages: []dag.StageState{{Attempts: []dag.Attempt{
					seen(0, 0, -1, 1, dag.AttemptSucceeded, 200, 300),
					seen(1, 0, -1, 0, dag.AttemptSucceeded, 200, 250),
					seen(2, 0, -1, 1, dag.AttemptSucceeded, 300, 480),
					seen(3, 0, -1, -1, dag.AttemptSucceeded, 260, 280),
				}}, {}},
			},
			{
				State: dag.Submitted, Submitted: 700, Started: never, Finished: never,
				Stages: make([]dag.StageState, dag.MapReduceStages),
			},
		},
	}
	sch := historyIs(t, s, 1000, `0 launch 0+0.0 Waits 100-200 [] past
0 map 1+1.0 OK 200-250 [0] past
0 map 0+1.0 OK 200-300 [1] past
0 map 3+1.0 OK 260-280 [2] past
0 map 2+1.0 OK 300-480 [1] past
0 finish 0+0.0 Waits 480-500 [] past
1 wave 0+0.0 Waits 500-700 [] past
1 launch 0+0.0 Waits 700-1000 []
`)
	if got := fmt.Sprint(sch.Nodes); got != "[0 1 -1]" {
		t.Errorf("lanes on nodes %s", got)
	}
	// Before the second submission, and with a task that is to come: what is expected is on a free lane, the node's
	// that has one.
	s.Jobs[1] = dag.JobState{
		Submitted: never, Started: never, Finished: never,
		Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	s.At = 600
	historyIs(t, s, 600, `0 launch 0+0.0 Waits 100-200 [] past
0 map 1+1.0 OK 200-250 [0] past
0 map 0+1.0 OK 200-300 [1] past
0 map 3+1.0 OK 260-280 [2] past
0 map 2+1.0 OK 300-480 [1] past
0 finish 0+0.0 Waits 480-500 [] past
1 wave 0+0.0 Waits 500-600 []
`)
	s.Nodes[0].Lost = true
	tenths := func(Task) Cost { return Cost{Work: 100 * time.Millisecond, Same: 1} }
	future, err := Replay(s, tenths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	joined, err := HistoryAndPlan(s, future)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lines(joined), `0 launch 0+0.0 Waits 100-200 [] past
0 map 1+1.0 OK 200-250 [0] past
0 map 0+1.0 OK 200-300 [1] past
0 map 3+1.0 OK 260-280 [2] past
0 map 2+1.0 OK 300-480 [1] past
0 finish 0+0.0 Waits 480-500 [] past
1 wave 0+0.0 Waits 500-650 []
1 map 0+2.0 OK 650-750 [1 2]
`; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A snapshot that is none of its plan's is no schedule.
func TestHistoryRefuses(t *testing.T) {
	for name, s := range map[string]*dag.Snapshot{
		"no plan":    {},
		"other plan": {Plan: &dag.Plan{}, Jobs: make([]dag.JobState, 1)},
		"cycle": {Plan: &dag.Plan{Jobs: []dag.Job{{Node: "a", After: []int{0}, Stages: dag.MapReduce(dag.Stage{},
			dag.Stage{})}}}, Jobs: make([]dag.JobState, 1)},
		"policy": {Plan: &dag.Plan{Cluster: dag.Cluster{Policy: 7}}},
	} {
		if sch, err := History(s); err == nil {
			t.Errorf("%s: %+v", name, sch)
		}
	}
}
