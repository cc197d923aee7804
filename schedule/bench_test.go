package schedule_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

const (
	benchTasks = 1_000_000
	benchSlots = 10_000
)

// lengths are different task lengths in milliseconds: 20 s to 120 s.
func lengths(n int) []int64 {
	rnd := rand.New(rand.NewPCG(1, 2))
	ms := make([]int64, n)
	for i := range ms {
		ms[i] = 20_000 + rnd.Int64N(100_000)
	}
	return ms
}

type slotHeap []int64

func (h slotHeap) Len() int           { return len(h) }
func (h slotHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h slotHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *slotHeap) Push(x any)        { *h = append(*h, x.(int64)) }
func (h *slotHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// BenchmarkBareHeap is the yardstick: list scheduling on a container/heap of the slots' free times, and nothing else.
func BenchmarkBareHeap(b *testing.B) {
	b.ReportAllocs()
	ms := lengths(benchTasks)
	for b.Loop() {
		h := make(slotHeap, benchSlots)
		for _, d := range ms {
			t := heap.Pop(&h).(int64)
			heap.Push(&h, t+d)
		}
	}
}

// BenchmarkFIFO replays 1,000,000 tasks on 10,000 slots: all of different lengths, and as uniform phases of one job and
// of ten.
func BenchmarkFIFO(b *testing.B) {
	ms := lengths(benchTasks)
	b.Run("different", func(b *testing.B) {
		replay(b, independent(1, benchTasks, benchSlots), func(t schedule.Task) schedule.Cost {
			return schedule.Cost{Work: time.Duration(ms[t.Index]) * time.Millisecond, Same: 1}
		})
	})
	for _, jobs := range []int{1, 10} {
		b.Run(fmt.Sprintf("uniform/jobs=%d", jobs), func(b *testing.B) {
			each := benchTasks / jobs
			replay(b, independent(jobs, each, benchSlots), func(t schedule.Task) schedule.Cost {
				return schedule.Cost{Work: time.Duration(60+t.Job) * time.Second, Same: each - t.Index}
			})
		})
	}
}

// BenchmarkEndOnly measures what a sample replays: 10,000 tasks of different lengths in 200 containers or on 200 cores,
// in a job of maps and reduces or in two stages.
func BenchmarkEndOnly(b *testing.B) {
	const tasks, room = 10_000, 200
	ms := lengths(tasks)
	left := func(t schedule.Task) schedule.Cost {
		return schedule.Cost{Work: time.Duration(ms[t.Index]) * time.Millisecond, Same: 1}
	}
	stage := dag.Stage{Tasks: tasks, Known: true, MemoryMB: 1024}
	after := stage
	after.After = []dag.Edge{{Kind: dag.Barrier}}
	stages := []dag.Stage{stage, after}
	for _, c := range []struct {
		name   string
		policy dag.Policy
		job    dag.Job
	}{
		{"mapreduce", dag.YARN, dag.Job{Stages: dag.MapReduce(stage, dag.Stage{Tasks: 100, Known: true})}},
		{"tez", dag.YARN, dag.Job{Stages: stages, Rules: dag.AncestorsFirst}},
		{"spark", dag.Executors, dag.Job{Stages: stages}},
	} {
		b.Run(c.name, func(b *testing.B) {
			plan := &dag.Plan{
				Cluster: dag.Cluster{Policy: c.policy, MemoryMB: (room + 1) * 1024, Cores: room},
				Jobs:    []dag.Job{c.job},
			}
			if c.policy == dag.YARN {
				plan.Overheads = dag.Overheads{Beat: time.Second, Handoff: 100 * time.Millisecond}
			}
			s := &dag.Snapshot{Plan: plan, Jobs: plan.BlockedJobs()}
			s.Jobs[0].Submitted = dag.NoInstant
			var memory schedule.EndOnly
			b.ReportAllocs()
			for b.Loop() {
				sch, err := schedule.Replay(s, left, schedule.Options{EndOnly: &memory})
				if err != nil || sch.End == 0 {
					b.Fatal(sch, err)
				}
			}
		})
	}
}

// BenchmarkFIFOJobs shows the growth with the number of jobs, of ten different tasks each.
func BenchmarkFIFOJobs(b *testing.B) {
	ms := lengths(1000)
	for _, jobs := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprint(jobs), func(b *testing.B) {
			replay(b, independent(jobs, 10, 1000), func(t schedule.Task) schedule.Cost {
				return schedule.Cost{Work: time.Duration(ms[(t.Job*10+t.Index)%1000]) * time.Millisecond, Same: 1}
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*jobs), "ns/job")
		})
	}
}

// independent is a snapshot at 0 of jobs with equally many maps and no reduces.
func independent(jobs, maps, slots int) *dag.Snapshot {
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: slots, ReduceSlots: slots, SlotsPerNode: 4}}
	for range jobs {
		plan.Jobs = append(plan.Jobs, dag.Job{Stages: dag.MapReduce(dag.Stage{Tasks: maps, Known: true},
			dag.Stage{Known: true})})
	}
	s := &dag.Snapshot{Plan: plan, Jobs: plan.BlockedJobs()}
	for j := range s.Jobs {
		s.Jobs[j].Submitted = dag.NoInstant
	}
	return s
}

func replay(b *testing.B, s *dag.Snapshot, left schedule.Left) {
	b.ReportAllocs()
	for b.Loop() {
		sch, err := schedule.Replay(s, left, schedule.Options{})
		if err != nil || sch.End == 0 {
			b.Fatal(sch, err)
		}
	}
}

// BenchmarkOneInstant replays tasks without work: they all end at the instant at which they start.
func BenchmarkOneInstant(b *testing.B) {
	const slots = 100_000
	s := &dag.Snapshot{Plan: &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.FIFO, SlotsPerNode: 100, MapSlots: slots, ReduceSlots: slots},
		Jobs: []dag.Job{{
			Node:   "j",
			Stages: dag.MapReduce(dag.Stage{Tasks: 2 * slots, Known: true}, dag.Stage{Tasks: 1, Known: true}),
		}},
	}}
	none := func(schedule.Task) schedule.Cost { return schedule.Cost{Work: time.Duration(0), Same: 1} }
	for b.Loop() {
		if _, err := schedule.Replay(s, none, schedule.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
