package paper

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// standardStatic is the paper's default (sections 3.1.3, 3.1.4; facts/paratimer.md A4): the critical path is
// planned at the start and at each failure (the run's newest anchor), and between them only the tasks on it are
// read. The remaining time of a fragment is the sum over its rounds of the mean remaining time of the round's
// unfinished tasks, so the width of the remainder is weighted by time (facts/paratimer.md P13). track selects
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

// A tracker returns the remaining time of a fragment of tasks, in milliseconds.
type tracker func(t *tracking, f *pathfrag.Fragment) float64

// trackAll reads every task of the fragment.
func trackAll(t *tracking, f *pathfrag.Fragment) float64 { return t.rounds(f, 0) }

// subset is the number of tasks of a round that trackSubset reads.
const subset = 4

// trackSubset reads a few tasks of each round: fewer requests, less exact (section 3.1.4).
func trackSubset(t *tracking, f *pathfrag.Fragment) float64 { return t.rounds(f, subset) }

// rounds sums, over the fragment's rounds, the mean remaining time of the unfinished tasks among the first most of
// each; 0 means all.
func (t *tracking) rounds(f *pathfrag.Fragment, most int) float64 {
	sum := 0.0
	for _, r := range f.Rounds {
		left, n, budget := 0.0, 0, most
		for _, i := range t.path.Rounds[r].Spans {
			s := &t.path.Schedule.Spans[i]
			count := int(s.Count)
			if most > 0 {
				count = min(count, budget)
				budget -= count
			}
			for g := range t.now.Stage(int(s.Job), s.Stage).Between(int(s.First), int(s.First)+count) {
				left += g.Rem * float64(g.Count)
				n += g.Count
				t.monitor(s, g)
			}
		}
		if n > 0 {
			sum += left / float64(n)
		}
	}
	return sum
}

// trackThread reads the tasks of one slot. It is the cheapest of all, one task at a time. It is exact if that slot
// is like the others (section 3.1.4).
func trackThread(t *tracking, f *pathfrag.Fragment) float64 {
	slot, sum := t.thread(f), 0.0
	for _, r := range f.Rounds {
		for _, i := range t.path.Rounds[r].Spans {
			s := &t.path.Schedule.Spans[i]
			n, found := slices.BinarySearch(s.Slots, slot)
			if !found {
				continue
			}
			task := int(s.First) + n
			if g, ok := t.now.Stage(int(s.Job), s.Stage).At(task); ok {
				sum += g.Rem
				t.monitor(s, &g)
			}
		}
	}
	return sum
}

// monitor records a task if its counters are needed. A running task is a group of its own.
func (t *tracking) monitor(s *schedule.Span, g *estimators.TaskGroup) {
	if g.Running {
		t.monitored = append(t.monitored, estimators.TaskID{Job: int(s.Job), Stage: s.Stage, Task: g.First})
	}
}

// thread returns the lowest slot of the fragment's last round: rounds never grow wider, so earlier rounds have the
// slots of the last one.
func (t *tracking) thread(f *pathfrag.Fragment) int32 {
	last := f.Rounds[len(f.Rounds)-1]
	slot := int32(-1)
	for _, i := range t.path.Rounds[last].Spans {
		if s := &t.path.Schedule.Spans[i]; len(s.Slots) > 0 && (slot < 0 || s.Slots[0] < slot) {
			slot = s.Slots[0]
		}
	}
	return slot
}

// hadoop returns the progress of Hadoop's own job pages. A job's mapProgress and reduceProgress are the means of
// its tasks' progress (JobImpl.computeProgress). The stages of all submitted jobs are averaged, each weighted by
// its number of tasks. Jobs to come have no page, so the figure falls back when one is submitted.
func hadoop(w *estimators.ReplayContext) (estimators.Estimate, error) {
	s := w.Run.Now()
	var sum amount
	for j := range s.Plan.Jobs {
		if j >= len(s.Jobs) || !s.Jobs[j].Submitted.Known() {
			continue
		}
		for k := range s.Plan.Jobs[j].NumStages() {
			sum.add(hadoopProgress(s, j, k))
		}
	}
	return w.EstimateOfRatio(sum.ratio()), nil
}

// hadoopProgress returns the sum of the progress of a stage's tasks, and their number. A task that is done counts
// 1.
func hadoopProgress(s *dag.Snapshot, job int, k dag.StageIndex) amount {
	planned := &s.Plan.Jobs[job].Stages[k]
	n := planned.Count()
	sum := amount{total: float64(n)}
	if job < len(s.Jobs) && s.Jobs[job].State == dag.Succeeded {
		sum.done = sum.total
		return sum
	}
	dag.EachTask(s.Attempts(job, k), func(task int, state dag.TaskState, a *dag.Attempt) {
		switch {
		case task >= n:
		case state == dag.TaskDone:
			sum.done++
		case state == dag.TaskRunning:
			sum.done += progressOf(planned, task, a)
		}
	})
	return sum
}

// progressOf returns an attempt's progress as the engine reports it, else by its tuples: Hadoop counts a reduce's
// copy, sort and reduce a third each.
func progressOf(planned *dag.Stage, task int, a *dag.Attempt) float64 {
	if !math.IsNaN(a.Ratio) {
		return min(max(a.Ratio, 0), 1)
	}
	sum := 0.0
	for p := range pipelinesOf(planned) {
		n := a.Total[p]
		if p < len(planned.Pipelines) {
			if t := planned.Pipelines[p].Tuples.At(task); !math.IsNaN(t) {
				n = t
			}
		}
		if n > 0 && a.Done[p] > 0 {
			sum += min(a.Done[p]/n, 1)
		}
	}
	return sum / float64(pipelinesOf(planned))
}

// pig returns Pig's percentage, the mean over jobs. A job counts as the mean of its map, copy and reduce pipelines,
// without sort, if the plan has its tuples (facts/paratimer.md A5, A10, P27). Any other job counts as in Pig's
// own MapReduceLauncher: 1 once it has succeeded, else half of its map and half of its reduce progress by Hadoop,
// so a job without reduces stays at a half until its end.
func pig(w *estimators.ReplayContext) (estimators.Estimate, error) {
	s := w.Run.Now()
	jobs := amounts(s)
	sum := 0.0
	for j := range jobs {
		if f, known := tuplesOfParts(&s.Plan.Jobs[j], jobs[j]); known {
			sum += f
			continue
		}
		if j < len(s.Jobs) && s.Jobs[j].State == dag.Succeeded {
			sum++
			continue
		}
		stages := 0.0
		for k := range s.Plan.Jobs[j].NumStages() {
			p := hadoopProgress(s, j, k)
			stages += p.done / max(1, p.total)
		}
		sum += stages / float64(max(1, s.Plan.Jobs[j].NumStages()))
	}
	if len(jobs) == 0 {
		return w.EstimateOfRatio(math.NaN()), nil
	}
	return w.EstimateOfRatio(sum / float64(len(jobs))), nil
}

// tuplesOfParts returns the mean share over a job's map, copy and reduce pipelines that have tuples; known is false
// if the plan lacks these.
func tuplesOfParts(job *dag.Job, a []amount) (f float64, known bool) {
	if !job.IsMapReduce() {
		return 0, false
	}
	parts := 0.0
	for _, part := range []struct {
		k dag.StageIndex
		p int
	}{{dag.Map, 0}, {dag.Reduce, dag.Copy}, {dag.Reduce, dag.Work}} {
		phase := &job.Stages[part.k]
		if !phase.Known {
			return 0, false
		}
		if phase.Tasks == 0 {
			continue
		}
		if part.p >= len(phase.Pipelines) || !phase.Pipelines[part.p].Tuples.Known() {
			return 0, false
		}
		if ratio := a[pipe(part.k, part.p)].ratio(); !math.IsNaN(ratio) {
			f += ratio
			parts++
		}
	}
	if parts == 0 {
		return 0, true
	}
	return f / parts, true
}
