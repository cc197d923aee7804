package staged

import "github.com/paratimer/paratimer/schedule"

// doubtWork is what a task of a stage that nobody has seen may well turn out to take, as a share of the mean task of
// the stages that were seen. It counts as assumed although it is in no estimate.
const doubtWork = 1

// assumedRatio is how much of the time that remains is assumed, 0..1: the time in which nothing would run but tasks of
// stages that nobody has seen, with what they may well take beyond their assumption.
func (m *Model) assumedRatio(sch *schedule.Schedule) float64 {
	total := float64(sch.End - sch.Now)
	if total <= 0 {
		return 0
	}
	seen := make(map[[2]int32]bool)
	known, sure, extra := sch.Now, 0.0, 0.0
	for i := range sch.Spans { // sorted by start
		sp := &sch.Spans[i]
		if sp.Count == 0 || !m.assumed(sp) {
			if sp.End > known {
				sure += float64(sp.End - max(sp.Start, known))
				known = sp.End
			}
			continue
		}
		if key := [2]int32{sp.Job, int32(sp.Stage)}; sp.End > known && !seen[key] {
			seen[key] = true
			extra += max(0, doubtWork*m.mean-m.stages[sp.Job][sp.Stage].work(int(sp.First)))
		}
	}
	return (total - sure + extra) / (total + extra)
}

// assumed says that a span is of tasks whose cost nobody has seen, in this run or a profile's.
func (m *Model) assumed(sp *schedule.Span) bool {
	l := &m.stages[sp.Job][sp.Stage]
	return l.origin >= schedule.Assumed || !l.sized
}
