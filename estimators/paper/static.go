package paper

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// standardStatic is the paper's default (sections 3.1.3, 3.1.4; docs/facts/paratimer.md A4): the critical path is
// planned at the start and at each failure (the run's newest anchor), and between them only the tasks on it are
// read. The remaining time of a fragment is the sum over its rounds of the mean remaining time of the round's
// unfinished tasks, so the width of the remainder is weighted by time (docs/facts/paratimer.md P13). track selects
// the tasks of a fragment that are read.
//
// If the planned path rests on costs that were never observed, the estimate is standard: the paper plans from the
// costs of a debug run.
func standardStatic(track tracker) func(*estimators.ReplayContext) (estimators.Estimate, error) {
	return func(w *estimators.ReplayContext) (estimators.Estimate, error) {
		if w.Now().State.Ended() {
			return w.EstimateOf(0), nil
		}
		plan, path, err := planOf(w)
		if err != nil {
			return estimators.Estimate{}, err
		}
		if plan == nil {
			return estimators.Scenarios()[0].Estimate(w)
		}
		t := tracking{now: w, plan: plan, path: path, track: track, holding: plan.ReduceStarts()}
		e := w.EstimateOfCosts(t.remaining())
		e.Path, e.Monitored = path, t.monitored
		return e, nil
	}
}

// planOf returns the context of the run's newest anchor, with its path; nil if that path rests on costs that were never
// observed.
func planOf(w *estimators.ReplayContext) (*estimators.ReplayContext, *pathfrag.Path, error) {
	plan := w.AtAnchor()
	if len(plan.Run.Now().Plan.Jobs) != len(w.Now().Plan.Jobs) {
		return nil, nil, nil
	}
	path, err := plan.Path()
	if err != nil {
		return nil, nil, err
	}
	if origin, _ := plan.Trust(); origin >= schedule.Assumed {
		return nil, nil, nil
	}
	return plan, path, nil
}

// tracking computes the remaining time of a planned path from its tasks.
type tracking struct {
	now, plan *estimators.ReplayContext
	path      *pathfrag.Path
	track     tracker
	holding   []estimators.ReduceStart // of each job's reduces, in the plan
	// monitored are the running tasks that were read.
	monitored []estimators.TaskID
}

// remaining sums over the critical path. Once an extra segment has started, it counts without the remaining time of
// the segment before it. Until then, it counts without the part that lay before the segment in the plan.
func (t *tracking) remaining() float64 {
	var sum, before float64
	for _, seg := range t.path.Critical {
		f := &t.path.Fragments[seg.Fragment]
		left := t.fragment(seg, f)
		if seg.Extra {
			if t.started(f) {
				left -= before
			} else {
				left -= float64(seg.Start - max(f.Start, t.plan.Now().At))
			}
		}
		before = max(0, left)
		sum += before
	}
	return sum
}

// fragment returns the remaining time of a fragment; for a pause, the rest of its planned time.
func (t *tracking) fragment(seg pathfrag.Segment, f *pathfrag.Fragment) float64 {
	now := t.now.Now().At
	if f.Pause != dag.NoPause {
		return float64(max(0, seg.End-max(seg.Start, now)))
	}
	left := t.track(t, f)
	if f.Stage == dag.Reduce && left > 0 {
		left += t.wait(f)
	}
	return left
}

// wait returns how long reduces that occupy containers still wait for the last map, by the plan. It is 0 under
// FIFO.
func (t *tracking) wait(f *pathfrag.Fragment) float64 {
	now, longest := t.now.Now().At, dag.Instant(0)
	for _, r := range f.Rounds {
		for _, i := range t.path.Rounds[r].Spans {
			b := t.holding[t.path.Schedule.Spans[i].Job]
			if b.Held.Known() && b.Work > b.Held {
				longest = max(longest, b.Work-max(now, b.Held))
			}
		}
	}
	return float64(longest)
}

// started reports whether a task of the fragment runs or is done.
func (t *tracking) started(f *pathfrag.Fragment) bool {
	for _, r := range f.Rounds {
		for _, i := range t.path.Rounds[r].Spans {
			s := &t.path.Schedule.Spans[i]
			p := t.now.Stage(int(s.Job), s.Stage)
			pending := 0
			for g := range p.Between(int(s.First), int(s.First+s.Count)) {
				if !g.Running {
					pending += g.Count
				}
			}
			if pending < int(s.Count) {
				return true
			}
		}
	}
	return false
}
