package tape

import (
	"errors"
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// check returns why no estimator could use s: it has no plan, its jobs are not the plan's, it orders jobs by more keys than there are, or the plan's jobs cannot be put in
// order or have more tasks than package dag allows. All else in a snapshot is numbers, and estimators take any number.
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
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			n := s.Plan.Jobs[j].Phase(k).Count()
			if n < 0 || n > dag.MaxTasks-total {
				return fmt.Errorf("job %d of the plan: %d %s tasks: not a number from 0 to %d, of all jobs together", j, n, k, dag.MaxTasks)
			}
			total += n
		}
	}
	_, err := dag.NewGraph(s.Plan)
	return err
}
