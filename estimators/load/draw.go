package load

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// Standard deviations of the logarithms of other applications' expected times.
const (
	sigma       = 0.7  // an application
	freshSigma  = 1    // extra deviation of one without any data
	sharedSigma = 0.25 // common to all applications: others come and go while we run
	// exponent of an application's factor for the length of its tasks, if some are done and if none is
	seenPower  = 0.5
	freshPower = 1.3
)

// Draw returns the load of one draw: from an instant on, applications take longer or shorter than expected.
func Draw(d estimators.Draws, all []dag.Load, now dag.Instant) []dag.Load {
	if len(all) == 0 {
		return all
	}
	out := slices.Clone(all)
	shared := estimators.LogNormal(d.Common(estimators.ForOther, -1, 0), sharedSigma)
	for i := range out {
		l, f := &out[i], estimators.LogNormal(d.Common(estimators.ForOther, i, 0), sigma)
		if l.Until.Known() && l.Until > now {
			l.Until = now.Add(taskcost.Duration(taskcost.MS(l.Until.Sub(now)) * f))
		}
		l.Length = taskcost.Duration(taskcost.MS(l.Length) * f)
		if l.Need == nil {
			continue
		}
		need, wide := *l.Need, 1.0
		if l.HeldMB == 0 {
			wide = estimators.LogNormal(d.Common(estimators.ForOther, i, dag.Reduce), freshSigma)
		}
		for _, p := range [...]*dag.NeedPhase{&need.Map, &need.Reduce} {
			power := seenPower
			if p.Done == 0 {
				power = freshPower
			}
			p.LengthMS = min(p.LengthMS*shared*wide*math.Pow(f, power), taskcost.MostMS/2)
		}
		l.Need = &need
	}
	return out
}
