package cost

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// benchRun is an application of Spark with some stages on executors of four cores, or a DAG of Tez on as many
// containers, with half of its tasks ended.
func benchRun(tasks, stages, executors int, tez bool) dag.Run {
	const cores, memory = 4, 1024
	plan := &dag.Plan{
		Engine: "Spark", Cluster: dag.Cluster{Policy: dag.Executors, Cores: executors * cores},
		Jobs: []dag.Job{{Node: "application", Stages: make([]dag.Stage, stages)}},
	}
	if tez {
		plan.Engine, plan.Jobs[0].Rules, plan.Jobs[0].MasterMB = "Tez", dag.AncestorsFirst, memory
		plan.Cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: (executors*cores + 1) * memory}
	}
	s := &dag.Snapshot{
		Plan: plan, State: dag.Running, Stale: dag.NoInstant, Nodes: make([]dag.NodeState, executors),
		Jobs: []dag.JobState{{
			ID: "app-1", State: dag.Running, Finished: dag.NoInstant, Stages: make([]dag.StageState, stages),
		}},
	}
	for i := range s.Nodes {
		s.Nodes[i] = dag.NodeState{
			Name: fmt.Sprint(i), Cores: cores, MemoryMB: (cores + 1) * memory, LostAt: dag.NoInstant,
		}
	}
	for k := range stages {
		plan.Jobs[0].Stages[k] = dag.Stage{
			Name: fmt.Sprint(k), Tasks: tasks / stages, Known: true, MemoryMB: memory,
			Pipelines: make([]dag.Pipeline, 1),
		}
		if k > 0 {
			plan.Jobs[0].Stages[k].After = []dag.Edge{{From: dag.StageIndex(k - 1), Kind: dag.Barrier}}
		}
		for i := range tasks / stages {
			if k >= stages/2 {
				break
			}
			start := s.At + dag.Instant(i/(executors*cores))*3000
			s.Jobs[0].Stages[k].Attempts = append(s.Jobs[0].Stages[k].Attempts, dag.Attempt{
				Task: int32(i), State: dag.AttemptSucceeded, Slot: int32(i % (executors * cores)),
				Node: int32(i / cores % executors), Start: start, End: start + 2900,
			})
		}
		if k < stages/2 {
			s.At += dag.Instant(tasks/stages/(executors*cores)+1) * 3000
		}
	}
	return dag.Run{}.Append(s)
}

// BenchmarkTick is all scenarios and the range, halfway through a run.
func BenchmarkTick(b *testing.B) {
	for _, engine := range []string{"spark", "tez"} {
		for _, tasks := range []int{1000, 5000, 10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprint(engine, "/", tasks), func(b *testing.B) {
				run := benchRun(tasks, 20, 50, engine == "tez")
				all := append(estimators.Scenarios(), estimators.Sampled())
				b.ReportAllocs()
				for b.Loop() {
					w := estimators.NewReplayContext(run, Costs, estimators.Options{})
					for _, s := range all {
						if _, err := s.Of(w); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// BenchmarkRange is the range alone, halfway through an application of Spark with four stages.
func BenchmarkRange(b *testing.B) {
	for _, x := range []struct{ tasks, cores int }{{10_000, 200}, {100_000, 200}, {1_000_000, 1000}} {
		b.Run(fmt.Sprint(x.tasks), func(b *testing.B) {
			w := estimators.NewReplayContext(benchRun(x.tasks, 4, x.cores/4, false), Costs, estimators.Options{})
			if _, err := estimators.Scenarios()[0].Of(w); err != nil { // the costs and the schedule
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := estimators.Sampled().Of(w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
