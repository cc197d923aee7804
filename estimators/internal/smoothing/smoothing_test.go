package smoothing

import (
	"flag"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func init() { _ = flag.Set("rapid.seed", "20261121") }

// However few points may be kept: never more, ascending, and count, bytes and time are conserved.
func TestBounded(t *testing.T) {
	condensed := 0
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		p := New(rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "tolerance"), limit)
		var want Point
		n := rapid.IntRange(0, 100).Draw(t, "measurements")
		for range n {
			size, mean := float64(rapid.IntRange(0, 30).Draw(t, "size")), rapid.Float64Range(0, 9).Draw(t, "mean")
			count := float64(rapid.IntRange(1, 3).Draw(t, "count"))
			p.Add(size, mean, count, count-1)
			want.Size += size * count
			want.Mean += mean * count
			want.Count += count
			want.Marked += count - 1
			if p.Len() > max(8, limit) {
				t.Fatalf("%d points, at most %d", p.Len(), limit)
			}
		}
		points := p.Points()
		var got Point
		for _, c := range points {
			got.Size += c.Size * c.Count
			got.Mean += c.Mean * c.Count
			got.Count += c.Count
			got.Marked += c.Marked
		}
		if got.Count != want.Count || got.Marked != want.Marked || math.Abs(got.Size-want.Size) > 1e-6 ||
			math.Abs(got.Mean-want.Mean) > 1e-6 {
			t.Fatalf("all together %v, want %v", got, want)
		}
		if !slices.IsSortedFunc(points,
			func(a, b Point) int { return int(math.Copysign(1, a.Size-b.Size)) * one(a.Size != b.Size) }) {
			t.Fatalf("not by size: %v", points)
		}
		condensed += one(want.Count > 0 && n > limit && len(points) < n/2)
	})
	if condensed == 0 {
		t.Error("nothing was condensed")
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// One size first: with room for all sizes, none is given up.
func TestSameSizeFirst(t *testing.T) {
	p := New(0, 100)
	for i := range 1000 {
		p.Add(float64(i%20), float64(i), 1, 0)
	}
	sizes := map[float64]bool{}
	for _, c := range p.Points() {
		sizes[c.Size] = true
	}
	if len(sizes) != 20 {
		t.Errorf("%d sizes are left of 20", len(sizes))
	}
	// So is a single size with times of every length: a chain that grows would make each step longer than the one
	// before.
	p = New(0, 1<<20)
	for i := range 10 * sameSize {
		p.Add(1, float64(i), 1, 0)
	}
	if p.Len() > sameSize+1 {
		t.Errorf("%d points of one size", p.Len())
	}
}

// A chain of equal distances does not end as one point: what is left still tells sizes apart.
func TestCondenseKeepsTheRange(t *testing.T) {
	var points []Point
	for i := range 16 {
		points = append(points, Point{math.Pow(2, float64(i)), 1, 1, 0})
	}
	points = condense(points, 8)
	for i := 1; i < len(points); i++ {
		if ratio := points[i].Size / points[i-1].Size; ratio != 4 {
			t.Errorf("%v is beside %v", points[i-1].Size, points[i].Size)
		}
	}
	if len(points) != 8 {
		t.Errorf("%d points are left", len(points))
	}
}
