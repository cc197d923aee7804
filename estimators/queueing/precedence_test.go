package queueing

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"pgregory.net/rapid"
)

// TestLatest compares with closed forms, scipy's quadrature and sampling (facts/queueing.md d). The file has
// twelve digits.
func TestLatest(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(fixtures.Golden("numerics/max_two.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Case     string
			A, B     [][3]float64 // weight, stages, rate
			Mean     float64
			Variance float64 `json:"var"`
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) == 0 {
		t.Fatalf("%d cases: %v", len(golden.Cases), err)
	}
	mixed := func(of [][3]float64) (m mixture) {
		for _, x := range of {
			m = append(m, branch{x[0], int(x[1]), x[2]})
		}
		return m
	}
	for _, c := range golden.Cases {
		got := latest(mixed(c.A), mixed(c.B))
		if !(math.Abs(got.mean/c.Mean-1) <= 1e-9) || !(math.Abs(got.variance/c.Variance-1) <= 1e-9) {
			t.Errorf("%s: %+v, want %v and %v", c.Case, got, c.Mean, c.Variance)
		}
	}
}

// TestFit checks the moments of a fitted distribution, by the larger of it and of one that is much shorter.
func TestFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mean := math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "log mean"))
		cv2 := math.Pow(10, rapid.Float64Range(-2, 6).Draw(t, "log cv2"))
		got := latest(moments{mean, cv2 * mean * mean}.fit(), mixture{{1, 1, 1e9 / mean}})
		want := cv2
		if cv2 < 1 {
			want = 1 / math.Round(1/cv2)
		}
		if math.Abs(got.mean/mean-1) > 1e-6 || math.Abs(got.variance/mean/mean/want-1) > 1e-6 {
			t.Fatalf("%+v of a mean of %v and a squared variation of %v", got, mean, want)
		}
	})
}

// TestUnknownDurations checks that what is joined with an unknown duration is unknown.
func TestUnknownDurations(t *testing.T) {
	t.Parallel()
	for _, m := range []moments{{math.NaN(), 1}, {1, math.NaN()}, {math.Inf(1), 1}} {
		if got := later(moments{1, 1}, m); !math.IsNaN(got.mean) && !math.IsInf(got.mean, 0) {
			t.Errorf("%+v of %+v", got, m)
		}
	}
}
