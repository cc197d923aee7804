package observed

import (
	"container/heap"
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// wide is a snapshot of one job of n maps on 10,000 containers, a fifth of them done, sizes different or equal.
func wide(n int, equal bool) *dag.Snapshot {
	p := &dag.Plan{Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 10_000*256 + 512}, Jobs: []dag.Job{{
		Node: "j", Stages: dag.MapReduce(dag.Stage{Tasks: n, Known: true}, dag.Stage{Tasks: 100, Known: true}),
		MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 1},
	}}}
	s := &dag.Snapshot{Plan: p, At: 1_000_000, State: dag.Running, Stale: dag.NoInstant}
	js := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Submitted: 1000, Started: 3000, Finished: dag.NoInstant,
		Attempt: 1, Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	nan := math.NaN()
	for i := range n / 5 {
		size := 1000.0
		if !equal {
			size = float64(2*n - i)
		}
		a := dag.Attempt{
			Task: int32(i), Slot: -1, Node: -1, Start: 10_000, End: 500_000 + dag.Instant(i),
			State: dag.AttemptSucceeded,
			Done:  [3]float64{size, nan, nan}, Total: [3]float64{size, nan, nan}, Out: size, Bytes: size, Ratio: 1,
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: 12_000,
			First: dag.Mark{At: 12_000, Done: 10, Out: 10}, Last: dag.Mark{At: 499_000, Done: size, Out: size},
		}
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts, a)
	}
	s.Jobs = []dag.JobState{js}
	return s
}

func benchmarkTick(b *testing.B, equal bool) {
	run := dag.Run{}.Append(wide(100_000, equal))
	b.ReportAllocs()
	for b.Loop() {
		m := New(run, Options{})
		if _, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTickDifferent(b *testing.B) { benchmarkTick(b, false) }
func BenchmarkTickEqual(b *testing.B)     { benchmarkTick(b, true) }

type ends []int64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(int64)) }
func (e *ends) Pop() any          { o := *e; x := o[len(o)-1]; *e = o[:len(o)-1]; return x }

// BenchmarkBareHeap is what the same tasks cost a bare container/heap of slot ends.
func BenchmarkBareHeap(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		h := make(ends, 10_000)
		heap.Init(&h)
		for i := range 80_000 {
			t := heap.Pop(&h).(int64)
			heap.Push(&h, t+int64(200_000-i))
		}
	}
}
