package simulate

import (
	"math"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A groupView is the previous snapshot's view of a job's key groups.
type groupView struct {
	maps   int // number of maps in inputs; -1 before the first
	inputs []reduceInput
	tasks  []taskView
}

// A taskView is the previous snapshot's view of a reduce's groups.
type taskView struct {
	leg    dag.Instant
	number int32            // of the attempt; -1 before the first
	points []dag.GroupPoint // tap: all points of the attempt, including future ones; counters: those seen so far
	// For counters: their values at the newest point.
	at   dag.Instant
	done int
	read float64
}

// groups returns the known facts of a job's key groups at c.t, or nil.
func (c *camera) groups(j int, s *dag.JobState) *dag.Groups {
	k := c.keyed[j]
	if k == nil || c.opt.Groups == dag.GroupsNone || !s.Submitted.Known() {
		return nil
	}
	v := &c.groupViews[j]
	if v.tasks == nil {
		v.maps, v.tasks = -1, make([]taskView, len(k.groups.Reduces))
		for i := range v.tasks {
			v.tasks[i].number = -1
		}
	}
	g := &dag.Groups{Origin: c.opt.Groups, Reduces: make([]dag.ReduceGroups, len(v.tasks))}
	if c.opt.Groups != dag.GroupsCounted {
		g.Maps = c.mapsDone(j)
		if g.Maps != v.maps {
			v.maps, v.inputs = g.Maps, c.reduceInputs(j, g.Maps)
		}
	}
	for i := range g.Reduces {
		r := dag.NoReduceGroups()
		if g.Maps > 0 {
			p := &v.inputs[i]
			r.Bytes, r.Implicit, r.Explicit, r.Top = p.bytes, p.implicit, p.explicit, p.top
		}
		g.Reduces[i] = r
	}
	tracks := c.jobs[j].phases[dag.Reduce].tracks
	shown := int32(-1)
	for i := len(tracks) - 1; i >= 0; i-- { // the newest attempt of a task replaces the older ones
		if r := &tracks[i]; r.task != shown && c.groupsOf(j, r, &v.tasks[r.task], &g.Reduces[r.task]) {
			shown = r.task
		}
	}
	return g
}

// groupsOf sets the processed groups of an attempt. It returns false if the attempt has not reached them.
func (c *camera) groupsOf(j int, r *track, v *taskView, of *dag.ReduceGroups) bool {
	if r.start > c.t || !r.begun(c.t) {
		return false
	}
	x := c.extentOf(attemptKey{j, dag.Reduce, r.task, r.number}, r)
	pos := r.position(c.t, x.work)
	if c.opt.Groups == dag.GroupsCounted && pos >= x.ends[dag.Copy] {
		of.Bytes = c.keyed[j].bytes(int(r.task))
		of.Implicit = of.Bytes
	}
	if pos < x.ends[dag.Sort] {
		return false
	}
	of.Attempt = r.number
	if c.opt.Groups == dag.GroupsCounted {
		of.Done = c.counts(v, r, &x, pos)
		return true
	}
	if v.number != r.number || v.leg != c.now && r.end > v.leg {
		v.number, v.leg, v.points = r.number, c.now, x.points(r, c.opt.Groups == dag.GroupsTapped)
	}
	end := min(c.t, r.end)
	n := sort.Search(len(v.points), func(i int) bool { return v.points[i].At > end })
	of.Done = v.points[:n:n]
	if n := x.groupsDone(pos); r.end > c.t && n < len(x.walk.size) {
		of.OpenBytes, of.OpenSince = math.Floor(x.bytesRead(pos)-x.readBefore(n)), r.reached(x.groupEnd(n-1))
		of.OpenKey = nameOf(&c.keyed[j].groups.Reduces[r.task], x.walk.size[n])
	}
	return true
}

// counts returns the groups that counters show between two snapshots: how many have ended, their bytes and their time.
func (c *camera) counts(v *taskView, r *track, x *extent, pos int64) []dag.GroupPoint {
	if v.number != r.number {
		*v = taskView{number: r.number, at: r.reached(x.ends[dag.Sort])}
	}
	if n := x.groupsDone(pos); n > v.done {
		at, read, count := min(c.t, r.end), x.bytesRead(pos), float64(n-v.done)
		v.points = append(v.points, dag.GroupPoint{
			At: c.t, Bytes: (read - v.read) / count, Took: millisOf(1000 * at.Seconds(v.at) / count), Count: count,
		})
		v.at, v.done, v.read = at, n, read
	}
	return slices.Clip(v.points)
}

// nameOf returns the key of the only group of a size, or "" if there are several or none is named.
func nameOf(r *dag.ReduceGroups, bytes float64) string {
	i := slices.IndexFunc(r.Top, func(k dag.KeyGroup) bool { return k.Bytes == bytes })
	n := slices.IndexFunc(r.Explicit, func(s dag.GroupSize) bool { return s.Bytes == bytes })
	if i < 0 || n < 0 || r.Explicit[n].Count != 1 {
		return ""
	}
	return r.Top[i].Key
}

// mapsDone returns how many maps of a job have succeeded by c.t.
func (c *camera) mapsDone(j int) int {
	n, last := 0, int32(-1)
	for i := range c.jobs[j].phases[dag.Map].tracks {
		r := &c.jobs[j].phases[dag.Map].tracks[i]
		if r.end <= c.t && r.how == dag.AttemptSucceeded && r.task != last {
			n, last = n+1, r.task
		}
	}
	return n
}

// bytes returns the size of all groups of a task.
func (k *keyed) bytes(task int) float64 {
	sum := 0.0
	for _, s := range k.groups.Reduces[task].Explicit {
		sum += s.Bytes * s.Count
	}
	return sum
}
