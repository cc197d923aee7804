package runreport

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// A FailureCost is how much longer a run took because of its failures, measured in four ways.
type FailureCost struct {
	ReplaySeconds frame.Seconds `json:"replay_seconds"` // a replay with them minus one without them
	MostSeconds   frame.Seconds `json:"most_seconds"`   // the run's length minus a replay without them
	// time that failures cost on the critical path; null if too little of the path is known
	PathSeconds  *frame.Seconds `json:"path_seconds"`
	MovedSeconds *frame.Seconds `json:"moved_seconds"` // by which the predicted end moved; null if it did not
	// whether the four differ by more than a factor of two
	Doubtful bool   `json:"doubtful"`
	Summary  string `json:"says"`
}

// failureCost returns nil if nothing failed, or if no replay measures the cost. Limits, Lost and the moves must be
// complete.
func (s *Report) failureCost() *FailureCost {
	i := slices.IndexFunc(s.Limits.Rows, func(r Limit) bool { return r.MostGainSeconds != nil })
	if i < 0 || s.ElapsedSeconds == nil {
		return nil
	}
	row := &s.Limits.Rows[i]
	c := &FailureCost{ReplaySeconds: *row.GainSeconds, MostSeconds: *row.MostGainSeconds}
	costs := []time.Duration{c.ReplaySeconds.Duration(), c.MostSeconds.Duration()}
	for i := range s.Glance.Lost {
		if l := &s.Glance.Lost[i]; l.Kind == lossFailures {
			c.PathSeconds = &l.Seconds
			costs = append(costs, l.Seconds.Duration())
		}
	}
	if c.MovedSeconds = s.movedByFailures(); c.MovedSeconds != nil {
		costs = append(costs, c.MovedSeconds.Duration())
	}
	c.Doubtful = whatif.FailureDoubtful(s.ElapsedSeconds.Duration(), costs...)
	c.Summary = c.summary()
	return c
}

// movedByFailures sums the moves of the predicted end that failures caused; nil without such moves.
func (s *Report) movedByFailures() *frame.Seconds {
	var sum *frame.Seconds
	for i := range s.PredictionHistory.Moves {
		m := &s.PredictionHistory.Moves[i]
		if m.Reason != string(explain.ReasonFailure) {
			continue
		}
		if sum == nil {
			sum = new(frame.Seconds)
		}
		*sum += m.DeltaSeconds
	}
	return sum
}

func (c *FailureCost) summary() string {
	if !c.Doubtful {
		return fmt.Sprintf("The failures cost about %s.", units.Seconds(c.ReplaySeconds))
	}
	ways := []string{"by replay " + units.Seconds(c.ReplaySeconds), "beyond the replay " + units.Seconds(max(c.MostSeconds, 0))}
	if p := c.PathSeconds; p != nil {
		ways = append(ways, "on the critical path "+units.Seconds(*p))
	}
	if m := c.MovedSeconds; m != nil {
		ways = append(ways, "by the move of the predicted end "+units.Seconds(*m))
	}
	low, high := c.Span()
	return fmt.Sprintf("What the failures cost is doubtful, %s to %s: %s.", units.Seconds(low), units.Seconds(high),
		strings.Join(ways, ", "))
}

// Span returns the lowest and the highest of the four measures.
func (c *FailureCost) Span() (low, high frame.Seconds) {
	known := []frame.Seconds{c.ReplaySeconds, max(c.MostSeconds, 0)}
	for _, v := range []*frame.Seconds{c.PathSeconds, c.MovedSeconds} {
		if v != nil {
			known = append(known, *v)
		}
	}
	return slices.Min(known), slices.Max(known)
}
