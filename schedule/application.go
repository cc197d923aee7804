package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// An application is another application. If its need is known, its tasks end and others replace them until none is
// left. Otherwise it takes what it has requested, and releases its memory evenly up to its expected end.
type application struct {
	member
	submitted    dag.Instant
	held, master int // total memory, and its master's
	hasNeed      bool
	launching    bool     // its master has not requested tasks yet
	phases       [3]phase // in the order in which they are served
}

// The phases of an application. If its need is not known, the first one is all that it has requested.
const (
	ofMaster = iota
	ofMaps
	ofReduces
)

// A phase is the memory of another application's master, maps or reduces, requested and allocated.
type phase struct {
	wait, held int
	size       int           // of a container
	length     time.Duration // of a task
	newest     int           // the latest release in the replay, from 1; 0: none
}

// A release is memory that another application frees at one instant: tasks that start within an eighth of a task's
// length of each other end together, so the cost of a replay does not grow with the tasks of others.
type release struct {
	app   int32
	phase int
	size  int
	until dag.Instant // tasks that start by then are added
}

// releaseParts is the number of instants at which an application releases memory, within a task's length or up to its
// end.
const releaseParts = 8

// AddOthers adds the other applications of a snapshot.
func (c *capacityScheduler) AddOthers(s *dag.Snapshot) {
	all, bySubmission := s.Load, func(a, b dag.Load) int { return cmp.Compare(a.Submitted, b.Submitted) }
	if !slices.IsSortedFunc(all, bySubmission) {
		all = slices.Clone(all)
		slices.SortStableFunc(all, bySubmission)
	}
	c.apps = slices.Grow(c.apps[:0], len(all))[:len(all)]
	clear(c.apps)
	for k := range all {
		from, a := &all[k], &c.apps[k]
		a.member = c.Member(s, from.Queue, cmp.Or(from.User, "user of "+from.ID))
		if q := &c.queues[a.queue]; q.share == 0 && a.queue > 0 {
			q.share = from.ShareMB
		}
		a.submitted, a.master = from.Submitted, min(from.MasterMB, from.HeldMB)
		a.allocate(c, max(from.HeldMB, 0))
		if a.hasNeed = usable(from.Need); a.hasNeed {
			if from.HeldMB <= 0 {
				a.phases[ofMaster].wait, a.phases[ofMaster].size = max(from.PendingMB, 0), max(from.PendingMB, 0)
			}
			c.addNeed(int32(k), from.Need, s.At) //nolint:gosec // an index
			continue
		}
		a.phases[ofMaster] = phase{wait: max(from.PendingMB, 0), length: from.Length}
		if from.Until.Known() {
			a.giveBack(c, s.At, from.Until)
		}
	}
	// Our own queue has the memory that is not guaranteed to others' queues, unless its share is known.
	rest := s.Plan.Cluster.MemoryMB
	for i := 1; i < len(c.queues); i++ {
		rest -= c.queues[i].share
	}
	if q := &c.queues[0]; q.share == 0 {
		q.share = max(rest, 1)
	}
}

// allocate allocates memory to another application; a negative size releases it.
func (a *application) allocate(c *capacityScheduler, size int) {
	a.held += size
	c.Hold(a.member, size)
}

// giveBack releases the memory of an application evenly up to an instant.
func (a *application) giveBack(c *capacityScheduler, now, until dag.Instant) {
	step := max((until-now)/releaseParts, 1)
	for i := range dag.Instant(releaseParts) {
		c.replay.at(now+step*(i+1), rankEnd, func() { a.allocate(c, -a.held/int(releaseParts-i)) })
	}
}

// next returns the phase of its next container, and its size; 0 if it requests none now.
func (a *application) next() (k, size int) {
	for !a.launching && k < len(a.phases) {
		if p := &a.phases[k]; p.wait > 0 {
			return k, min(p.size, p.wait)
		}
		k++
	}
	return k, 0
}

func (a *application) mapsLeft() bool { return a.phases[ofMaps].wait+a.phases[ofMaps].held > 0 }

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

// addNeed adds the running and waiting tasks of another application.
func (c *capacityScheduler) addNeed(k int32, n *dag.Need, now dag.Instant) {
	a := &c.apps[k]
	maps, reduces := &a.phases[ofMaps], &a.phases[ofReduces]
	var running [3]int // memory
	for i, p := range [...]*dag.NeedPhase{ofMaps: &n.Map, ofReduces: &n.Reduce} {
		if p == nil {
			continue
		}
		left := max(0, p.Tasks-p.Done)
		run := min(max(p.Running, 0), left)
		running[i] = run * p.TaskMB
		a.phases[i] = phase{
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
	c.spread(k, ofMaps, progressOf(&n.Map), now)
	if !a.mapsLeft() {
		c.spread(k, ofReduces, progressOf(&n.Reduce), now)
	}
	a.endIfDone(c)
}

// progressOf returns the mean progress of the running tasks of a stage, 0..1.
func progressOf(p *dag.NeedPhase) float64 {
	if far := (p.Progress*float64(p.Tasks) - float64(p.Done)) / float64(p.Running); far >= 0 && far <= 1 {
		return far
	}
	return 0.5
}

// spread schedules the releases of running tasks with a mean progress of far: spread as wide as that allows.
func (c *capacityScheduler) spread(app int32, k int, far float64, now dag.Instant) {
	p := &c.apps[app].phases[k]
	size, length := p.held, float64(p.length/time.Millisecond)
	rest := length * (1 - far)
	wide := min(rest, length-rest)
	for i := range releaseParts {
		part := size / (releaseParts - i)
		size -= part
		c.releaseAt(release{app, k, part, now}, now+dag.Instant(rest+wide*(float64(2*i+1)/releaseParts-1)))
	}
}

// releaseAt schedules a release.
func (c *capacityScheduler) releaseAt(r release, at dag.Instant) {
	if r.size == 0 {
		return
	}
	c.replay.endAt(at, len(c.releases), endOfOthers)
	c.releases = append(c.releases, r)
	c.apps[r.app].phases[r.phase].newest = len(c.releases)
}

// startTasks starts tasks in newly allocated memory. Reduces wait for the last map.
func (c *capacityScheduler) startTasks(app int32, k, size int, now dag.Instant) {
	a := &c.apps[app]
	p := &a.phases[k]
	p.held += size
	if k == ofReduces && a.mapsLeft() {
		return
	}
	if n := p.newest; n > 0 && c.releases[n-1].until >= now {
		c.releases[n-1].size += size
		return
	}
	wide := p.length / releaseParts
	c.releaseAt(release{app, k, size, now.Add(wide)}, now.Add(p.length+wide/2))
}

// End ends the tasks of a release.
func (c *capacityScheduler) End(id int, now dag.Instant) {
	r := c.releases[id]
	c.releases[id].until = dag.NoInstant // tasks that start at this instant end later
	a := &c.apps[r.app]
	p := &a.phases[r.phase]
	size := min(r.size, p.held) // less if all memory of others was released
	p.held -= size
	a.allocate(c, -size)
	if r.phase == ofMaps && !a.mapsLeft() {
		c.spread(r.app, ofReduces, 0, now)
	}
	a.endIfDone(c)
}

// endIfDone ends an application that has no work left: its master releases its container.
func (a *application) endIfDone(c *capacityScheduler) {
	if p := &a.phases[ofReduces]; !a.mapsLeft() && p.wait+p.held == 0 {
		a.allocate(c, -a.held)
	}
}

// ReleaseAll releases all memory of other applications, and reports whether they had any. It is the last resort of a
// replay in which nothing else can happen: they will end some day, and the estimate is a floor.
func (c *capacityScheduler) ReleaseAll() bool {
	released := false
	for k := range c.apps {
		a := &c.apps[k]
		released = released || a.held > 0
		a.allocate(c, -a.held)
		a.phases = [3]phase{}
	}
	c.requests = c.requests[:0]
	c.Released = c.Released || released
	return released
}
