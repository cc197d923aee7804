package pathfrag_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// bench is a DAG of jobs in layers of ten, each after two of the layer before, with equally many tasks in all.
func bench(jobs, tasks, slots int, uniform bool) (*dag.Snapshot, schedule.Left) {
	rnd := rand.New(rand.NewPCG(3, 4))
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: slots, ReduceSlots: slots, SlotsPerNode: 4}}
	lengths := make([][]int64, jobs)
	each := tasks / jobs * 3 / 4
	for j := range jobs {
		job := dag.Job{Stages: dag.MapReduce(dag.Stage{Tasks: each, Known: true}, dag.Stage{
			Tasks: tasks/jobs - each,
			Known: true,
		})}
		if layer := j / 10 * 10; layer > 0 {
			job.After = []int{layer - 10 + rnd.IntN(10), layer - 10 + rnd.IntN(10)}
		}
		plan.Jobs = append(plan.Jobs, job)
		for range tasks / jobs {
			lengths[j] = append(lengths[j], 20_000+rnd.Int64N(100_000))
		}
	}
	s := &dag.Snapshot{Plan: plan, Jobs: plan.BlockedJobs()}
	for j := range s.Jobs {
		s.Jobs[j].Submitted = dag.NoInstant
	}
	return s, func(t schedule.Task) schedule.Cost {
		c := schedule.Cost{Work: time.Duration(lengths[t.Job][t.Index]) * time.Millisecond, Same: 1}
		if uniform {
			c = schedule.Cost{Work: time.Duration(lengths[t.Job][t.Stage]) * time.Millisecond, Same: 1 << 30}
		}
		if t.Running != nil {
			c.Work /= 2
		}
		return c
	}
}

// BenchmarkTick is the core's share of a tick: replay and path of a DAG of 100,000 tasks, at the start and in the
// middle of its run, when half of the tasks are attempts of the snapshot.
func BenchmarkTick(b *testing.B) {
	for _, uniform := range []bool{false, true} {
		for _, jobs := range []int{10, 1000} {
			s, left := bench(jobs, 100_000, 1000, uniform)
			sch, err := schedule.Replay(s, left, schedule.Options{})
			if err != nil {
				b.Fatal(err)
			}
			half := golden.Cut(s.Plan, sch, sch.End/2)
			name := fmt.Sprintf("uniform=%v/jobs=%d", uniform, jobs)
			b.Run(name+"/start", func(b *testing.B) { tick(b, s, left) })
			b.Run(name+"/half", func(b *testing.B) { tick(b, half, left) })
		}
	}
}

func tick(b *testing.B, s *dag.Snapshot, left schedule.Left) {
	b.ReportAllocs()
	for b.Loop() {
		sch, err := schedule.Replay(s, left, schedule.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{
			Delta1: 3 * time.Second,
			Delta2: 5 * time.Second,
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFind shows the growth of the cut with the number of different tasks, and what tolerances do to it.
func BenchmarkFind(b *testing.B) {
	for _, tasks := range []int{10_000, 100_000, 1_000_000} {
		for _, delta := range []time.Duration{0, 3 * time.Second, 10 * time.Minute} {
			b.Run(fmt.Sprintf("tasks=%d/delta1=%v", tasks, delta), func(b *testing.B) {
				s, left := bench(100, tasks, 10_000, false)
				sch, err := schedule.Replay(s, left, schedule.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := pathfrag.Find(s.Plan, sch,
						pathfrag.Params{Delta1: delta, Delta2: 5 * time.Second}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tasks), "ns/task")
			})
		}
	}
}

// BenchmarkFindTiny has tasks a thousand times shorter than delta1: a thousand rounds of the same slots are open at a
// time.
func BenchmarkFindTiny(b *testing.B) {
	for _, tasks := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			s, left := bench(1, tasks, 10, false)
			sch, err := schedule.Replay(s, left, schedule.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{Delta1: 20 * time.Hour}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tasks), "ns/task")
		})
	}
}
