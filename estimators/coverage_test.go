package estimators

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

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
