package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// An application's own figure is its set-up's part and that of its tasks: half for each kind where it has both
// (JobImpl).
const (
	setupRatio = 0.05
	tasksRatio = 0.9
)

// copyRatio is what of a reduce's own figure is its copy, which goes with the maps (ReduceTask).
const copyRatio = 1.0 / 3

// freshNeed is what a master told of its tasks, brought up to what the ResourceManager says now. Masters are asked
// seldom, while what an application holds and asks for and its own figure are told at each look.
func freshNeed(l *dag.Load) *dag.Need {
	n := *l.Need
	maps, reduces := &n.Map, &n.Reduce
	maps.Progress, reduces.Progress = atLeastDone(maps), atLeastDone(reduces)
	if maps.Tasks <= 0 || !(l.Progress > setupRatio) {
		return &n
	}
	more := (l.Progress - setupRatio) / tasksRatio
	if reduces.Tasks > 0 {
		more = 2*more - reduces.Progress
	}
	more -= maps.Progress
	if !(more > 0) {
		return &n
	}
	running := 0.0
	if reduces.Tasks > 0 {
		running = float64(reduces.Running) / float64(reduces.Tasks)
	}
	gain := min(more/(1+copyRatio*running), 1-maps.Progress)
	maps.Progress += gain
	reduces.Progress = min(1, reduces.Progress+more-gain)
	catchUp(l, &n)
	return &n
}

// catchUp counts the tasks of a need whose progress is newer than its counts, by what the application holds and asks
// for.
func catchUp(l *dag.Load, n *dag.Need) {
	maps, reduces := &n.Map, &n.Reduce
	waits := func(p *dag.NeedPhase) int { return max(0, p.Tasks-p.Done-p.Running) }
	held, asked := containers(l.HeldMB-l.AMMB, maps, reduces), containers(l.PendingMB, maps, reduces)
	mapsWait, reducesWait := min(waits(maps), asked), waits(reduces)
	if maps.Progress >= 1-1e-9 {
		maps.Done, maps.Running = maps.Tasks, 0
		reducesWait = min(reducesWait, asked)
		reduces.Running = min(held, reduces.Tasks-reducesWait)
	} else {
		reduces.Running = min(reduces.Running, held)
		maps.Running = min(held-reduces.Running, maps.Tasks-mapsWait)
		maps.Done = min(maps.Tasks-mapsWait-maps.Running, int(maps.Progress*float64(maps.Tasks)))
	}
	reduces.Done = min(reduces.Tasks-reducesWait-reduces.Running, int(reduces.Progress*float64(reduces.Tasks)+0.5))
}

// containers is how many containers of its tasks an application's memory is.
func containers(mb int, maps, reduces *dag.NeedPhase) int {
	of := maps.TaskMB
	if maps.Progress >= 1 || of <= 0 {
		of = reduces.TaskMB
	}
	if of <= 0 {
		of = usualMB
	}
	return max(0, mb) / of
}

// atLeastDone is the progress of a phase, by its tasks that are done where nothing tells it.
func atLeastDone(p *dag.NeedPhase) float64 {
	if p.Tasks <= 0 {
		return 1
	}
	done := float64(p.Done) / float64(p.Tasks)
	if math.IsNaN(p.Progress) {
		return done
	}
	return min(1, max(p.Progress, done))
}
