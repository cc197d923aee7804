package dag

import (
	"fmt"
	"math"
)

// Bounds of the key groups of a stage.
const (
	MaxGroupTasks = 100_000
	MaxGroupsSize = 1_000_000 // reduces, sizes, names and points together
	MaxKeyLength  = 256       // bytes of a key's name
	maxGroupBytes = 1e18      // as for a task
)

// groups checks the key groups of a stage in a plan. It reports only the first fault of each list.
func (f *faults) groups(j int, k StageIndex) {
	p := &f.p.Jobs[j].Stages[k]
	g := p.Groups
	if g == nil {
		return
	}
	at := ofJob(f.p, j, fieldOf(&f.p.Jobs[j], k)+".groups", -1)
	if !p.Copies() {
		f.add(&ShapeError{Place: at, Why: "only reduce tasks have key groups"})
		return
	}
	if n := len(g.Reduces); n > MaxGroupTasks {
		f.add(&LimitError{Place: at, What: "tasks with key groups", Have: float64(n), Max: MaxGroupTasks})
		return
	}
	if n := g.Size(); n > MaxGroupsSize {
		f.add(&LimitError{Place: at, What: "tasks, sizes, names and points", Have: float64(n), Max: MaxGroupsSize})
		return
	}
	if g.Origin > GroupsComplete {
		f.add(&ShapeError{Place: at, Why: fmt.Sprintf("there is no origin %v", g.Origin)})
	}
	f.number(ofJob(f.p, j, "reduce.groups.maps", -1), float64(g.Maps), 0, MaxTasks, "")
	if p.Known && len(g.Reduces) != p.Tasks {
		f.add(&ShapeError{Place: at, Why: fmt.Sprintf("they are of %d tasks, and the job has %d", len(g.Reduces),
			p.Tasks)})
		return
	}
	for i := range g.Reduces {
		f.groupsOf(&g.Reduces[i], func(field string, item int) Place {
			return ofJob(f.p, j, fmt.Sprintf("reduce.groups.tasks[%d].%s", i, field), item)
		})
	}
}

func (f *faults) groupsOf(r *ReduceGroups, at func(field string, item int) Place) {
	if !math.IsNaN(r.Bytes) {
		f.number(at("bytes", -1), r.Bytes, 0, maxGroupBytes, "")
	}
	if !math.IsNaN(r.Implicit) {
		f.number(at("rest", -1), r.Implicit, 0, maxGroupBytes, "")
	}
	if math.IsNaN(r.Bytes) != math.IsNaN(r.Implicit) {
		f.add(&ShapeError{
			Place: at("rest", -1),
			Why:   "the bytes of all groups and of those without a size of their own are both known, or none is",
		})
	}
	f.sizes(r.Explicit, at)
	f.top(r.Top, at)
	f.points(r.Done, at)
}

func (f *faults) sizes(sizes []GroupSize, at func(field string, item int) Place) {
	for i, s := range sizes {
		if e := wrong(at("sizes", i), s.Bytes, maxGroupBytes, ""); e != nil {
			f.add(e)
			return
		}
		if e := wrong(at("sizes", i), s.Count, MaxTuples, " groups"); e != nil {
			f.add(e)
			return
		}
		if i > 0 && !(s.Bytes > sizes[i-1].Bytes) {
			f.add(&ShapeError{
				Place: at("sizes", i),
				Why: fmt.Sprintf("%v bytes come after %v: sizes ascend, and equal ones are counted", s.Bytes,
					sizes[i-1].Bytes),
			})
			return
		}
	}
}

func (f *faults) top(top []KeyGroup, at func(field string, item int) Place) {
	if len(top) > MaxTopGroups {
		f.add(&LimitError{Place: at("top", -1), What: "groups with a name", Have: float64(len(top)), Max: MaxTopGroups})
		return
	}
	for i, k := range top {
		if e := wrong(at("top", i), k.Bytes, maxGroupBytes, ""); e != nil {
			f.add(e)
			return
		}
		if len(k.Key) > MaxKeyLength {
			f.add(&LimitError{
				Place: at("top", i), What: "bytes of a key's name", Have: float64(len(k.Key)),
				Max: MaxKeyLength,
			})
			return
		}
		if i > 0 && k.Bytes > top[i-1].Bytes {
			f.add(&ShapeError{
				Place: at("top", i),
				Why:   fmt.Sprintf("%v bytes come after %v: the largest group comes first", k.Bytes, top[i-1].Bytes),
			})
			return
		}
	}
}

func (f *faults) points(points []GroupPoint, at func(field string, item int) Place) {
	for i, p := range points {
		for _, v := range []struct {
			v, most float64
			unit    string
		}{{p.Bytes, maxGroupBytes, ""}, {p.Took.Seconds(), MaxLength.Seconds(), "s"}, {p.Count, MaxTuples, " groups"}} {
			if e := wrong(at("done", i), v.v, v.most, v.unit); e != nil {
				f.add(e)
				return
			}
		}
	}
}

// wrong returns an error if a number is not from 0 to most.
func wrong(at Place, v, most float64, unit string) error {
	if v >= 0 && v <= most { // so that NaN is wrong
		return nil
	}
	return &NumberError{Place: at, Value: v, Unit: unit, Min: 0, Max: most}
}
