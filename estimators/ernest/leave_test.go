package ernest

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// leaveOutNaive makes a model of all other rows for each configuration.
func leaveOutNaive(m *Model, each int) []float64 {
	left := make([]float64, len(m.Rows))
	for i, row := range m.Rows {
		var data, seconds []float64
		for j, other := range m.Rows {
			if m.group[j]/each != m.group[i]/each {
				data = append(data, features(m.Terms, other.Machines, other.Scale)...)
				seconds = append(seconds, other.Seconds)
			}
		}
		x, _, err := solveNonnegative(mat.NewDense(len(seconds), len(m.Terms), data), seconds)
		if err != nil {
			panic(err)
		}
		left[i] = dot(features(m.Terms, row.Machines, row.Scale), x)
	}
	return left
}

// Leaving out weighted means is leaving out rows; runs of one configuration go together.
func TestLeaveOut(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var where [][2]float64
	for range 90 {
		where = append(where, [2]float64{float64(1 + random.IntN(6)), float64(1+random.IntN(5)) / 8})
	}
	rows := measure(theta(3, 120, 0.05, 0.8), where, 0.3, random)
	m := must(t, rows, FitOptions{})
	groups := len(m.all)
	if groups >= len(rows) || groups < 20 {
		t.Fatalf("%d configurations of %d rows", groups, len(rows))
	}
	for _, folds := range []int{3, 10, maxFolds} {
		got, want := m.leaveOut(m.features(m.Terms), folds), leaveOutNaive(m, (groups+folds-1)/folds)
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 1e-9*want[i]) {
				t.Fatalf("%d folds, row %d: %.12g, naively %.12g", folds, i+1, got[i], want[i])
			}
		}
	}
	// A run that nobody else vouches for.
	alone := must(t, append(theRows(), Row{64, 0.4, 500, 0}), FitOptions{})
	if twice := must(t, append(theRows(), Row{64, 0.4, 500, 0}, Row{64, 0.4, 500, 0}), FitOptions{}); math.Abs(
		twice.Left[12]-alone.Left[12]) > 1e-9 {
		t.Errorf("left out alone %g, left out with its twin %g", alone.Left[12], twice.Left[12])
	}
}

func TestMeanError(t *testing.T) {
	m := &Model{Rows: []Row{{Seconds: 2}, {Seconds: 5}, {Seconds: 2}, {Seconds: 0}}}
	if mean, n := m.meanError([]float64{1, math.NaN(), 3, 1}); mean != 0.5 || n != 2 {
		t.Errorf("%g of %d", mean, n)
	}
	m.Rows = m.Rows[:1]
	if mean, n := m.meanError([]float64{math.NaN()}); !math.IsNaN(mean) || n != 0 {
		t.Errorf("%g of %d", mean, n)
	}
}
