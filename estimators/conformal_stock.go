package estimators

import (
	"math"

	"github.com/paratimer/paratimer/estimators/internal/forecast"
)

// stockRuns is how many runs the stock scores stand for: as many as a 95 % range needs.
const stockRuns = 39

// stockWidth is how much wider the 80 % range of a run without a history is than the raw one. A sampler knows what may
// be different about a run's tasks, and less of what is different about its day. Of the scores on recordings of real
// runs the raw range of 80 % holds about 80 %, but a fortieth lie beyond three times its width; on simulated runs of
// other noise it holds 52 to 58 % (docs/calibration.md).
const stockWidth = 1.3

// stock are the scores that stand in for those of a workflow without enough runs of its own: quantiles of Student's t
// with two degrees of freedom, whose tails are as heavy as those of forecasts that fail, scaled to stockWidth.
func stock() *forecast.Scores {
	scores, weights := make([]float64, stockRuns), make([]float64, stockRuns)
	for i := range scores {
		scores[i] = student2(float64(i+1)/(stockRuns+1)) / student2(0.9) * stockWidth
		weights[i] = 1
	}
	return forecast.NewScores(scores, weights)
}

// student2 is the quantile of order q, 0 < q < 1, of Student's t with two degrees of freedom, in closed form (Jones,
// "Student's Simplest Distribution", 2002).
func student2(q float64) float64 { return (2*q - 1) / math.Sqrt(2*q*(1-q)) }
