package runreport

import (
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A FailureCost is how much longer a run took because of its failures: beyond a replay of it without them, as in
// whatif and compare.
type FailureCost struct {
	Seconds frame.Seconds `json:"seconds"`
	Summary string        `json:"says"`
}

// noFailures is the change of the question that leaves out a run's failures.
const noFailures = "no failures"

// failureCost returns nil if nothing failed, or if no replay measures the cost. Limits must be complete.
func (s *Report) failureCost() *FailureCost {
	i := slices.IndexFunc(s.Limits.Rows, func(r Limit) bool { return r.Question == noFailures && r.GainSeconds != nil })
	if i < 0 {
		return nil
	}
	cost := max(*s.Limits.Rows[i].GainSeconds, 0)
	return &FailureCost{cost, "The failures cost about " + units.Seconds(cost) + "."}
}
