package queueing

import "fmt"

// A Model is a way to solve a Spec.
type Model int

const (
	// Product is the default: tasks overlap as in the timeline of their mean residence times, queues follow equations 5 and 6,
	// and the last fork/join has explicit order statistics.
	Product Model = iota
	// ViannaForkJoin is the reading of the paper's fork/join estimate that comes closest to its Table 4. It is calibrated: the
	// reading was selected by the published figures.
	ViannaForkJoin
	// Tripathi evaluates the precedence tree operator by operator with phase-type maxima.
	Tripathi
)

var modelNames = [...]string{"product", "vianna-fj", "tripathi"}

// String is its name as on a command line.
func (m Model) String() string {
	if m < 0 || int(m) >= len(modelNames) {
		return fmt.Sprintf("model(%d)", int(m))
	}
	return modelNames[m]
}

// ParseModel finds the model of a name.
func ParseModel(name string) (Model, error) {
	for i, n := range modelNames {
		if n == name {
			return Model(i), nil
		}
	}
	return 0, fmt.Errorf("unknown model %q: one of product, vianna-fj, tripathi", name)
}

// Options of a solution. Zero values stand for the defaults.
type Options struct {
	Tolerance     float64 // largest change of a residence time at the fixpoint, in seconds; 1e-9
	Damping       float64 // share of the new residence times in the next ones, above 0 and at most 1; 0.5
	MaxIterations int     // 500
}

// Solve predicts the jobs of a Spec. A Spec that cannot be is an error of Validate; a fixpoint that was not reached is none:
// Result.Converged says it.
func Solve(s *Spec, m Model, o Options) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("model %s is not there yet", m)
}
