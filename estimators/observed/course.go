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
