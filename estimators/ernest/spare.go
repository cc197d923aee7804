package ernest

import "math"

// A Spare is the number of machines to start beyond those that a run needs. All are measured, and the slowest are
// dropped before the run begins (§4.3). Times and costs include the measuring.
type Spare struct {
	Machines int // 0 if spare machines do not pay off
	// Seconds is the time of the run if each stage waits for its slowest machine, SecondsShared if any free machine
	// takes the work. Cost belongs to Seconds.
	Seconds, SecondsShared, Cost float64
	// Slowest is the slowness of the slowest machine if none is dropped, Kept if some are. The mean machine has 1.
	Slowest, Kept float64
	Early         string // why the data do not allow an answer; else empty
}

const (
	// Measuring is how long machines are measured before a run, seconds.
	Measuring = 30
	// mostSpare limits the machines that are dropped, mostSpareShare their share of the machines that are kept: the
	// paper starts "a few per cent" more.
	mostSpare, mostSpareShare = 20, 0.10
)

// Spare returns how many machines to start beyond those of a choice that meets w: the number that makes the run
// cheapest, or fastest, within the limits. Only the part of the time that is divided by machines gets shorter. The
// result is nil if the offer has no measured speeds.
func (o *Offer) Spare(c *Choice, w Want) (*Spare, error) {
	if o.Speeds == nil {
		return nil, nil //nolint:nilnil // nothing is known, and nothing is wrong
	}
	best := &Spare{
		Seconds: c.Prediction.Seconds, SecondsShared: c.Prediction.Seconds, Cost: c.Cost,
		Early: o.Speeds.Early,
	}
	most := min(mostSpare, max(1, int(mostSpareShare*float64(c.Machines))))
	if known := len(o.Speeds.Slowness); best.Early == "" && known < c.Machines+most {
		best.Early = early("%d machines were measured: how slow the slowest of %d is takes as many", known,
			c.Machines+most)
	}
	if best.Early != "" {
		return best, nil
	}
	divided := o.Model.divided(c)
	best.Slowest = o.Speeds.order(c.Machines, c.Machines)
	best.Kept = best.Slowest
	for more := 1; more <= most; more++ {
		s := &Spare{Machines: more, Slowest: best.Slowest, Kept: o.Speeds.kept(c.Machines, more, best.Slowest)}
		ratio := 1 - divided*(1-s.Kept/s.Slowest)
		s.Seconds = Measuring + ratio*c.Prediction.Seconds
		high := Measuring + ratio*c.Prediction.High
		costHigh, err := o.costSpare(c.Machines, more, high)
		if err != nil {
			return nil, err
		}
		if s.Cost, err = o.costSpare(c.Machines, more, s.Seconds); err != nil {
			return nil, err
		}
		if w.Deadline > 0 && high > w.Deadline || w.Budget > 0 && costHigh > w.Budget {
			continue
		}
		if w.Goal == Fastest && s.Seconds < best.Seconds || w.Goal == Cheapest && s.Cost < best.Cost {
			best = s
		}
	}
	if best.Machines > 0 {
		best.SecondsShared = Measuring + (1-divided*(1-o.Speeds.mean(c.Machines, best.Machines)))*c.Prediction.Seconds
	}
	return best, nil
}

// costSpare returns the cost of a run with more spare machines that are only measured.
func (o *Offer) costSpare(machines, more int, seconds float64) (float64, error) {
	run, err := o.cost(float64(machines), seconds)
	if err != nil {
		return math.NaN(), err
	}
	spare, err := o.cost(float64(more), Measuring)
	return run + spare, err
}

// divided returns the share of a choice's time that is divided by machines.
func (m *Model) divided(c *Choice) float64 {
	all, work := 0.0, 0.0
	for j, f := range features(m.Terms, float64(c.Machines), c.Prediction.Scale) {
		v := m.base.x[j] * f
		all += v
		if termTable[m.Terms[j]].divided {
			work += v
		}
	}
	if !(all > 0) {
		return 0
	}
	return work / all
}
