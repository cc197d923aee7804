package taskcost

import (
	"math"
	"testing"
)

func TestBlend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ms, units, expected, prior, want float64 }{
		{0, 0, 20, PriorMS, 20},            // nothing was watched
		{4000, 100, 20, PriorMS, 80.0 / 3}, // as much as the expectation weighs: 8000 ms for 100 + 200 units
		{4e12, 1e11, 20, PriorMS, 40},      // much was watched
	} {
		if got := Blend(c.ms, c.units, c.expected, c.prior); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("Blend(%g, %g, %g, %g) = %g, want %g", c.ms, c.units, c.expected, c.prior, got, c.want)
		}
	}
}
