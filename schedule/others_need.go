package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// releaseParts is the number of instants over which the ends of tasks are spread within a task's length.
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
	maps, reduces := &a.phases[dag.Map], &a.phases[dag.Reduce]
	tasks := max(0, a.held-a.master)
	var running [2]int // memory
	for kind, p := range [...]*dag.NeedPhase{&n.Map, &n.Reduce} {
		left, at := max(0, p.Tasks-p.Done), &a.phases[kind]
		at.taskSize, at.length = p.TaskMB, time.Duration(p.LengthMS)*time.Millisecond
		run := min(max(p.Running, 0), left)
		at.wait = min(left-run, plenty/max(p.TaskMB, 1)) * p.TaskMB
		running[kind] = run * p.TaskMB
	}
	// The memory reported by the ResourceManager counts: the master's report may be older.
	if whole := running[dag.Map] + running[dag.Reduce]; whole > 0 {
		maps.held = int(float64(tasks) * float64(running[dag.Map]) / float64(whole))
		reduces.held = tasks - maps.held
	} else if maps.wait > 0 {
		maps.held = tasks
	} else {
		reduces.held = tasks
	}
	o.spread(c, k, dag.Map, maps.held, progressOf(&n.Map))
	if a.mapsLeft() {
		a.parked = reduces.held
		return
	}
	o.spread(c, k, dag.Reduce, reduces.held, progressOf(&n.Reduce))
	o.endIfDone(c, a)
}

// progressOf returns the mean progress of the running tasks of a stage, 0..1.
func progressOf(p *dag.NeedPhase) float64 {
	if far := (p.Progress*float64(p.Tasks) - float64(p.Done)) / float64(p.Running); far >= 0 && far <= 1 {
		return far
	}
	return 0.5
}

func (a *application) mapsLeft() bool { return a.phases[dag.Map].wait+a.phases[dag.Map].held > 0 }

// spread schedules the releases of running tasks with a mean progress of far: spread as wide as that allows.
func (o *others) spread(c *scheduler, k int32, kind dag.StageIndex, size int, far float64) {
	length := float64(o.apps[k].phases[kind].length / time.Millisecond)
	rest := length * (1 - far)
	wide := min(rest, length-rest)
	for i := range releaseParts {
		part := size / (releaseParts - i)
		size -= part
		o.releaseAt(c, k, kind, part, c.now+dag.Instant(rest+wide*(float64(2*i+1)/releaseParts-1)), c.now)
	}
}

func (o *others) releaseAt(c *scheduler, k int32, kind dag.StageIndex, size int, at, until dag.Instant) {
	if size == 0 {
		return
	}
	id := int32(len(o.releases)) //nolint:gosec // a few for each application
	o.releases = append(o.releases, release{k, kind, size, until})
	o.apps[k].newest[kind] = id + 1
	c.ends.push(end{max(at, c.now), id, endOfOthers})
}

// startTasks starts tasks in newly allocated memory: maps, then reduces, which wait for the last map.
func (o *others) startTasks(c *scheduler, k int32, size int) {
	a := &o.apps[k]
	maps := min(size, a.phases[dag.Map].wait)
	o.startPhase(c, k, dag.Map, maps)
	if p := &a.phases[dag.Reduce]; min(size-maps, p.wait) > 0 && a.mapsLeft() {
		reduces := min(size-maps, p.wait)
		p.wait -= reduces
		p.held += reduces
		a.parked += reduces
	} else {
		o.startPhase(c, k, dag.Reduce, min(size-maps, p.wait))
	}
}

func (o *others) startPhase(c *scheduler, k int32, kind dag.StageIndex, size int) {
	if size <= 0 {
		return
	}
	a := &o.apps[k]
	p := &a.phases[kind]
	p.wait -= size
	p.held += size
	if n := a.newest[kind]; n > 0 && o.releases[n-1].until >= c.now {
		o.releases[n-1].size += size
		return
	}
	wide := p.length / releaseParts
	o.releaseAt(c, k, kind, size, c.now.Add(p.length+wide/2), c.now.Add(wide))
}

// end ends tasks of another application.
func (o *others) end(c *scheduler, id int) {
	e := o.releases[id]
	a := &o.apps[e.app]
	p := &a.phases[e.kind]
	size := min(e.size, p.held) // less if the scheduler preempted some
	p.held -= size
	a.allocate(c, -size)
	if e.kind == dag.Map && a.parked > 0 && !a.mapsLeft() {
		parked := a.parked
		a.parked = 0
		o.spread(c, e.app, dag.Reduce, parked, 0)
	}
	o.endIfDone(c, a)
}

// endIfDone ends an application that has no work left: its master releases its container.
func (o *others) endIfDone(c *scheduler, a *application) {
	if p := &a.phases[dag.Reduce]; !a.mapsLeft() && p.wait+p.held == 0 {
		a.allocate(c, -a.held)
	}
}
