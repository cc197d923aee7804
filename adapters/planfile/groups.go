package planfile

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// numbersOf returns the numbers of a list with least to most items.
func numbersOf(it item, least, most int) (v []float64, ok bool) {
	if it.kind != list {
		return nil, false
	}
	for _, part := range it.each {
		if !(part.kind == number && part.num >= 0) || len(v) == most {
			return nil, false
		}
		v = append(v, part.num)
	}
	return v, len(v) >= least
}

// groupSize reads the size of one group, or the size and number of several.
func groupSize(it item) (dag.GroupSize, bool) {
	if it.kind == number {
		return dag.GroupSize{Bytes: it.num, Count: 1}, it.num >= 0
	}
	v, ok := numbersOf(it, 2, 2)
	if !ok {
		return dag.GroupSize{}, false
	}
	return dag.GroupSize{Bytes: v[0], Count: v[1]}, true
}

// groupPoint reads a size, the seconds of one group, and the number of groups.
func groupPoint(it item) (dag.GroupPoint, bool) {
	v, ok := numbersOf(it, 2, 3)
	if !ok || v[1] > dag.MaxLength.Seconds() {
		return dag.GroupPoint{}, false
	}
	p := dag.GroupPoint{At: dag.NoInstant, Bytes: v[0], Took: nanoseconds(v[1]), Count: 1}
	if len(v) == 3 {
		p.Count = v[2]
	}
	return p, true
}

// exactSeconds is the largest number of seconds for which a float64 resolves nanoseconds.
const exactSeconds = 1e6

// nanoseconds converts seconds to a Duration. Above exactSeconds it rounds to milliseconds.
func nanoseconds(s float64) time.Duration {
	if s > exactSeconds {
		return time.Duration(math.Round(s*1e3)) * time.Millisecond
	}
	return time.Duration(math.Round(s * 1e9))
}

// complete sets what a file's groups leave out.
func complete(g *dag.Groups) *dag.Groups {
	if g == nil {
		return nil
	}
	for i := range g.Reduces {
		r, none := &g.Reduces[i], dag.NoReduceGroups()
		r.Attempt, r.OpenBytes, r.OpenSince = none.Attempt, none.OpenBytes, none.OpenSince
		if math.IsNaN(r.Implicit) {
			r.Implicit = r.Bytes
			for _, s := range r.Explicit {
				r.Implicit = max(0, r.Implicit-s.Bytes*s.Count)
			}
		}
	}
	return g
}

func sizeTuple(s dag.GroupSize) any {
	if s.Count == 1 {
		return numberText(s.Bytes)
	}
	return []any{numberText(s.Bytes), numberText(s.Count)}
}

func pointTuple(p dag.GroupPoint) any {
	v := []any{numberText(p.Bytes), numberText(p.Took.Seconds()), numberText(p.Count)}
	if p.Count == 1 {
		return v[:2]
	}
	return v
}
