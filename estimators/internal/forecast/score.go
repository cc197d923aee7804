package forecast

import "math"

// Interval is the interval score of the central range [low, high] of probability level, for an outcome y: its width,
// and for an outcome outside 2/(1-level) times how far. Less is better. Its unit is that of y. It is proper, as CRPS
// is: the forecaster's own belief scores best. Winkler, "A Decision-Theoretic Approach to Interval Estimation", 1972;
// Gneiting and Raftery, "Strictly Proper Scoring Rules, Prediction, and Estimation", 2007, equation 43.
func Interval(low, high, level, y float64) float64 {
	return high - low + 2/(1-level)*(max(0, low-y)+max(0, y-high))
}

// CRPS is the continuous ranked probability score of equally likely values, ascending, for an outcome y:
// E|X-y| - E|X-X'|/2 (Gneiting and Raftery, 2007, equation 21). Less is better; of a single value it is the absolute
// error. NaN without values.
func CRPS(values []float64, y float64) float64 {
	n := float64(len(values))
	off, spread := 0.0, 0.0
	for i, v := range values {
		off += math.Abs(v - y)
		spread += v * (2*float64(i) + 1 - n) // the sum over pairs of |X-X'|, each counted once
	}
	return off/n - spread/(n*n)
}
