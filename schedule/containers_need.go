package schedule

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A needed phase is what another application has left of its maps or reduces: memory of tasks that wait, and that run.
type needed struct {
	wait, held int
	taskMB     int
	length     time.Duration
}

// An ebb is memory that another application's tasks give back at one instant: those that started within an eighth of a
// task's length of each other end together, so that a replay does not grow with the tasks of others.
type ebb struct {
	load  int32
	kind  dag.StageIndex
	mb    int
	until dag.Instant // tasks that start by then join
}

// ebbParts is how many instants the ends of tasks are spread over within a task's length.
const ebbParts = 8

// usable says that a need tells all that a replay wants to know.
func usable(n *dag.Need) bool {
	if n == nil {
		return false
	}
	for _, p := range [...]*dag.NeedPhase{&n.Map, &n.Reduce} {
		if p.Tasks > p.Done && !(p.LengthMS > 0 && p.LengthMS < maxNeedMS && p.TaskMB > 0) {
			return false
		}
	}
	return true
}

// maxNeedMS is a task of ten years.
const maxNeedMS = 10 * 365 * 86400 * 1000

// loadNeed takes over what another application runs and waits for.
func (y *containers) loadNeed(k int, n *dag.Need) {
	l := &y.loads[k]
	tasks := max(0, l.held-l.am)
	var running [2]int
	for kind, p := range [...]*dag.NeedPhase{&n.Map, &n.Reduce} {
		left := max(0, p.Tasks-p.Done)
		at := &l.phase[kind]
		at.taskMB, at.length = p.TaskMB, time.Duration(p.LengthMS)*time.Millisecond
		running[kind] = min(max(p.Running, 0), left)
		at.wait = min(left-running[kind], plenty/max(p.TaskMB, 1)) * p.TaskMB
	}
	// The ResourceManager's word on what is held counts: the master's may be older.
	whole := running[dag.Map]*l.phase[dag.Map].taskMB + running[dag.Reduce]*l.phase[dag.Reduce].taskMB
	if whole > 0 {
		l.phase[dag.Map].held = int(float64(tasks) * float64(running[dag.Map]*l.phase[dag.Map].taskMB) / float64(whole))
		l.phase[dag.Reduce].held = tasks - l.phase[dag.Map].held
	} else if l.phase[dag.Map].wait > 0 {
		l.phase[dag.Map].held = tasks
	} else {
		l.phase[dag.Reduce].held = tasks
	}
	y.ebbAway(k, dag.Map, l.phase[dag.Map].held, ranFor(&n.Map))
	if l.mapsLeft() {
		l.parked = l.phase[dag.Reduce].held
		return
	}
	y.ebbAway(k, dag.Reduce, l.phase[dag.Reduce].held, ranFor(&n.Reduce))
	y.endLoad(k)
}

// ranFor is how far the running tasks of a phase are in the mean, 0..1.
func ranFor(p *dag.NeedPhase) float64 {
	if far := (p.Progress*float64(p.Tasks) - float64(p.Done)) / float64(p.Running); far >= 0 && far <= 1 {
		return far
	}
	return 0.5
}

func (l *load) mapsLeft() bool { return l.phase[dag.Map].wait+l.phase[dag.Map].held > 0 }

// ebbAway gives back what tasks hold that run already and are so far in the mean: spread as wide as that allows.
func (y *containers) ebbAway(k int, kind dag.StageIndex, mb int, far float64) {
	p := &y.loads[k].phase[kind]
	rest := float64(p.length/time.Millisecond) * (1 - far)
	wide := min(rest, float64(p.length/time.Millisecond)-rest)
	for i := range ebbParts {
		part := mb / (ebbParts - i)
		mb -= part
		y.ebbAt(k, kind, part, y.now+dag.Instant(rest+wide*(float64(2*i+1)/ebbParts-1)), y.now)
	}
}

func (y *containers) ebbAt(k int, kind dag.StageIndex, mb int, at, until dag.Instant) {
	if mb == 0 {
		return
	}
	i := int32(len(y.ebbs)) //nolint:gosec // a few for each application
	y.ebbs = append(y.ebbs, ebb{int32(k), kind, mb, until})
	y.loads[k].open[kind] = i + 1
	if y.endOnly != nil {
		y.endOnly.ends.push(end{max(at, y.now), i, endOfOthers})
		return
	}
	y.later(at, rankEnd, event{op: opEbb, a: i})
}

// startNeeded starts tasks in memory that the application was given: maps, then reduces, which wait for the last map.
func (y *containers) startNeeded(k, mb int) {
	l := &y.loads[k]
	maps := min(mb, l.phase[dag.Map].wait)
	y.startSome(k, dag.Map, maps)
	if reduces := min(mb-maps, l.phase[dag.Reduce].wait); reduces > 0 && l.mapsLeft() {
		l.phase[dag.Reduce].wait -= reduces
		l.phase[dag.Reduce].held += reduces
		l.parked += reduces
	} else {
		y.startSome(k, dag.Reduce, reduces)
	}
}

func (y *containers) startSome(k int, kind dag.StageIndex, mb int) {
	if mb <= 0 {
		return
	}
	l := &y.loads[k]
	p := &l.phase[kind]
	p.wait -= mb
	p.held += mb
	if n := l.open[kind]; n > 0 && y.ebbs[n-1].until >= y.now {
		y.ebbs[n-1].mb += mb
		return
	}
	wide := p.length / ebbParts
	y.ebbAt(k, kind, mb, y.now.Add(p.length+wide/2), y.now.Add(wide))
}

// ebb ends tasks of another application.
func (y *containers) ebb(i int) {
	e := y.ebbs[i]
	k := int(e.load)
	l := &y.loads[k]
	p := &l.phase[e.kind]
	mb := min(e.mb, p.held) // less where the scheduler took some back
	p.held -= mb
	y.lend(k, -mb)
	if e.kind == dag.Map && l.parked > 0 && !l.mapsLeft() {
		parked := l.parked
		l.parked = 0
		y.ebbAway(k, dag.Reduce, parked, 0)
	}
	y.endLoad(k)
}

// endLoad ends an application that has nothing left to do: its master gives its container back.
func (y *containers) endLoad(k int) {
	l := &y.loads[k]
	if p := &l.phase; !l.mapsLeft() && p[dag.Reduce].wait+p[dag.Reduce].held == 0 {
		y.lend(k, -l.held)
	}
}
