package estimators

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// skewBounds replaces each reduce phase on the critical path by its bounds (docs/facts/paratimer.md A10, P21, P22). A
// segment of maps, or of a pause, adds its length to both; a segment of reduces adds, once for each job with a task in
// its fragment, the job's bounds less what of the phase lies before the segment. That sums over jobs even where their
// reduces share slots, which at its worst is one after the other. At their best they run beside each other: with tight,
// the segment's low is that of its longest job, not their sum.
func (w *ReplayContext) skewBounds(tight bool) (bounds, error) {
	if w.ended() {
		return bounds{}, nil
	}
	if _, err := w.Path(); err != nil {
		return bounds{}, err
	}
	made := &w.loose
	if tight {
		made = &w.tight
	}
	if *made == nil {
		b := w.walk(tight)
		*made = &b
	}
	return **made, nil
}

func (w *ReplayContext) walk(tight bool) (sum bounds) {
	path := w.path
	counted := make([]bool, len(w.Now().Plan.Jobs))
	begins := w.begins()
	for _, seg := range path.Critical {
		fragment := &path.Fragments[seg.Fragment]
		if fragment.Stage != dag.Reduce {
			length := float64(seg.End - seg.Start)
			sum.low += length
			sum.high += length
			continue
		}
		longest := 0.0
		for _, job := range w.jobsOf(seg.Fragment) {
			if counted[job] {
				continue
			}
			counted[job] = true
			p := w.phase(job, dag.Reduce)
			if p.left() == 0 {
				continue
			}
			b := algorithm1(p, slots(w.Now().Plan, job, dag.Reduce), tight)
			over := float64(max(0, seg.Start-begins[job].work))
			waits := float64(max(0, min(begins[job].work, seg.End)-max(seg.Start, begins[job].hold)))
			low := max(0, b.low-over) + waits
			if longest = max(longest, low); !tight {
				sum.low += low
			}
			sum.high += max(0, b.high-over) + waits
		}
		if tight {
			sum.low += longest
		}
	}
	return sum
}

// A begin is when the first unfinished reduce of a job holds its slot (at now, if it does already), and when it can
// work: later, where reduces hold their containers while maps still run.
type begin struct{ hold, work dag.Instant }

func (w *ReplayContext) begins() []begin {
	now := w.Now().At
	out := make([]begin, len(w.Now().Plan.Jobs))
	maps := make([]dag.Instant, len(out))
	for j := range out {
		out[j], maps[j] = begin{dag.NoInstant, dag.NoInstant}, now
	}
	for i := range w.schedule.Spans {
		s := &w.schedule.Spans[i]
		if s.Past { // of the snapshot; a running task with nothing left is not
			continue
		}
		switch s.Stage {
		case dag.Map:
			maps[s.Job] = max(maps[s.Job], s.End)
		case dag.Reduce:
			if b := &out[s.Job]; !b.hold.Known() || s.Start < b.hold {
				b.hold = max(now, s.Start)
			}
		}
	}
	for j := range out {
		if out[j].hold.Known() {
			out[j].work = max(out[j].hold, maps[j])
		}
	}
	return out
}

// jobsOf returns the jobs with a task in a fragment of the path, in plan order.
func (w *ReplayContext) jobsOf(fragment int) []int {
	var jobs []int
	for _, r := range w.path.Fragments[fragment].Rounds {
		for _, i := range w.path.Rounds[r].Spans {
			jobs = append(jobs, int(w.path.Schedule.Spans[i].Job))
		}
	}
	slices.Sort(jobs)
	return slices.Compact(jobs)
}
