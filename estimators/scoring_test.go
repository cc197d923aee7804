package estimators

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

func TestGrade(t *testing.T) {
	nan := math.NaN()
	got := Grade(100, []Sample{
		{0, 500, nan},   // not strictly inside
		{10, nan, nan},  // no estimate
		{20, 80, nan},   // right
		{40, 40, nan},   // predicts 50% at 40%: 10 points too far, 20 s too short
		{50, 150, nan},  // predicts 25% at 50%: 25 points behind, 100 s too long
		{60, nan, 0.75}, // a fraction: 15 points too far, 20 s left instead of 40
		{80, nan, 0},    // a fraction of nothing: 80 points behind, no time
		{100, 0, nan},   // not strictly inside
		{120, -7, nan},  // nor is this
	})
	want := Score{
		Ticks: 6, MeanPoints: (0 + 10 + 25 + 15 + 80) / 5., MedianPoints: 15, P90Points: 25 + 0.6*55, MaxPoints: 80,
		BiasPoints: (0 + 10 - 25 + 15 - 80) / 5., MeanSeconds: (0 + 20 + 100 + 20) / 4.,
		NoEstimate: 1 / 6., FirstEstimate: 20, HalfTime: 25,
	}
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"ticks", float64(got.Ticks), float64(want.Ticks)},
		{"mean", got.MeanPoints, want.MeanPoints},
		{"median", got.MedianPoints, want.MedianPoints},
		{"p90", got.P90Points, want.P90Points},
		{"max", got.MaxPoints, want.MaxPoints},
		{"bias", got.BiasPoints, want.BiasPoints},
		{"seconds", got.MeanSeconds, want.MeanSeconds},
		{"no estimate", got.NoEstimate, want.NoEstimate},
		{"first", got.FirstEstimate, want.FirstEstimate},
		{"half time", got.HalfTime, want.HalfTime},
	} {
		if math.Abs(f.got-f.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", f.name, f.got, f.want)
		}
	}
}

// A run without an estimate, or without a tick, has no error: not one of 0.
func TestGradeOfNothing(t *testing.T) {
	for _, samples := range [][]Sample{nil, {{10, math.NaN(), math.NaN()}}} {
		got := Grade(100, samples)
		for _, v := range []float64{
			got.MeanPoints, got.MedianPoints, got.P90Points, got.MaxPoints, got.BiasPoints,
			got.MeanSeconds, got.FirstEstimate, got.HalfTime,
		} {
			if !math.IsNaN(v) {
				t.Errorf("%d samples: %+v", len(samples), got)
			}
		}
		if len(samples) > 0 && got.NoEstimate != 1 {
			t.Errorf("NoEstimate = %v, want 1", got.NoEstimate)
		}
	}
}

// Two ticks of a run of 100 s: the first range holds what remains, the second is too early by 5 s. Ticks at its begin
// and end do not count.
func TestGradeRanges(t *testing.T) {
	uniform := func(low, high float64) Distribution {
		d := make(Distribution, 101)
		for i := range d {
			d[i] = taskcost.Exact(1000 * (low + (high-low)*float64(i)/100))
		}
		return d
	}
	got := GradeRanges(100, []RangeSample{
		NewRangeSample(0, uniform(0, 1)),
		NewRangeSample(20*time.Second, uniform(60, 100)), // 80 left: in the middle
		NewRangeSample(60*time.Second, uniform(15, 35)),  // 40 left: 5 above all
		NewRangeSample(100*time.Second, uniform(0, 1)),
	})
	// Of the 80% ranges [64, 96] and [17, 33]: widths 32 and 16; the second is 7 s too early, which costs ten times
	// that.
	want := LevelScore{Held: 0.5, Width: 0.24, IntervalScore: (32 + 16 + 70) / 2.0}
	if l := got.Levels[1]; got.Ticks != 2 || math.Abs(l.Held-want.Held)+math.Abs(l.Width-want.Width)+
		math.Abs(l.IntervalScore-want.IntervalScore) > 1e-6 {
		t.Errorf("%d ticks, %+v, want 2 and %+v", got.Ticks, l, want)
	}
	// Of a uniform distribution on [a, b] the CRPS is (b-a)/12 in its middle and beyond it the distance to the mean
	// less (b-a)/6.
	if want := (40.0/12 + 15 - 20.0/6) / 2; math.Abs(got.CRPS-want) > 0.02 {
		t.Errorf("CRPS is %v, want %v", got.CRPS, want)
	}
	if empty := GradeRanges(100, nil); empty.Ticks != 0 || !math.IsNaN(empty.CRPS) ||
		!math.IsNaN(empty.Levels[0].Held) {
		t.Errorf("no ranges score %+v", empty)
	}
}

// By hand from the definition: width 4, and 2/(1-0.8) = 10 for each unit outside.
func TestInterval(t *testing.T) {
	for y, want := range map[float64]float64{3: 4, 1: 4, 5: 4, 0.5: 9, 7: 24} {
		if got := intervalScore(1, 5, 0.8, y); math.Abs(got-want) > 1e-9 {
			t.Errorf("outcome %v scores %v, want %v", y, got, want)
		}
	}
}

// The sum over pairs against its closed form, the absolute error for one value, and by hand: of 0 and 2 for 1 it is
// 1 - 1/2·1.
func TestCRPS(t *testing.T) {
	if got := crps([]float64{7}, 4); got != 3 {
		t.Errorf("one value scores %v, want 3", got)
	}
	if got := crps([]float64{0, 2}, 1); math.Abs(got-0.5) > 1e-12 {
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
	if got, want := crps(v, 0.3), off-pairs/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("CRPS is %v, by the definition %v", got, want)
	}
	if !math.IsNaN(crps(nil, 1)) {
		t.Error("nothing has a score")
	}
}
