package smoothing

import "sort"

// An Index finds the points near a size in logarithmic time. Equation 6 of section 3.3 is the mean over all keys
// near a size, so points are weighted by their number of keys.
type Index struct {
	sizes []float64
	// Sums over the points before each place: count, and count times mean. rest is the rounding error of seconds:
	// without it, the microseconds of small groups would be lost in the hours of large ones.
	counts, seconds, rest []float64
}

// NewIndex indexes points of ascending sizes. All slices have the same length and finite values, counts are above 0.
func NewIndex(sizes, means, counts []float64) *Index {
	n := len(sizes)
	x := &Index{sizes, make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)}
	for i := range sizes {
		x.counts[i+1] = x.counts[i] + counts[i]
		hi, lo := twoSum(x.seconds[i], counts[i]*means[i])
		x.seconds[i+1], x.rest[i+1] = hi, x.rest[i]+lo
	}
	return x
}

// Near returns the count-weighted mean of all points with sizes in [size-delta, size+delta]; ok is false if there
// are none.
func (x *Index) Near(size, delta float64) (mean float64, ok bool) {
	from := sort.SearchFloat64s(x.sizes, size-delta)
	high := size + delta
	to := from + sort.Search(len(x.sizes)-from, func(i int) bool { return x.sizes[from+i] > high })
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
