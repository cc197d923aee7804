package whatif

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A taskRun is a finished attempt of a task in its slot.
type taskRun struct {
	*dag.Attempt
	job   int
	stage dag.StageIndex
}

// takenOnCores returns, by job, stage and task, how many milliseconds a successful attempt took its core: from the
// instant at which it could begin to its end. It could begin once its stage was submitted, and the task before it on
// that core and its input were complete. The driver of an overloaded machine needs time to start the next task, and the
// first tasks wait for executors; a replay of the same run needs that time as well. Tasks without such an attempt have
// 0.
func takenOnCores(plan *dag.Plan, s *dag.Snapshot) [][][]float64 {
	taken := make([][][]float64, len(s.Jobs))
	var all []taskRun
	for j := range s.Jobs {
		taken[j] = make([][]float64, len(s.Jobs[j].Stages))
		for k := range s.Jobs[j].NumStages() {
			taken[j][k] = make([]float64, plan.Jobs[j].Stages[k].Count())
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				if a := &attempts[i]; a.Start.Known() && a.End.Known() {
					all = append(all, taskRun{a, j, k})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b taskRun) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Start, b.Start))
	})
	ends := endsOf(s)
	for i, a := range all {
		of := taken[a.job][a.stage]
		if a.State != dag.AttemptSucceeded || int(a.Task) >= len(of) {
			continue
		}
		since := s.Jobs[a.job].Stages[a.stage].Submitted
		if i > 0 && all[i-1].Slot == a.Slot && a.Slot >= 0 {
			since = max(since, all[i-1].End)
		}
		for _, e := range plan.Jobs[a.job].Stages[a.stage].After {
			if n, _ := slices.BinarySearch(ends[a.job][e.From], a.Start+1); n > 0 {
				since = max(since, ends[a.job][e.From][n-1])
			}
		}
		if s.Jobs[a.job].Stages[a.stage].Submitted <= 0 || since > a.Start {
			since = a.Start
		}
		of[a.Task] = float64(a.End - since)
	}
	for j := range taken {
		for k := range taken[j] {
			for i, ms := range earlierStarts(&s.Jobs[j].Stages[k], len(taken[j][k])) {
				taken[j][k][i] += ms
			}
		}
	}
	return taken
}

// endsOf returns the ends of successful attempts by job and stage, in ascending order.
func endsOf(s *dag.Snapshot) [][][]dag.Instant {
	ends := make([][][]dag.Instant, len(s.Jobs))
	for j := range s.Jobs {
		ends[j] = make([][]dag.Instant, len(s.Jobs[j].Stages))
		for k := range s.Jobs[j].Stages {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.State == dag.AttemptSucceeded && a.End.Known() {
					ends[j][k] = append(ends[j][k], a.End)
				}
			}
			slices.Sort(ends[j][k])
		}
	}
	return ends
}
