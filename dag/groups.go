package dag

import (
	"fmt"
	"math"
	"time"
)

// Groups are the key groups of a job's reduces: what its maps have written for them, and the groups that they have
// processed. As in all of a JobState, unchanged parts may be shared between snapshots. While a reduce's attempt stays
// the same, new points are appended to its Done. Only late reports, and joining when there are too many points, change
// earlier ones.
type Groups struct {
	Origin GroupOrigin `plan:"origin" default:"complete" title:"tap, complete or none"`
	// Maps is the number of map tasks with a profile; 0 if the sizes come from a profile or are unknown. While
	// other maps run, sizes are the output of these so far.
	Maps int `plan:"maps"`
	// Note explains why less is known than the origin could provide, e.g. that a combiner runs after the tap; ""
	// otherwise.
	Note string `plan:"note"`
	// Reduces has one item for each reduce task, by index.
	Reduces []ReduceGroups `plan:"tasks,null" max:"100000" title:"a list with one mapping for each task"`
}

// Known reports whether there are groups. Those of older files that were derived from counters are unknown.
func (g *Groups) Known() bool { return g != nil && g.Origin != GroupsNone }

// A GroupOrigin is the source of measured key groups.
type GroupOrigin uint8

// The origins, from the weakest.
const (
	GroupsNone     GroupOrigin = iota
	GroupsTapped               // paratimer-tap around the job's own commands: top keys, the rest as bytes
	GroupsComplete             // every key is known with its size (the theoretical form of NearestFit)
)

// ReduceGroups are the key groups of one reduce task.
type ReduceGroups struct {
	// Bytes is the size of all its groups, NaN if unknown.
	Bytes float64 `plan:"bytes,optional"`
	// Implicit is the bytes of all other groups: Bytes less the explicit ones, at least 0. NaN if Bytes is.
	Implicit float64 `plan:"rest,optional"`
	// Explicit are the groups with individually known sizes, ascending by size; groups of equal size are counted.
	// Finished groups are included.
	Explicit []GroupSize `plan:"sizes,null" title:"a list of ascending sizes: bytes, or [bytes, count]"`
	// Top names the largest explicit groups, largest first; at most MaxTopGroups.
	Top []KeyGroup `plan:"top,null" max:"10" title:"a list of at most 10 mappings of key and bytes"`

	// Attempt is the number of the attempt that Done belongs to, -1 if none has reported. The groups of a new
	// attempt replace those of the older one.
	Attempt int32
	// Done is in order of arrival.
	Done []GroupPoint `plan:"done,null" title:"a list of [bytes, seconds, count]"`

	// The group that the attempt is processing, if reported: the bytes read of it so far, its start, and its name.
	// NaN, NoInstant and "" if unknown.
	OpenBytes float64
	OpenSince Instant
	OpenKey   string
}

// NoReduceGroups returns the groups of a reduce without any data.
func NoReduceGroups() ReduceGroups {
	nan := math.NaN()
	return ReduceGroups{Bytes: nan, Implicit: nan, Attempt: -1, OpenBytes: nan, OpenSince: NoInstant}
}

// A GroupSize is the number of groups of one size.
type GroupSize struct {
	Bytes float64
	Count float64
}

// A KeyGroup is a group by name. Key is a hash, written "#" and hexadecimal digits, unless the job's owner allowed
// showing its keys.
type KeyGroup struct {
	Key   string  `plan:"key"`
	Bytes float64 `plan:"bytes"`
}

// A GroupPoint counts the groups of one size that a reduce has finished.
type GroupPoint struct {
	At    Instant       // when it became visible
	Bytes float64       // of one group
	Took  time.Duration // the mean of a group
	Count float64       // number of groups
}

// MaxTopGroups is the maximum number of named groups of a reduce.
const MaxTopGroups = 10

// Size returns the number of entries of g: reduces, sizes, names and points; 0 for nil.
func (g *Groups) Size() int {
	if g == nil {
		return 0
	}
	n := len(g.Reduces)
	for i := range g.Reduces {
		r := &g.Reduces[i]
		n += len(r.Explicit) + len(r.Top) + len(r.Done)
	}
	return n
}

// Bounds of the key groups of a stage.
const (
	maxGroupTasks = 100_000
	maxGroupsSize = 1_000_000 // reduces, sizes, names and points together
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
	switch {
	case !p.Copies():
		f.shape(at, "only reduce tasks have key groups")
		return
	case !f.atMost(at, "tasks with key groups", len(g.Reduces), maxGroupTasks),
		!f.atMost(at, "tasks, sizes, names and points", g.Size(), maxGroupsSize):
		return
	case g.Origin > GroupsComplete:
		f.shape(at, "there is no origin %v", g.Origin)
	}
	f.number(ofJob(f.p, j, "reduce.groups.maps", -1), float64(g.Maps), 0, MaxTasks, "")
	if p.Known && len(g.Reduces) != p.Tasks {
		f.shape(at, "they are of %d tasks, and the job has %d", len(g.Reduces), p.Tasks)
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
		f.shape(at("rest", -1),
			"the bytes of all groups and of those without a size of their own are both known, or none is")
	}
	f.sizes(r.Explicit, at)
	f.top(r.Top, at)
	f.points(r.Done, at)
}

func (f *faults) sizes(sizes []GroupSize, at func(field string, item int) Place) {
	for i, s := range sizes {
		if !f.number(at("sizes", i), s.Bytes, 0, maxGroupBytes, "") ||
			!f.number(at("sizes", i), s.Count, 0, MaxTuples, " groups") {
			return
		}
		if i > 0 && !(s.Bytes > sizes[i-1].Bytes) {
			f.shape(at("sizes", i), "%v bytes come after %v: sizes ascend, and equal ones are counted", s.Bytes,
				sizes[i-1].Bytes)
			return
		}
	}
}

func (f *faults) top(top []KeyGroup, at func(field string, item int) Place) {
	if !f.atMost(at("top", -1), "groups with a name", len(top), MaxTopGroups) {
		return
	}
	for i, k := range top {
		if !f.number(at("top", i), k.Bytes, 0, maxGroupBytes, "") ||
			!f.atMost(at("top", i), "bytes of a key's name", len(k.Key), MaxKeyLength) {
			return
		}
		if i > 0 && k.Bytes > top[i-1].Bytes {
			f.shape(at("top", i), "%v bytes come after %v: the largest group comes first", k.Bytes, top[i-1].Bytes)
			return
		}
	}
}

func (f *faults) points(points []GroupPoint, at func(field string, item int) Place) {
	for i, p := range points {
		if !f.number(at("done", i), p.Bytes, 0, maxGroupBytes, "") || !f.duration(at("done", i), p.Took) ||
			!f.number(at("done", i), p.Count, 0, MaxTuples, " groups") {
			return
		}
	}
}
