package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// By hand from the definition: width 4, and 2/(1-0.8) = 10 for each unit outside.
func TestInterval(t *testing.T) {
	for y, want := range map[float64]float64{3: 4, 1: 4, 5: 4, 0.5: 9, 7: 24} {
		if got := Interval(1, 5, 0.8, y); math.Abs(got-want) > 1e-9 {
			t.Errorf("outcome %v scores %v, want %v", y, got, want)
		}
	}
}

// The sum over pairs against its closed form, the absolute error for one value, and by hand: of 0 and 2 for 1 it is
// 1 - 1/2·1.
func TestCRPS(t *testing.T) {
	if got := CRPS([]float64{7}, 4); got != 3 {
		t.Errorf("one value scores %v, want 3", got)
	}
	if got := CRPS([]float64{0, 2}, 1); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("0 and 2 score %v for 1, want 0.5", got)
	}
	r := rand.New(rand.NewPCG(3, 4))
	v := make([]float64, 40)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	slices.Sort(v)
	off, pairs := 0.0, 0.0
	for _, a := range v {
		off += math.Abs(a-0.3) / 40
		for _, b := range v {
			pairs += math.Abs(a-b) / 1600
		}
	}
	if got, want := CRPS(v, 0.3), off-pairs/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("CRPS is %v, by the definition %v", got, want)
	}
	if !math.IsNaN(CRPS(nil, 1)) {
		t.Error("nothing has a score")
	}
}
