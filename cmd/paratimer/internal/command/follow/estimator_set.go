package follow

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/estimators/skewness"
)

// EstimatorSet returns the estimators: ParaTimer's scenarios, the range, uneven reduces, and if others is true all
// others for comparison. The range has that many samples; 0: the default.
func EstimatorSet(others bool, samples int) watch.EstimatorSet {
	var b Battery
	if others {
		b.others = paper.Others()
	}
	return EstimatorSetOf(cost.Costs, b, samples)
}

// EstimatorSetOf is EstimatorSet with another cost model and selection of shown estimators. The headline and alerts
// use all of ParaTimer's scenarios, shown or not.
func EstimatorSetOf(model estimators.Model, b Battery, samples int) watch.EstimatorSet {
	scenarios := append(estimators.Scenarios(), estimators.Corrected(estimators.Sampled()), skewness.Scenario())
	n := len(scenarios) - 2
	scenarios = append(scenarios, b.others...)
	all := estimators.Shared(scenarios, model, estimators.Options{Samples: samples})
	return watch.EstimatorSet{
		Scenarios: all[:n], Shown: b.shown, Sampled: all[n], Uneven: all[n+1], Others: all[n+2:],
		Model: model,
	}
}

// ModelOf returns the cost model with the flags' parameters.
func ModelOf(c *cli.Context) estimators.Model {
	return cost.With(cost.Options{DeltaBytes: c.Float64("delta")})
}
