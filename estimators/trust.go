package estimators

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Trust returns the least sure origin of the costs on the critical path, and the share of the remaining time in
// which only tasks of assumed or unknown cost run. It needs Path. A job of unknown size is unknown.
func (w *ReplayContext) Trust() (schedule.Origin, float64) {
	if !w.trusted {
		w.trusted = true
		w.origin, w.assumed = w.leastSure(w.onPath), w.assumedRatio()
	}
	return w.origin, w.assumed
}

// leastSure returns the least sure origin of the remaining work of the stages that count.
func (w *ReplayContext) leastSure(counts func(job int, k dag.StageIndex) bool) schedule.Origin {
	worst := schedule.Observed
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		if p.Unfinished() > 0 && p.Worst > worst && counts(job, k) {
			worst = p.Worst
		}
		if !p.Known && !w.Now().JobEnded(job) {
			worst = schedule.Unknown
		}
	})
	return worst
}

func (w *ReplayContext) assumedRatio() float64 {
	if w.schedule.End <= w.schedule.Now {
		return 0
	}
	if assumed := w.Costs.AssumedRatio; assumed != nil {
		return assumed(w.schedule)
	}
	var sure dag.Instant
	reached := w.schedule.Now
	for i := range w.schedule.Spans { // sorted by start
		s := &w.schedule.Spans[i]
		end := min(s.End, w.schedule.End) // running tasks of a failed job may end later
		if from := max(s.Start, reached); from < end && !w.unseen(s) {
			sure += end - from
			reached = end
		}
	}
	return 1 - float64(sure)/float64(w.schedule.End-w.schedule.Now)
}

// unseen reports whether the costs of a span's tasks are assumed or unknown. A pause is known.
func (w *ReplayContext) unseen(s *schedule.Span) bool {
	if s.Count == 0 {
		return false
	}
	p := w.Stage(int(s.Job), s.Stage)
	if p.Worst < schedule.Assumed || p.Best >= schedule.Assumed {
		return p.Worst >= schedule.Assumed
	}
	g, ok := p.At(int(s.First))
	return ok && g.Origin >= schedule.Assumed
}

// onPath reports whether the critical path runs over tasks of a stage.
func (w *ReplayContext) onPath(job int, k dag.StageIndex) bool {
	if w.critical == nil {
		w.critical = make([][]bool, len(w.phases))
		for j := range w.phases {
			w.critical[j] = make([]bool, len(w.phases[j]))
		}
		for _, seg := range w.path.Critical {
			for _, r := range w.path.Fragments[seg.Fragment].Rounds {
				for _, i := range w.path.Rounds[r].Spans {
					if s := &w.path.Schedule.Spans[i]; s.Count > 0 && !s.Past {
						w.critical[s.Job][s.Stage] = true
					}
				}
			}
		}
	}
	return w.critical[job][k]
}

// Unknown reports whether work is left and none of it has a known cost.
func (w *ReplayContext) Unknown() bool {
	known, open := false, false
	w.EachStage(func(job int, _ dag.StageIndex, p *StageLeft) {
		open = open || !p.Known && !w.Now().JobEnded(job)
		if p.Unfinished() > 0 {
			open = true
			known = known || p.Best != schedule.Unknown
		}
	})
	return open && !known
}

// warnings returns the cost model's own warnings and one for each stage of unknown size or assumed cost.
func (w *ReplayContext) warnings() []dag.Warning {
	out := slices.Clone(w.Costs.Warnings)
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		plan := w.Now().Plan
		if !p.Known && !w.Now().JobEnded(job) {
			out = append(out, dag.Warning{
				Code: dag.WarnUnknownSize,
				Text: fmt.Sprintf("the number of %s tasks of %s is unknown", plan.StageName(job, k),
					plan.JobName(job)),
			})
			return
		}
		if p.Unfinished() > 0 && p.Worst >= schedule.Assumed {
			out = append(out, dag.Warning{Code: dag.WarnAssumedCost, Text: fmt.Sprintf(
				"the cost of %s tasks%s is assumed: none has shown its work, and no profile knows them", plan.StageName(
					job, k), plan.OfJob(job))})
		}
	})
	return out
}
