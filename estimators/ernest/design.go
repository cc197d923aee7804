package ernest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/floats"
)

// A Space is the set of possible training runs, in the terms of the authors' program. The input has TotalParts equal
// parts, and a run uses some of them.
type Space struct {
	MinParts, MaxParts, TotalParts int // range of parts of a training run, and parts of the whole input
	MinMachines, MaxMachines       int // range of machines of a training run
	CoresPerMachine                int // a run needs as many parts as cores; 0 for 2
	// budget of all runs together, in costs of the smallest input on one machine; 0 for 10
	Budget      float64
	Interpolate int // how many sizes of input to look at; 0 for 20
	// Cost returns the cost, above 0, of a run on that many machines that takes that time (§3.3). Nil: the cost is
	// the time. The time is assumed proportional to scale/machines, in units of the smallest input on one machine.
	// Budget uses the unit of the cost.
	Cost func(machines, time float64) float64
}

// MaxCandidates limits sizes times numbers of machines, and so the memory of a design.
const MaxCandidates = 100_000

func (s *Space) check() error {
	switch {
	case s.MinParts < 1:
		return bad("MinParts", "%d parts: a run has at least 1", s.MinParts)
	case s.MaxParts < s.MinParts:
		return bad("MaxParts", "%d parts at most are fewer than %d at least", s.MaxParts, s.MinParts)
	case s.TotalParts < s.MaxParts:
		return bad("TotalParts", "the whole input has %d parts, a training run up to %d", s.TotalParts, s.MaxParts)
	case s.MinMachines < 1:
		return bad("MinMachines", "%d machines: a run has at least 1", s.MinMachines)
	case s.MaxMachines < s.MinMachines:
		return bad("MaxMachines", "%d machines at most are fewer than %d at least", s.MaxMachines, s.MinMachines)
	case s.CoresPerMachine < 1:
		return bad("CoresPerMachine", "%d cores: a machine has at least 1", s.CoresPerMachine)
	case !finite(s.Budget) || s.Budget <= 0:
		return bad("Budget", "%v: give a finite number above 0; 1 pays for the smallest input on one machine", s.Budget)
	case s.Interpolate < 1:
		return bad("Interpolate", "%d sizes: look at 1 or more", s.Interpolate)
	}
	counts := float64(s.MaxMachines) - float64(s.MinMachines) + 1
	if n := float64(s.Interpolate) * counts; n > MaxCandidates {
		return bad("", "%d sizes times %.0f numbers of machines are %.3g candidates: at most %d are looked at; "+
			"interpolate less or narrow the machines", s.Interpolate, counts, n, MaxCandidates)
	}
	return nil
}

// candidates returns every size with every number of machines that has at least one part per core. Order and rounding
// are exactly those of the authors' program: numpy's linspace, rounding half to even.
func (s *Space) candidates() []DesignRow {
	var rows []DesignRow
	least := float64(s.MinParts) / float64(s.TotalParts)
	for _, scale := range linspace(least, float64(s.MaxParts)/float64(s.TotalParts), s.Interpolate) {
		for m := s.MinMachines; m <= s.MaxMachines; m++ {
			parts := scale * float64(s.TotalParts)
			if math.RoundToEven(parts) < float64(s.CoresPerMachine)*float64(m) {
				break // more machines need more parts still
			}
			cost := scale / least / float64(m)
			if s.Cost != nil {
				cost = s.Cost(float64(m), cost)
			}
			rows = append(rows, DesignRow{
				Machines: m, Scale: scale, Parts: int(math.Ceil(parts)), Cores: s.CoresPerMachine * m, Cost: cost,
			})
		}
	}
	return rows
}

// linspace returns n numbers from first to last at equal distances, rounded as numpy does.
func linspace(first, last float64, n int) []float64 {
	values := make([]float64, n)
	step := (last - first) / float64(n-1)
	for i := range values {
		values[i] = first + float64(float64(i)*step)
	}
	values[0] = first
	if n > 1 {
		values[n-1] = last
	}
	return values
}

// A DesignRow is a training run to make.
type DesignRow struct {
	Machines int     `json:"machines"`
	Cores    int     `json:"cores"`
	Scale    float64 `json:"scale"`  // fraction of the whole input
	Parts    int     `json:"parts"`  // the same in parts, rounded up
	Cost     float64 `json:"cost"`   // in the unit of the budget
	Weight   float64 `json:"weight"` // 0..1
}

// A Plan is a set of training runs.
type Plan struct {
	// Rows are the runs to make: those with a weight above MinWeight, highest weight first. Equal weights keep the
	// order of Support.
	Rows []DesignRow `json:"rows"`
	// Support contains all candidates with a weight, ordered by scale, then machines.
	Support []DesignRow `json:"support"`
	// Objective is the sum of the coefficients' variances for Support's weights and errors of variance 1, with
	// features divided by their means over the candidates. It is +Inf if the runs do not determine the coefficients.
	Objective units.Float `json:"objective"`
	// Gap is an upper bound, proven by a linear program, of how far Objective is above the optimum. NaN if Objective
	// is +Inf.
	Gap units.Float `json:"gap"`
	// Cost is the cost of Support by weight. RowsCost is the cost of Rows as complete runs; it may exceed the budget.
	Cost       float64       `json:"cost"`
	RowsCost   float64       `json:"rows_cost"`
	Candidates int           `json:"candidates"`
	Warnings   []dag.Warning `json:"warnings"`
}

// MinWeight is the weight above which a candidate becomes a run, as in the authors' program.
const MinWeight = 0.3

// Design chooses runs by A-optimal design (§3.3): the least sum of variances that the budget can pay for. A
// *InputError gives the reason if there is no design.
func Design(s Space) (*Plan, error) {
	rows, e, err := s.experiments()
	if err != nil {
		return nil, err
	}
	poor := bad("Budget", "%g pays for no run by more than %g of it: raise it to %.3g or more, what the cheapest "+
		"five cost", s.Budget, MinWeight, s.Budget*cheapest(e.costs, enough))
	if MinWeight*cheapest(e.costs, 1) >= 1 {
		return nil, poor
	}
	if dependent := e.span(nil).Dependent(); len(dependent) > 0 {
		var together []Term
		for _, j := range slices.Concat(dependent...) {
			together = append(together, BaseTerms()[j])
		}
		return nil, bad("", "the candidates cannot separate %s: widen the machines or the parts, or look at more sizes",
			names(together))
	}
	d, err := e.solve()
	if err != nil {
		return nil, err
	}
	made := plan(rows, d, s.Budget)
	if len(made.Rows) == 0 {
		return nil, poor
	}
	return made, nil
}

// experiments returns the candidates, and their costs and features.
func (s *Space) experiments() ([]DesignRow, *experiments, error) {
	// The defaults are those of the authors' program.
	s.CoresPerMachine = cmp.Or(s.CoresPerMachine, 2)
	s.Budget = cmp.Or(s.Budget, 10)
	s.Interpolate = cmp.Or(s.Interpolate, 20)
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	rows := s.candidates()
	if len(rows) == 0 {
		return nil, nil, bad("", "no candidate: %d parts at most do not give %d machines of %d cores a part each; "+
			"raise MaxParts or lower MinMachines", s.MaxParts, s.MinMachines, s.CoresPerMachine)
	}
	base := BaseTerms()
	e := &experiments{}
	means := make([]float64, len(base))
	most := 0
	for _, r := range rows {
		if share := r.Cost / s.Budget; !finite(share) || share <= 0 {
			return nil, nil, bad("Cost", "it is %v for scale %.4g on %d machines: a run costs more than 0", r.Cost,
				r.Scale, r.Machines)
		}
		most = max(most, r.Machines)
		f := features(base, float64(r.Machines), r.Scale)
		e.features = append(e.features, f)
		e.costs = append(e.costs, r.Cost/s.Budget)
		for j, v := range f {
			means[j] += v / float64(len(rows))
		}
	}
	if n := counts(rows); n < 3 {
		starved := ""
		if most < s.MaxMachines {
			starved = fmt.Sprintf("; %d parts are enough for %d machines of %d cores: raise MaxParts", s.MaxParts, most,
				s.CoresPerMachine)
		}
		return nil, nil, bad("MaxMachines", "the candidates have %d different numbers of machines: telling 1, "+
			"machines and log(machines) apart takes 3 or more%s", n, starved)
	}
	for _, f := range e.features {
		floats.Div(f, means)
	}
	return rows, e, nil
}

func counts(rows []DesignRow) int {
	return len(distinct(rows, func(r DesignRow) float64 { return float64(r.Machines) }))
}

// enough is one run more than the four coefficients, so that one run is left to check the model.
const enough = int(LogMachines) + 2

func cheapest(costs []float64, n int) float64 {
	sorted := slices.Sorted(slices.Values(costs))
	return floats.Sum(sorted[:min(n, len(sorted))])
}

// plan returns the runs of a design. Warnings are about the runs to make: too few runs, too few numbers of machines,
// or a cost above the budget.
func plan(rows []DesignRow, d *weighting, budget float64) *Plan {
	p := &Plan{
		Rows: []DesignRow{}, Support: []DesignRow{}, Objective: units.Float(d.objective),
		Gap:        units.Float(max(0, d.gap)), // a negative one is a rounding error
		Candidates: len(rows), Warnings: []dag.Warning{},
	}
	for i, r := range rows {
		r.Weight = d.weights[i]
		if 1-r.Weight < accuracy {
			r.Weight = 1
		}
		p.Cost += d.weights[i] * r.Cost
		if r.Weight > accuracy {
			p.Support = append(p.Support, r)
		}
		if r.Weight > MinWeight {
			p.Rows = append(p.Rows, r)
			p.RowsCost += r.Cost
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b DesignRow) int { return cmp.Compare(b.Weight, a.Weight) })
	if n := len(p.Rows); n < enough {
		p.Warnings = append(p.Warnings, dag.Warningf("few_runs",
			"%d runs do not show how wrong a model of four terms is: raise the budget", n))
	}
	if n := counts(p.Rows); n < 3 {
		p.Warnings = append(p.Warnings, dag.Warningf("few_machine_counts", "the runs have %d different numbers of machines: "+
			"1, machines and log(machines) cannot be separated; raise the budget or widen the machines", n))
	}
	if p.RowsCost > budget*(1+rounding) {
		p.Warnings = append(p.Warnings, dag.Warningf("over_budget",
			"made whole, the runs cost %.4g of a budget of %g: the design wants parts of some", p.RowsCost, budget))
	}
	return p
}

// Greedy takes the cheapest runs that fit the budget, the scheme that §6.5 compares with.
func Greedy(s Space) (*Plan, error) {
	rows, e, err := s.experiments()
	if err != nil {
		return nil, err
	}
	order := taskcost.Order(len(rows), func(a, b int) int { return cmp.Compare(rows[a].Cost, rows[b].Cost) })
	weights, cost := make([]float64, len(rows)), 0.0
	for _, i := range order {
		if cost+rows[i].Cost > s.Budget {
			break
		}
		cost += rows[i].Cost
		weights[i] = 1
	}
	if cost == 0 {
		return nil, bad("Budget", "%g does not pay for the cheapest run, which costs %.3g", s.Budget,
			rows[order[0]].Cost)
	}
	if e.span(weights).Rank == len(BaseTerms()) {
		if d, _, ok := e.evaluate(weights); ok {
			return plan(rows, d, s.Budget), nil
		}
	}
	return plan(rows, &weighting{weights, math.Inf(1), math.NaN()}, s.Budget), nil
}
