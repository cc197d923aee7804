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
	p, total := s.Plan, 0
	if p == nil {
		return errors.New("the observation has no plan")
	}
	if have, want := len(s.Jobs), len(p.Jobs); have != want {
		return fmt.Errorf("the observation has the state of %d jobs, and its plan has %d", have, want)
	}
	if n := len(p.Cluster.Order); n > dag.MaxOrderKeys {
		return fmt.Errorf("the plan orders jobs by %d keys, and there are %d", n, dag.MaxOrderKeys)
	}
	for j := range p.Jobs {
		stages, states := p.Jobs[j].Stages, s.Jobs[j].Stages
		if len(states) != len(stages) || len(stages) > maxStages {
			return fmt.Errorf("the observation has the state of %d stages of job %d, and its plan has %d, of at most %d",
				len(states), j, len(stages), maxStages)
		}
		for k := range stages {
			for _, e := range stages[k].After {
				if e.From < 0 || int(e.From) >= k || e.Kind > dag.Broadcast {
					return fmt.Errorf("job %d of the plan: stage %d reads stage %d by an edge of kind %d: a stage reads those before it",
						j, k, e.From, e.Kind)
				}
			}
			n := stages[k].Count()
			if n < 0 || n > dag.MaxTasks-total {
				return fmt.Errorf("job %d of the plan: %d %s tasks: not a number from 0 to %d, of all jobs together", j,
					n, stages[k].Name, dag.MaxTasks)
			}
			total += n
			for i := range states[k].Attempts {
				if t := states[k].Attempts[i].Task; t < 0 {
					return fmt.Errorf("job %d: an attempt of the task %d", j, t)
				}
			}
		}
	}
	_, err := dag.NewGraph(p)
	return err
}

// maxStages bounds the stages of a job.
const maxStages = 1 << 14
