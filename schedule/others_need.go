package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// releaseParts is the number of instants at which an application releases memory, within a task's length or up to its
// end.
const releaseParts = 8

// mostLengthMS is ten years, the maximum length of a task.
const mostLengthMS = 10 * 365 * 86400 * 1000

// usable reports whether a need has all the values that a replay reads.
func usable(n *dag.Need) bool {
	if n == nil {
		return false
	}
	for _, p := range [...]*dag.NeedPhase{&n.Map, &n.Reduce} {
		if p.Tasks > p.Done && !(p.LengthMS > 0 && p.LengthMS < mostLengthMS && p.TaskMB > 0) {
			return false
		}
	}
	return true
}

// loadNeed reads the running and waiting tasks of another application.
func (o *others) loadNeed(c *scheduler, k int32, n *dag.Need) {
	a := &o.apps[k]
	maps, reduces := &a.phases[ofMaps], &a.phases[ofReduces]
	var running [3]int // memory
	for i, p := range [...]*dag.NeedPhase{ofMaps: &n.Map, ofReduces: &n.Reduce} {
		if p == nil {
			continue
		}
		left := max(0, p.Tasks-p.Done)
		run := min(max(p.Running, 0), left)
		running[i] = run * p.TaskMB
		a.phases[i] = otherPhase{
			wait: min(left-run, plenty/max(p.TaskMB, 1)) * p.TaskMB, size: p.TaskMB,
			length: time.Duration(p.LengthMS) * time.Millisecond,
		}
	}
	// The memory reported by the ResourceManager counts: the master's report may be older.
	tasks := max(0, a.held-a.master)
	if whole := running[ofMaps] + running[ofReduces]; whole > 0 {
		maps.held = int(float64(tasks) * float64(running[ofMaps]) / float64(whole))
	} else if maps.wait > 0 {
		maps.held = tasks
	}
	reduces.held = tasks - maps.held
	o.spread(c, k, ofMaps, progressOf(&n.Map))
	if !a.mapsLeft() {
		o.spread(c, k, ofReduces, progressOf(&n.Reduce))
	}
	o.endIfDone(c, a)
}

// progressOf returns the mean progress of the running tasks of a stage, 0..1.
func progressOf(p *dag.NeedPhase) float64 {
	if far := (p.Progress*float64(p.Tasks) - float64(p.Done)) / float64(p.Running); far >= 0 && far <= 1 {
		return far
	}
	return 0.5
}

func (a *application) mapsLeft() bool { return a.phases[ofMaps].wait+a.phases[ofMaps].held > 0 }

// spread schedules the releases of running tasks with a mean progress of far: spread as wide as that allows.
func (o *others) spread(c *scheduler, k int32, phase int, far float64) {
	p := &o.apps[k].phases[phase]
	size, length := p.held, float64(p.length/time.Millisecond)
	rest := length * (1 - far)
	wide := min(rest, length-rest)
	for i := range releaseParts {
		part := size / (releaseParts - i)
		size -= part
		at := c.now + dag.Instant(rest+wide*(float64(2*i+1)/releaseParts-1))
		o.releaseAt(c, release{k, phase, part, c.now}, at)
	}
}

// releaseAt schedules a release.
func (o *others) releaseAt(c *scheduler, e release, at dag.Instant) {
	if e.size == 0 {
		return
	}
	id := int32(len(o.releases)) //nolint:gosec // a few for each application
	o.releases = append(o.releases, e)
	o.apps[e.app].phases[e.phase].newest = id + 1
	c.endAt(at, int(id), endOfOthers)
}

// startTasks starts tasks in newly allocated memory. Reduces wait for the last map.
func (o *others) startTasks(c *scheduler, k int32, phase, size int) {
	a := &o.apps[k]
	p := &a.phases[phase]
	p.held += size
	if phase == ofReduces && a.mapsLeft() {
		return
	}
	if n := p.newest; n > 0 && o.releases[n-1].until >= c.now {
		o.releases[n-1].size += size
		return
	}
	wide := p.length / releaseParts
	o.releaseAt(c, release{k, phase, size, c.now.Add(wide)}, c.now.Add(p.length+wide/2))
}

// end ends tasks of another application.
func (o *others) end(c *scheduler, id int) {
	e := o.releases[id]
	o.releases[id].until = dag.NoInstant // tasks that start at this instant end later
	a := &o.apps[e.app]
	p := &a.phases[e.phase]
	size := min(e.size, p.held) // less if all memory of others was released
	p.held -= size
	a.allocate(c, -size)
	if e.phase == ofMaps && !a.mapsLeft() {
		o.spread(c, e.app, ofReduces, 0)
	}
	o.endIfDone(c, a)
}

// endIfDone ends an application that has no work left: its master releases its container.
func (o *others) endIfDone(c *scheduler, a *application) {
	if p := &a.phases[ofReduces]; !a.mapsLeft() && p.wait+p.held == 0 {
		a.allocate(c, -a.held)
	}
}
