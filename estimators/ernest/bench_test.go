package ernest

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

func BenchmarkFit(b *testing.B) {
	rows := measure(theta(3, 120, 0.05, 0.8), designs[0].at, 0.05, rand.New(rand.NewPCG(1, 1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fit(rows, FitOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	m, err := Fit(measure(theta(3, 120, 0.05, 0.8), designs[0].at, 0.05, rand.New(rand.NewPCG(1, 1))), FitOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Predict(Point{20, 1, 0})
	}
}

// As many rows as there may be.
func BenchmarkFitMaxRows(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	where := make([][2]float64, MaxRows)
	for i := range where {
		where[i] = [2]float64{float64(1 + random.IntN(64)), 0.01 + random.Float64()}
	}
	rows := measure(theta(3, 120, 0.05, 0.8), where, 0.05, random)
	for b.Loop() {
		if _, err := Fit(rows, FitOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// 10,000 candidates: every pair of 100 sizes and 100 numbers of machines.
func BenchmarkDesign10000(b *testing.B) {
	space := Space{
		MinParts: 100, MaxParts: 1000, TotalParts: 10_000, MinMachines: 1, MaxMachines: 100,
		CoresPerMachine: 1, Interpolate: 100,
	}
	for b.Loop() {
		p, err := Design(space)
		if err != nil || p.Candidates != 10_000 {
			b.Fatal(err)
		}
	}
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // hundreds of short replays with small heaps
	m.Run()
}
