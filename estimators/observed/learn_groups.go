package observed

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// What a profile keeps of a job's key groups: with 20 bytes for a piece some 50 KB. The larger half of each list is
// kept as it is, since large groups take the time; of the others those of near sizes are joined.
const (
	learnedReduces = 5000 // of more reduces nothing is kept
	learnedSizes   = 1000
	learnedPoints  = 1000
	learnedNames   = 100
)

// learnedGroups are the key groups of a job's reduces: what those of attempts that succeeded took, and their sizes, as
// they were done where that is all of them, else as all maps promised them. nil where nothing was seen.
func (m *Model) learnedGroups(j int) *dag.Groups {
	g, phase := m.Snapshot.Jobs[j].Groups, &m.Snapshot.Plan.Jobs[j].Stages[dag.Reduce]
	n := phase.Count()
	if g == nil || g.Origin == dag.GroupsNone || n == 0 || n > learnedReduces {
		return nil
	}
	out := &dag.Groups{Origin: g.Origin, Maps: g.Maps, Note: g.Note, Reduces: make([]dag.ReduceGroups, n)}
	promised := g.Maps >= m.Snapshot.Plan.Jobs[j].Stages[dag.Map].Count()
	seen := false
	for i := range n {
		r := dag.NoReduceGroups()
		if i < len(g.Reduces) {
			r = m.learnedReduceGroups(j, i, &g.Reduces[i], promised)
		}
		seen = seen || len(r.Explicit)+len(r.Done) > 0
		out.Reduces[i] = r
	}
	if !seen {
		return nil
	}
	boundSizes(out)
	boundPoints(out)
	boundNames(out)
	return out
}

func (m *Model) learnedReduceGroups(j, task int, r *dag.ReduceGroups, promised bool) dag.ReduceGroups {
	out := dag.NoReduceGroups()
	as := m.Snapshot.Jobs[j].Stages[dag.Reduce].Attempts
	ended := slices.ContainsFunc(as, func(a dag.Attempt) bool {
		return a.Task == int32(task) && a.Number == r.Attempt &&
			a.State == dag.AttemptSucceeded //nolint:gosec // bounded by learnedReduces
	})
	if ended {
		out.Done = samePoints(r.Done)
	}
	reported := promised && r.Bytes >= 0 && !math.IsInf(r.Bytes, 0)
	sizes, bytes := sizesOf(out.Done)
	switch {
	case len(sizes) > 0 && !(reported && bytes < coverage*r.Bytes):
		out.Bytes, out.Implicit, out.Explicit = bytes, 0, sizes
	case reported:
		out.Bytes, out.Explicit = r.Bytes, soundSizes(r.Explicit)
		out.Implicit = r.Bytes - bytesOf(out.Explicit)
		out.Implicit = max(out.Implicit, 0)
	default:
		return out
	}
	for _, k := range r.Top[:min(len(r.Top), dag.MaxTopGroups)] {
		if k.Bytes >= 0 && !math.IsInf(k.Bytes, 0) && len(k.Key) <= dag.MaxKeyLength {
			out.Top = append(out.Top, k)
		}
	}
	return out
}

// coverage is how much of what was promised must have been seen done for its sizes to be believed: a report may be
// lost.
const coverage = 0.99

// sizesOf are the sizes of points, which are ordered by them.
func sizesOf(points []dag.GroupPoint) (sizes []dag.GroupSize, bytes float64) {
	for _, d := range points {
		sizes = append(sizes, dag.GroupSize{Bytes: d.Bytes, Count: d.Count})
		bytes += d.Bytes * d.Count
	}
	return sizes, bytes
}

func bytesOf(sizes []dag.GroupSize) float64 {
	sum := 0.0
	for _, s := range sizes {
		sum += s.Bytes * s.Count
	}
	return sum
}

// soundSizes ascend, and each comes once.
func soundSizes(sizes []dag.GroupSize) []dag.GroupSize {
	out := slices.Clone(sizes)
	slices.SortStableFunc(out, func(a, b dag.GroupSize) int { return cmp.Compare(a.Bytes, b.Bytes) })
	n := 0
	for _, s := range out {
		switch {
		case !(s.Bytes >= 0 && s.Count > 0) || math.IsInf(s.Bytes, 0) || math.IsInf(s.Count, 0):
		case n > 0 && out[n-1].Bytes == s.Bytes:
			out[n-1].Count += s.Count
		default:
			out[n] = s
			n++
		}
	}
	return out[:n]
}

// samePoints are points by size, those of one size joined. When they were seen is of no use to another run.
func samePoints(points []dag.GroupPoint) []dag.GroupPoint {
	out := slices.Clone(points)
	for i := range out {
		out[i].At = dag.NoInstant
	}
	slices.SortStableFunc(out, func(a, b dag.GroupPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
	n := 0
	for _, p := range out {
		switch {
		case !(p.Bytes >= 0 && p.Took >= 0 && p.Count > 0) || math.IsInf(p.Bytes, 0) || math.IsInf(p.Count, 0):
		case n > 0 && out[n-1].Bytes == p.Bytes:
			joinPoint(&out[n-1], &p)
		default:
			out[n] = p
			n++
		}
	}
	return out[:n]
}

// joinPoint adds p to q: groups, bytes and time are conserved.
func joinPoint(q, p *dag.GroupPoint) {
	share := p.Count / (q.Count + p.Count)
	q.Bytes += (p.Bytes - q.Bytes) * share
	q.Took += time.Duration(float64(p.Took-q.Took) * share)
	q.Count += p.Count
}

// An item is a size, point or name of a reduce.
type item[T any] struct {
	reduce int
	of     T
}

// flat are the items of all reduces, largest first.
func flat[T any](g *dag.Groups, list func(*dag.ReduceGroups) []T, bytes func(T) float64) []item[T] {
	var all []item[T]
	for i := range g.Reduces {
		for _, t := range list(&g.Reduces[i]) {
			all = append(all, item[T]{i, t})
		}
	}
	slices.SortStableFunc(all, func(a, b item[T]) int { return cmp.Compare(bytes(b.of), bytes(a.of)) })
	return all
}

// boundSizes keeps the largest sizes; of the others each reduce's are joined, by twos, until there are few enough.
// Where one a reduce is still too much, they are bytes without a size.
func boundSizes(g *dag.Groups) {
	sizes := func(r *dag.ReduceGroups) []dag.GroupSize { return r.Explicit }
	bytes := func(s dag.GroupSize) float64 { return s.Bytes }
	all := flat(g, sizes, bytes)
	if len(all) <= learnedSizes {
		return
	}
	least := all[learnedSizes/2].of.Bytes // sizes up to this one are joined
	for len(all) > learnedSizes {
		shrunk := 0
		for i := range g.Reduces {
			r := &g.Reduces[i]
			small, _ := slices.BinarySearchFunc(r.Explicit, math.Nextafter(least, math.Inf(1)),
				func(s dag.GroupSize, b float64) int { return cmp.Compare(s.Bytes, b) })
			r.Explicit = append(pairs(r.Explicit[:small]), r.Explicit[small:]...)
			shrunk += small / 2
		}
		if shrunk == 0 {
			break
		}
		all = flat(g, sizes, bytes)
	}
	for i := range g.Reduces {
		r := &g.Reduces[i]
		r.Explicit = soundSizes(r.Explicit) // joined ones were rounded
	}
	if len(all) <= learnedSizes {
		return
	}
	for i := range g.Reduces {
		r := &g.Reduces[i]
		for len(r.Explicit) > 0 && r.Explicit[0].Bytes <= least {
			r.Implicit += r.Explicit[0].Bytes * r.Explicit[0].Count
			r.Explicit = r.Explicit[1:]
		}
	}
}

// pairs joins sizes with their neighbours. Groups and, to six digits, bytes are conserved.
func pairs(sizes []dag.GroupSize) []dag.GroupSize {
	var out []dag.GroupSize
	for i, s := range sizes {
		if i%2 == 1 {
			q := &out[len(out)-1]
			q.Bytes = profiles.Round(q.Bytes + (s.Bytes-q.Bytes)*s.Count/(q.Count+s.Count))
			q.Count += s.Count
			continue
		}
		out = append(out, s)
	}
	return out
}

// boundPoints keeps, to six digits, the points of the largest groups; of the others those of near sizes are joined,
// whosever they are.
func boundPoints(g *dag.Groups) {
	all := flat(g, func(r *dag.ReduceGroups) []dag.GroupPoint { return r.Done }, func(p dag.GroupPoint) float64 {
		return p.Bytes
	})
	for len(all) > learnedPoints {
		kept := all[:learnedPoints/2]
		for i, p := range all[learnedPoints/2:] {
			if i%2 == 1 {
				joinPoint(&kept[len(kept)-1].of, &p.of)
				continue
			}
			kept = append(kept, p)
		}
		all = kept
	}
	for i := range g.Reduces {
		g.Reduces[i].Done = nil
	}
	slices.Reverse(all)
	for _, p := range all {
		p.of.Bytes = profiles.Round(p.of.Bytes)
		p.of.Took = time.Duration(profiles.Round(float64(p.of.Took)))
		g.Reduces[p.reduce].Done = append(g.Reduces[p.reduce].Done, p.of)
	}
}

// boundNames keeps the names of the largest groups.
func boundNames(g *dag.Groups) {
	all := flat(g, func(r *dag.ReduceGroups) []dag.KeyGroup { return r.Top }, func(k dag.KeyGroup) float64 {
		return k.Bytes
	})
	for i := range g.Reduces {
		g.Reduces[i].Top = nil
	}
	for _, k := range all[:min(len(all), learnedNames)] {
		g.Reduces[k.reduce].Top = append(g.Reduces[k.reduce].Top, k.of)
	}
}
