// Package queueing predicts MapReduce jobs that contend for a cluster's CPUs, disks and network before they run. It
// combines a precedence tree of tasks with an approximate mean value analysis (E. Vianna et al., "Analytical
// Performance Models for MapReduce Workloads", International Journal of Parallel Programming 41, 2013; comments name
// its sections and equations).
//
// The solver computes residence times and the timeline in turn until neither changes. The models differ in the last
// step. Product is the one to use: overlap as in the drawn timeline, queues by equations 5 and 6, CPUs and disks as
// servers that tasks share, and the mean end of the last task. It combines the tasks of a class on equal nodes. The
// other models follow tasks one by one. ViannaForkJoin has harmonic numbers at the two places where a job waits for
// all of its threads, the last map and the last merge. Tripathi evaluates the precedence tree with its operators
// there. ViannaTable4 is the reading that is nearest to the paper's Table 4.
//
// The full text of the paper was not available. Equation 5 is reconstructed from a prototype's figures, which it
// reproduces within 5e-4. docs/evidence/models.md lists which of the paper's figures each model reproduces, and why no
// sound model reproduces all.
//
// # Stability
//
// Young: names may change in a minor version; the changelog lists such changes (CONTRIBUTING.md).
package queueing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A Model is a method to solve a Spec.
type Model uint8

const (
	// Product is the default: tasks overlap as in the timeline of their mean residence times, queues follow equations
	// 5 and 6, and the last fork/join uses explicit order statistics.
	Product Model = iota
	// ViannaForkJoin is the paper's fork/join estimate, with harmonic numbers where threads wait for each other. As
	// in Fig. 7 to 9 it is above the simulation, by less than 15%.
	ViannaForkJoin
	// Tripathi evaluates the precedence tree of the same timeline operator by operator with phase-type maxima.
	Tripathi
	// ViannaTable4 is the reading of the fork/join estimate that comes closest to the paper's Table 4. It is
	// calibrated: the reading was selected by the published figures, and Fig. 7 to 9 contradict it.
	ViannaTable4
	// Simulation is no model: package simulation runs the jobs event by event.
	Simulation
)

var modelNames = [...]string{"product", "vianna-fj", "tripathi", "vianna-table4", "simulate"}

// String returns the model's name on the command line.
func (m Model) String() string { return dag.NameOf(modelNames[:], int(m)) }

// MarshalText returns the name.
func (m Model) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// ParseModel returns the model with the given name.
func ParseModel(name string) (Model, error) {
	if i := slices.Index(modelNames[:], name); i >= 0 {
		return Model(i), nil
	}
	return 0, fmt.Errorf("unknown model %q: one of %s", name, strings.Join(modelNames[:], ", "))
}

// Options of a solution. Zero values select the defaults.
type Options struct {
	Tolerance     float64 // largest change of a residence time at the fixpoint, in seconds; 1e-9
	MaxIterations int     // 500
}

// Solve predicts the jobs of a Spec. An invalid Spec gives a *FieldError. If the fixpoint was not reached there is no
// error, but Result.Converged is false.
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
		return solveProduct(s, o), nil
	case ViannaForkJoin, Tripathi, ViannaTable4:
		return solveDetail(s, m, o)
	}
	return nil, &FieldError{"Model", float64(m), "it must be one of " + strings.Join(modelNames[:], ", ")}
}

func (o Options) orDefault() (Options, error) {
	o.Tolerance, o.MaxIterations = cmp.Or(o.Tolerance, 1e-9), cmp.Or(o.MaxIterations, 500)
	if !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0) {
		return o, &FieldError{"Tolerance", o.Tolerance, "it must be seconds above 0"}
	}
	return o, within(bound{"MaxIterations", o.MaxIterations, 1, 1_000_000})
}

// A group is a range of neighbouring nodes with the same number of used map slots and reduces of each job.
type group struct {
	first, nodes int
}

// groups cuts the nodes where their share of a job changes. Tasks are assigned to the nodes in turn, so nodes with
// more tasks of a job come first.
func groups(s *Spec) []group {
	cuts := []int{0, s.Nodes}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Maps < s.Nodes*s.MapSlots {
			cuts = append(cuts, j.Maps%s.Nodes)
		}
		cuts = append(cuts, j.Reduces%s.Nodes)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	all := make([]group, 0, len(cuts)-1)
	for i, c := range cuts[1:] {
		all = append(all, group{cuts[i], c - cuts[i]})
	}
	return all
}

// dealt returns the number of tasks of each node of the group, if tasks are assigned to the nodes in turn.
func (g group) dealt(tasks, nodes int) int {
	n := tasks / nodes
	if g.first < tasks%nodes {
		n++
	}
	return n
}

// damping is the share of the new residence times in the next ones.
const damping = 0.5

// iterate repeats step, which returns the largest change of a residence time, until no residence changes by more than
// the tolerance. A timeline that flips between two orders never converges.
func iterate(o Options, step func() (change float64)) (f Fixpoint) {
	for f.Iterations < o.MaxIterations && !f.Converged {
		f.Residual = step()
		f.Iterations++
		f.Converged = f.Residual <= o.Tolerance
	}
	return f
}

// A vector is seconds at each kind of centre, in the order of CentreKind.
type vector [4]float64

// negligible is the service time, in seconds, that counts as none: a thousandth of a nanosecond.
const negligible = 1e-12

func (d Demand) vector() vector {
	v := d.raw()
	for k := range v {
		if v[k] < negligible {
			v[k] = 0
		}
	}
	return v
}

// over returns v divided by n.
func (v vector) over(n float64) Demand {
	return Demand{v[CPU] / n, v[Fibre] / n, v[Disk] / n, v[Network] / n}
}

func (v vector) sum() float64 { return v[CPU] + v[Fibre] + v[Disk] + v[Network] }

// squares returns the variance of a task with exponential residences at the centres.
func (v vector) squares() float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return s
}

// share returns the share of a task's time that it spends at a centre.
func (v vector) share(k CentreKind) float64 {
	if total := v.sum(); total > 0 {
		return v[k] / total
	}
	return 0
}
