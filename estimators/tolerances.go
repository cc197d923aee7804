package estimators

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// heartbeat is the longest interval at which Hadoop's trackers request work: the time of a hand-over between two
// rounds.
const heartbeat = 3 * time.Second

// tolerances returns the given ones, else those that fit the schedule.
func (w *ReplayContext) tolerances(s *schedule.Schedule) pathfrag.Params {
	if w.options.Path != nil {
		return *w.options.Path
	}
	return Tolerances(s, w.Now().Plan, w.Run)
}

// Tolerances returns tolerances for a schedule of a run and its plan, since the paper gives none: delta1 = max(5%
// of the median task time, two ticks), delta2 = set-up + a heartbeat. They change the displayed rounds and
// fragments, never a time.
func Tolerances(s *schedule.Schedule, plan *dag.Plan, run dag.Run) pathfrag.Params {
	par := pathfrag.Params{Delta1: medianSpan(s) / 20, Delta2: heartbeat}
	par.Delta2 += max(0, plan.Cluster.Setup)
	if n := len(run.Window); n > 1 {
		if tick := run.Now().At.Sub(run.Window[n-2].At); tick > 0 {
			par.Delta1 = max(par.Delta1, 2*tick)
		}
	}
	return par
}

// medianSpans is the number of spans that medianSpan reads, evenly through the schedule: the median only sets a
// tolerance.
const medianSpans = 1000

// medianSpan returns the median length of the schedule's spans of tasks.
func medianSpan(s *schedule.Schedule) time.Duration {
	var lengths []time.Duration
	step := max(1, len(s.Spans)/medianSpans)
	for i := 0; i < len(s.Spans); i += step {
		if span := &s.Spans[i]; span.Count > 0 {
			lengths = append(lengths, span.End.Sub(span.Start))
		}
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}
