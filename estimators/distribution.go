package estimators

import (
	"math"
	"slices"
	"time"
)

// A Distribution is what a length of time may be: equally likely values, ascending. An empty one says nothing.
type Distribution []time.Duration

// At is the quantile of order q, 0..1, interpolated linearly between the values (definition 7 of Hyndman and Fan,
// "Sample Quantiles in Statistical Packages", 1996). It panics on an empty distribution.
func (d Distribution) At(q float64) time.Duration {
	h := min(max(q, 0), 1) * float64(len(d)-1)
	i := int(math.Floor(h))
	if i+1 >= len(d) {
		return d[len(d)-1]
	}
	return d[i] + time.Duration((h-float64(i))*float64(d[i+1]-d[i]))
}

// Above is the probability of more than t, NaN where nothing is known.
func (d Distribution) Above(t time.Duration) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	i, _ := slices.BinarySearch(d, t+1)
	return float64(len(d)-i) / float64(len(d))
}

// Less is the distribution after by has passed and nothing was learned: every value is by less, none below 0.
func (d Distribution) Less(by time.Duration) Distribution {
	out := make(Distribution, len(d))
	for i, v := range d {
		out[i] = max(0, v-by)
	}
	return out
}
