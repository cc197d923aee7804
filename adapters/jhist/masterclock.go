package jhist

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// leastStep is the smallest step of an application master's clock that is corrected. The master writes events up to
// some seconds after they happened.
const leastStep = time.Minute

// A mark is the destination of an event's time: the job, or an attempt.
type mark struct {
	kind  dag.StageIndex // dag.NoStage: the job
	index int
	end   bool
}

// note records the time of an event in the order of the file, which is that of one master.
func (h *history) note(m mark, at dag.Instant) {
	if h.windows != nil {
		return
	}
	s := clock.Stamp{At: at, Began: -1, Took: -1}
	if m.kind != dag.NoStage && m.end {
		s.Soon = true // another task uses its container next
	}
	h.stamps, h.marks = append(h.stamps, s), append(h.marks, m)
}

// setClock corrects the times of a history if the master's clock was set while the job ran. It skips jobs with
// several masters, because a second master repeats the events of the first one.
func (h *history) setClock() {
	if len(h.job.Masters) > 1 {
		return
	}
	shift, steps := clock.Straighten(h.stamps)
	worst, n := time.Duration(0), 0
	for _, s := range steps {
		if by := max(s.Ahead, -s.Ahead); by >= leastStep {
			worst, n = max(worst, by), n+s.Entries
		}
	}
	if n == 0 {
		return
	}
	j := h.job
	j.Clocks = append(j.Clocks, fmt.Sprintf("the clock of its application master steps, by up to %s: ParaTimer moved %s "+
		"to where their order puts them", units.Exact(worst), units.Count(n, "event")))
	for i, m := range h.marks {
		switch by, at := shift[i], h.stamps[i].At; {
		case m.kind == dag.NoStage && m.end:
			j.Finished += by
		case m.kind == dag.NoStage && j.Launched == at: // no later event has replaced it
			j.Launched += by
		case m.kind == dag.NoStage:
		case m.end:
			moveEnd(&j.Attempts[m.kind][m.index], by)
		default:
			j.Attempts[m.kind][m.index].Start += by
		}
	}
	j.Last = dag.NoInstant
	for _, at := range []dag.Instant{j.Submitted, j.Launched, j.Finished} {
		j.Saw(at)
	}
	for k := range j.Attempts {
		for i := range j.Attempts[k] {
			j.Saw(j.Attempts[k][i].End)
			j.Saw(j.Attempts[k][i].Start)
		}
	}
}

// moveEnd shifts the end of an attempt. It also shifts a reduce's phases, because their times come from the end event.
func moveEnd(a *past.Attempt, by dag.Instant) {
	for _, at := range []*dag.Instant{&a.End, &a.CopyEnd, &a.SortEnd} {
		if at.Known() {
			*at += by
		}
	}
	if a.Start.Known() && a.End.Known() {
		a.End = max(a.End, a.Start)
		for _, at := range []*dag.Instant{&a.CopyEnd, &a.SortEnd} {
			if at.Known() {
				*at = min(max(*at, a.Start), a.End)
			}
		}
	}
}
