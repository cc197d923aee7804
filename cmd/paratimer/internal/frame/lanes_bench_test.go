package frame

import (
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// wide is a query of jobs in a row on 1,000 slots. The first half of the jobs is done; each map takes another time.
func wide(jobs, tasks int) (*dag.Snapshot, schedule.Left) {
	each := tasks / jobs
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: 1000, ReduceSlots: 1000, SlotsPerNode: 10}}
	s := &dag.Snapshot{Plan: plan, At: 10_000_000, State: dag.Running, Stale: dag.NoInstant}
	for j := range jobs {
		job := dag.Job{Node: fmt.Sprint("j", j), Stages: dag.MapReduce(dag.Stage{Tasks: each, Known: true},
			dag.Stage{Known: true})}
		if j > 0 {
			job.After = []int{j - 1}
		}
		state := dag.JobState{
			ID: fmt.Sprintf("job_1_%04d", j), Submitted: dag.NoInstant, Started: dag.NoInstant,
			Finished: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages),
		}
		if j < jobs/2 {
			state.State, state.Submitted, state.Finished = dag.Succeeded, dag.Instant(j)*1000, dag.Instant(j)*1000+900
			for i := range each {
				state.Stages[dag.Map].Attempts = append(state.Stages[dag.Map].Attempts, dag.Attempt{
					Task: int32(i), State: dag.AttemptSucceeded, Start: dag.Instant(j) * 1000,
					End: dag.Instant(j)*1000 + dag.Instant(i), Node: int32(i % 100),
				})
			}
		}
		plan.Jobs, s.Jobs = append(plan.Jobs, job), append(s.Jobs, state)
	}
	return s, func(t schedule.Task) schedule.Cost {
		return schedule.Cost{Work: time.Duration(10_000+t.Index%5000) * time.Millisecond, Same: 1}
	}
}

// BenchmarkFrame measures the cost of a frame beside its replay, and that of a view of a job's tasks.
func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct{ jobs, tasks int }{{1000, 1000}, {1000, 100_000}, {10, 100_000}} {
		s, left := wide(c.jobs, c.tasks)
		replay := func() estimators.Estimate {
			sch, err := schedule.Replay(s, left, schedule.Options{})
			if err != nil {
				b.Fatal(err)
			}
			p, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{Delta1: 3 * time.Second, Delta2: 5 * time.Second})
			if err != nil {
				b.Fatal(err)
			}
			e := estimateOf("standard", sch.Remaining())
			e.Path = p
			return e
		}
		a := Answers{Scenarios: []estimators.Estimate{replay()}}
		name := fmt.Sprintf("jobs=%d/tasks=%d", c.jobs, c.tasks)
		b.Run(name+"/replay", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				replay()
			}
		})
		b.Run(name+"/frame", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Of(s, a, nil)
			}
		})
		b.Run(name+"/lanes", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				jobs(s, a.Scenarios[0].Path, futureOf(a.Scenarios[0].Path))
				failures(s)
			}
		})
		b.Run(name+"/tasks", func(b *testing.B) {
			b.ReportAllocs()
			show := tasks(s, futureOf(a.Scenarios[0].Path))
			for b.Loop() {
				show(c.jobs-1, 50)
			}
		})
	}
}
