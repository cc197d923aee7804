package simulate

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

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
		to.Bytes, to.Implicit = share*k.bytes(int32(i)), 0
		for g, s := range from.Explicit {
			if named[i][g] > 0 {
				to.Explicit = append(to.Explicit, dag.GroupSize{Bytes: share * s.Bytes, Count: named[i][g]})
			}
			to.Implicit += share * s.Bytes * (s.Count - named[i][g])
		}
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
// (docs/facts/nearestfit.md N11).
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
