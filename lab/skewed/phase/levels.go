package phase

import "math"

// ValueBytes is the size of a value.
const ValueBytes = 10

// Levels returns the sizes of key groups in values: level i has round(sigma^i) groups of round(n/sigma^i) values,
// down to groups of one value. A larger sigma is more skewed: the first levels have most of the work.
func Levels(n, sigma float64) []float64 {
	var sizes []float64
	for width := 1.0; n/width >= 1; width *= sigma {
		size := math.Round(n / width)
		for range int(math.Round(width)) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// Power returns the costs size^p of groups.
func Power(sizes []float64, p float64) []float64 {
	costs := make([]float64, len(sizes))
	for i, s := range sizes {
		costs[i] = math.Pow(s, p)
	}
	return costs
}
