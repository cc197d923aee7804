package queueing

import (
	"fmt"
	"testing"
)

// BenchmarkRun is one run of a published configuration.
func BenchmarkRun(b *testing.B) {
	for _, at := range simulatedConfigurations {
		b.Run(fmt.Sprint(at[0], at[1]), func(b *testing.B) {
			s := published(at[0], at[1])
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				simulate(s, SimulationOptions{}, i, maxSimulatedTasks)
			}
		})
	}
}

// BenchmarkSimulatedNodes is one run on many nodes, of 220,000 tasks.
func BenchmarkSimulatedNodes(b *testing.B) {
	for _, nodes := range []int{10, 1000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			s := published(4, 5)
			s.Nodes = nodes
			s.Jobs = []Job{s.Jobs[0]}
			s.Jobs[0].Maps, s.Jobs[0].Reduces = 20_000, 10
			tasks := float64(s.Jobs[0].Maps * (1 + s.Jobs[0].Reduces))
			for i := 0; b.Loop(); i++ {
				simulate(s, SimulationOptions{}, i, maxSimulatedTasks)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/tasks*1e9, "ns/task")
		})
	}
}
