package estimators

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// Tests of package estimators_test, which have the paper's costs, look at these.

var Mix = mix

func NewDraws(seed, own, sample, of uint64) Draws {
	return Draws{seed: seed, own: own, sample: sample, of: of}
}

func (w *ReplayContext) Sampling() func(Draws) Drawn { return w.sampling() }

func (w *ReplayContext) SkewBounds() (printed, low, high float64, err error) {
	if _, err := w.standardMS(); err != nil {
		return 0, 0, 0, err
	}
	b := w.skewBounds()
	return b.printed, b.low, b.high, nil
}

func (w *ReplayContext) Longest() float64 { return w.longest() }

func (w *ReplayContext) Hold() bool { return w.hold() }

func (w *ReplayContext) Tolerances(s *schedule.Schedule) pathfrag.Params { return w.tolerances(s) }

func (w *ReplayContext) Failing(ratio float64, worst TaskID) (Estimate, error) {
	return w.failing(ratio, func(job int, k dag.StageIndex, g *TaskGroup) float64 {
		if (TaskID{job, k, g.First}) == worst {
			return 1
		}
		return -1
	})
}
