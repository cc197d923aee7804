package ernest

import "math"

// A Spare is how many machines to start beyond those that a run needs, to measure them all and drop the slowest before
// it begins (§4.3). Times and costs are of the whole, with the measuring.
type Spare struct {
	Machines int // 0 where it does not pay
	// Seconds of the run if each stage waits for its slowest machine, and if work goes to whichever machine is free;
	// Cost of the first.
	Seconds, SecondsShared, Cost float64
	// Slowest is how long the slowest of the machines takes if none is dropped, Kept if some are, in times of the mean
	// machine.
	Slowest, Kept float64
	Early         string // why nothing can be said; else empty
}

const (
	// Measuring is how long machines are measured before a run, seconds.
	Measuring = 30
	// mostSpare bounds the machines that are dropped, mostSpareShare to a share of those that are kept: the paper
	// starts "a few per cent" more.
	mostSpare, mostSpareShare = 20, 0.10
)

// Spare says how many machines to start beyond those of a choice that meets what is wanted: those that make it
// cheapest, or fastest, and still meet it. Only the part of the time that is divided by machines is gained from. Nil
// where nothing is known of the offer's machines.
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

// costSpare is what a run costs where more machines than it has are measured before it.
func (o *Offer) costSpare(machines, more int, seconds float64) (float64, error) {
	run, err := o.cost(float64(machines), seconds)
	if err != nil {
		return math.NaN(), err
	}
	spare, err := o.cost(float64(more), Measuring)
	return run + spare, err
}

// divided is the share of a choice's time that is divided by machines.
func (m *Model) divided(c *Choice) float64 {
	all, work := 0.0, 0.0
	for j, f := range features(m.Terms, float64(c.Machines), c.Prediction.Scale) {
		v := m.base.x[j] * f
		all += v
		if m.Terms[j].divided() {
			work += v
		}
	}
	if !(all > 0) {
		return 0
	}
	return work / all
}
