package keygroups

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// reducerBegin is the instant at which all tasks begin to work.
const reducerBegin = dag.Instant(30_000)

// reducerNamed is the size, in bytes, from which on groups are reported individually.
const reducerNamed = 500

// A reducer is tasks with key groups of these sizes in bytes, in processing order. Cost is the time of a group.
type reducer struct {
	Sizes [][]float64
	Cost  func(bytes float64) time.Duration
}

// quadratic returns four tasks with groups of different sizes, 10 to 10,000 bytes; the third has the large ones.
func quadratic() reducer {
	r := rand.New(rand.NewPCG(1, 2))
	out := reducer{Cost: func(b float64) time.Duration {
		return time.Duration(b * b / 1000 * float64(time.Millisecond))
	}}
	for i := range 4 {
		var sizes []float64
		for range 60 {
			sizes = append(sizes, 10*math.Floor(math.Exp(r.Float64()*5)))
		}
		if i == 2 {
			sizes = append(sizes[:50:50], 7000, 9000, 2500, 1800, 10_000)
		}
		out.Sizes = append(out.Sizes, sizes)
	}
	return out
}

// End returns the instant at which a task ends.
func (t reducer) End(task int) dag.Instant {
	end := reducerBegin
	for _, b := range t.Sizes[task] {
		end = end.Add(t.Cost(b))
	}
	return end
}

// At returns the groups at an instant, as if ten maps had reported.
func (t reducer) At(now dag.Instant, origin dag.GroupOrigin) *dag.Groups {
	g := &dag.Groups{Origin: origin, Maps: 10}
	for _, sizes := range t.Sizes {
		r := dag.NoReduceGroups()
		r.Bytes, r.Implicit, r.Attempt = 0, 0, 0
		end := reducerBegin
		for _, b := range sizes {
			if r.Bytes += b; b >= reducerNamed {
				r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: b, Count: 1})
			} else {
				r.Implicit += b
			}
			if end = end.Add(t.Cost(b)); end <= now {
				r.Done = append(r.Done, dag.GroupPoint{At: end, Bytes: b, Took: t.Cost(b), Count: 1})
			}
		}
		slices.SortFunc(r.Explicit, func(a, b dag.GroupSize) int { return int(a.Bytes - b.Bytes) })
		g.Reduces = append(g.Reduces, r)
	}
	return g
}
