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

// showGroups returns the known facts of a job's key groups at t, or nil.
func (w *simulation) showGroups(j int, s *dag.JobState, t dag.Instant) *dag.Groups {
	origin := w.opt.Groups
	if !w.plan.Jobs[j].IsMapReduce() || origin == dag.GroupsNone || !s.Submitted.Known() {
		return nil
	}
	reduces := w.jobs[j].stages[dag.Reduce]
	k := reduces.keyed
	if k == nil {
		return nil
	}
	g := &dag.Groups{Origin: origin, Maps: s.Stages[dag.Map].Succeeded()}
	if g.Maps != k.maps {
		k.maps, k.inputs = g.Maps, w.reduceInputs(j, g.Maps)
	}
	g.Reduces = slices.Clone(k.inputs)
	shown := int32(-1)
	for _, a := range slices.Backward(reduces.attempts) { // the newest attempt of a task replaces the older ones
		if a.task != shown && w.showProcessed(a, &g.Reduces[a.task], t) {
			shown = a.task
		}
	}
	return g
}

// reduceInputs returns the output of n of a job's maps for each reduce. The values of each key are spread evenly over
// the maps, so all maps have the same largest keys. A tap names the Lambda largest keys of a map.
func (w *simulation) reduceInputs(j, n int) []dag.ReduceGroups {
	k := w.jobs[j].stages[dag.Reduce].keyed
	out := slices.Repeat([]dag.ReduceGroups{dag.NoReduceGroups()}, len(k.reduces))
	if n == 0 {
		return out
	}
	share, limit := float64(n)/float64(w.plan.Jobs[j].Stages[dag.Map].Count()), math.Inf(1)
	if w.opt.Groups == dag.GroupsTapped {
		limit = float64(cmp.Or(w.opt.Lambda, DefaultLambda))
	}
	named := k.largest(limit)
	for i := range out {
		to, from := &out[i], &k.reduces[i]
		to.Implicit = 0
		bytes := 0.0
		for g, s := range from.Explicit {
			if named[i][g] > 0 {
				to.Explicit = append(to.Explicit, dag.GroupSize{Bytes: share * s.Bytes, Count: named[i][g]})
			}
			to.Implicit += share * s.Bytes * (s.Count - named[i][g])
			bytes += s.Bytes * s.Count
		}
		to.Bytes = share * bytes
		for _, top := range from.Top {
			if len(to.Explicit) > 0 && share*top.Bytes >= to.Explicit[0].Bytes {
				to.Top = append(to.Top, dag.KeyGroup{Key: top.Key, Bytes: share * top.Bytes})
			}
		}
	}
	return out
}

// largest returns, for each task and each of its sizes, how many groups are among the n largest of all tasks.
func (k *keyed) largest(n float64) [][]float64 {
	type place struct{ reduce, size int }
	var all []place
	out := make([][]float64, len(k.reduces))
	for i := range k.reduces {
		out[i] = make([]float64, len(k.reduces[i].Explicit))
		for g := range out[i] {
			all = append(all, place{i, g})
		}
	}
	size := func(p place) dag.GroupSize { return k.reduces[p.reduce].Explicit[p.size] }
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(size(b).Bytes, size(a).Bytes) })
	for _, p := range all {
		count := min(n, size(p).Count)
		out[p.reduce][p.size], n = count, n-count
	}
	return out
}

// showProcessed sets the groups that an attempt has processed by t. It returns false if the attempt has not reached
// them.
func (w *simulation) showProcessed(a *attempt, of *dag.ReduceGroups, t dag.Instant) bool {
	k, pos := a.stage.keyed, a.position(t)
	if pos < a.ends[dag.Sort] {
		return false
	}
	of.Attempt = a.number
	if a.points == nil {
		a.points = a.allPoints(w.opt.Groups == dag.GroupsTapped)
	}
	end := min(t, a.end)
	n := sort.Search(len(a.points), func(i int) bool { return a.points[i].At > end })
	of.Done = a.points[:n:n]
	if n := a.groupsDone(pos); a.end > t && n < len(a.groups.size) {
		of.OpenBytes, of.OpenSince = math.Floor(a.bytesRead(pos)-a.groups.read[n]), a.reached(a.groupsEnd(n))
		of.OpenKey = k.nameOf(a.task, a.groups.size[n])
	}
	return true
}

// A tap reports small groups together: more than burstGroups groups of at most burstBytes bytes each
// (facts/nearestfit.md N11).
const (
	burstBytes  = 50
	burstGroups = 100
)

// allPoints returns all groups of an attempt as they are reported, with the instants that are planned for them. The
// groups of a burst are reported at the end of the last one. Their time is divided by bytes. Equal sizes become one
// point.
func (a *attempt) allPoints(bursts bool) (out []dag.GroupPoint) {
	size := a.groups.size
	var to int
	for from := 0; from < len(size); from = to {
		to = from + 1
		for bursts && to < len(size) && max(size[from], size[to]) <= burstBytes && to-from <= burstGroups {
			to++
		}
		bytes, at := 0.0, a.reached(a.groupsEnd(to))
		ms := a.factor * (a.groups.ms[to] - a.groups.ms[from])
		sizes := slices.Sorted(slices.Values(size[from:to]))
		for _, s := range sizes {
			bytes += s
		}
		for i, s := range sizes {
			if i > 0 && sizes[i-1] == s {
				out[len(out)-1].Count++
				continue
			}
			share := 1 / float64(len(sizes))
			if bytes > 0 {
				share = s / bytes
			}
			out = append(out, dag.GroupPoint{At: at, Bytes: s, Took: millisOf(ms * share), Count: 1})
		}
	}
	return out
}
