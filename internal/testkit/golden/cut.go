package golden

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Cut returns what an observer sees at an instant of a replayed run: the state after the batch at t, with counters by
// docs/facts/paratimer.md A1, rule 7. The run must have been replayed from Start with the plan's costs.
func Cut(plan *dag.Plan, run *schedule.Schedule, t dag.Instant) *dag.Snapshot {
	s := Start(plan)
	s.At = t
	for j := range s.Jobs {
		if at := run.Submitted[j]; at.Known() && at <= t {
			s.Jobs[j].Submitted, s.Jobs[j].State = at, dag.Submitted
		}
	}
	for _, sp := range run.Spans {
		if sp.Start > t {
			continue
		}
		phase := &s.Jobs[sp.Job].Stages[sp.Stage]
		for i := range sp.Count {
			a := newAttempt(sp.First+i, sp.Attempt, sp.Slots[i], plan.Cluster.SlotsPerNode)
			a.Start = sp.Start
			switch {
			case sp.End > t:
				a.State = dag.AttemptRunning
				a.Done = counters(plan, &plan.Jobs[sp.Job], sp.Stage, int(a.Task), t-sp.Start)
			case sp.Outcome == schedule.Fails:
				a.State, a.End = dag.AttemptFailed, sp.End
			default:
				a.State, a.End = dag.AttemptSucceeded, sp.End
				for p, pipe := range plan.Jobs[sp.Job].Stages[sp.Stage].Pipelines {
					a.Done[p] = pipe.Tuples.At(int(a.Task))
				}
			}
			phase.Attempts = append(phase.Attempts, a)
		}
	}
	for j := range s.Jobs {
		settle(s, j)
	}
	return s
}

// counters returns the tuples that a task has processed after age milliseconds.
func counters(plan *dag.Plan, job *dag.Job, k dag.StageIndex, task int, age dag.Instant) [dag.Pipelines]float64 {
	var done [dag.Pipelines]float64
	from := dag.Instant(plan.Cluster.Setup / time.Millisecond)
	for p, pipe := range job.Stages[k].Pipelines {
		n := pipe.Tuples.At(task)
		length := dag.Instant(math.Floor(pipe.Alpha.At(task)*n + 0.5))
		switch at := age - from; {
		case at < 0:
		case at >= length:
			done[p] = n
		default:
			done[p] = math.Floor(n * float64(at) / float64(length))
		}
		from += length
	}
	return done
}
