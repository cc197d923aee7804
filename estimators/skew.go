package estimators

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A bounds is the range of a reduce stage's time, in milliseconds, from the first instant at which its tasks can
// work. The field printed is the lower bound of Algorithm 1 as printed in the paper, low the tighter one.
type bounds struct{ printed, low, high float64 }

// A share is n tasks of equal remaining time.
type share struct {
	ms float64
	n  int
}

// algorithm1 bounds the time that a stage's running (scheduled) and pending (blocked) tasks take on c slots, for
// any order of the pending ones: Algorithm 1 of section 3.3 (facts/paratimer.md P20). With n =
// ceil(pending/c),
//
//	high = max(scheduled) + the n largest of blocked
//	low  = min(scheduled) + the n smallest of blocked
//
// It is valid for one stage on slots of its own. The tighter lower bound is at least the longest task and the whole
// work over c.
func algorithm1(p *StageLeft, c int) bounds {
	var b bounds
	var work, longest float64
	blocked := make([]share, 0, len(p.stretches))
	started := false
	for g := range p.All() {
		work += g.Rem * float64(g.Count)
		longest = max(longest, g.Rem)
		switch {
		case !g.Running:
			blocked = append(blocked, share{g.Rem, g.Count})
		case !started:
			started = true
			b.printed, b.high = g.Rem, g.Rem
		default:
			b.printed, b.high = min(b.printed, g.Rem), max(b.high, g.Rem)
		}
	}
	n := (p.Pending + c - 1) / c
	slices.SortFunc(blocked, func(a, b share) int { return cmp.Compare(a.ms, b.ms) })
	b.printed += sumFirst(blocked, n, 0, 1)
	b.high += sumFirst(blocked, n, len(blocked)-1, -1)
	b.low = max(b.printed, longest, work/float64(c))
	return b
}

// sumFirst sums n tasks of the shares from index i on in steps.
func sumFirst(shares []share, n, i, step int) float64 {
	sum := 0.0
	for ; n > 0 && i >= 0 && i < len(shares); i += step {
		m := min(n, shares[i].n)
		sum += shares[i].ms * float64(m)
		n -= m
	}
	return sum
}

// skewHigh is the upper bound under data skew (section 3.3): each reduce stage of the critical path at its worst,
// and never less than the standard time (facts/paratimer.md P21).
func skewHigh(b bounds, ms float64) float64 { return max(b.high, ms) }

// skewLow is the lower bound under data skew (section 3.3), made tight (facts/paratimer.md P21). Each reduce
// stage of the critical path is at its best, but not shorter than its longest task, nor than all its work on all
// its slots. Algorithm 1 alone, skewLowAsPrinted, follows the shortest running task, so it is almost useless next
// to a reduce of eight times the mean. Both bound one stage on slots of its own. If stages share slots, they may
// exceed the standard time, so they are clamped to it.
func skewLow(b bounds, ms float64) float64 { return min(b.low, ms) }

// skewLowAsPrinted is the lower bound of Algorithm 1 as printed in the paper.
func skewLowAsPrinted(b bounds, ms float64) float64 { return min(b.printed, ms) }

// underSkew makes an Estimate of the bounds under skew and the standard time.
func underSkew(of func(b bounds, ms float64) float64) func(*ReplayContext) (Estimate, error) {
	return func(w *ReplayContext) (Estimate, error) {
		ms, err := w.standardMS()
		if err != nil {
			return Estimate{}, err
		}
		return w.scenario(of(w.skewBounds(), ms)), nil
	}
}

// skewBounds replaces each reduce stage on the critical path by its bounds (facts/paratimer.md A10, P21, P22). The
// caller must have called Path.
//
// A segment of maps, or of a pause, adds its length to all bounds. A segment of reduces adds, once for each job
// with a task in its fragment, the job's bounds minus the part of the stage before the segment. This adds up jobs
// even if their reduces share slots: at worst, they run one after the other. At best they run beside each other:
// the segment's low is that of its longest job, not their sum.
func (w *ReplayContext) skewBounds() (sum bounds) {
	if w.ended() {
		return sum
	}
	if w.bounds != nil {
		return *w.bounds
	}
	counted := make([]bool, len(w.Now().Plan.Jobs))
	begins := w.ReduceStarts()
	for _, seg := range w.path.Critical {
		if w.path.Fragments[seg.Fragment].Stage != dag.Reduce {
			length := float64(seg.End - seg.Start)
			sum = bounds{sum.printed + length, sum.low + length, sum.high + length}
			continue
		}
		longest := 0.0
		for _, job := range w.jobsOf(seg.Fragment) {
			if counted[job] {
				continue
			}
			counted[job] = true
			p := w.Stage(job, dag.Reduce)
			if p.Unfinished() == 0 {
				continue
			}
			b := algorithm1(p, Slots(w.Now().Plan, job, dag.Reduce))
			over := float64(max(0, seg.Start-begins[job].Work))
			waits := float64(max(0, min(begins[job].Work, seg.End)-max(seg.Start, begins[job].Held)))
			longest = max(longest, max(0, b.low-over)+waits)
			sum.printed += max(0, b.printed-over) + waits
			sum.high += max(0, b.high-over) + waits
		}
		sum.low += longest
	}
	w.bounds = &sum
	return sum
}

// A ReduceStart is when the first unfinished reduce of a job gets its slot (now, if it has one already), and when it
// can work. That is later if reduces occupy their containers while maps still run.
type ReduceStart struct{ Held, Work dag.Instant }

// ReduceStarts returns, by job, when the first unfinished reduce starts by Schedule, which must have been called; both
// instants are NoInstant if none is left.
func (w *ReplayContext) ReduceStarts() []ReduceStart {
	now := w.Now().At
	out := make([]ReduceStart, len(w.Now().Plan.Jobs))
	maps := make([]dag.Instant, len(out))
	for j := range out {
		out[j], maps[j] = ReduceStart{dag.NoInstant, dag.NoInstant}, now
	}
	for i := range w.schedule.Spans {
		s := &w.schedule.Spans[i]
		if s.Past { // of the snapshot; a running task with nothing left is not Past
			continue
		}
		switch s.Stage {
		case dag.Map:
			maps[s.Job] = max(maps[s.Job], s.End)
		case dag.Reduce:
			if b := &out[s.Job]; !b.Held.Known() || s.Start < b.Held {
				b.Held = max(now, s.Start)
			}
		}
	}
	for j := range out {
		if out[j].Held.Known() {
			out[j].Work = max(out[j].Held, maps[j])
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
