package smoothing

import "sort"

// An Index finds the points near a size in logarithmic time. Equation 6 of section 3.3 is the mean over all keys
// near a size, so points are weighted by their number of keys.
type Index struct {
	points []Point // by size
	// Sums over the points before each place: count, and count times mean. rest is the rounding error of seconds:
	// without it, the microseconds of small groups would be lost in the hours of large ones.
	counts, seconds, rest []float64
}

// NewIndex indexes points of ascending sizes. All values are finite, counts are above 0.
func NewIndex(points []Point) *Index {
	n := len(points)
	x := &Index{points, make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)}
	for i, c := range points {
		x.counts[i+1] = x.counts[i] + c.Count
		hi, lo := twoSum(x.seconds[i], c.Count*c.Mean)
		x.seconds[i+1], x.rest[i+1] = hi, x.rest[i]+lo
	}
	return x
}

// Near returns the count-weighted mean of all points with sizes in [size-delta, size+delta]; ok is false if there
// are none.
func (x *Index) Near(size, delta float64) (mean float64, ok bool) {
	from := sort.Search(len(x.points), func(i int) bool { return x.points[i].Size >= size-delta })
	to := from + sort.Search(len(x.points)-from, func(i int) bool { return x.points[from+i].Size > size+delta })
	if from >= to {
		return 0, false
	}
	seconds := (x.seconds[to] - x.seconds[from]) + (x.rest[to] - x.rest[from])
	return max(0, seconds) / (x.counts[to] - x.counts[from]), true
}

// twoSum returns a+b and its rounding error: Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
