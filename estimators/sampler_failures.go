package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A FailureLaw is how often attempts fail: as a Poisson process of a rate that is drawn once a replay. The rate's
// distribution is what Jeffreys' prior, Gamma(1/2, ·), becomes by the failures that this run has shown in the time that
// its attempts have held slots. The prior weighs as much as failureTasks mean tasks without a failure.
type FailureLaw struct {
	shape float64
	ms    float64
}

const failureTasks = 300

// NewFailureLaw reads the failures of a snapshot; mean is what a task takes on average, in milliseconds.
func NewFailureLaw(s *dag.Snapshot, mean float64) FailureLaw {
	l := FailureLaw{shape: 0.5, ms: failureTasks * max(mean, 1)}
	for j := range s.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[j].Phase(k).Attempts {
				if a.State == dag.AttemptFailed {
					l.shape++
				}
				if end := min(s.At, later(a.End, s.At)); a.Start.Known() && a.State != dag.AttemptWaiting && end > a.Start {
					l.ms += float64(end - a.Start)
				}
			}
		}
	}
	return l
}

func later(t, unknown dag.Instant) dag.Instant {
	if t.Known() {
		return t
	}
	return unknown
}

// Fault makes attempts fail in a replay from now on. An attempt that runs has survived so far.
func (l FailureLaw) Fault(d Draws, now dag.Instant) schedule.Fault {
	rate := gammaQuantile(d.Common(ForFaults, 0, 0), l.shape) / l.ms
	if !(rate > 0) {
		return nil
	}
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		start = max(start, now)
		u := d.Task(ForFailure, t.Job, t.Kind, t.Index, t.Attempt)
		if u >= rate*float64(end-start) { // -ln(1-u) is not less than u
			return 0, false
		}
		at := -math.Log1p(-u) / rate
		if at >= float64(end-start) {
			return 0, false
		}
		return start + dag.Instant(at), true
	}
}

// gammaQuantile is the quantile of order u of the Gamma distribution with rate 1: Wilson and Hilferty's cube (PNAS 1931) for shapes
// from 1 on; the shape 1/2 is half the square of a normal number.
func gammaQuantile(u, shape float64) float64 {
	if shape == 0.5 {
		z := Normal((1 + u) / 2)
		return z * z / 2
	}
	c := 1 / (9 * shape)
	z := 1 - c + Normal(u)*math.Sqrt(c)
	return shape * max(0, z*z*z)
}
