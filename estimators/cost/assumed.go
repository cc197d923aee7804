package cost

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// assumedRatio returns the assumed part of the remaining time, 0..1. It is the time in which only tasks of assumed
// stages run: neither the run nor a profile has shown their costs.
func (m *Model) assumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	if m.mapReduce {
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

// assumedWork is assumedRatio for MapReduce jobs. Their starts and pauses are known even if their work is not. The
// ratio is the expected work of the assumed stages, divided by that work plus the remaining time. The expected work
// is the mean, which is far above the median that the estimate has. A stage counts if it runs alone for a while. A
// stall counts with its length.
func (m *Model) assumedWork(sch *schedule.Schedule, total float64) float64 {
	if !m.seenAny() {
		return 1
	}
	known, mass, least, counted := sch.Now, 0.0, 0.0, map[*stage]bool{}
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count == 0 || sp.End <= known {
			continue
		}
		switch st := &m.stages[sp.Job][sp.Stage]; {
		case st.origin < schedule.Assumed:
			known = sp.End
		case !counted[st]:
			counted[st] = true
			mass += m.pace.whole(st, int(sp.First)) * math.Exp(st.change.sigma*st.change.sigma/2)
			if len(m.stages) == 1 {
				least = loneRatio
			}
		}
	}
	return max(least, mass/(total+mass), min(1, taskcost.MS(time.Duration(m.stalled))/total))
}

// loneRatio is the least assumed ratio of a single job with an unseen stage, which may be most of the job.
const loneRatio = 0.5
