package smoothing

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The mean is that of a loop over all points, whatever the scale: microseconds beside hours keep their digits.
func TestNear(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "points")
		points := make([]Point, n)
		for i := range points {
			points[i] = Point{
				Size:  float64(rapid.IntRange(0, 20).Draw(t, "size")),
				Mean:  math.Exp(rapid.Float64Range(-14, 14).Draw(t, "log mean")),
				Count: float64(rapid.IntRange(1, 1000).Draw(t, "count")),
			}
		}
		slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
		x := NewIndex(points)
		for size := -1.0; size < 22; size++ {
			for _, delta := range []float64{0, 1, 3} {
				sum, count := 0.0, 0.0
				for _, c := range points {
					if math.Abs(c.Size-size) <= delta {
						sum += c.Mean * c.Count
						count += c.Count
					}
				}
				got, ok := x.Near(size, delta)
				if ok != (count > 0) || ok && math.Abs(got*count/sum-1) > 1e-12 {
					t.Fatalf("near %v: %v (%v), want %v", size, got, ok, sum/count)
				}
				if ok {
					found++
				}
			}
		}
	})
	if found == 0 {
		t.Error("nothing was near")
	}
}
