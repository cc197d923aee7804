package queueing

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A chain is what a thread has left at the end: so long at least, and then some time that varies.
type chain struct {
	count          float64 // how many like it
	from           float64 // seconds
	mean, variance float64 // of what comes after
}

// below is the chance that all of them have ended by t.
func (c chain) below(t float64) float64 { return math.Pow(c.single(t), c.count) }

// single is the chance that one of them has ended by t. What varies is taken as gamma distributed.
func (c chain) single(t float64) float64 {
	if t <= c.from {
		return 0
	}
	if c.variance <= 0 || c.mean <= 0 {
		if t-c.from >= c.mean {
			return 1
		}
		return 0
	}
	shape, rate := c.mean*c.mean/c.variance, c.mean/c.variance
	return mathext.GammaIncReg(shape, rate*(t-c.from))
}

// reach is when the last of them has ended almost surely.
func (c chain) reach() float64 {
	return c.from + c.mean + (8+4*math.Log(1+c.count))*math.Sqrt(c.variance)
}

// last is the mean end of the last of independent chains: ∫ 1 - Π F dt.
func last(chains []chain) float64 {
	lo, hi := 0.0, 0.0
	for _, c := range chains {
		lo = math.Max(lo, c.from)
		hi = math.Max(hi, c.reach())
	}
	if hi <= lo {
		return hi
	}
	const steps = 400
	h := (hi - lo) / steps
	sum := 0.0
	for i := range steps {
		all := 1.0
		for _, c := range chains {
			all *= c.below(lo + (float64(i)+.5)*h)
		}
		sum += 1 - all
	}
	return lo + sum*h
}

// join is a job's response: the timeline, but for its last fork/join, of which the mean of the last end counts.
func (p *product) join(j *productJob) float64 {
	maps := j.lastMap(p)
	if j.Reduces == 0 {
		return maps
	}
	var chains []chain
	for g, gr := range p.groups {
		if j.abreast[g] == 0 {
			continue
		}
		c := j.copies[g]
		shuffle, merge := j.stay[g][Shuffle], j.stay[g][Merge]
		later := float64(p.laterWaves(j, g))
		rounds := math.Ceil(float64(j.Maps) / float64(p.spec.ShuffleThreads))
		ch := chain{
			count: float64(gr.nodes * j.abreast[g]),
			mean:  merge.sum() + later*(rounds*c.shuffle+merge.sum()), variance: merge.squares() + later*(rounds*shuffle.squares()+merge.squares()),
		}
		// Copies that kept up with the maps end with the last one's; others go on without a pause since the first.
		trail := math.Ceil(c.after / float64(p.spec.ShuffleThreads))
		if c.blocked {
			ch.from = maps
			ch.mean += c.shuffle
			ch.variance += shuffle.squares()
		} else {
			ch.from = j.flow.mapsEnd
			ch.mean += trail * c.shuffle
			ch.variance += rounds * shuffle.squares()
		}
		chains = append(chains, ch)
	}
	return last(chains)
}

// lastMap is the mean end of the last map: slots are busy until none is left to start.
func (j *productJob) lastMap(p *product) float64 {
	n := float64(j.flow.slots)
	stay := p.meanStay(j)[Map]
	before := (float64(j.Maps) - n) / n * j.flow.mapTime
	return last([]chain{{count: n, from: before, mean: j.flow.mapTime, variance: stay.squares()}})
}
