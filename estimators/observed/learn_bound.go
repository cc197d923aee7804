package observed

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

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
