package observed

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// needOf is what another application has left to do, with all that a replay wants to know of it: how long a task of each kind holds
// its container, and how large that is. Nil where its master tells nothing.
//
// A length is that of its tasks that are done; else what the progress of all its tasks cost while it was watched, in container time;
// else that of its maps; else that of this run's tasks of the kind.
func needOf(run dag.Run, l *dag.Load) *dag.Need {
	if l.Need == nil {
		return nil
	}
	n := *l.Need
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		p := needPhase(&n, k)
		if !(p.LengthMS > 0) {
			p.LengthMS = watchedLength(run, l.ID, k)
		}
		if !(p.LengthMS > 0) && k == dag.Reduce {
			p.LengthMS = n.Map.LengthMS
		}
		if !(p.LengthMS > 0) {
			p.LengthMS = typicalTask(run.Now(), k)
		}
		p.LengthMS = min(p.LengthMS, maxMillis/2)
		if p.TaskMB <= 0 {
			p.TaskMB = containerMB(run.Now(), l, &n)
		}
	}
	return &n
}

func needPhase(n *dag.Need, k dag.Kind) *dag.NeedPhase {
	if k == dag.Map {
		return &n.Map
	}
	return &n.Reduce
}

// watchedLength is the container time that a task's whole progress has cost since the application was first seen, in
// milliseconds; NaN where too little has been watched.
func watchedLength(run dag.Run, id string, k dag.Kind) float64 {
	var held, gained float64
	var before *dag.Need
	for _, s := range run.Window {
		n := needSeen(s, id)
		if n == nil || before != nil && n.At <= before.At {
			continue
		}
		if before != nil {
			was, is := needPhase(before, k), needPhase(n, k)
			if more := (is.Progress - was.Progress) * float64(is.Tasks); more >= 0 {
				gained += more
				held += float64(n.At-before.At) * float64(was.Running+is.Running) / 2
			}
		}
		before = n
	}
	if gained < leastGained || held <= 0 {
		return math.NaN()
	}
	return held / gained
}

// leastGained is how many tasks' worth of progress must have been watched.
const leastGained = 0.5

func needSeen(s *dag.Snapshot, id string) *dag.Need {
	for i := range s.Load {
		if s.Load[i].ID == id {
			return s.Load[i].Need
		}
	}
	return nil
}

// typicalTask is the mean length of this run's tasks of the kind that are done, half a minute where none is.
func typicalTask(s *dag.Snapshot, k dag.Kind) float64 {
	sum, n := 0.0, 0
	for j := range s.Jobs {
		for _, a := range s.Jobs[j].Phase(k).Attempts {
			if a.State == dag.AttemptSucceeded && a.Start.Known() && a.End > a.Start {
				sum, n = sum+float64(a.End-a.Start), n+1
			}
		}
	}
	if n == 0 {
		return ms(30 * time.Second)
	}
	return sum / float64(n)
}

// containerMB is the size of another application's containers: an equal part of what its running tasks hold, else as ours.
func containerMB(s *dag.Snapshot, l *dag.Load, n *dag.Need) int {
	if running := n.Map.Running + n.Reduce.Running; running > 0 && l.HeldMB > l.AMMB {
		return max(1, (l.HeldMB-l.AMMB)/running)
	}
	for j := range s.Plan.Jobs {
		if mb := s.Plan.Jobs[j].Limits.MapMB; mb > 0 {
			return mb
		}
	}
	return usualMB
}

// usualMB is MapReduce's default for a task's container.
const usualMB = 1024
