package staged

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

const (
	// progressRatio is the engine's own progress of a task at which it weighs as much as the stage's rate.
	progressRatio = 0.5
	farPastMS     = 30_000
)

// left is what is left of a task; see schedule.Left.
func (m *Model) left(t schedule.Task) schedule.Cost {
	cost := m.leftAlone(t)
	if t.Running == nil && t.Node < 0 { // a replay places the tasks on nodes one by one
		cost.Same = m.stages[t.Job][t.Stage].same(t.Index)
	}
	return cost
}

// leftAlone is left without a look at the tasks after it, which may be many: a draw gives each task its own cost.
func (m *Model) leftAlone(t schedule.Task) schedule.Cost {
	l := &m.stages[t.Job][t.Stage]
	if t.Running != nil {
		work, origin := m.leftOf(l, t.Running)
		return schedule.Cost{Work: taskcost.Duration(work), Origin: origin, Same: 1}
	}
	return schedule.Cost{
		Setup: taskcost.Duration(m.setupOf(t)), Work: taskcost.Duration(l.work(t.Index)), Origin: l.origin, Same: 1,
	}
}

// setupOf is what a task that would start later takes before its work. One that starts now may have been waiting for
// its container for long.
func (m *Model) setupOf(t schedule.Task) float64 {
	if !t.Cold || t.Start > m.snapshot.At || m.snapshot.Plan.Jobs[t.Job].Rules != dag.AncestorsFirst {
		return m.setup(t.Job, t.Cold)
	}
	return m.launching(m.stages[t.Job][t.Stage].asked) + m.extraAt(t.Start)
}

// setup is what a task takes before its work: in a job whose containers are used again, only if one is launched for it.
func (m *Model) setup(j int, cold bool) float64 {
	if m.snapshot.Plan.Jobs[j].Rules != dag.AncestorsFirst {
		return taskcost.MS(m.snapshot.Plan.Cluster.Setup)
	}
	if !cold {
		return 0
	}
	return m.launchAt(m.snapshot.At) + m.extraAt(m.snapshot.At)
}

func (l *law) work(i int) float64 {
	if i < 0 || i >= len(l.size) {
		return 0
	}
	return zero(l.rate * l.size[i])
}

// same is how many tasks from i on cost the same.
func (l *law) same(i int) int {
	n := 1
	for i+n < len(l.size) && l.size[i+n] == l.size[i] {
		n++
	}
	return n
}

// full is what a whole task takes, in milliseconds.
func (m *Model) full(j int, k dag.StageIndex, i int) float64 {
	return zero(m.stages[j][k].work(i) + m.setup(j, false))
}

// rem is what is left of a task in milliseconds: 0 if it is done, all of it while it is pending.
func (m *Model) rem(j int, k dag.StageIndex, i int) float64 {
	best := math.NaN()
	all := m.snapshot.Jobs[j].Stages[k].Attempts
	// Attempts are ordered by task: this is asked for each task of a stage.
	from, _ := slices.BinarySearchFunc(all, i, func(a dag.Attempt, task int) int {
		return cmp.Compare(int(a.Task), task)
	})
	for n := from; n < len(all) && int(all[n].Task) == i; n++ {
		switch a := &all[n]; a.State {
		case dag.AttemptSucceeded:
			return 0
		case dag.AttemptRunning:
			if work, _ := m.leftOf(&m.stages[j][k], a); math.IsNaN(best) || work < best {
				best = work
			}
		}
	}
	if math.IsNaN(best) {
		return m.full(j, k, i)
	}
	return best
}

// leftOf is what is left of the work of a running attempt: all of it while it waits for its input.
func (m *Model) leftOf(l *law, a *dag.Attempt) (work float64, origin schedule.Origin) {
	whole := l.work(int(a.Task)) + m.extraOf(l, a)
	if !l.ready() || !a.Start.Known() {
		return whole, l.origin
	}
	now := m.snapshot.At
	age := max(0, float64(now-l.begin(a))-m.setup(0, false))
	left := whole - age
	origin = l.origin
	d := 0.0
	if l.seen.records && int(a.Task) < len(l.size) {
		d = l.worked(a)
	}
	if d > 0 {
		last := lastChange(a, now)
		took, units := l.watched(a)
		rate := ownRate(l.rate, took, units)
		left = rate*(l.size[a.Task]-d) - float64(now-last)
		origin = schedule.Observed
	}
	if share := l.progress(a); share > 0 && age > 0 {
		weight := share / (share + progressRatio)
		left = (1-weight)*left + weight*age*(1-share)/share
		origin = schedule.Observed
	}
	if left < -farPastMS || !l.sized {
		origin = schedule.Unknown
	}
	return taskcost.Overdue(zeroNaN(left), age), origin
}

// progress is what the engine says of an attempt's work, 0..1: 0 where it says nothing. A task that copies first has
// half of it for that.
func (l *law) progress(a *dag.Attempt) float64 {
	share := a.Ratio
	if l.waits {
		share = (share - 0.5) * 2
	}
	if !(share > 0.02) || share > 1 {
		return 0
	}
	return share
}

// ownRate blends an attempt's own rate, watched for dt, with its stage's.
func ownRate(rate, dt, units float64) float64 {
	switch {
	case !(dt > 0) || !(units > 0):
		return rate
	case !(rate > 0):
		return dt / units
	}
	return taskcost.Blend(dt, units, rate, taskcost.OwnPriorMS)
}

func zeroNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// zero makes a cost of any float.
func zero(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, taskcost.MostMS)
}
