package observed

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// Tasks may wait for something that nobody tells: others' containers in a history of one job, a limit, a scheduler that
// hangs. Where nothing of ours has started or ended for stallMS, and the replay would start something soon and before
// anything ends, the run is stalled.
const (
	stallMS = 15_000
	soon    = 3 * time.Second
)

// stallDraw tells the draw of the stall's length from those of pauses.
const stallDraw = 100

// findStall finds a stall and expects it to last as long again as it has lasted: of waits of which nothing is known but
// their age, the rest is longer than x times that age with probability 1/(1+x) (J. R. Gott, "Implications of the
// Copernican principle for our future prospects", Nature 363, 1993, equation 1), and half of them are over by then.
func (m *Model) findStall() {
	s := m.Snapshot
	if m.fifo || m.given || m.learning || s.State.Ended() {
		return
	}
	since := lastChange(s)
	if !since.Known() || m.now-since < stallMS {
		return
	}
	plan, err := schedule.Replay(s, m.Left, schedule.Options{Until: m.now.Add(soon), FutureOnly: true})
	if err != nil {
		return // whoever replays it to its end says why
	}
	if !startsAtOnce(s, plan) {
		return
	}
	m.stalled = float64(m.now - since)
	s.NextContainer = m.now.Add(taskcost.Duration(m.stalled))
	m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnOtherLoad, Text: fmt.Sprintf(
		"no container has been given for %s, although there is room for one as far as is seen: it may last as long again", units.About(s.At.Sub(since)))})
}

// startsAtOnce says that something of a job that the scheduler knows starts before anything that runs has ended: it
// needs nothing but what is free already.
func startsAtOnce(s *dag.Snapshot, plan *schedule.Schedule) bool {
	start, end := dag.Instant(math.MaxInt64), dag.Instant(math.MaxInt64)
	for i := range plan.Spans {
		switch sp := &plan.Spans[i]; {
		case sp.Count == 0 || !s.Jobs[sp.Job].Submitted.Known():
		case sp.Start >= plan.Now:
			start = min(start, sp.Start)
		case sp.End.Known():
			end = min(end, sp.End)
		}
	}
	for j, t := range plan.Mastered {
		if t.Known() && t >= plan.Now && s.Jobs[j].Submitted.Known() {
			start = min(start, t)
		}
	}
	return start < min(end, dag.Instant(math.MaxInt64))
}

// lastChange is when a task or a job of ours last started or ended; NoInstant where nothing has.
func lastChange(s *dag.Snapshot) dag.Instant {
	last := dag.NoInstant
	for j := range s.Jobs {
		js := &s.Jobs[j]
		last = max(last, js.Submitted, js.Started, js.Finished)
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range js.Stages[k].Attempts {
				last = max(last, js.Stages[k].Attempts[i].Start, js.Stages[k].Attempts[i].End)
			}
		}
	}
	return last
}
