package explain

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// A task is skewed if it exceeds the median working time by this and taskcost.Notable, and received more input.
const (
	skewRatio = 1.5
	// skewPower is the greatest power of its size with which a task's work may grow.
	skewPower = 3
)

// WorksLong reports whether a task works much longer than the median one of its stage.
func WorksLong(work, median time.Duration) bool {
	return float64(work) > skewRatio*float64(median) && work-median > taskcost.Notable
}

// GivenMore reports whether a task received more input than the median one of its stage, and enough to
// explain its longer work, which grows at most with the cube of the input. A task that is slow for another reason
// is not skewed. A NaN size does not count as more.
func GivenMore(size, medianSize float64, work, median time.Duration) bool {
	return size > medianSize &&
		float64(work) <= float64(max(median, time.Second))*math.Pow(size/medianSize, skewPower)
}

// MaxSkewed limits the stages of a report and the tasks of each, and so the replays: a stage takes six replays and one
// for each reported task.
const MaxSkewed = 5

// SkewScenario sets only Estimate.Skew: it has no time.
func SkewScenario() estimators.Scenario {
	return estimators.Scenario{
		Name: "skew", Meaning: "the tasks that work longer than the others of their stage",
		Estimate: func(w *estimators.ReplayContext) (estimators.Estimate, error) {
			skew, err := SkewOf(w, false)
			return estimators.Estimate{Skew: skew, Progress: math.NaN()}, err
		},
	}
}

// SkewOf returns the unfinished stages with skewed tasks that delay the query's end by more than 5 s and a fiftieth of
// the remaining time, the greatest delay first. If several delay it only together, such as two branches that end at
// the same time, each has the delay of all. It returns nil if it is too early: the costs of the remaining work, or the
// sizes of all tasks, are unknown. With all, it returns every unfinished stage with more than one task and its longest
// tasks, whether skewed or done. Stages that read no other stage are left out.
func SkewOf(w *estimators.ReplayContext, all bool) ([]estimators.Skew, error) {
	if w.Now().State.Ended() || w.Unknown() || len(w.Now().Plan.Jobs) == 0 {
		return nil, nil
	}
	sch, err := w.Schedule()
	if err != nil {
		return nil, err
	}
	found, known := unevenStages(w, sch, all)
	if !known {
		return nil, nil
	}
	least := max(taskcost.Notable, time.Duration(taskcost.NotableRatio*float64(sch.Remaining())))
	together, err := together(w, found, sch)
	if err != nil || !all && together <= least {
		return []estimators.Skew{}, err
	}
	out, tied := []estimators.Skew{}, []estimators.Skew(nil)
	for i := range found {
		r := replays{w: w, u: found[i], end: sch.End}
		s := r.skew()
		if s.Split, s.Double = r.split(s.Worst), r.double(); r.err != nil {
			return nil, r.err
		}
		if all || s.Delay > least {
			out = append(out, s)
		} else if s.Skewed > 0 {
			tied = append(tied, s)
		}
	}
	if !all && len(out) == 0 {
		for i := range tied {
			tied[i].Delay = together
		}
		out = tied
	}
	slices.SortStableFunc(out, func(a, b estimators.Skew) int { return cmp.Compare(b.Delay, a.Delay) })
	return out, nil
}

// together returns the delay of all skewed tasks of some stages.
func together(w *estimators.ReplayContext, found []*uneven, sch *schedule.Schedule) (time.Duration, error) {
	left := w.Costs.Left
	r := replays{w: w, end: sch.End}
	for _, u := range found {
		left = u.atMedian(left, u.skewed)
	}
	if len(found) == 0 {
		return 0, nil
	}
	return r.sooner(w.Now(), left), r.err
}

// unevenStages returns the stages worth a replay, those with the longest excess first. known is false if tasks are
// left and nothing has shown their cost.
func unevenStages(w *estimators.ReplayContext, sch *schedule.Schedule, all bool) (found []*uneven, known bool) {
	works := taskWorks(w, sch)
	known = len(works) == 0 && readersKnown(w)
	for _, u := range works {
		known = known || w.Stage(u.job, u.stage).Best < schedule.Assumed
		if !all && u.longest <= u.median+taskcost.MS(taskcost.Notable) {
			continue
		}
		u.size(w)
		if u.judge(all); len(u.listed) > 0 {
			found = append(found, u)
		}
	}
	slices.SortStableFunc(found, func(a, b *uneven) int {
		return cmp.Compare(b.listed[0].excess(b), a.listed[0].excess(a))
	})
	return found[:min(len(found), MaxSkewed)], known
}

// readersKnown reports whether every unfinished job has announced how many tasks its stages have that read others.
func readersKnown(w *estimators.ReplayContext) bool {
	jobs := w.Run.Now().Plan.Jobs
	for j := range jobs {
		unknown := func(s dag.Stage) bool { return s.ReadsRecords() && !s.Known }
		if slices.ContainsFunc(jobs[j].Stages, unknown) && !w.Now().JobEnded(j) {
			return false
		}
	}
	return true
}

// SkewOfFinished returns what SkewOf returns with all, of a run that has succeeded: its delays are how much sooner the
// run would have ended. again is the same run before its submission, with the costs that the run has shown; its jobs
// may be in another order. took is the length of the run.
func SkewOfFinished(w, again *estimators.ReplayContext, took time.Duration) ([]estimators.Skew, error) {
	sch, err := again.Schedule()
	if err != nil {
		return nil, err
	}
	found, _ := unevenStages(w, &schedule.Schedule{}, true)
	out, plan := []estimators.Skew{}, again.Now().Plan
	r := replays{w: again, end: sch.End, took: took, length: max(sch.Remaining(), 1)}
	for _, u := range found {
		job := u.job
		node := w.Now().Plan.Jobs[job].Node
		if u.job = slices.IndexFunc(plan.Jobs, func(j dag.Job) bool { return j.Node == node }); u.job < 0 {
			continue
		}
		r.u = u
		s := r.skew()
		s.Job = job
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b estimators.Skew) int { return cmp.Compare(b.Delay, a.Delay) })
	return out, r.err
}

// skew returns the Skew of the stage without the gains of another partitioning.
func (r *replays) skew() estimators.Skew {
	u := r.u
	s := estimators.Skew{
		Job: u.job, Stage: u.stage, Tasks: u.count, Keys: u.keys.origin(), Sizes: u.unit,
		Median: taskcost.Exact(u.median), Skewed: len(u.skewed), Delay: r.delay(u.skewed),
	}
	for i := range u.listed {
		k := &u.listed[i]
		one := estimators.SkewedTask{
			Task: k.first, Done: k.done, Running: k.running, Size: u.sizeOf(k.first),
			Share: shareOf(u.sizeOf(k.first), u.total), Work: taskcost.Exact(k.ms), End: k.end, Keys: u.keys.of(k),
		}
		if k.skewed {
			d := r.delay([]taskWork{*k})
			one.Delay = &d
		}
		s.Worst = append(s.Worst, one)
	}
	return s
}

// replays computes the query's end if the tasks of a stage had other work. All replays start from the same
// snapshot, with the same costs of everything else.
type replays struct {
	w    *estimators.ReplayContext
	u    *uneven
	end  dag.Instant // as predicted by standard
	lean schedule.EndOnly
	err  error // of the first replay that failed
	// The replay of a finished run may differ from it in length: delays are scaled by the same ratio. 0: it has not
	// ended.
	took, length time.Duration
}

// sooner returns how much before end the query ends with other costs; at least 0.
func (r *replays) sooner(s *dag.Snapshot, left schedule.Left) time.Duration {
	if r.err != nil {
		return 0
	}
	sch, err := schedule.Replay(s, left, schedule.Options{FutureOnly: true, EndOnly: &r.lean})
	if err != nil {
		r.err = err
		return 0
	}
	d := max(r.end.Sub(sch.End), 0)
	if r.took > 0 {
		d = time.Duration(float64(d) * float64(r.took) / float64(r.length))
	}
	return d
}

// changed returns costs with the remaining work of each task of a stage changed by some milliseconds. The change is
// the same for all tasks but those of cuts, which are ascending.
func (u *uneven) changed(left schedule.Left, cuts []int, by func(task int) float64) schedule.Left {
	return func(t schedule.Task) schedule.Cost {
		c := left(t)
		if t.Job != u.job || t.Stage != u.stage {
			return c
		}
		i, special := slices.BinarySearch(cuts, t.Index)
		switch {
		case special:
			c.Same = 1
		case i < len(cuts):
			c.Same = min(c.Same, cuts[i]-t.Index)
		}
		if ms := by(t.Index); ms < 0 {
			c.Work = max(c.Work-taskcost.Duration(-ms), 0)
		} else {
			c.Work += taskcost.Duration(ms)
		}
		return c
	}
}

// delay returns how much sooner the query would end if these tasks worked no longer than the median one.
func (r *replays) delay(works []taskWork) time.Duration {
	if len(works) == 0 {
		return 0
	}
	return r.sooner(r.w.Now(), r.u.atMedian(r.w.Costs.Left, works))
}

// atMedian returns costs with which these tasks of a stage work no longer than its median one.
func (u *uneven) atMedian(left schedule.Left, works []taskWork) schedule.Left {
	less := make(map[int]float64)
	for _, k := range works {
		for task := k.first; task < k.first+k.count; task++ {
			less[task] = -k.excess(u)
		}
	}
	return u.changed(left, slices.Sorted(maps.Keys(less)), func(task int) float64 { return less[task] })
}

// split sets the Delay of the largest remaining key of each reduce, and returns the gain of splitting the key of
// the longest reduce. A part costs as much as a group of its size: if cost grows with the square of the size, the
// parts together take less than the whole.
func (r *replays) split(worst []estimators.SkewedTask) *estimators.Split {
	var best *estimators.Split
	for i := range worst {
		one := &worst[i]
		at := slices.IndexFunc(one.Keys, func(k estimators.SkewedKey) bool { return k.Left })
		if at < 0 {
			continue
		}
		key, cuts := &one.Keys[at], []int{one.Task}
		took := taskcost.MS(key.Took)
		delay := r.sooner(r.w.Now(), r.u.changed(r.w.Costs.Left, cuts, func(task int) float64 {
			if task == one.Task {
				return -took
			}
			return 0
		}))
		key.Delay = &delay
		if best != nil {
			continue
		}
		parts := float64(r.u.count)
		part, _ := r.u.keys.took(&taskWork{first: one.Task, count: 1, ms: taskcost.MS(one.Work)}, key.Bytes/parts)
		best = &estimators.Split{Task: one.Task, Key: key.Name, Parts: r.u.count}
		best.Sooner = r.sooner(r.w.Now(), r.u.changed(r.w.Costs.Left, cuts, func(task int) float64 {
			if task == one.Task {
				return part - took
			}
			return part
		}))
	}
	return best
}

// double returns how much sooner the query would end with twice the reduces, nil if no key is known. The remaining
// keys of a reduce are partitioned again, as by hashing: the largest key stays in its place, and on average half of
// the rest moves to a new reduce.
func (r *replays) double() *time.Duration {
	if !r.u.keys.named() {
		return nil
	}
	now := r.w.Now().Clone()
	reduces := &now.Plan.Jobs[r.u.job].Stages[r.u.stage]
	goes := make(map[int]float64) // by task: milliseconds that move to a new reduce
	var from []int                // the reduces that new ones take work from, in the order of the new ones
	phase := r.w.Stage(r.u.job, r.u.stage)
	for i := range r.u.works {
		k := &r.u.works[i]
		if k.done {
			continue
		}
		for task := k.first; task < k.first+k.count; task++ {
			if g, ok := phase.At(task); ok {
				one := taskWork{first: task, count: 1, ms: k.ms, running: k.running}
				work := g.Work()
				largest, _ := r.u.keys.left(&one)
				goes[task] = (work - min(largest, work)) / 2
				from = append(from, task)
			}
		}
	}
	first := reduces.Count()
	reduces.Tasks = first + len(from)
	stay := r.u.changed(r.w.Costs.Left, from, func(task int) float64 { return -goes[task] })
	d := r.sooner(now, func(t schedule.Task) schedule.Cost {
		if t.Job != r.u.job || t.Stage != r.u.stage || t.Index < first {
			return stay(t)
		}
		old := from[t.Index-first]
		t.Index, t.Attempt = old, 0
		c := r.w.Costs.Left(t)
		c.Work, c.Same = taskcost.Duration(goes[old]), 1
		return c
	})
	return &d
}
