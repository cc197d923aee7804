package paper

import (
	"math"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// inForm returns the scenario whose estimate is standard's, with the work of reduces predicted in one form. If the form
// has no data about any remaining reduce, the estimate has no time. NearestFit is by Coppa and Finocchi, "On data
// skewness, stragglers, and MapReduce progress indicators", SoCC 2015; the moving averages are in its section 7.1, the
// forms of one part of it are for the ablation in section 8.6.
func inForm(name, meaning string, f estimators.GroupForm) estimators.Scenario {
	return estimators.Scenario{Name: name, Meaning: meaning, Estimate: func(w *estimators.ReplayContext) (
		estimators.Estimate, error,
	) {
		if w.Now().State.Ended() {
			return w.EstimateOf(0), nil
		}
		var left schedule.Left
		if in := w.Costs.Groups.In; in != nil {
			left = in(f)
		}
		if left == nil {
			return estimators.Estimate{Progress: math.NaN()}, nil
		}
		end, err := w.End(left)
		if err != nil {
			return estimators.Estimate{}, err
		}
		e := w.EstimateOf(taskcost.MS(end.Sub(w.Now().At)))
		e.Origin = schedule.Observed
		return e, nil
	}}
}
