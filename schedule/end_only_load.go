package schedule

import "github.com/paratimer/paratimer/dag"

// A finished stage has one attempt of each task, and each has succeeded: a replay looks at nothing else of them.
type finished struct {
	first, last dag.Instant // starts
	ended       dag.Instant // the last end
}

// finished returns what a replay looks at of a stage of a job if it is a finished one, else nil. It is found once for
// all replays of a snapshot of which only the ends are wanted.
func (y *containers) finished(j int, k dag.StageIndex) *finished {
	all := y.s.Jobs[j].Stages[k].Attempts
	if y.endOnly == nil || len(all) == 0 {
		return nil
	}
	f, seen := y.endOnly.finished[&all[0]]
	if !seen {
		if f = finishedOf(all); y.endOnly.finished == nil {
			y.endOnly.finished = map[*dag.Attempt]*finished{}
		}
		y.endOnly.finished[&all[0]] = f
	}
	if len(all) != y.s.Plan.Jobs[j].Stages[k].Count() {
		return nil
	}
	return f
}

func finishedOf(all []dag.Attempt) *finished {
	f := &finished{first: dag.NoInstant, last: dag.NoInstant, ended: dag.NoInstant}
	for i := range all {
		a := &all[i]
		if a.State != dag.AttemptSucceeded || int(a.Task) != i || !a.Start.Known() || !a.End.Known() {
			return nil
		}
		if !f.first.Known() || a.Start < f.first {
			f.first = a.Start
		}
		f.last, f.ended = max(f.last, a.Start), max(f.ended, a.End)
	}
	return f
}
