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

// TestOverdue checks that an attempt that is late has some time left, and more the later it is.
func TestOverdue(t *testing.T) {
	t.Parallel()
	if got := Overdue(5000, 100); got != 5000 {
		t.Errorf("not late: %v", got)
	}
	soon, later := Overdue(-1000, 10_000), Overdue(-60_000, 100_000)
	if soon < LeastMS || later <= soon {
		t.Errorf("a second late: %v, a minute late: %v", soon, later)
	}
}

// TestLine checks that points of two sizes show what both have in common, and that points of one size with one x show
// nothing.
func TestLine(t *testing.T) {
	t.Parallel()
	var l Line
	l.AddRated([]Rated{{1, 100, 1, 5000}, {1, 100, 1, 5000}})
	if alone, each := l.Fit(); alone != 0 || each != 0 {
		t.Errorf("of one size: %v + %v", alone, each)
	}
	l.AddRated([]Rated{{1, 60, 0, 2060}, {1, 60, 0, 2060}, {1, 270, 0, 2270}, {1, 270, 0, 2270}})
	if alone, _ := l.Fit(); math.Abs(alone-2000) > 1 {
		t.Errorf("of two sizes: %v, want 2000", alone)
	}
	l = Line{}
	l.Add(1, 1, 700)
	l.Add(3, 5, 2300)
	if alone, each := l.Fit(); math.Abs(alone-300) > 1e-6 || math.Abs(each-400) > 1e-6 {
		t.Errorf("of two points: %v + %v", alone, each)
	}
}
