package golden

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

type rawState struct {
	Now       dag.Instant            `json:"now_ms"`
	Submitted map[string]dag.Instant `json:"submitted_ms"`
	Done      []rawAttempt           `json:"done"`
	Running   []rawAttempt           `json:"running"`
	Failed    []rawAttempt           `json:"failed"`
}

type rawAttempt struct {
	Task      string             `json:"task"`
	Attempt   int32              `json:"attempt"`
	Slot      int32              `json:"slot"`
	Node      *int32             `json:"node"`
	Start     dag.Instant        `json:"start_ms"`
	End       dag.Instant        `json:"end_ms"`
	Failed    dag.Instant        `json:"failed_ms"`
	Processed map[string]float64 `json:"processed"`
}

// Tasks returns the tasks of a plan by the names in the files, which are those of schedule.TaskName without primes.
func Tasks(plan *dag.Plan) map[string]schedule.Task {
	all := map[string]schedule.Task{}
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			for i := range plan.Jobs[j].Stages[k].Count() {
				task := schedule.Task{Job: j, Stage: dag.StageIndex(k), Index: i}
				all[schedule.TaskName(plan, j, task.Stage, i, 0)] = task
			}
		}
	}
	return all
}

func (r *rawState) decode(t testing.TB, plan *dag.Plan) *dag.Snapshot {
	s, tasks := Start(plan), Tasks(plan)
	s.At = r.Now
	for state, list := range map[dag.AttemptState][]rawAttempt{
		dag.AttemptSucceeded: r.Done, dag.AttemptRunning: r.Running, dag.AttemptFailed: r.Failed,
	} {
		for _, raw := range list {
			task, ok := tasks[strings.TrimRight(raw.Task, "'")]
			if !ok {
				t.Fatalf("%s: %q is not a task of the plan", plan.Name, raw.Task)
			}
			a := dag.BlankAttempt(int32(task.Index), raw.Attempt)
			a.State, a.Start, a.Done = state, raw.Start, [dag.Pipelines]float64{}
			a.Slot, a.Node = raw.Slot, raw.Slot/int32(max(1, plan.Cluster.SlotsPerNode))
			if raw.Node != nil {
				a.Node = *raw.Node
			}
			if state != dag.AttemptRunning {
				a.End = max(raw.End, raw.Failed)
			}
			for p, pipe := range plan.Jobs[task.Job].Stages[task.Stage].Pipelines {
				switch state {
				case dag.AttemptSucceeded:
					a.Done[p] = pipe.Tuples.At(task.Index)
				case dag.AttemptRunning:
					a.Done[p] = raw.Processed[pipeNames[int(task.Stage)+p]]
				}
			}
			stage := &s.Jobs[task.Job].Stages[task.Stage]
			stage.Attempts = append(stage.Attempts, a)
		}
	}
	for i := range s.Jobs {
		if at, ok := r.Submitted[plan.Jobs[i].Node]; ok {
			s.Jobs[i].Submitted, s.Jobs[i].State = at, dag.Submitted
		}
		settle(s, i)
	}
	return s
}

// Start returns the snapshot at instant 0: nothing has run, jobs without dependencies are not yet submitted.
func Start(plan *dag.Plan) *dag.Snapshot {
	return &dag.Snapshot{Plan: plan, State: dag.Running, Stale: dag.NoInstant, Jobs: plan.BlockedJobs()}
}

// settle orders the attempts of job i and derives its state from them.
func settle(s *dag.Snapshot, i int) {
	job, left, last := &s.Jobs[i], 0, s.Jobs[i].Submitted
	for k := range job.Stages {
		attempts := job.Stages[k].Attempts
		slices.SortFunc(attempts, func(a, b dag.Attempt) int {
			return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
		})
		left += s.Plan.Jobs[i].Stages[k].Count()
		for _, a := range attempts {
			if !job.Started.Known() || a.Start < job.Started {
				job.Started = a.Start
			}
			if a.State == dag.AttemptSucceeded {
				left--
				last = max(last, a.End)
			}
		}
	}
	switch {
	case left == 0 && job.Submitted.Known():
		job.State, job.Finished = dag.Succeeded, last
	case job.Started.Known():
		job.State = dag.Running
	}
}

// Cut returns the observer's snapshot at an instant of a replayed run: the state after the batch at t, with counters
// by facts/paratimer.md A1, rule 7. The run must be a replay from Start with the plan's costs.
func Cut(plan *dag.Plan, run *schedule.Schedule, t dag.Instant) *dag.Snapshot {
	s := schedule.SnapshotAt(Start(plan), run, t)
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				a := &attempts[i]
				a.Done, a.CopyEnd = [dag.Pipelines]float64{}, dag.NoInstant
				count(a, plan, &plan.Jobs[j].Stages[k], t)
			}
		}
	}
	return s
}

// count sets the tuples that an attempt has processed by an instant.
func count(a *dag.Attempt, plan *dag.Plan, stage *dag.Stage, now dag.Instant) {
	at := float64(now-a.Start) - float64(plan.Cluster.Setup/time.Millisecond)
	for p, pipe := range stage.Pipelines {
		n := pipe.Tuples.At(int(a.Task))
		length := math.Floor(pipe.Alpha.At(int(a.Task))*n + 0.5)
		switch {
		case a.State == dag.AttemptSucceeded, a.State == dag.AttemptRunning && at >= length:
			a.Done[p] = n
		case a.State == dag.AttemptRunning && at >= 0:
			a.Done[p] = math.Floor(n * at / length)
		}
		at -= length
	}
}

// Left returns the costs of facts/paratimer.md A10 at snapshot s: a running task has rem left, a task that
// starts later takes set-up plus each pipeline, rounded separately. slowdown is the case's at instants, and none for
// Initial.
func (c *Case) Left(s *dag.Snapshot, slowdown [4]float64) schedule.Left {
	return func(t schedule.Task) schedule.Cost {
		stage := &s.Plan.Jobs[t.Job].Stages[t.Stage]
		setup := s.Plan.Cluster.Setup
		cost := schedule.Cost{Setup: setup, Same: stage.Tasks - t.Index}
		rem, isWorking := 0.0, false
		for p, pipe := range stage.Pipelines {
			tuple := slowdown[int(t.Stage)+p] * pipe.Alpha.At(t.Index)
			cost.Work += milliseconds(tuple * pipe.Tuples.At(t.Index))
			cost.Same = min(cost.Same, pipe.Tuples.Same(t.Index, stage.Tasks))
			if a := t.Running; a != nil {
				rem += tuple * (pipe.Tuples.At(t.Index) - a.Done[p])
				isWorking = isWorking || a.Done[p] > 0
			}
		}
		if t.Running == nil {
			return cost
		}
		if !isWorking {
			rem += max(0, float64((setup-s.At.Sub(t.Running.Start))/time.Millisecond))
		}
		return schedule.Cost{Work: milliseconds(rem), Same: 1}
	}
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(math.Floor(ms+0.5)) * time.Millisecond
}
