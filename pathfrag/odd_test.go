package pathfrag_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// drawOdd draws an inconsistent snapshot: unknown instants, ends before starts, twins, jobs
// that end before they begin.
func drawOdd(t *rapid.T) *dag.Snapshot {
	at := func(what string) dag.Instant {
		if rapid.IntRange(0, 5).Draw(t, what+" known") == 0 {
			return dag.NoInstant
		}
		return dag.Instant(rapid.IntRange(-5, 40).Draw(t, what))
	}
	plan := &dag.Plan{Cluster: dag.Cluster{Policy: rapid.SampledFrom([]dag.Policy{dag.FIFO, dag.YARN}).Draw(t,
		"policy"), MapSlots: 2, ReduceSlots: 1, MemoryMB: 1024}}
	s := &dag.Snapshot{Plan: plan, At: dag.Instant(rapid.IntRange(0, 40).Draw(t, "at")), Stale: dag.NoInstant}
	s.State = rapid.SampledFrom([]dag.State{dag.Running, dag.Succeeded, dag.Failed, dag.EndedUnconfirmed}).Draw(t,
		"state")
	s.Nodes = make([]dag.NodeState, rapid.IntRange(0, 2).Draw(t, "nodes"))
	for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		job := dag.Job{
			Node: string(rune('a' + j)), MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 256},
			Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
		}
		if j > 0 && rapid.Bool().Draw(t, "after") {
			job.After = []int{rapid.IntRange(0, j-1).Draw(t, "parent")}
		}
		state := dag.JobState{
			State: dag.State(rapid.IntRange(0, 5).Draw(t, "job state")), Attempt: rapid.IntRange(0, 2).Draw(t,
				"master"),
			Submitted: at("submitted"), Started: at("started"), Finished: at("finished"),
			HeldMB: rapid.SampledFrom([]int{0, 512}).Draw(t, "held"),
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			job.Stages[k].Known, job.Stages[k].Tasks = rapid.Bool().Draw(t, "known"), rapid.IntRange(0, 3).Draw(t,
				"tasks")
			for task := range int32(rapid.IntRange(0, 3).Draw(t, "seen")) {
				for number := range int32(rapid.IntRange(1, 3).Draw(t, "attempts")) {
					a := dag.Attempt{
						Task: task, Number: number,
						State: dag.AttemptState(rapid.IntRange(0, 4).Draw(t, "attempt state")),
						Slot:  int32(rapid.IntRange(-1, 2).Draw(t, "slot")),
						Node:  int32(rapid.IntRange(-1, 2).Draw(t, "node")),
						Start: at("start"), End: at("end"), CopyEnd: at("copied"), SortEnd: at("sorted"),
						Bytes: math.NaN(), Ratio: 1,
						First: dag.Mark{At: at("first"), Done: 1}, Last: dag.Mark{At: at("last"), Done: 3},
					}
					state.Stages[k].Attempts = append(state.Stages[k].Attempts, a)
				}
			}
		}
		plan.Jobs, s.Jobs = append(plan.Jobs, job), append(s.Jobs, state)
	}
	return s
}

// TestOddSnapshots checks that what makes no sense neither panics nor breaks the sums: of accounts, and of the path
// through what happened.
func TestOddSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawOdd(t)
		var m pathfrag.Marks
		m.See(s)
		of := func(marks *pathfrag.Marks) (*pathfrag.Attribution, error) { return pathfrag.Attribute(s, marks) }
		towards := func(marks *pathfrag.Marks) (*pathfrag.Attribution, error) {
			return pathfrag.AttributeTowards(s, marks, pathfrag.Attempt{
				Job:   rapid.IntRange(-1, 4).Draw(t, "towards"),
				Stage: dag.Reduce,
			})
		}
		for i, read := range []func(*pathfrag.Marks) (*pathfrag.Attribution, error){of, of, towards} {
			a, err := read([]*pathfrag.Marks{nil, &m, &m}[i])
			if err != nil {
				t.Fatal(err)
			}
			at := a.From
			for _, p := range a.Parts {
				if p.Start != at || p.End <= p.Start {
					t.Fatalf("part %+v where the last ended at %d", p, at)
				}
				at = p.End
			}
			if at != a.To {
				t.Fatalf("the last part ends at %d, the account at %d", at, a.To)
			}
		}
		sch, err := schedule.History(s)
		if err != nil {
			t.Fatal(err)
		}
		spans := []*schedule.Schedule{sch}
		if future, err := schedule.Replay(s, func(schedule.Task) schedule.Cost {
			return schedule.Cost{Work: 5 * time.Millisecond, Same: 1}
		}, schedule.Options{}); err == nil {
			joined, err := schedule.HistoryAndPlan(s, future)
			if err != nil {
				t.Fatal(err)
			}
			spans = append(spans, joined)
		}
		for _, sch := range spans {
			p, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{Delta1: 2 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if p.Length() != sch.End.Sub(sch.Now) || sch.End < sch.Now {
				t.Fatalf("the path is %v long, the schedule from %d to %d", p.Length(), sch.Now, sch.End)
			}
		}
	})
}
