package planfile

import (
	"math"
	"reflect"
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
func groupSize(it item, to reflect.Value) bool {
	if it.kind == number {
		to.Set(reflect.ValueOf(dag.GroupSize{Bytes: it.num, Count: 1}))
		return it.num >= 0
	}
	v, ok := numbersOf(it, 2, 2)
	if ok {
		to.Set(reflect.ValueOf(dag.GroupSize{Bytes: v[0], Count: v[1]}))
	}
	return ok
}

// groupPoint reads a size, the seconds of one group, and the number of groups.
func groupPoint(it item, to reflect.Value) bool {
	v, ok := numbersOf(it, 2, 3)
	if !ok || v[1] > dag.MaxLength.Seconds() {
		return false
	}
	v = append(v, 1)
	to.Set(reflect.ValueOf(dag.GroupPoint{At: dag.NoInstant, Bytes: v[0], Took: nanoseconds(v[1]), Count: v[2]}))
	return true
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

func sizeTuple(v reflect.Value) (any, bool) {
	s := v.Interface().(dag.GroupSize)
	if s.Count == 1 {
		return numberText(s.Bytes), true
	}
	return []any{numberText(s.Bytes), numberText(s.Count)}, true
}

func pointTuple(v reflect.Value) (any, bool) {
	p := v.Interface().(dag.GroupPoint)
	out := []any{numberText(p.Bytes), numberText(p.Took.Seconds()), numberText(p.Count)}
	if p.Count == 1 {
		return out[:2], true
	}
	return out, true
}
