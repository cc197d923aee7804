package cost

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// assumedRatio is how much of the time that remains is assumed, 0..1: that in which nothing runs but tasks of stages
// that neither the run nor a profile has shown.
func (m *Model) assumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	if m.s.Plan.OnlyMapReduce() {
		return m.assumedWork(sch, total)
	}
	known, sure := sch.Now, 0.0
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count == 0 || m.stages[sp.Job][sp.Stage].origin >= schedule.Assumed || sp.End <= known {
			continue
		}
		sure += float64(sp.End - max(sp.Start, known))
		known = sp.End
	}
	return max(0, 1-sure/total)
}

// assumedWork is assumedRatio of MapReduce jobs, whose starts and pauses are known when their work is not: the work
// that is expected of stages that nothing has shown, of the time that remains with it. That expectation is the mean,
// which is far above the median that the estimate has. A stage counts if it runs alone for a while. A stall counts
// with its length.
func (m *Model) assumedWork(sch *schedule.Schedule, total float64) float64 {
	if !m.seenAny() {
		return 1
	}
	known, mass, least, counted := sch.Now, 0.0, 0.0, map[place]bool{}
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		at := place{int(sp.Job), sp.Stage}
		switch {
		case sp.Count == 0 || sp.End <= known:
		case m.stages[at.j][at.k].origin < schedule.Assumed:
			known = sp.End
		case !counted[at]:
			st := &m.stages[at.j][at.k]
			counted[at] = true
			mass += m.whole(st, int(sp.First)) * math.Exp(st.change.sigma*st.change.sigma/2)
			if len(m.stages) == 1 {
				least = loneRatio
			}
		}
	}
	return max(least, mass/(total+mass), min(1, taskcost.MS(time.Duration(m.stalled))/total))
}

// loneRatio is how much is assumed at least while a lone job has a stage that nothing has shown: it may be most of it.
const loneRatio = 0.5
