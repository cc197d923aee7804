package golden

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

type rawState struct {
	Now       int64            `json:"now_ms"`
	Submitted map[string]int64 `json:"submitted_ms"`
	Done      []rawAttempt     `json:"done"`
	Running   []rawAttempt     `json:"running"`
	Failed    []rawAttempt     `json:"failed"`
}

type rawAttempt struct {
	Task      string             `json:"task"`
	Attempt   int32              `json:"attempt"`
	Slot      int32              `json:"slot"`
	Node      *int32             `json:"node"`
	Start     int64              `json:"start_ms"`
	End       int64              `json:"end_ms"`
	Failed    int64              `json:"failed_ms"`
	Processed map[string]float64 `json:"processed"`
}

// TaskName returns a task's name in the files: job, m or r, index from 1, and one prime for each earlier attempt.
func TaskName(plan *dag.Plan, job int, k dag.StageIndex, index, attempt int) string {
	letter := "m"
	if k == dag.Reduce {
		letter = "r"
	}
	return plan.Jobs[job].Node + "." + letter + strconv.Itoa(index+1) + strings.Repeat("'", attempt)
}

// ParseTask is the reverse of TaskName. It ignores primes.
func ParseTask(plan *dag.Plan, name string) (job int, k dag.StageIndex, index int, err error) {
	node, task, ok := strings.Cut(strings.TrimRight(name, "'"), ".")
	job = slices.IndexFunc(plan.Jobs, func(j dag.Job) bool { return j.Node == node })
	if !ok || job < 0 || len(task) < 2 {
		return 0, 0, 0, fmt.Errorf("%q is not a task of the plan", name)
	}
	if task[0] == 'r' {
		k = dag.Reduce
	}
	index, err = strconv.Atoi(task[1:])
	return job, k, index - 1, err
}

func (r *rawState) decode(plan *dag.Plan) (*dag.Snapshot, error) {
	s := Start(plan)
	s.At = dag.Instant(r.Now)
	for i := range s.Jobs {
		s.Jobs[i].Submitted = dag.NoInstant
		s.Jobs[i].State = dag.Blocked
		if t, ok := r.Submitted[plan.Jobs[i].Node]; ok {
			s.Jobs[i].Submitted = dag.Instant(t)
			s.Jobs[i].State = dag.Submitted
		}
	}
	for _, list := range []struct {
		attempts []rawAttempt
		state    dag.AttemptState
	}{{r.Done, dag.AttemptSucceeded}, {r.Running, dag.AttemptRunning}, {r.Failed, dag.AttemptFailed}} {
		for i := range list.attempts {
			if err := list.attempts[i].add(s, list.state); err != nil {
				return nil, err
			}
		}
	}
	for i := range s.Jobs {
		settle(s, i)
	}
	return s, nil
}

// Start returns the snapshot at instant 0: nothing has run, jobs without dependencies are not yet submitted.
func Start(plan *dag.Plan) *dag.Snapshot {
	return &dag.Snapshot{Plan: plan, State: dag.Running, Stale: dag.NoInstant, Jobs: plan.BlockedJobs()}
}

func (r *rawAttempt) add(s *dag.Snapshot, state dag.AttemptState) error {
	job, k, index, err := ParseTask(s.Plan, r.Task)
	if err != nil {
		return err
	}
	a := dag.BlankAttempt(int32(index), r.Attempt)
	a.State, a.Start, a.Done = state, dag.Instant(r.Start), [dag.Pipelines]float64{}
	a.Slot, a.Node = r.Slot, r.Slot/int32(max(1, s.Plan.Cluster.SlotsPerNode))
	if r.Node != nil {
		a.Node = *r.Node
	}
	switch state {
	case dag.AttemptSucceeded:
		a.End = dag.Instant(r.End)
		for p, pipe := range s.Plan.Jobs[job].Stages[k].Pipelines {
			a.Done[p] = pipe.Tuples.At(index)
		}
	case dag.AttemptFailed:
		a.End = dag.Instant(r.Failed)
	case dag.AttemptRunning:
		if k == dag.Map {
			a.Done[0] = r.Processed["map"]
		} else {
			for p, name := range PipeNames[1:] {
				a.Done[p] = r.Processed[name]
			}
		}
	}
	phase := &s.Jobs[job].Stages[k]
	phase.Attempts = append(phase.Attempts, a)
	return nil
}

// settle orders the attempts of job i and derives its state from them.
func settle(s *dag.Snapshot, i int) {
	job, left, last := &s.Jobs[i], 0, dag.NoInstant
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
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
		if !last.Known() {
			job.Finished = job.Submitted
		}
	case job.Started.Known():
		job.State = dag.Running
	}
}
