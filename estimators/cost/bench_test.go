package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/schedule"
)

// benchRun is a Spark application with some stages on executors of four cores, or a DAG of Tez on as many
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

// BenchmarkRange is the range alone, halfway through a Spark application with four stages.
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

// wide is a job of n maps, of one size or of different sizes. A fifth of them have ended, and room of them run.
func wide(n, room int, policy dag.Policy, equal bool) *dag.Snapshot {
	s := mapping(0, 1, 1)
	s.At = 1_000_000
	if s.Plan.Cluster.MemoryMB = room*256 + 512; policy == dag.FIFO {
		s.Plan.Cluster = dag.Cluster{Policy: dag.FIFO, MapSlots: room, ReduceSlots: room, SlotsPerNode: 4}
	}
	s.Plan.Jobs[0].Stages = dag.MapReduce(dag.Stage{Tasks: n, Known: true}, dag.Stage{Known: true})
	s.Jobs[0].HeldMB, s.Jobs[0].Stages[dag.Map].Attempts = 0, nil
	for i := range n/5 + room {
		size := 1000.0
		if !equal {
			size = float64(2*n - i)
		}
		a := blank(int32(i), 10_000)
		a.Slot, a.Done[0], a.Total[0], a.Out = int32(i%room), size, size, size
		if a.State, a.End = dag.AttemptSucceeded, 500_000+dag.Instant(i); i >= n/5 {
			a.Start, a.State, a.End, a.Done[0] = 700_000, dag.AttemptRunning, dag.NoInstant, size/2
		}
		a.First, a.Last = dag.Mark{At: a.Start + 2000, Done: 10, Out: 10}, dag.Mark{At: 990_000, Done: a.Done[0]}
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
	}
	return s
}

// BenchmarkMapReduce is the model and a replay of 100,000 maps on 10,000 containers.
func BenchmarkMapReduce(b *testing.B) {
	for name, equal := range map[string]bool{"different": false, "equal": true} {
		b.Run(name, func(b *testing.B) {
			run := runOf(wide(100_000, 10_000, dag.YARN, equal))
			b.ReportAllocs()
			for b.Loop() {
				m := modelOf(run.Now())
				if _, err := schedule.Replay(m.s, m.left, schedule.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSampledMapReduce is a tick's distribution: 10,000 unfinished tasks on 2,000 containers, and a small query's.
func BenchmarkSampledMapReduce(b *testing.B) {
	for _, c := range []struct {
		tasks, room int
		policy      dag.Policy
	}{{12_500, 2000, dag.YARN}, {125, 40, dag.YARN}, {12_500, 2000, dag.FIFO}, {125, 40, dag.FIFO}} {
		b.Run(fmt.Sprintf("%d/%v", c.tasks, c.policy), func(b *testing.B) {
			run := runOf(wide(c.tasks, c.room, c.policy, false))
			e := estimators.New(estimators.Sampled(), Costs, estimators.Options{})
			b.ReportAllocs()
			for b.Loop() {
				fresh := *run.Now()
				run.Window = []*dag.Snapshot{&fresh} // estimates of one snapshot are kept
				if got, err := e.Estimate(run); err != nil || len(got.Distribution) == 0 {
					b.Fatal(err, len(got.Distribution))
				}
			}
		})
	}
}

// tapped is a snapshot of jobs of 100 reduces each, all running, with so many groups each that have ended.
func tapped(jobs, points int) *dag.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	out := mapping(0, 1, 1)
	out.At, out.Plan.Cluster.MemoryMB, out.Plan.Jobs, out.Jobs = 1_000_000, 10_000*256, nil, nil
	for j := range jobs {
		one := reducing(out.At)
		job, js := one.Plan.Jobs[0], one.Jobs[0]
		job.Node, js.ID, js.HeldMB = fmt.Sprint("j", j), fmt.Sprint("job_1_", j), 0
		job.Stages = dag.MapReduce(dag.Stage{Tasks: 10, Known: true}, dag.Stage{Tasks: 100, Known: true})
		js.Groups = &dag.Groups{Origin: dag.GroupsTapped, Maps: 10}
		for i := range int32(100) {
			a := reduceOf(i, 1e6, 0.9, dag.Mark{At: 31_000, Done: 1, Out: 1}, dag.Mark{At: out.At, Done: 900, Out: 900})
			g := dag.NoReduceGroups()
			g.Attempt, g.Bytes, g.Implicit = 0, 1e6, 5e5
			at := 30_000.0
			for range points {
				b := 10 * math.Floor(math.Exp(r.Float64()*7))
				took := b * b / 1e5 * math.Exp(0.05*r.NormFloat64())
				at += took
				g.Done = append(g.Done, dag.GroupPoint{
					At: dag.Instant(at), Bytes: b, Took: time.Duration(took * 1e6), Count: 1,
				})
			}
			for k := range 700 {
				g.Explicit = append(g.Explicit, dag.GroupSize{Bytes: 500 + float64(k)*20, Count: 1})
			}
			js.Stages[dag.Reduce].Attempts = append(js.Stages[dag.Reduce].Attempts, a)
			js.Groups.Reduces = append(js.Groups.Reduces, g)
		}
		if points == 0 {
			js.Groups = nil
		}
		out.Plan.Jobs, out.Jobs = append(out.Plan.Jobs, job), append(out.Jobs, js)
	}
	return out
}

// BenchmarkTickGroups is the model and a replay of jobs of 100 reduces, with and without groups.
func BenchmarkTickGroups(b *testing.B) {
	for _, c := range []struct{ jobs, points int }{{100, 0}, {10, 0}, {10, 100}, {10, 1000}} {
		b.Run(fmt.Sprintf("jobs=%d/points=%d", c.jobs, c.points), func(b *testing.B) {
			s := tapped(c.jobs, c.points)
			b.ReportAllocs()
			for b.Loop() {
				m := modelOf(s)
				if m.usesGroups(0) != (c.points > 0) {
					b.Fatal("not predicted by key groups")
				}
				if _, err := schedule.Replay(m.s, m.left, schedule.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSkew measures what a look for skew adds to a tick whose replay is made.
func BenchmarkSkew(b *testing.B) {
	for _, c := range []struct{ jobs, points int }{{100, 0}, {10, 1000}} {
		b.Run(fmt.Sprintf("jobs=%d/points=%d", c.jobs, c.points), func(b *testing.B) {
			w := estimators.NewReplayContext(runOf(tapped(c.jobs, c.points)), Costs, estimators.Options{})
			if _, err := w.Schedule(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := explain.SkewOf(w, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
