package staged

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A begun names an attempt at a task of a stage.
type begun struct{ task, number int32 }

// open finds when a stage on cores could begin, and when each of its tasks could that is the first on a core: the time
// in which the driver plans and sends the stage while a core has nothing to do is a part of that task.
func (m *Model) open(j int, k dag.StageIndex, l *law) {
	s := m.snapshot
	stage, attempts := &s.Plan.Jobs[j].Stages[k], s.Jobs[j].Stages[k].Attempts
	over := len(stage.After) > 0
	for _, e := range stage.After {
		from := &s.Jobs[j].Stages[e.From]
		over = over && from.Succeeded() >= s.Plan.Jobs[j].Stages[e.From].Count()
		for i := range from.Attempts {
			if a := &from.Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
				l.opens = max(l.opens, a.End)
			}
		}
	}
	if !over {
		l.opens = dag.NoInstant
	}
	at := s.Jobs[j].Stages[k].Submitted
	if l.submitted = at > 0 || len(attempts) > 0; at > 0 && l.opens.Known() && at.Sub(l.opens) >= leastPause {
		l.pause, l.opens = at.Sub(l.opens), at
	}
	l.firsts, l.began = map[int32]dag.Instant{}, map[begun]dag.Instant{}
	for i := range attempts {
		a := &attempts[i]
		if t, seen := l.firsts[a.Slot]; a.Slot >= 0 && a.Start.Known() && (!seen || a.Start < t) {
			l.firsts[a.Slot] = a.Start
		}
	}
	for i := range attempts {
		a := &attempts[i]
		if a.Slot < 0 || !a.Start.Known() || l.firsts[a.Slot] != a.Start {
			continue
		}
		free := m.freeBefore(a.Slot, a.Start)
		if at := max(free, l.opens); free.Known() && l.opens.Known() && at < a.Start {
			l.began[begun{a.Task, a.Number}] = at
		}
	}
	// A copy of a task that is slow saves the rest of that: the task took what it did from the beginning of the first.
	for i := 1; i < len(attempts); i++ {
		a := &attempts[i]
		for n := i - 1; n >= 0 && attempts[n].Task == a.Task; n-- {
			b := &attempts[n]
			both := b.Start.Known() && a.Start.Known() && (!b.End.Known() || b.End > a.Start)
			if both && b.State != dag.AttemptFailed {
				l.began[begun{a.Task, a.Number}] = min(l.begin(a), b.Start)
			}
		}
	}
	used := len(l.firsts)
	l.heads = 0
	for waiting, i, n := max(0, s.Plan.Cluster.Cores-used), 0, 0; waiting > 0 && i < stage.Count(); i++ {
		busy := false
		for n < len(attempts) && int(attempts[n].Task) == i {
			busy = busy || attempts[n].State == dag.AttemptRunning || attempts[n].State == dag.AttemptSucceeded
			n++
		}
		if l.heads = i + 1; !busy {
			waiting--
		}
	}
}

// freeBefore is when a core became free before an instant, NoInstant if nothing ran on it.
func (m *Model) freeBefore(slot int32, at dag.Instant) dag.Instant {
	if m.ends == nil {
		m.ends = map[int32][]dag.Instant{}
		for j := range m.snapshot.Jobs {
			for k := range m.snapshot.Jobs[j].Stages {
				for _, a := range m.snapshot.Jobs[j].Stages[k].Attempts {
					if a.Slot >= 0 && a.End.Known() {
						m.ends[a.Slot] = append(m.ends[a.Slot], a.End)
					}
				}
			}
		}
		for _, ends := range m.ends {
			slices.Sort(ends)
		}
	}
	ends := m.ends[slot]
	n, found := slices.BinarySearch(ends, at)
	if found {
		return at
	}
	if n == 0 {
		return dag.NoInstant
	}
	return ends[n-1]
}

// headOf is what a waiting task takes more as the first of its stage on a core, in milliseconds, that would start at an
// instant.
func (m *Model) headOf(l *law, task int, at dag.Instant) float64 {
	if task >= l.heads {
		return 0
	}
	if l.opens.Known() && at <= m.snapshot.At && m.quiet.Known() {
		return max(0, l.head-float64(m.snapshot.At-max(l.opens, m.quiet)))
	}
	return l.head
}

// quietSince is when the last task ended, NoInstant while one runs or if none has ended.
func quietSince(s *dag.Snapshot) dag.Instant {
	last := dag.NoInstant
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			for i := range s.Jobs[j].Stages[k].Attempts {
				a := &s.Jobs[j].Stages[k].Attempts[i]
				if a.State == dag.AttemptRunning {
					return dag.NoInstant
				}
				if a.End.Known() {
					last = max(last, a.End)
				}
			}
		}
	}
	return last
}
