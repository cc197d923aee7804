package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// What a task of a phase that nobody has seen may take, in mean maps of the run. On the recordings most such phases do
// next to nothing (a DISTINCT's reduce), and some are nearly all of the run (a GROUP's with skewed keys): lightly, it
// is about what standard assumes; else anything from heavyLeast to heavyMost, each order of magnitude as likely as
// another.
const (
	lightShare = 0.75
	lightSigma = 1
	heavyLeast = 0.05
	heavyMost  = 4
	// alikeShare is how much of the phases' variance is the run's: a script whose reduces are heavy has more than one
	// of them.
	alikeShare = 0.6
)

// drawUnseen is a task's work in milliseconds, the same for all tasks of the phase.
func (s *sampling) drawUnseen(d estimators.Draws, j int, k dag.StageIndex) float64 {
	p := &s.phases[j][k]
	own := estimators.Normal(d.Common(estimators.ForSize, j, k))
	if p.alike {
		return p.assumed * math.Exp(alikeSigma*own)
	}
	run := estimators.Normal(d.Common(estimators.ForSize, -1, 0))
	u := math.Erfc(-(math.Sqrt(alikeShare)*run+math.Sqrt(1-alikeShare)*own)/math.Sqrt2) / 2
	if u < lightShare {
		return p.assumed * estimators.LogNormal(min(max(u/lightShare, 1e-6), 1-1e-6), lightSigma)
	}
	return s.scale * heavyLeast * math.Pow(heavyMost/heavyLeast, (u-lightShare)/(1-lightShare))
}
