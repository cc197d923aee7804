package simulate

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// keyed is a reduce stage that is simulated by key group. The plan must have all groups of all tasks, and group times.
type keyed struct {
	reduces []dag.ReduceGroups
	curve   []dag.GroupPoint // by bytes, each size once
	// inputs is the output of the first maps for each reduce, as the newest snapshot shows it.
	inputs []dag.ReduceGroups
	maps   int // -1 before the first snapshot
}

// keyedJob returns the reduces of a MapReduce job, or nil if the plan does not have all their groups. Tasks are then
// simulated by their records.
func keyedJob(j *dag.Job) *keyed {
	if !j.IsMapReduce() {
		return nil
	}
	st := &j.Stages[dag.Reduce]
	if st.Groups == nil || st.Count() == 0 || len(st.Groups.Reduces) != st.Count() {
		return nil
	}
	var points []dag.GroupPoint
	for i := range st.Groups.Reduces {
		r := &st.Groups.Reduces[i]
		if !(r.Implicit == 0 || math.IsNaN(r.Implicit) && len(r.Explicit) > 0) {
			return nil
		}
		points = append(points, r.Done...)
	}
	if len(points) == 0 {
		return nil
	}
	return &keyed{reduces: st.Groups.Reduces, curve: curve(points), maps: -1}
}

// curve merges points of the same size.
func curve(points []dag.GroupPoint) []dag.GroupPoint {
	points = slices.DeleteFunc(slices.Clone(points), func(p dag.GroupPoint) bool { return p.Count <= 0 })
	slices.SortStableFunc(points, func(a, b dag.GroupPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
	var out []dag.GroupPoint
	for _, p := range points {
		n := len(out)
		if n == 0 || out[n-1].Bytes != p.Bytes {
			out = append(out, p)
			continue
		}
		q := &out[n-1]
		q.Count += p.Count
		q.Took += millisOf((p.Took.Seconds() - q.Took.Seconds()) * 1000 * p.Count / q.Count)
	}
	return out
}

// ms returns the time of a group by its size. Sizes between two points of the plan are interpolated linearly. Beyond
// the first and last point the time is proportional to the bytes.
func (k *keyed) ms(bytes float64) float64 {
	c := k.curve
	if len(c) == 0 {
		return 0
	}
	at := func(i int) float64 { return c[i].Took.Seconds() * 1000 }
	bySize := func(p dag.GroupPoint, b float64) int { return cmp.Compare(p.Bytes, b) }
	i, found := slices.BinarySearchFunc(c, bytes, bySize)
	if i > 0 && i < len(c) && !found {
		share := (bytes - c[i-1].Bytes) / (c[i].Bytes - c[i-1].Bytes)
		return at(i-1) + share*(at(i)-at(i-1))
	}
	if i = min(i, len(c)-1); found || c[i].Bytes == 0 {
		return at(i)
	}
	return at(i) * bytes / c[i].Bytes
}

// bytes returns the size of all groups of a task.
func (k *keyed) bytes(task int32) float64 {
	sum := 0.0
	for _, s := range k.reduces[task].Explicit {
		sum += s.Bytes * s.Count
	}
	return sum
}

// nameOf returns the key of the only group of a task with this size, or "" if there are several or none is named.
func (k *keyed) nameOf(task int32, bytes float64) string {
	r := &k.reduces[task]
	i := slices.IndexFunc(r.Top, func(k dag.KeyGroup) bool { return k.Bytes == bytes })
	n := slices.IndexFunc(r.Explicit, func(s dag.GroupSize) bool { return s.Bytes == bytes })
	if i < 0 || n < 0 || r.Explicit[n].Count != 1 {
		return ""
	}
	return r.Top[i].Key
}

// A walk is the order of an attempt's key groups and the time of each, without the factor on the whole attempt.
type walk struct {
	size []float64 // bytes of the groups, in their order
	ms   []float64 // ms[n] is the work of the first n groups, in milliseconds
	read []float64 // read[n] is their bytes
}

// walk draws the order and noise of an attempt's groups. Each attempt has its own.
func (w *simulation) walk(a *attempt) walk {
	k, x := a.stage.keyed, walk{ms: []float64{0}, read: []float64{0}}
	for _, s := range k.reduces[a.task].Explicit {
		x.size = append(x.size, slices.Repeat([]float64{s.Bytes}, int(math.Round(s.Count)))...)
	}
	r := random(w.opt.Seed, drawWalk, a.stage.job, a.stage.index, a.task, a.number)
	r.Shuffle(len(x.size), func(i, j int) { x.size[i], x.size[j] = x.size[j], x.size[i] })
	for i, bytes := range x.size {
		x.ms = append(x.ms, x.ms[i]+k.ms(bytes)*w.opt.Family.factor(r, w.opt.Noise))
		x.read = append(x.read, x.read[i]+bytes)
	}
	return x
}

// groupsEnd returns when the first n groups are done, in milliseconds of work.
func (a *attempt) groupsEnd(n int) int64 {
	return a.ends[dag.Sort] + int64(min(maxWorkMS, math.Floor(a.factor*a.groups.ms[n]+0.5)))
}

// groupsDone returns how many groups are done at a position.
func (a *attempt) groupsDone(pos int64) int {
	return sort.Search(len(a.groups.size), func(i int) bool { return a.groupsEnd(i+1) > pos })
}

// bytesRead returns how many bytes are read at a position. The current group counts by the share of its time that has
// passed.
func (a *attempt) bytesRead(pos int64) float64 {
	n := a.groupsDone(pos)
	read := a.groups.read[n]
	if n < len(a.groups.size) {
		if begin, end := a.groupsEnd(n), a.groupsEnd(n+1); pos > begin {
			read += a.groups.size[n] * float64(pos-begin) / float64(end-begin)
		}
	}
	return read
}

// shareRead returns the share of the work's records that are read at a position.
func (a *attempt) shareRead(pos int64) float64 {
	n := len(a.groups.size)
	if all := a.groups.read[n]; all != 0 {
		return a.bytesRead(pos) / all
	}
	return float64(a.groupsDone(pos)) / float64(n)
}
