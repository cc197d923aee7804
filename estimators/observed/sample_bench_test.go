package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// BenchmarkSampled is a tick's distribution: 10,000 unfinished tasks on 2,000 containers, 1,024 replays; and a small
// query's. Each on YARN and on the paper's cluster.
func BenchmarkSampled(b *testing.B) {
	for _, c := range []struct {
		name  string
		tasks int
		room  int
		fifo  bool
	}{
		{"10000", 12_500, 2000, false},
		{"100", 125, 40, false},
		{"10000/fifo", 12_500, 2000, true},
		{"100/fifo", 125, 40, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := wide(c.tasks, false)
			s.Plan.Cluster.MemoryMB = c.room*256 + 512
			if c.fifo {
				s.Plan.Cluster = dag.Cluster{Policy: dag.FIFO, MapSlots: c.room, ReduceSlots: c.room, SlotsPerNode: 4}
			}
			s.Plan.Jobs[0].SetStage(dag.Reduce, dag.Stage{Known: true})
			run := dag.Run{}.Append(s)
			e := estimators.New(estimators.Sampled(), Costs, estimators.Options{})
			b.ReportAllocs()
			for b.Loop() {
				run.Window = append([]*dag.Snapshot(nil), s)
				fresh := *s
				run.Window[0] = &fresh
				got, err := e.Estimate(run)
				if err != nil || len(got.Distribution) == 0 {
					b.Fatal(err, len(got.Distribution))
				}
			}
		})
	}
}
