package past

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// near is how many ticks around each of estimators.Bins are estimated: the nearest one may have no range yet.
const near = 3

func hasEnded(s *dag.Snapshot) bool { return s.State.Ended() }

// ticksOf plays a run without estimates. It returns the instants that its residuals need, and the run's last state.
func ticksOf(ctx context.Context, recorded input.RecordedRun) (map[dag.Instant]bool, dag.State, error) {
	src, err := recorded.Open()
	if err != nil {
		return nil, 0, err
	}
	var seen []dag.Instant
	run, err := input.WholeRun(ctx, src.Until(hasEnded), func(s *dag.Snapshot) { seen = append(seen, s.At) })
	if err != nil {
		return nil, 0, err
	}
	s := run.Now()
	origin, end := s.Origin(), s.LastEnd()
	ticks := map[dag.Instant]bool{}
	if !origin.Known() || end <= origin {
		return ticks, s.State, nil
	}
	for _, bin := range estimators.Bins {
		at := float64(origin) + bin*float64(end-origin)
		slices.SortStableFunc(seen, func(a, b dag.Instant) int {
			return cmp.Compare(math.Abs(float64(a)-at), math.Abs(float64(b)-at))
		})
		for _, t := range seen[:min(near, len(seen))] {
			ticks[t] = true
		}
	}
	return ticks, s.State, nil
}

// only is an estimator that returns estimates only at some instants.
type only struct {
	estimators.Estimator
	at map[dag.Instant]bool
}

func (o only) Estimate(run dag.Run) (estimators.Estimate, error) {
	if !o.at[run.Now().At] {
		return estimators.Estimate{Progress: math.NaN()}, nil
	}
	return o.Estimator.Estimate(run)
}
