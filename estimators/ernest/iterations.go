package ernest

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An IterationRow is a run of some iterations of an iterative job (§4.1).
type IterationRow struct {
	Row
	Iterations int // at least 1
}

// An Iterative is a model of a job that repeats the same work: Setup + iterations·Each.
type Iterative struct {
	// Setup is the work that is done once, with the terms 1 and scale/machines. Nil if the rows cannot separate it
	// from the iterations; Each then includes the set-up.
	Setup *Model
	Each  *Model // seconds of an iteration
	Rows  []IterationRow
	// Residual, LOO, Warnings as in a Model, of whole runs.
	Residual, LOO float64
	Warnings      []Warning

	whole *Model // all coefficients, those of Setup first
}

const mostIterations = 1_000_000_000

// Iterations fits runs of few iterations to predict those of many (§4.1). Set-up is part of the model only if the
// runs' numbers of iterations differ enough to determine it. Errors as in Fit; extra terms are not tried.
func Iterations(rows []IterationRow, o FitOptions) (*Iterative, error) {
	plain := make([]Row, len(rows))
	for i, r := range rows {
		if r.Iterations < 1 || r.Iterations > mostIterations {
			return nil, &RowError{i, "iterations", float64(r.Iterations), "a run has at least 1 and at most 1e9"}
		}
		plain[i] = r.Row
	}
	if err := checkRows(plain); err != nil {
		return nil, err
	}
	if len(o.Terms) == 0 {
		o.Terms = BaseTerms()
	}
	if err := checkTerms(o.Terms, plain); err != nil {
		return nil, err
	}
	it := &Iterative{Rows: slices.Clone(rows)}
	setup, base, err := it.regress(o.Terms)
	if err != nil {
		return nil, err
	}
	m := &Model{
		Terms: append(slices.Clone(setup), o.Terms...), Coefficients: base.x, Residual: base.residual, Rows: plain,
		Rank: base.info.Rank, Condition: base.info.ScaledCondition(), options: o, base: base, reach: reachOf(plain),
	}
	group, groups := it.configurations()
	m.Left = base.leaveOut(group, groups, maxFolds)
	m.LOO, _ = meanError(m.Left, base.seconds)
	m.compare(configured(plain, group, groups, base.a.RawRowView), false)
	m.doubt = m.judge()
	it.whole, it.Residual, it.LOO = m, m.Residual, m.LOO
	it.Each = it.part(len(setup), len(m.Terms), func(r IterationRow) float64 {
		return r.Seconds / float64(r.Iterations)
	})
	it.Warnings = append(unitWarnings(plain), it.Each.undetermined()...)
	m.unseen = it.Each.unseen
	if len(setup) > 0 {
		it.Setup = it.part(0, len(setup), func(IterationRow) float64 { return math.NaN() })
	} else {
		it.Warnings = append(it.Warnings,
			Warning{"setup_within", "the rows cannot tell set-up from iterations, so that it is counted in each: " +
				"measure some machines and scales with different numbers of iterations"})
	}
	return it, nil
}

// regress adds as much of the set-up to the model as the rows can determine with one row left to check the model.
func (it *Iterative) regress(terms []Term) (setup []Term, base *regression, err error) {
	for _, setup = range [][]Term{{One, ScalePerMachine}, {One}, nil} {
		a, seconds := mat.NewDense(len(it.Rows), len(setup)+len(terms), nil), make([]float64, len(it.Rows))
		for i, r := range it.Rows {
			a.SetRow(i, iterated(setup, terms, r.Machines, r.Scale, r.Iterations))
			seconds[i] = r.Seconds
		}
		if base, err = regress(a, seconds); err != nil {
			return nil, nil, err
		}
		if base.info.Rank == len(setup)+len(terms) && base.info.Rank < len(it.Rows) {
			break
		}
	}
	return setup, base, nil
}

// iterated returns the features of a run: those of the set-up, then those of an iteration times the number of
// iterations.
func iterated(setup, terms []Term, machines, scale float64, iterations int) []float64 {
	f := append(features(setup, machines, scale), features(terms, machines, scale)...)
	for j := len(setup); j < len(f); j++ {
		f[j] *= float64(iterations)
	}
	return f
}

// part returns a model of the coefficients from up to, but not including, to. It shares the doubt of the whole model.
func (it *Iterative) part(from, to int, seconds func(IterationRow) float64) *Model {
	w := it.whole
	m := &Model{
		Terms: w.Terms[from:to], Coefficients: w.Coefficients[from:to], Residual: math.NaN(), LOO: w.LOO,
		options: w.options, reach: w.reach, doubt: w.doubt, evidence: w.evidence, students: w.students,
	}
	a := mat.NewDense(len(it.Rows), to-from, nil)
	for i, r := range it.Rows {
		a.SetRow(i, features(m.Terms, r.Machines, r.Scale))
		m.Rows = append(m.Rows, Row{r.Machines, r.Scale, seconds(r)})
		m.Left = append(m.Left, math.NaN())
	}
	m.base = &regression{a: a, x: m.Coefficients, space: spanOf(a)}
	m.base.info.Rank, m.Rank, m.Condition = m.base.space.rank(), w.Rank, w.Condition
	for _, set := range w.base.info.Dependent {
		var within []int
		for _, j := range set {
			if j >= from && j < to {
				within = append(within, j-from)
			}
		}
		if len(within) > 0 {
			m.base.info.Dependent = append(m.base.info.Dependent, within)
		}
	}
	return m
}

func (it *Iterative) configurations() (group []int, groups int) {
	seen := map[[3]float64]int{}
	for _, r := range it.Rows {
		k := [3]float64{r.Machines, r.Scale, float64(r.Iterations)}
		if _, ok := seen[k]; !ok {
			seen[k] = len(seen)
		}
		group = append(group, seen[k])
	}
	return group, len(seen)
}

// Trusted returns nil or a *DoubtError, as Model.Trusted does.
func (it *Iterative) Trusted() error { return it.whole.doubt }

// Predict returns the time of a run with the given iterations. Iterations do not count as distance, since all are
// assumed to take equally long.
func (it *Iterative) Predict(machines, scale float64, iterations int) Prediction {
	if iterations < 1 || iterations > mostIterations {
		return impossible(machines, scale, fmt.Sprintf("%d iterations: a run has at least 1 and at most 1e9",
			iterations))
	}
	setup := len(it.whole.Terms) - len(it.Each.Terms)
	return it.whole.predict(machines, scale, iterated(it.whole.Terms[:setup], it.Each.Terms, machines, scale,
		iterations))
}
