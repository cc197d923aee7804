package explain_test

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/estimators/explain"
)

// TestGivenMore checks that a task's input must be larger and explain its time.
func TestGivenMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size         float64 // of the median's 100
		work, median time.Duration
		want         bool
	}{
		{100, 30 * time.Second, 10 * time.Second, false},
		{300, 30 * time.Second, 10 * time.Second, true},
		{200, 40 * time.Second, 10 * time.Second, true}, // the square
		{120, 15200 * time.Millisecond, 2290 * time.Millisecond, false},
		{900, 60 * time.Second, 0, true},
		{math.NaN(), 30 * time.Second, 10 * time.Second, false},
	} {
		if got := explain.GivenMore(c.size, 100, c.work, c.median); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
