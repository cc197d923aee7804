package simulate

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// large is 100,000 tasks that keep 1,000 + 1,000 slots busy for an hour.
func large() *dag.Plan {
	pipe := func(n, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(n), Alpha: dag.Uniform(alpha)}
	}
	return &dag.Plan{
		Name:    "large",
		Cluster: dag.Cluster{MapSlots: 1000, ReduceSlots: 1000, SlotsPerNode: 4, Setup: time.Second},
		Jobs: []dag.Job{{
			Node: "j1",
			Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 70_000, Pipelines: []dag.Pipeline{pipe(100_000, 0.35)}},
				dag.Stage{Known: true, Tasks: 30_000, Pipelines: []dag.Pipeline{
					pipe(50_000, 0.1), pipe(50_000, 0.05),
					pipe(50_000, 0.5),
				}}),
		}},
	}
}

func benchmark(b *testing.B, o Options) {
	b.ReportAllocs()
	for b.Loop() {
		src, err := New(large(), o)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for {
			_, err := src.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n), "snapshots/op")
		b.ReportMetric(float64(src.run.end)/1000, "virtual-s/op")
	}
}

func BenchmarkRunUniform(b *testing.B) { benchmark(b, Options{}) }
func BenchmarkRunNoise(b *testing.B)   { benchmark(b, Options{Seed: 1, Noise: 0.2}) }

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(large(), Options{Seed: 1, Noise: 0.2}); err != nil {
			b.Fatal(err)
		}
	}
}
