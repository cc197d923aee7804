package recording

import (
	"errors"
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// check returns why no estimator could use s: it has no plan, other jobs than the plan, or more order keys than there
// are, or the plan's jobs have a cycle or more tasks than package dag allows. All other fields of a snapshot are
// numbers, and estimators accept any number.
func check(s *dag.Snapshot) error {
	if s.Plan == nil {
		return errors.New("the observation has no plan")
	}
	if have, want := len(s.Jobs), len(s.Plan.Jobs); have != want {
		return fmt.Errorf("the observation has the state of %d jobs, and its plan has %d", have, want)
	}
	if n := len(s.Plan.Cluster.Order); n > dag.MaxOrderKeys {
		return fmt.Errorf("the plan orders jobs by %d keys, and there are %d", n, dag.MaxOrderKeys)
	}
	total := 0
	for j := range s.Plan.Jobs {
		if have, want := len(s.Jobs[j].Stages), len(s.Plan.Jobs[j].Stages); have != want {
			return fmt.Errorf("the observation has the state of %d stages of job %d, and its plan has %d", have, j,
				want)
		}
		if err := stagesOf(&s.Plan.Jobs[j]); err != nil {
			return fmt.Errorf("job %d of the plan: %w", j, err)
		}
		for k := range s.Plan.Jobs[j].Stages {
			n := s.Plan.Jobs[j].Stages[k].Count()
			if n < 0 || n > dag.MaxTasks-total {
				return fmt.Errorf("job %d of the plan: %d %s tasks: not a number from 0 to %d, of all jobs together", j,
					n, s.Plan.Jobs[j].Stages[k].Name, dag.MaxTasks)
			}
			total += n
			if err := tasksOf(s.Jobs[j].Stages[k].Attempts); err != nil {
				return fmt.Errorf("job %d: %w", j, err)
			}
		}
	}
	_, err := dag.NewGraph(s.Plan)
	return err
}

// tasksOf returns an error if an attempt is of a task with a negative number.
func tasksOf(attempts []dag.Attempt) error {
	for i := range attempts {
		if t := attempts[i].Task; t < 0 {
			return fmt.Errorf("an attempt of the task %d", t)
		}
	}
	return nil
}

// maxStages bounds the stages of a job.
const maxStages = 1 << 14

// stagesOf returns an error if a stage of the job reads a stage that is not before it, or there are too many stages.
func stagesOf(job *dag.Job) error {
	if n := len(job.Stages); n > maxStages {
		return fmt.Errorf("%d stages, more than the %d of a job", n, maxStages)
	}
	for k := range job.Stages {
		for _, e := range job.Stages[k].After {
			if e.From < 0 || int(e.From) >= k || e.Kind > dag.Broadcast {
				return fmt.Errorf("stage %d reads stage %d by an edge of kind %d: a stage reads those before it", k,
					e.From, e.Kind)
			}
		}
	}
	return nil
}
