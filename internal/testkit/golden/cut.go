package golden

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/timeline"
)

// Cut returns the observer's snapshot at an instant of a replayed run: the state after the batch at t, with counters
// by docs/facts/paratimer.md A1, rule 7. The run must be a replay from Start with the plan's costs.
func Cut(plan *dag.Plan, run *schedule.Schedule, t dag.Instant) *dag.Snapshot {
	s := timeline.SnapshotAt(Start(plan), run, t)
	for j := range s.Jobs {
		if s.Jobs[j].Submitted.Known() {
			s.Jobs[j].State, s.Jobs[j].Finished = dag.Submitted, dag.NoInstant
		}
		for k := range s.Jobs[j].Stages {
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				a := &attempts[i]
				a.Done, a.CopyEnd = [dag.Pipelines]float64{}, dag.NoInstant
				switch a.State {
				case dag.AttemptRunning:
					//nolint:gosec // an index
					a.Done = counters(plan, &plan.Jobs[j], dag.StageIndex(k), int(a.Task), t-a.Start)
				case dag.AttemptSucceeded:
					for p, pipe := range plan.Jobs[j].Stages[k].Pipelines {
						a.Done[p] = pipe.Tuples.At(int(a.Task))
					}
				}
			}
		}
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

// Left returns the costs of docs/facts/paratimer.md A10 at snapshot s: a running task has rem left, a task that
// starts later takes set-up plus each pipeline, rounded separately. slowdown is the case's at instants, and none for
// Initial.
func (c *Case) Left(s *dag.Snapshot, slowdown [4]float64) schedule.Left {
	return func(t schedule.Task) schedule.Cost {
		phase := &s.Plan.Jobs[t.Job].Stages[t.Stage]
		if t.Running != nil {
			return schedule.Cost{Work: time.Duration(math.Floor(c.Rem(s, t.Stage, t.Job, t.Running, slowdown)+
				0.5)) * time.Millisecond, Same: 1}
		}
		cost := schedule.Cost{Setup: s.Plan.Cluster.Setup, Same: phase.Tasks - t.Index}
		for p, pipe := range phase.Pipelines {
			ms := slowdown[pipeIndex(t.Stage, p)] * pipe.Alpha.At(t.Index) * pipe.Tuples.At(t.Index)
			cost.Work += time.Duration(math.Floor(ms+0.5)) * time.Millisecond
			cost.Same = min(cost.Same, pipe.Tuples.Same(t.Index, phase.Tasks))
		}
		return cost
	}
}

// Rem returns rem(k) of docs/facts/paratimer.md A10 for a running attempt, in milliseconds.
func (c *Case) Rem(s *dag.Snapshot, k dag.StageIndex, job int, a *dag.Attempt, slowdown [4]float64) float64 {
	rem, done := 0.0, false
	for p, pipe := range s.Plan.Jobs[job].Stages[k].Pipelines {
		rem += slowdown[pipeIndex(k, p)] * pipe.Alpha.At(int(a.Task)) * (pipe.Tuples.At(int(a.Task)) - a.Done[p])
		done = done || a.Done[p] > 0
	}
	if !done {
		rem += max(0, float64((s.Plan.Cluster.Setup-s.At.Sub(a.Start))/time.Millisecond))
	}
	return rem
}

func pipeIndex(k dag.StageIndex, p int) int {
	if k == dag.Reduce {
		return p + 1
	}
	return 0
}
