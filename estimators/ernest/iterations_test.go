package ernest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// iterate makes runs of a job with set-up 8 + 40·scale/machines and the base law an iteration.
func iterate(counts []int, noise float64, seed uint64) []IterationRow {
	random := rand.New(rand.NewPCG(seed, 1))
	var rows []IterationRow
	for i, p := range designs[3].at {
		n := counts[i%len(counts)]
		seconds := (8 + 40*p[1]/p[0] + float64(n)*theta(0.3, 12, 0.02, 0.1)(p[0], p[1])) * noisy(noise, random)
		rows = append(rows, IterationRow{Row{p[0], p[1], seconds}, n})
	}
	return rows
}

// §4.1: a few iterations predict many.
func TestIterations(t *testing.T) {
	it, err := Iterations(iterate([]int{2, 5, 10, 3, 7}, 0.02, 1), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if it.Setup == nil || it.Trusted() != nil || len(it.Warnings) > 0 {
		t.Fatalf("set-up %v, trusted %v, %v", it.Setup, it.Trusted(), it.Warnings)
	}
	for _, n := range []int{1, 10, 100} {
		p, want := it.Predict(16, 1, n), 8+40.0/16+float64(n)*theta(0.3, 12, 0.02, 0.1)(16, 1)
		if p.Refused != nil || math.Abs(p.Seconds/want-1) > 0.1 || p.Low > want || p.High < want {
			t.Errorf("%d iterations: %g (%g - %g), want %g; %v", n, p.Seconds, p.Low, p.High, want, p.Refused)
		}
		setup, each := it.Setup.Predict(16, 1), it.Each.Predict(16, 1)
		if sum := setup.Seconds + float64(n)*each.Seconds; math.Abs(sum/p.Seconds-1) > 1e-9 ||
			!(each.Low <= each.Seconds && each.Seconds <= each.High) {
			t.Errorf("%d iterations: %g, the parts %g", n, p.Seconds, sum)
		}
	}
	if !slices.Equal(it.Setup.Terms, []Term{One, ScalePerMachine}) || !slices.Equal(it.Each.Terms, BaseTerms()) {
		t.Errorf("%v, %v", it.Setup.Terms, it.Each.Terms)
	}
	var doubt *DoubtError
	if p := it.Predict(16, 1, 0); !errors.As(p.Refused, &doubt) || doubt.Code != "impossible" {
		t.Errorf("no iteration: %v", p.Refused)
	}
	if p := it.Predict(16, 1e6, 10); !errors.As(p.Refused, &doubt) || doubt.Code != "too_far" {
		t.Errorf("far: %v", p.Refused)
	}
}

// Where all runs have the same number of iterations, set-up cannot be told from them, and a warning says so.
func TestIterationsOfOneCount(t *testing.T) {
	it, err := Iterations(iterate([]int{10}, 0, 1), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if it.Setup != nil || !slices.Contains(codes(it.Warnings), "setup_within") {
		t.Errorf("set-up %v, %v", it.Setup, it.Warnings)
	}
	if p, want := it.Predict(4, 0.4, 10), 8+40*0.1+10*theta(0.3, 12, 0.02, 0.1)(4,
		0.4); math.Abs(p.Seconds/want-1) > 1e-6 {
		t.Errorf("%g, want %g", p.Seconds, want)
	}
	var bad *RowError
	if _, err := Iterations([]IterationRow{{Row{1, 1, 1}, 1}, {Row{1, 1, 1}, 0}}, FitOptions{}); !errors.As(err,
		&bad) || bad.Row != 1 || bad.Column != "iterations" {
		t.Errorf("no iterations: %v", err)
	}
}
