package pathfrag_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// big is a query of ten jobs in five levels with 100,000 tasks of unlike length, that has happened.
func big(b *testing.B, yarn bool) (*dag.Snapshot, *pathfrag.Marks) {
	b.Helper()
	pipe := dag.Pipeline{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}
	plan := &dag.Plan{Name: "big", Cluster: dag.Cluster{
		MapSlots: 1000, ReduceSlots: 200, SlotsPerNode: 10,
		Setup: 2 * time.Second,
	}}
	if yarn {
		plan.Cluster = dag.Cluster{Policy: dag.YARN}
		for n := range 100 {
			plan.Cluster.Nodes = append(plan.Cluster.Nodes, dag.Node{Name: fmt.Sprint("n", n), MemoryMB: 10 * 1024})
		}
		plan.Cluster.MemoryMB = 100 * 10 * 1024
		plan.Overheads = dag.Overheads{
			Launch: 5 * time.Second, AMStart: time.Second, Beat: time.Second,
			Finish: time.Second, SetupMin: time.Second,
		}
	}
	for j := range 10 {
		job := dag.Job{
			Node: fmt.Sprint("j", j), MasterMB: 1024, MapReduce: dag.MapReduceLimits{
				MapMB: 1024, ReduceMB: 1024, SlowStart: 1,
				RampUp: 0.5,
			},
			Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 9000, Pipelines: []dag.Pipeline{pipe}},
				dag.Stage{Known: true, Tasks: 1000, Pipelines: []dag.Pipeline{pipe, pipe, pipe}}),
		}
		if j > 1 {
			job.After = []int{j/2*2 - 2, j/2*2 - 1}
		}
		plan.Jobs = append(plan.Jobs, job)
	}
	var last *dag.Snapshot
	var marks *pathfrag.Marks
	play(b, plan, simulate.Options{Seed: 1, Noise: 0.2, FailRate: 0.1, Every: time.Hour, Start: 1},
		func(s *dag.Snapshot, m *pathfrag.Marks) { last, marks = s, m })
	return last, marks
}

// The cost of reading what has happened, of 100,000 tasks: as a schedule, as a path through it, as an account.
func BenchmarkOf100k(b *testing.B) {
	for _, yarn := range []bool{false, true} {
		s, marks := big(b, yarn)
		policy := s.Plan.Cluster.Policy.String()
		sch, err := schedule.History(s)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("happened/"+policy, func(b *testing.B) {
			for b.Loop() {
				if _, err := schedule.History(s); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("find/"+policy, func(b *testing.B) {
			for b.Loop() {
				if _, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{
					Delta1: 2 * time.Second,
					Delta2: 5 * time.Second,
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("account/"+policy, func(b *testing.B) {
			for b.Loop() {
				if _, err := pathfrag.Attribute(s, marks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
