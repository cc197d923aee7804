package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// What is assumed of phases that nobody has seen. No formula is right: on the recordings a map takes 25 ms a record,
// the reduce of a DISTINCT 0 and that of a JOIN 150 (docs/facts/measured.md 2). Start-ups, launches and gaps are this
// run's own in any case.
//
//   - A map of a first job reads raw input as the other first jobs do: their mean map.
//   - Every other phase: laterWork of the run's mean map a task. Overheads alone are a little too little, half a mean
//     map is far too much.
//
// What a phase is assumed to be when it is to come stays assumed until its first task has shown work.
const laterWork = 0.02

// doubtWork is what a later phase may well turn out to take beyond its assumption, as a share of the mean map: it
// counts as assumed although it is in no estimate.
const doubtWork = 0.15

// assume gives each phase its assumed work.
func (m *Model) assume(levels []int, later float64) {
	first, all := m.meanMapWork(levels, true), m.meanMapWork(levels, false)
	m.mapWork = all
	for j := range m.phases {
		m.phases[j][dag.Map].assumed = later * all
		if levels[j] == 0 {
			m.phases[j][dag.Map].assumed = first
		}
		m.phases[j][dag.Reduce].assumed = later * all
	}
}

// meanMapWork is the mean work of a map task over this run's phases that have been seen, 0 where none has.
func (m *Model) meanMapWork(levels []int, roots bool) float64 {
	sum, n := 0.0, 0.0
	for j := range m.phases {
		ph := &m.phases[j][dag.Map]
		if roots && levels[j] > 0 {
			continue
		}
		if c := float64(m.Snapshot.Plan.Jobs[j].Stages[dag.Map].Count()); ph.alpha >= 0 && ph.mean > 0 {
			sum += c * ph.alpha * ph.mean
			n += c
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// AssumedRatio is how much of the time that remains is assumed, 0..1. It is the greater of two shares: the work
// assumed, and what phases nobody has seen may well take beyond it, of all; and two thirds of the share of the time in
// which nothing would run but such phases, their known start-ups included. So more than a third is assumed where the
// work is, or where more than half of the time belongs to tasks that nobody has seen. How long a stall lasts is assumed
// as well.
func (m *Model) AssumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	known, sure := sch.Now, 0.0
	for _, sp := range sch.Spans { // sorted by start
		if sp.End > known && (!m.unseen(&sp) || m.alike(&sp)) {
			sure += float64(sp.End - max(sp.Start, known))
			known = sp.End
		}
	}
	alone := 1 - sure/total
	if m.mapWork <= 0 && alone > 0 {
		return 1 // nothing has shown any work yet
	}
	mass, extra := m.doubt(sch)
	ratio := max(min(mass/(total+extra), 1), alone*2/3, min(m.stalled/total, 1))
	if len(m.phases) == 1 && alone > 0 {
		ratio = max(ratio, 0.5) // the reduces of a lone job are half of it, and nothing in the run tells of reduces
	}
	return ratio
}

// doubt sums the assumed work of unseen phases that run alone for a while, and what of it no estimate holds.
func (m *Model) doubt(sch *schedule.Schedule) (mass, extra float64) {
	seen := make(map[[2]int]bool)
	covered := sch.Now
	for _, sp := range sch.Spans {
		if !m.unseen(&sp) {
			covered = max(covered, sp.End)
			continue
		}
		key := [2]int{int(sp.Job), int(sp.Stage)}
		if sp.End <= covered || seen[key] {
			continue
		}
		seen[key] = true
		ph := &m.phases[sp.Job][sp.Stage]
		if work := doubtWork * m.mapWork; ph.assumed < work {
			mass += work
			extra += work - ph.assumed
		} else {
			mass += ph.assumed / 2 // it is like others that were seen
		}
	}
	return mass, extra
}

// alike says that a span's tasks were assumed to be as others of this run that were seen.
func (m *Model) alike(sp *schedule.Span) bool {
	ph := &m.phases[sp.Job][dag.Map]
	return sp.Stage == dag.Map && m.mapWork > 0 && ph.assumed > laterWork*m.mapWork && math.IsNaN(ph.alpha)
}

// unseen says that a span is of tasks whose cost nobody has seen, in this run or a profile's.
func (m *Model) unseen(sp *schedule.Span) bool {
	if sp.Stage != dag.Map && sp.Stage != dag.Reduce {
		return false
	}
	if m.phases[sp.Job][sp.Stage].origin >= schedule.Assumed {
		return true
	}
	if sp.Start > m.now {
		return false
	}
	// A task that runs and says nothing of what is left is unknown, whatever its phase showed.
	attempts := m.Snapshot.Jobs[sp.Job].Stages[sp.Stage].Attempts
	for i := find(attempts, sp.First); i < len(attempts) && attempts[i].Task == sp.First; i++ {
		if a := &attempts[i]; a.State == dag.AttemptRunning && a.Number == sp.Attempt {
			_, _, origin := m.running(&m.phases[sp.Job][sp.Stage], sp.Stage, a)
			return origin >= schedule.Assumed
		}
	}
	return false
}
