package ernest

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// leaveOutNaive makes a model of all other rows for each group.
func leaveOutNaive(r *regression, group []int, each int) []float64 {
	left := make([]float64, len(group))
	for i := range group {
		var data, seconds []float64
		for j, g := range group {
			if g/each != group[i]/each {
				data, seconds = append(data, r.a.RawRowView(j)...), append(seconds, r.seconds[j])
			}
		}
		other, err := regress(mat.NewDense(len(seconds), len(r.x), data), seconds)
		if err != nil {
			panic(err)
		}
		left[i] = dot(r.a.RawRowView(i), other.x)
	}
	return left
}

// Leaving out by triangles of blocks is leaving out rows; runs of one configuration go together.
func TestLeaveOut(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var where [][2]float64
	for range 90 {
		where = append(where, [2]float64{float64(1 + random.IntN(6)), float64(1+random.IntN(5)) / 8})
	}
	rows := measure(theta(3, 120, 0.05, 0.8), where, 0.3, random)
	m := must(t, rows, FitOptions{})
	group, groups := configurations(rows)
	if groups >= len(rows) || groups < 20 {
		t.Fatalf("%d configurations of %d rows", groups, len(rows))
	}
	for _, folds := range []int{3, 10, maxFolds} {
		got, want := m.base.leaveOut(group, groups, folds), leaveOutNaive(m.base, group, (groups+folds-1)/folds)
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
	if mean, n := meanError([]float64{1, math.NaN(), 3, 1}, []float64{2, 5, 2, 0}); mean != 0.5 || n != 2 {
		t.Errorf("%g of %d", mean, n)
	}
	if mean, n := meanError([]float64{math.NaN()}, []float64{1}); !math.IsNaN(mean) || n != 0 {
		t.Errorf("%g of %d", mean, n)
	}
}
