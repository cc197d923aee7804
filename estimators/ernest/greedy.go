package ernest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/adesign"
)

// Greedy takes the cheapest runs while the budget holds, the scheme that §6.5 compares with.
func Greedy(s Space) (*Plan, error) {
	rows, p, err := s.problem()
	if err != nil {
		return nil, err
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Cost, rows[b].Cost) })
	weights, cost := make([]float64, len(rows)), 0.0
	for _, i := range order {
		if cost+rows[i].Cost > p.Budget {
			break
		}
		cost += rows[i].Cost
		weights[i] = 1
	}
	if cost == 0 {
		return nil, &SpaceError{"Budget", fmt.Sprintf("%g does not pay for the cheapest run, which costs %.3g",
			p.Budget, rows[order[0]].Cost)}
	}
	d, err := adesign.Evaluate(p, weights)
	var singular *adesign.SingularError
	switch {
	case errors.As(err, &singular):
		made := plan(rows, weights, math.Inf(1), math.NaN())
		made.warn(p)
		return made, nil
	case err != nil:
		return nil, explain(err)
	}
	made := plan(rows, weights, d.Objective, d.Gap)
	made.warn(p)
	return made, nil
}
