package estimators_test

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// The size of the issue: a DAG of 100,000 tasks. 10 jobs, each after the one three before it.
const (
	benchJobs    = 10
	benchMaps    = 8000
	benchReduces = 2000
	benchSlots   = 1000
)

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

// BenchmarkBareHeap is the yardstick: list scheduling of 100,000 tasks on a container/heap of slots, and nothing else.
func BenchmarkBareHeap(b *testing.B) {
	b.ReportAllocs()
	r := rand.New(rand.NewPCG(1, 2))
	ms := make([]int64, benchJobs*(benchMaps+benchReduces))
	for i := range ms {
		ms[i] = 20_000 + r.Int64N(100_000)
	}
	for b.Loop() {
		h := make(slotHeap, benchSlots)
		for _, d := range ms {
			t := heap.Pop(&h).(int64)
			heap.Push(&h, t+d)
		}
	}
}

// BenchmarkTick is a whole tick, from the snapshot to all of ParaTimer's scenarios, a tenth into the run.
func BenchmarkTick(b *testing.B) {
	b.Run("different", func(b *testing.B) { benchTick(b, benchPlan(true), estimators.Scenarios()) })
	b.Run("uniform", func(b *testing.B) { benchTick(b, benchPlan(false), estimators.Scenarios()) })
	b.Run("different/all", func(b *testing.B) { benchTick(b, benchPlan(true), everyScenario()) })
	b.Run("uniform/all", func(b *testing.B) { benchTick(b, benchPlan(false), everyScenario()) })
}

func benchPlan(different bool) *dag.Plan {
	r := rand.New(rand.NewPCG(3, 4))
	plan := &dag.Plan{Cluster: dag.Cluster{
		MapSlots: benchSlots, ReduceSlots: benchSlots, SlotsPerNode: 4,
		Setup: 2 * time.Second,
	}}
	for j := range benchJobs {
		job := dag.Job{Node: string(rune('a' + j)), Stages: dag.MapReduce(golden.PhaseOf(benchMaps, 60_000, 1),
			golden.PhaseOf(benchReduces, 30_000, 0.3, 30_000, 0.1, 30_000, 0.6))}
		if j >= 3 {
			job.After = []int{j - 3}
		}
		if different {
			for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
				phase := &job.Stages[k]
				sizes := make([]float64, phase.Tasks)
				for i := range sizes {
					sizes[i] = float64(20_000 + r.IntN(100_000))
				}
				for p := range phase.Pipelines {
					phase.Pipelines[p].Tuples = dag.Each(sizes)
				}
			}
		}
		plan.Jobs = append(plan.Jobs, job)
	}
	return plan
}

func benchTick(b *testing.B, plan *dag.Plan, scenarios []estimators.Scenario) {
	c := play(b, truth{Plan: plan})
	at := c.Total / 10
	run := dag.Run{}.Append(c.At(0))
	for before := dag.Instant(12); before > 0; before-- {
		run = run.Append(c.At(at - 5_000*(before-1)))
	}
	b.ReportAllocs()
	w := estimators.NewReplayContext(run, paper.Model(paper.ObservedSlowdown), estimators.Options{})
	for _, s := range scenarios {
		// The plan of standard_static is made once, at the first tick.
		if _, err := s.Of(w); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		w = w.Next(run)
		for _, s := range scenarios {
			if _, err := s.Of(w); err != nil {
				b.Fatal(err)
			}
		}
	}
}
