package estimators

import (
	"math"
	"testing"
)

func TestGrade(t *testing.T) {
	nan := math.NaN()
	got := Grade(100, []Sample{
		{0, 500, nan},   // not strictly inside
		{10, nan, nan},  // no estimate
		{20, 80, nan},   // right
		{40, 40, nan},   // says 50% at 40%: 10 points too far, 20 s too short
		{50, 150, nan},  // says 25% at 50%: 25 points behind, 100 s too long
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
