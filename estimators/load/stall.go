package load

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// Tasks may wait for a reason that no API shows: others' containers in the history of one job, a limit, a scheduler
// that does not respond. If nothing has started or ended for leastStall, and the replay would start something soon
// and before anything ends, the run is stalled.
const (
	leastStall = 15 * time.Second
	soon       = 3 * time.Second
)

// A Stall is the time for which nothing has started although it could; 0: no stall. It is expected to last as long
// again. If only the age of a wait is known, the rest is longer than x times that age with probability 1/(1+x) (J.
// R. Gott, "Implications of the Copernican principle for our future prospects", Nature 363, 1993, equation 1), and
// half of the waits end within their age.
type Stall time.Duration

// FindStall returns the stall of a run on containers; left are its costs.
func FindStall(s *dag.Snapshot, left schedule.Left) Stall {
	if s.Plan.Cluster.Policy == dag.FIFO || s.State.Ended() {
		return 0
	}
	since := lastChange(s)
	if !since.Known() || s.At.Sub(since) < leastStall {
		return 0
	}
	plan, err := schedule.Replay(s, left, schedule.Options{Until: s.At.Add(soon), FutureOnly: true})
	if err != nil || !startsAtOnce(s, plan) {
		return 0 // the replay to the end returns the error
	}
	return Stall(s.At.Sub(since))
}

// Draw returns the rest of a stall for a uniform number u.
func (s Stall) Draw(u float64) time.Duration {
	return taskcost.Duration(taskcost.MS(time.Duration(s)) * (1/u - 1))
}

// Warnings returns the warning that a run is stalled, if it is.
func (s Stall) Warnings() []dag.Warning {
	if s == 0 {
		return nil
	}
	return []dag.Warning{{Code: dag.WarnOtherLoad, Text: fmt.Sprintf("no container has been given for %s, although there is "+
		"room for one as far as is seen: it may last as long again", units.About(time.Duration(s)))}}
}

// startsAtOnce reports whether a task or master of a submitted job starts before anything that runs has ended: it
// needs only resources that are free already.
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

// lastChange returns when a task or a job last started or ended; NoInstant if none has.
func lastChange(s *dag.Snapshot) dag.Instant {
	last := dag.NoInstant
	for j := range s.Jobs {
		js := &s.Jobs[j]
		last = max(last, js.Submitted, js.Started, js.Finished)
		for k := range js.Stages {
			for i := range js.Stages[k].Attempts {
				last = max(last, js.Stages[k].Attempts[i].Start, js.Stages[k].Attempts[i].End)
			}
		}
	}
	return last
}
