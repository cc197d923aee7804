package observed

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// AssumedRatio is the share of the time that remains in which nothing runs but tasks whose cost nobody has seen, 0..1.
func (m *Model) AssumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	known := sch.Now
	var sure float64
	for _, sp := range sch.Spans { // sorted by start
		if sp.End <= known || m.unseen(&sp) {
			continue
		}
		from := max(sp.Start, known)
		sure += float64(sp.End - from)
		known = sp.End
	}
	return 1 - sure/total
}

func (m *Model) unseen(sp *schedule.Span) bool {
	if sp.Kind != dag.Map && sp.Kind != dag.Reduce {
		return false
	}
	return m.phases[sp.Job][sp.Kind].origin >= schedule.Assumed
}

// Law is the start-up law: milliseconds of a task alone, and more for each that starts with it.
func (m *Model) Law() [2]float64 { return [2]float64{m.setup.alone, m.setup.each} }
