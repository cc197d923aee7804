package queueing

import (
	"fmt"
	"math"
	"strings"
)

// A Model is a way to solve a Spec.
type Model int

const (
	// Product is the default: tasks overlap as in the timeline of their mean residence times, queues follow equations 5
	// and 6, and the last fork/join has explicit order statistics.
	Product Model = iota
	// ViannaForkJoin is the paper's fork/join estimate, with harmonic numbers where threads wait for each other: as in
	// Fig. 7 to 9 above the simulation, by less than 15 %.
	ViannaForkJoin
	// Tripathi evaluates the precedence tree of the same timeline operator by operator with phase-type maxima.
	Tripathi
	// ViannaTable4 is the reading of the fork/join estimate that comes closest to the paper's Table 4. It is
	// calibrated: the reading was selected by the published figures, and Fig. 7 to 9 contradict it.
	ViannaTable4
)

var modelNames = [...]string{"product", "vianna-fj", "tripathi", "vianna-table4"}

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
	return 0, fmt.Errorf("unknown model %q: one of %s", name, strings.Join(modelNames[:], ", "))
}

// Options of a solution. Zero values stand for the defaults.
type Options struct {
	Tolerance     float64 // largest change of a residence time at the fixpoint, in seconds; 1e-9
	Damping       float64 // share of the new residence times in the next ones, above 0 and at most 1; 0.5
	MaxIterations int     // 500
}

// Solve predicts the jobs of a Spec. A Spec that cannot be is a *FieldError; a fixpoint that was not reached is no
// error: Result.Converged says it.
func Solve(s *Spec, m Model, o Options) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	switch m {
	case Product:
		return solveProduct(s, o)
	case ViannaForkJoin, Tripathi, ViannaTable4:
		return solveDetail(s, m, o)
	}
	return nil, &FieldError{"Model", float64(m), "it must be one of " + strings.Join(modelNames[:], ", ")}
}

func (o Options) orDefault() (Options, error) {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9
	}
	if o.Damping == 0 {
		o.Damping = .5
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 500
	}
	switch {
	case !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0):
		return o, &FieldError{"Tolerance", o.Tolerance, "it must be seconds above 0"}
	case !(o.Damping > 0 && o.Damping <= 1):
		return o, &FieldError{"Damping", o.Damping, "it must be above 0 and at most 1"}
	}
	return o, within("MaxIterations", o.MaxIterations, 1, 1_000_000)
}
