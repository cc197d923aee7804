package estimators

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A SkewedKey is one of the largest key groups of a reduce.
type SkewedKey struct {
	Name      string // "" where only its size is known
	Bytes     float64
	TaskShare float64        // of its reduce's bytes, 0..1; NaN unknown
	JobShare  float64        // of its job's
	Took      time.Duration  // what the group takes, as it is predicted
	Rule      string         // by which rule of NearestFit; RuleLinear where the job goes by bytes
	Left      bool           // it is not done
	Delay     *time.Duration // the end less that without the group; told of the largest one that is left, else nil
}

// RuleLinear says that a group takes its share of its reduce's time by bytes.
const RuleLinear = "linear"

// A GroupTime tells what a group of so many bytes takes in a reduce, in milliseconds, and the rule that says so.
type GroupTime func(task int, bytes float64) (ms float64, rule string)

// A keyring is what is known of the key groups of a job.
type keyring struct {
	groups *dag.Groups
	total  float64 // bytes of all reduces; NaN where those of one are not known
	time   GroupTime
}

// keyring finds a job's groups. Those of a plan with another number of reduces lie otherwise. Of stages that are not a
// MapReduce job's reduces none are known.
func (w *ReplayContext) keyring(job int, stage dag.StageIndex, reduces int) *keyring {
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
	if k.groups != nil && len(k.groups.Reduces) < reduces {
		k.groups, k.time = nil, nil
	}
	for i := range reduces {
		k.total += k.bytes(i)
	}
	return k
}

// origin says who measured the groups.
func (k *keyring) origin() dag.GroupOrigin {
	if k.groups == nil {
		return dag.GroupsNone
	}
	return k.groups.Origin
}

// bytes is the size of a reduce, NaN where its groups do not tell.
func (k *keyring) bytes(task int) float64 {
	if k.groups == nil || task >= len(k.groups.Reduces) {
		return math.NaN()
	}
	return k.groups.Reduces[task].Bytes
}

// named says that keys are known one by one.
func (k *keyring) named() bool { return k.origin() >= dag.GroupsTapped }

// of returns the largest groups of a reduce.
func (k *keyring) of(r *taskWork) []SkewedKey {
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
	out := make([]SkewedKey, len(top))
	for i, key := range top {
		ms, rule := k.took(r, key.Bytes)
		out[i] = SkewedKey{
			Name: key.Key, Bytes: key.Bytes, TaskShare: shareOf(key.Bytes, g.Bytes),
			JobShare: shareOf(key.Bytes, k.total),
			Took:     duration(ms), Rule: rule, Left: left[i] && !r.done,
		}
	}
	return out
}

// took is what a group takes in a reduce, in milliseconds: by its job's key groups, else by its share of the bytes.
func (k *keyring) took(r *taskWork, bytes float64) (float64, string) {
	if k.time != nil {
		if ms, rule := k.time(r.first, bytes); !math.IsNaN(ms) {
			return tame(ms), rule
		}
	}
	return tame(r.ms * shareOf(bytes, k.bytes(r.first))), RuleLinear
}

// left returns how long the largest key of a task takes that is left, and how long all such keys do, in milliseconds.
func (k *keyring) left(r *taskWork) (largest, all float64) {
	for _, key := range k.of(r) {
		if key.Left {
			largest, all = max(largest, millis(key.Took)), all+millis(key.Took)
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

// unnamed are the largest of explicit sizes, which are ascending.
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

// closeSize is how far the size of a finished group may be from that of a key, to be the key's
// (docs/facts/nearestfit.md N9).
const closeSize = 0.05

// notDone says which of a reduce's groups, largest first, none of its finished ones is taken for: of each finished
// group that with the nearest size. What an attempt has done counts for that attempt only.
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
