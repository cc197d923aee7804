package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/schedule"
)

// groupWork is the work of a job's reduces as their key groups tell it. Times are milliseconds, slices are by task; NaN
// where they tell nothing of a task.
type groupWork struct {
	origin  schedule.Origin
	left    []float64     // after the last group that has ended; all of it where none has
	whole   []float64     // left, and what is done
	since   []dag.Instant // when that group ended; NoInstant where none has
	attempt []int32       // of which attempt; -1 where none counts
	spread  []float64     // standard deviation of the logarithm of left, the task's own
	common  float64       // the same, of what all tasks have in common
	sized   bool          // the sizes of all tasks are known
	// What copy, of outputs that are there, and sort take beyond the law of start-ups; see transfers.
	copy, sort []float64
}

// of is the work of a whole task that is to start, NaN where key groups tell nothing of it.
func (w *groupWork) of(i int) float64 {
	if w == nil || i >= len(w.whole) {
		return math.NaN()
	}
	return w.whole[i] + w.copy[i] + w.sort[i]
}

// same is how many tasks from i on cost the same.
func (w *groupWork) same(i int) int {
	k := i + 1
	for k < len(w.whole) && w.of(k) == w.of(i) { // never of NaN: such a task costs what its size says
		k++
	}
	return k - i
}

// course is that of a running reduce. ok is false where its groups tell nothing.
func (w *groupWork) course(m *Model, ph *phase, a *dag.Attempt) (c course, ok bool) {
	if w == nil || int(a.Task) >= len(w.left) || math.IsNaN(w.left[a.Task]) {
		return c, false
	}
	age := float64(m.now - a.Start)
	c = course{age: age, origin: w.origin}
	since := a.SortEnd
	if !since.Known() {
		since = a.CopyEnd
	}
	switch {
	case w.attempt[a.Task] == a.Number && w.since[a.Task].Known():
		c.work, c.workAge = w.left[a.Task], max(float64(m.now-w.since[a.Task]), 0) // clocks differ
	case m.fifo: // the paper's cluster: a task is measured as a whole
		c.work, c.workAge = m.setup.of(a)+w.of(int(a.Task)), age
	case !since.Known():
		c.starts, c.setup, c.setupAge = true, m.startCostOf(a), age
		c.work, c.waits = w.whole[a.Task]+w.sort[a.Task], !ph.mapsDone
		if ph.mapsDone {
			c.setup += w.copy[a.Task]
		}
		return c, true
	default:
		c.work, c.workAge = w.whole[a.Task], float64(m.now-since)
		if !a.SortEnd.Known() {
			c.work += w.sort[a.Task]
		}
	}
	// One group may be most of what is left: it is no sign of trouble that it takes half as long again.
	if late := c.workAge - c.work; late > c.work*groupLateRatio {
		c.origin = m.doubted(-late, c.origin)
	}
	return c, true
}

// groupLateRatio is how late, as a share of what was left, a reduce must be for its time to be doubted.
const groupLateRatio = 0.5

// transfers are what a reduce's bytes took to be fetched and merged, beyond its start-up, where no map was left to
// wait for.
func (m *Model) transfers(j int) (copied, sorted []nearestfit.Transfer) {
	if m.fifo || m.given {
		return nil, nil
	}
	end := mapsEnd(&m.Snapshot.Plan.Jobs[j], &m.Snapshot.Jobs[j])
	attempts := m.Snapshot.Jobs[j].Stages[dag.Reduce].Attempts
	for i := range attempts {
		a := &attempts[i]
		if !a.CopyEnd.Known() || !a.Start.Known() || !(a.Bytes > 0) || a.State == dag.AttemptFailed ||
			a.State == dag.AttemptKilled {
			continue
		}
		if end.Known() && end <= a.Start {
			took := float64(a.CopyEnd-a.Start) - m.startCostOf(a)
			copied = append(copied, nearestfit.Transfer{Bytes: a.Bytes, Seconds: max(took, 0) / 1000})
		}
		if a.SortEnd.Known() {
			sorted = append(sorted, nearestfit.Transfer{Bytes: a.Bytes, Seconds: max(float64(a.SortEnd-a.CopyEnd),
				0) / 1000})
		}
	}
	return copied, sorted
}

// spreadStep is how finely tasks' spreads are told apart: each step's factors are made once.
const spreadStep = 0.05

// sampling draws what reduces have left by their key groups: a common factor for the job's curve, which was as far off
// as the groups that have ended showed, and each task's own, which is what its groups' errors leave in a sum.
func (w *groupWork) sampling() phaseSampling {
	p := phaseSampling{own: estimators.NewFactors(nil, workSigma), rate: w.common, each: make([]estimators.Factors,
		len(w.spread))}
	made := map[int]estimators.Factors{}
	for i, sigma := range w.spread {
		step := int(math.Ceil(sigma / spreadStep))
		f, ok := made[step]
		if !ok {
			f = estimators.NewFactors(nil, float64(step)*spreadStep)
			made[step] = f
		}
		p.each[i] = f
	}
	return p
}
