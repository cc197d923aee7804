package cost

import (
	"cmp"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// needOf returns the remaining work of another application, completed for a replay: the length of a task of each
// kind and the size of its container. It returns nil if the application's master reports nothing. A length is the
// mean of the finished tasks. If no finished task was reported, it lies between the rate of the watched tasks' progress
// and the length of the application's maps, or else of this run's own tasks.
func needOf(run dag.Run, setup float64, l *dag.Load) *dag.Need {
	if l.Need == nil {
		return nil
	}
	kinds := [...]dag.StageIndex{dag.Map, dag.Reduce}
	var sizes [2]int // of containers, in MB
	for _, k := range kinds {
		sizes[k] = needPhase(l.Need, k).TaskMB
		if sizes[k] <= 0 {
			sizes[k] = containerMB(run.Now(), l)
		}
	}
	n := freshNeed(l, sizes)
	for _, k := range kinds {
		p := needPhase(n, k)
		if !(p.LengthMS > 0) {
			usual := typicalTask(run.Now(), k)
			if k == dag.Reduce && n.Map.LengthMS > 0 {
				usual = n.Map.LengthMS
			}
			sum, tasks := watchedLength(run, setup, l.ID, k, sizes)
			p.LengthMS = (usual*usualWeight + sum) / (usualWeight + tasks)
		}
		p.LengthMS = min(p.LengthMS, taskcost.MostMS/2)
	}
	return n
}

// usualWeight is the number of tasks that the usual length counts as, against the watched ones.
const usualWeight = 0.5

func needPhase(n *dag.Need, k dag.StageIndex) *dag.NeedPhase {
	if k == dag.Map {
		return &n.Map
	}
	return &n.Reduce
}

// watchedLength returns the container time, in milliseconds, of the watched progress and the number of tasks that
// the progress is worth, since the application was first seen. Each task includes its own start-up.
func watchedLength(run dag.Run, setup float64, id string, k dag.StageIndex, sizes [2]int) (sum, tasks float64) {
	var held float64
	var at dag.Instant
	var before *dag.NeedPhase
	first := 0
	for _, s := range run.Window {
		o := s.Other(id)
		if o == nil || o.Need == nil {
			continue
		}
		is := needPhase(freshNeed(o, sizes), k)
		if before == nil {
			first = is.Done
		} else if more := (is.Progress - before.Progress) * float64(is.Tasks); more >= 0 {
			tasks += more
			held += float64(s.At-at) * float64(before.Running+is.Running) / 2
		}
		before, at = is, s.At
	}
	if before == nil || tasks <= 0 || held <= 0 {
		return 0, 0
	}
	starts := float64(max(0, before.Done+before.Running-first))
	return tasks*setup + max(held-starts*setup, held/4), tasks
}

// typicalTask returns the mean length of this run's finished tasks of the kind; else of those of the other kind;
// else half a minute. A reduce counts from its job's last map on: until then it only waits.
func typicalTask(s *dag.Snapshot, k dag.StageIndex) float64 {
	for _, of := range [...]dag.StageIndex{k, 1 - k} {
		if length := doneTask(s, of); length > 0 {
			return length
		}
	}
	return taskcost.MS(30 * time.Second)
}

// doneTask returns the mean length of this run's finished tasks of the kind, 0 if there are none.
func doneTask(s *dag.Snapshot, k dag.StageIndex) float64 {
	sum, n := 0.0, 0
	for j := range s.Jobs {
		from := dag.NoInstant
		if k == dag.Reduce {
			from = mapsEnd(&s.Plan.Jobs[j], &s.Jobs[j])
		}
		for _, a := range s.Jobs[j].Stages[k].Attempts {
			if a.State == dag.AttemptSucceeded && a.Start.Known() && a.End > a.Start {
				sum, n = sum+float64(a.End-min(a.End, max(a.Start, from))), n+1
			}
		}
	}
	return sum / float64(max(n, 1))
}

// containerMB returns the size of another application's containers: an equal part of its running tasks' memory,
// else the size of ours.
func containerMB(s *dag.Snapshot, l *dag.Load) int {
	if running := l.Need.Map.Running + l.Need.Reduce.Running; running > 0 && l.HeldMB > l.MasterMB {
		return max(1, (l.HeldMB-l.MasterMB)/running)
	}
	for j := range s.Plan.Jobs {
		if mb := s.Plan.Jobs[j].MapReduce.MapMB; mb > 0 {
			return mb
		}
	}
	return dag.DefaultMB
}

// setupRatio is the part of an application's own progress that is its set-up. The rest is for its tasks: half for each
// kind if it has both (JobImpl).
const setupRatio = 0.05

// copyRatio is the part of a reduce's own progress that is its copy, which follows the maps (ReduceTask).
const copyRatio = 1.0 / 3

// freshNeed returns the need that a master reported, with the given sizes of containers, updated by the
// ResourceManager's newest values. Masters are polled rarely, but memory, requests and progress come with each
// observation.
func freshNeed(l *dag.Load, sizes [2]int) *dag.Need {
	n := *l.Need
	maps, reduces := &n.Map, &n.Reduce
	maps.TaskMB, reduces.TaskMB = sizes[dag.Map], sizes[dag.Reduce]
	maps.Progress, reduces.Progress = atLeastDone(maps), atLeastDone(reduces)
	if maps.Tasks <= 0 || !(l.Progress > setupRatio) {
		return &n
	}
	more := (l.Progress - setupRatio) / (1 - 2*setupRatio) // a part like the set-up remains for the commit
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

// catchUp updates the task counts of a need from its newer progress, and from the application's memory and
// requests.
func catchUp(l *dag.Load, n *dag.Need) {
	maps, reduces := &n.Map, &n.Reduce
	waits := func(p *dag.NeedPhase) int { return max(0, p.Tasks-p.Done-p.Running) }
	held, asked := containersIn(l.HeldMB-l.MasterMB, maps, reduces), containersIn(l.PendingMB, maps, reduces)
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

// containersIn returns the number of task containers that fit into an amount of memory.
func containersIn(mb int, maps, reduces *dag.NeedPhase) int {
	of := maps.TaskMB
	if maps.Progress >= 1 || of <= 0 {
		of = reduces.TaskMB
	}
	return max(0, mb) / cmp.Or(max(of, 0), dag.DefaultMB)
}

// atLeastDone returns the progress of a stage, at least the share of its finished tasks.
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

// mapsEnd returns when the last map of a job ended; NoInstant while one is left.
func mapsEnd(job *dag.Job, js *dag.JobState) dag.Instant {
	if n := job.Stages[dag.Map].Count(); n == 0 || js.Stages[dag.Map].Succeeded() < n {
		return dag.NoInstant
	}
	return js.Stages[dag.Map].LastSuccess()
}
