package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A course is where a running attempt stands: how long its set-up and its work are predicted to take from an instant
// on, and how long ago that was. Times are milliseconds. What is left of either follows, and so does how likely it is.
type course struct {
	setup, setupAge float64
	work, workAge   float64
	age             float64 // the attempt's, or of its work
	own             float64 // for how long its own rate was watched; 0: it goes by its phase
	starts          bool    // its work has not begun
	waits           bool    // a reduce in copy: the last map decides, its set-up is never overdue
	origin          schedule.Origin
}

// setupLeft is what is left of the start-up of an attempt that has not reported. One that is late may report at any
// moment; the longer it is late, the longer it may stay so.
func (c *course) setupLeft() float64 {
	switch {
	case !c.starts:
		return 0
	case c.waits:
		return max(c.setup-c.setupAge, 0)
	}
	return taskcost.Overdue(c.setup-c.setupAge, c.age)
}

// workLeft is what is left of its work.
func (c *course) workLeft() float64 {
	if c.starts {
		return c.work
	}
	return taskcost.Overdue(c.work-c.workAge, c.age)
}

func (m *Model) course(ph *phase, k dag.StageIndex, a *dag.Attempt) course {
	if c, ok := ph.groups.course(m, ph, a); ok {
		return c
	}
	switch {
	case k == dag.Map:
		return m.courseMap(ph, a)
	case m.fifo:
		return m.courseWhole(ph, a)
	}
	return m.courseReduce(ph, a)
}

func (m *Model) courseMap(ph *phase, a *dag.Attempt) course {
	units := m.unit(dag.Map, a)
	if math.IsNaN(units) {
		units = ph.size(int(a.Task))
	}
	age := float64(m.now - a.Start)
	if !a.Last.At.Known() || !(a.Last.Done > 0) || math.IsNaN(units) {
		work, origin := ph.work(int(a.Task), a.Node)
		if ph.seen.silentMaps() {
			// Reports say nothing of this phase: count from its start.
			return course{work: m.setup.of(a) + work, workAge: age, age: age, origin: origin}
		}
		return course{starts: true, setup: m.setup.of(a), setupAge: age, work: work, age: age, origin: origin}
	}
	dt := float64(a.Last.At - a.First.At)
	first, last := a.First.Done*m.counts(a), a.Last.Done*m.counts(a)
	alpha := ownRate(ph.alpha*ph.factor(a.Node), dt, last-first)
	origin := schedule.Observed
	if math.IsNaN(alpha) {
		// One report: all work since the start-up made it.
		took, did := max(float64(a.Last.At-a.Start)-m.lag-m.setup.of(a), minReportMS), last
		if m.setup.of(a) == 0 {
			// Nobody has told how long that takes: only what lies between two reports is work.
			took, did = dt, last-first
		}
		if took < minReportMS || !(did > 0) {
			work, origin := ph.work(int(a.Task), a.Node)
			return course{work: work, workAge: float64(m.now-a.First.At) + m.lag, age: age, origin: origin}
		}
		alpha, origin = took/did, schedule.Assumed
	}
	c := course{work: (units - last) * alpha, workAge: float64(m.now-a.Last.At) + m.lag, age: age, own: max(dt, 0)}
	c.origin = m.doubted(c.work-c.workAge, origin)
	return c
}

// minReportMS is how long a map must have worked for its first reports to tell its rate.
const minReportMS = 500

// courseReduce is a reduce's: its start-up and copy, then its work once the last map output exists.
func (m *Model) courseReduce(ph *phase, a *dag.Attempt) course {
	units, whole, origin := m.wholeReduce(ph, a)
	if !a.CopyEnd.Known() {
		age := float64(m.now - a.Start)
		return course{
			starts: true, setup: m.startCostOf(a), setupAge: age, work: whole, age: age, waits: !ph.mapsDone,
			origin: origin,
		}
	}
	since := a.CopyEnd
	if a.SortEnd.Known() {
		since = a.SortEnd
	}
	age := float64(m.now - since)
	if work, old, own, ok := m.byOutput(ph, a, units, since); ok {
		return course{work: work, workAge: old, age: age, own: own, origin: m.doubted(work-old, schedule.Observed)}
	}
	if silent(a, m.now) {
		return course{work: whole, workAge: age, age: age, origin: schedule.Unknown}
	}
	return course{work: whole, workAge: age, age: age, origin: m.doubted(whole-age, origin)}
}

// courseWhole is a reduce's on the paper's cluster, whose tasks are measured as a whole.
func (m *Model) courseWhole(ph *phase, a *dag.Attempt) course {
	age := float64(m.now - a.Start)
	_, whole, origin := m.wholeReduce(ph, a)
	return course{work: m.setup.of(a) + whole, workAge: age, age: age, origin: origin}
}

// wholeReduce is a reduce's size in units and all its work, measured or not.
func (m *Model) wholeReduce(ph *phase, a *dag.Attempt) (units, work float64, origin schedule.Origin) {
	units = m.unit(dag.Reduce, a)
	if math.IsNaN(units) {
		units = ph.size(int(a.Task))
	}
	work, origin = ph.alpha*ph.seen.reduces.effort(units)*ph.factor(a.Node), ph.origin
	if math.IsNaN(work) {
		work, origin = ph.unmeasured(int(a.Task))
		work *= ph.factor(a.Node)
	}
	return units, work, origin
}

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
