package estimators

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// othersAs replays the newest snapshot with change applied to the other applications. If there is no other
// application, the estimate is standard, marked as Moot. A replay that can only go on after others have ended gives
// a floor.
func othersAs(change func(run dag.Run, s *dag.Snapshot)) func(*ReplayContext) (Estimate, error) {
	return func(w *ReplayContext) (Estimate, error) {
		if moot := len(w.Now().Load) == 0; moot || w.ended() {
			ms, err := w.standardMS()
			if err != nil {
				return Estimate{Moot: moot}, err
			}
			e := w.scenario(ms)
			e.Moot = moot
			return e, nil
		}
		s := *w.Now()
		s.Load = slices.Clone(s.Load)
		change(w.Run, &s)
		sch, err := schedule.Replay(&s, w.Costs.Left, schedule.Options{EndOnly: &schedule.EndOnly{}})
		if err != nil {
			return Estimate{}, err
		}
		ms := float64(sch.End - sch.Now)
		if len(s.Load) == 0 {
			// With more room a list scheduler may end a little later, because tasks run in another order (Graham
			// 1969). The absence of others must not cost time.
			standard, err := w.standardMS()
			if err != nil {
				return Estimate{}, err
			}
			ms = min(ms, standard)
		}
		e := w.early(w.EstimateOf(ms))
		e.Origin = w.leastSure(func(int, dag.StageIndex) bool { return true })
		if sch.Freed && e.Remaining != nil {
			e.Low, e.Remaining, e.Progress = e.Remaining, nil, math.NaN()
		}
		return e, nil
	}
}

// othersMB returns the memory that other applications use.
func othersMB(s *dag.Snapshot) int {
	sum := 0
	for i := range s.Load {
		sum += s.Load[i].HeldMB
	}
	return sum
}

// othersTask returns the mean time that a task of other applications uses its container, if a model predicts it;
// else half a minute.
func othersTask(s *dag.Snapshot) time.Duration {
	sum, n := 0.0, 0
	for i := range s.Load {
		if need := s.Load[i].Need; need != nil && need.Map.LengthMS > 0 {
			sum, n = sum+need.Map.LengthMS, n+1
		}
	}
	if n == 0 {
		return 30 * time.Second
	}
	return taskcost.Exact(sum / float64(n))
}
