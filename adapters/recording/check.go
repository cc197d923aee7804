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
		if n := len(s.Plan.Jobs[j].Stages); n > maxStages {
			return fmt.Errorf("job %d of the plan: %d stages, more than the %d of a job", j, n, maxStages)
		}
		for k := range s.Plan.Jobs[j].Stages {
			stage := &s.Plan.Jobs[j].Stages[k]
			for _, e := range stage.After {
				if e.From < 0 || int(e.From) >= k || e.Kind > dag.Broadcast {
					return fmt.Errorf("job %d of the plan: stage %d reads stage %d by an edge of kind %d: a stage reads those before it",
						j, k, e.From, e.Kind)
				}
			}
			n := stage.Count()
			if n < 0 || n > dag.MaxTasks-total {
				return fmt.Errorf("job %d of the plan: %d %s tasks: not a number from 0 to %d, of all jobs together", j,
					n, stage.Name, dag.MaxTasks)
			}
			total += n
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				if t := attempts[i].Task; t < 0 {
					return fmt.Errorf("job %d: an attempt of the task %d", j, t)
				}
			}
		}
	}
	_, err := dag.NewGraph(s.Plan)
	return err
}

// maxStages bounds the stages of a job.
const maxStages = 1 << 14
