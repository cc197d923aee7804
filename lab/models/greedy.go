package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// truths are jobs with known times, for models that learn from a design's runs: coefficients in the order of
// ernest.BaseTerms.
var truths = []struct {
	name  string
	theta [4]float64
}{
	{"the example's", [4]float64{1.9, 162.2, 0, 1.588}},
	{"parallel work alone", [4]float64{0, 400, 0, 0}},
	{"a job with much for each machine", [4]float64{5, 300, .5, 0}},
	{"a job that gathers in a tree", [4]float64{2, 300, 0, 4}},
}

const (
	learners = 400 // number of fits for each job
	noise    = .05 // lognormal noise of a training run
)

func greedy() section {
	return section{"Ernest: the design against the cheapest runs (§6.5)", func(p printer) error {
		space := allDesigns[0].space
		var plans []*ernest.Plan
		var err error
		for _, choose := range []func(ernest.Space) (*ernest.Plan, error){ernest.Design, ernest.Greedy} {
			plan, err := choose(space)
			if err != nil {
				return err
			}
			plans = append(plans, plan)
		}
		head(p, "", "A-optimal", "greedy")
		row := func(name string, of func(*ernest.Plan) string) { p("%s", line(name, of(plans[0]), of(plans[1]))) }
		row("runs", func(x *ernest.Plan) string { return fmt.Sprint(len(x.Rows)) })
		row("cost of the runs, budget 10", func(x *ernest.Plan) string { return fmt.Sprintf("%.2f", x.RowsCost) })
		row("objective: sum of the coefficients' variances", func(x *ernest.Plan) string {
			return fmt.Sprintf("%.3f", x.Objective)
		})
		row("different numbers of machines", func(x *ernest.Plan) string {
			counts := map[int]bool{}
			for _, r := range x.Rows {
				counts[r.Machines] = true
			}
			return fmt.Sprint(len(counts))
		})
		for _, truth := range truths {
			errors := make([][]string, len(plans))
			for i, plan := range plans {
				if errors[i], err = learned(plan, truth.theta); err != nil {
					return err
				}
			}
			for k, machines := range wholeOn {
				p("%s", line(fmt.Sprintf("%s, whole input on %v machines: median / 90 %% of errors", truth.name,
					machines), errors[0][k], errors[1][k]))
			}
		}
		p("")
		p("%s", fmt.Sprintf(greedyWords, learners, 100*noise))
		return nil
	}}
}

// wholeOn are the numbers of machines for predictions of the whole input. The training runs have 8 at most.
var wholeOn = [...]float64{8, 16, 64}

// learned returns the errors on each of wholeOn for a job that was learned from a plan's runs.
func learned(plan *ernest.Plan, theta [4]float64) ([]string, error) {
	truth := func(machines, scale float64) float64 {
		sum := 0.0
		for i, t := range ernest.BaseTerms() {
			sum += theta[i] * t.At(machines, scale)
		}
		return sum
	}
	random := rand.New(rand.NewPCG(6, 5))
	wrong := make([][]float64, len(wholeOn))
	for range learners {
		var rows []ernest.Row
		for _, r := range plan.Rows {
			m := float64(r.Machines)
			rows = append(rows, ernest.Row{
				Machines: m, Scale: r.Scale,
				Seconds: truth(m, r.Scale) * math.Exp(noise*random.NormFloat64()),
			})
		}
		model, err := ernest.Fit(rows, ernest.FitOptions{})
		if err != nil {
			return nil, err
		}
		for k, machines := range wholeOn {
			says := model.Predict(ernest.Point{Machines: machines, Scale: 1}).Seconds
			wrong[k] = append(wrong[k], math.Abs(says/truth(machines, 1)-1))
		}
	}
	cells := make([]string, len(wholeOn))
	for k := range wrong {
		slices.Sort(wrong[k])
		cells[k] = fmt.Sprintf("%.1f %% / %.1f %%", 100*wrong[k][learners/2], 100*wrong[k][learners*9/10])
	}
	return cells, nil
}
