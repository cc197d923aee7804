package skewness

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// replays computes the query's end if the tasks of a stage had other work. All replays start from the same
// snapshot, with the same costs of everything else.
type replays struct {
	w    *estimators.ReplayContext
	u    *uneven
	end  dag.Instant // as predicted by standard
	lean schedule.EndOnly
	err  error // of the first replay that failed
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
	return max(r.end.Sub(sch.End), 0)
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
		c.Work = max(c.Work+signed(by(t.Index)), 0)
		return c
	}
}

// signed converts milliseconds that may be negative.
func signed(ms float64) time.Duration {
	if ms < 0 {
		return -taskcost.Whole(-ms)
	}
	return taskcost.Whole(ms)
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
	cuts := make([]int, 0, len(less))
	for task := range less {
		cuts = append(cuts, task)
	}
	slices.Sort(cuts)
	return u.changed(left, cuts, func(task int) float64 { return less[task] })
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
	now := *r.w.Now()
	plan := *now.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	reduces := &plan.Jobs[r.u.job].Stages[r.u.stage]
	now.Plan = &plan

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
	d := r.sooner(&now, func(t schedule.Task) schedule.Cost {
		if t.Job != r.u.job || t.Stage != r.u.stage || t.Index < first {
			return stay(t)
		}
		old := from[t.Index-first]
		t.Index, t.Attempt = old, 0
		c := r.w.Costs.Left(t)
		c.Work, c.Same = taskcost.Whole(goes[old]), 1
		return c
	})
	return &d
}
