package skewness

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A keyring is the key groups of a job and their times.
type keyring struct {
	groups *dag.Groups
	total  float64 // bytes of all reduces; NaN if those of one are unknown
	time   estimators.GroupTime
}

// keyringOf finds a job's groups. Groups of a plan with another number of reduces are partitioned in another way. Only
// the reduces of a MapReduce job have groups.
func keyringOf(w *estimators.ReplayContext, job int, stage dag.StageIndex, reduces int) *keyring {
	k := &keyring{}
	if !w.Now().Plan.Jobs[job].IsMapReduce() {
		return k
	}
	if of := w.Costs.Groups.Of; of != nil {
		k.groups, k.time = of(job)
	} else if s := w.Now(); job < len(s.Jobs) && s.Jobs[job].Groups != nil {
		k.groups = s.Jobs[job].Groups
	} else {
		k.groups = s.Plan.Jobs[job].Stages[stage].Groups
	}
	if !k.groups.Known() || len(k.groups.Reduces) < reduces {
		k.groups, k.time = nil, nil
	}
	for i := range reduces {
		k.total += k.bytes(i)
	}
	return k
}

// origin returns the source of the groups.
func (k *keyring) origin() dag.GroupOrigin {
	if k.groups == nil {
		return dag.GroupsNone
	}
	return k.groups.Origin
}

// bytes returns the size of a reduce, NaN if unknown.
func (k *keyring) bytes(task int) float64 {
	if k.groups == nil || task >= len(k.groups.Reduces) {
		return math.NaN()
	}
	return k.groups.Reduces[task].Bytes
}

// named reports whether keys are known one by one.
func (k *keyring) named() bool { return k.origin() >= dag.GroupsTapped }

// of returns the largest groups of a reduce.
func (k *keyring) of(r *taskWork) []estimators.SkewedKey {
	if !k.named() || r.first >= len(k.groups.Reduces) {
		return nil
	}
	g := &k.groups.Reduces[r.first]
	top := g.Top
	if len(top) == 0 {
		top = unnamed(g.Explicit)
	}
	top = top[:min(len(top), dag.MaxTopGroups)]
	left := notDone(top, g, r.running)
	out := make([]estimators.SkewedKey, len(top))
	for i, key := range top {
		ms, rule := k.took(r, key.Bytes)
		out[i] = estimators.SkewedKey{
			Name: key.Key, Bytes: key.Bytes, TaskShare: shareOf(key.Bytes, g.Bytes),
			JobShare: shareOf(key.Bytes, k.total),
			Took:     taskcost.Exact(ms), Rule: rule, Left: left[i] && !r.done,
		}
	}
	return out
}

// took returns the time of a group in a reduce, in milliseconds: by its job's key groups, else by its share of the
// bytes.
func (k *keyring) took(r *taskWork, bytes float64) (float64, string) {
	if k.time != nil {
		if ms, rule := k.time(r.first, bytes); !math.IsNaN(ms) {
			return taskcost.Bounded(ms), rule
		}
	}
	return taskcost.Bounded(r.ms * shareOf(bytes, k.bytes(r.first))), estimators.RuleLinear
}

// left returns the time of the largest remaining key of a task, and the time of all its remaining keys, in
// milliseconds. Of a task that is done it counts all keys.
func (k *keyring) left(r *taskWork) (largest, all float64) {
	for _, key := range k.of(r) {
		if key.Left || r.done {
			largest, all = max(largest, taskcost.MS(key.Took)), all+taskcost.MS(key.Took)
		}
	}
	return largest, all
}

func shareOf(part, whole float64) float64 {
	if f := part / whole; f >= 0 && f <= 1 {
		return f
	}
	return math.NaN()
}

// unnamed returns the largest of explicit sizes, which are ascending.
func unnamed(sizes []dag.GroupSize) []dag.KeyGroup {
	var out []dag.KeyGroup
	for i := len(sizes) - 1; i >= 0; i-- {
		for n := sizes[i].Count; n >= 1; n-- {
			if out = append(out, dag.KeyGroup{Bytes: sizes[i].Bytes}); len(out) == dag.MaxTopGroups {
				return out
			}
		}
	}
	return out
}

// closeSize is the greatest relative difference between a finished group and a key of the same size
// (docs/facts/nearestfit.md N9).
const closeSize = 0.05

// notDone reports which of a reduce's groups, largest first, are not done. Each finished group matches the group of
// the nearest size. The finished groups of an attempt count for that attempt only.
func notDone(top []dag.KeyGroup, g *dag.ReduceGroups, running *dag.Attempt) []bool {
	left := make([]bool, len(top))
	for i := range left {
		left[i] = true
	}
	if len(top) == 0 || running == nil || running.Number != g.Attempt {
		return left
	}
	least := top[len(top)-1].Bytes * (1 - closeSize)
	var done []dag.GroupPoint
	for _, d := range g.Done {
		if d.Bytes >= least {
			done = append(done, d)
		}
	}
	slices.SortStableFunc(done, func(a, b dag.GroupPoint) int { return cmp.Compare(b.Bytes, a.Bytes) })
	for _, d := range done {
		for n := min(d.Count, float64(len(top))); n >= 1; n-- {
			best := -1
			for i, key := range top {
				off := math.Abs(key.Bytes - d.Bytes)
				if left[i] && off <= closeSize*d.Bytes &&
					(best < 0 ||
						off < math.Abs(top[best].Bytes-d.Bytes)) { //nolint:gosec // G602: best is an index of top
					best = i
				}
			}
			if best < 0 {
				break
			}
			left[best] = false
		}
	}
	return left
}
