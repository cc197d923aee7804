package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A FailureLaw is the rate at which attempts fail: a Poisson process with a rate that is drawn once a replay. The
// rate has the posterior of Jeffreys' prior, Gamma(1/2, ·), given the failures of this run and the time that its
// attempts have used slots. The prior weighs as much as failureTasks mean tasks without a failure. If the plan
// gives a rate (Cluster.FailRate), or else a profile does, the prior is that of givenFailures failures at that
// rate.
type FailureLaw struct {
	shape float64
	ms    float64
}

const (
	failureTasks  = 300
	givenFailures = 10
	hourMS        = 3_600_000
)

// NewFailureLaw reads the failures of a snapshot; mean is the mean time of a task, in milliseconds.
func NewFailureLaw(s *dag.Snapshot, mean float64) FailureLaw {
	l := FailureLaw{shape: 0.5, ms: failureTasks * max(mean, 1)}
	if rate := givenRate(s); rate > 0 {
		l = FailureLaw{shape: givenFailures, ms: givenFailures * hourMS / rate}
	}
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.State == dag.AttemptFailed {
					l.shape++
				}
				if end := min(s.At, later(a.End, s.At)); a.Start.Known() && a.State != dag.AttemptWaiting &&
					end > a.Start {
					l.ms += float64(end - a.Start)
				}
			}
		}
	}
	return l
}

// givenRate returns the failures per hour of task time, from the plan or the first profile that has it; 0: unknown.
func givenRate(s *dag.Snapshot) float64 {
	rate := s.Plan.Cluster.FailRate
	for i := 0; i < len(s.Profiles) && rate == 0; i++ {
		rate = s.Profiles[i].Cluster.FailRate
	}
	return min(rate, dag.MaxFailRate)
}

func later(t, unknown dag.Instant) dag.Instant {
	if t.Known() {
		return t
	}
	return unknown
}

// Fault makes attempts fail in a replay from now on. A running attempt has survived until now.
func (l FailureLaw) Fault(d Draws, now dag.Instant) schedule.Fault {
	rate := gammaQuantile(d.Common(ForFaults, 0, 0), l.shape) / l.ms
	if !(rate > 0) {
		return nil
	}
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		start = max(start, now)
		u := d.Task(ForFailure, t.Job, t.Stage, t.Index, t.Attempt)
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

// gammaQuantile returns the quantile of order u of the Gamma distribution with rate 1: Wilson and Hilferty's cube
// (PNAS 1931) for shapes from 1 on. For the shape 1/2 it is half the square of a normal number.
func gammaQuantile(u, shape float64) float64 {
	if shape == 0.5 {
		z := Normal((1 + u) / 2)
		return z * z / 2
	}
	c := 1 / (9 * shape)
	z := 1 - c + Normal(u)*math.Sqrt(c)
	return shape * max(0, z*z*z)
}
