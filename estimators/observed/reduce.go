package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// byOutput goes by what the reduce has written: input jumps to its end when a bag is read, output moves evenly
// (docs/facts/measured.md 4). How much will be written is the selectivity times its size; where none is known and
// output moves while input stands, one tuple for each tuple read. Where both move, the engine's ratio of input read is
// taken. work is what was left at the newest report, old how long ago that was made, own for how long its own rate was
// watched.
func (m *Model) byOutput(ph *phase, a *dag.Attempt, units float64, since dag.Instant) (work, old, own float64,
	ok bool,
) {
	if !a.Last.At.Known() || !a.First.At.Known() {
		return 0, 0, 0, false
	}
	dt, wrote := float64(a.Last.At-a.First.At), a.Last.Out-a.First.Out
	watched := float64(a.Last.At-since) - m.lag
	if dt < minSampleMS && watched < minSampleMS {
		return 0, 0, 0, false
	}
	old = float64(m.now-a.Last.At) + m.lag
	expected := ph.sel * units
	if math.IsNaN(expected) && wrote > 0 && a.Last.Done == a.First.Done {
		expected = a.Last.Done
	}
	if expected > 0 && a.Last.Out > 0 {
		rate := math.NaN()
		if !math.IsNaN(ph.alpha) {
			rate = ph.alpha * ph.seen.reduces.effort(units) * ph.factor(a.Node) / expected
		}
		switch {
		case dt >= minSampleMS && wrote > 0:
			rate = ownRate(rate, dt, wrote)
		case math.IsNaN(rate) && watched >= 2*minSampleMS:
			// The start of the phase is in it: the last resort.
			rate = watched / a.Last.Out
		}
		if !math.IsNaN(rate) {
			return (expected - a.Last.Out) * rate, old, max(dt, 0), true
		}
	}
	if f := 3*a.Ratio - 2; f > 0.02 && f < 1 && a.Last.Done > a.First.Done {
		return watched * (1 - f) / f, old, watched, true
	}
	return 0, 0, 0, false
}

// startCostOf is the set-up of a reduce that has started, and its copy of map outputs that are there.
func (m *Model) startCostOf(a *dag.Attempt) float64 {
	if m.given {
		return m.setup.of(a)
	}
	return m.setup.of(a) + copyMS
}
