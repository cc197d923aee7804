package dag

import "math"

// A Series is one value a task: the same for all tasks, or one each. The zero Series is unknown. A uniform series
// for a million tasks takes a few bytes.
type Series struct {
	all   float64
	known bool
	each  []float64
}

// Uniform returns a series of one value for all tasks.
func Uniform(v float64) Series {
	if math.IsNaN(v) {
		return Series{}
	}
	return Series{all: v, known: true}
}

// Each returns a series of one value a task; NaN marks an unknown one. The slice is kept, not copied.
func Each(v []float64) Series { return Series{each: v} }

// At returns the value of task i, NaN if it is unknown or i is out of range.
func (s Series) At(i int) float64 {
	switch {
	case s.known:
		return s.all
	case i >= 0 && i < len(s.each):
		return s.each[i]
	}
	return math.NaN()
}

// Known reports whether the series has any value.
func (s Series) Known() bool { return s.known || len(s.each) > 0 }

// IsUniform reports whether every task has the same value (or none has one).
func (s Series) IsUniform() bool { return len(s.each) == 0 }

// Values returns the per-task values, nil for a uniform series. Do not modify it.
func (s Series) Values() []float64 { return s.each }

// Same returns the number of tasks from i on, i included, that are known to share i's value, out of n tasks.
func (s Series) Same(i, n int) int {
	if len(s.each) == 0 {
		return n - i
	}
	return 1
}

// Sum returns the sum over n tasks, NaN if any is unknown.
func (s Series) Sum(n int) float64 {
	if s.known {
		return s.all * float64(n)
	}
	sum := 0.0
	for i := range n {
		sum += s.At(i)
	}
	return sum
}
