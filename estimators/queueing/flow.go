package queueing

import "math"

// A flow is the timeline of a job (§3.4) of which every map takes as long: waves of maps, whose outputs its reduces
// take. Those that keep up are blocked until the next wave ends.
type flow struct {
	slots   int // maps of a full wave
	waves   int
	last    int     // maps of the last wave
	mapTime float64 // of a wave
	mapsEnd float64
}

func newFlow(j *Job, slots int, mapTime float64) flow {
	slots = min(slots, j.Maps)
	waves := (j.Maps + slots - 1) / slots
	return flow{
		slots: slots, waves: waves, last: j.Maps - (waves-1)*slots,
		mapTime: mapTime, mapsEnd: float64(waves) * mapTime,
	}
}

// mapsBeside is how many other maps of the job a map has beside itself in the cluster, in the mean over maps.
func (f flow) mapsBeside() float64 {
	full, last := float64(f.waves-1)*float64(f.slots), float64(f.last)
	return (full*float64(f.slots)+last*last)/(full+last) - 1
}

// A copying is how a reduce of the first wave gets through a flow. Its shuffles beside maps take one time each, those
// after the last map another.
type copying struct {
	beside, alone float64 // seconds of a shuffle
	blocked       bool    // until each wave ends: it keeps up
	abreast       float64 // shuffles of the reduce at once beside maps, in the mean over shuffles
	during, after float64 // shuffles until the last map ends, and then
	end           float64 // of the last shuffle
	batches       float64 // of shuffles one after the other that are left when the last map ends
}

func (f flow) copying(j *Job, threads int, beside, alone float64) copying {
	c := copying{beside: beside, alone: alone}
	at := float64(min(threads, f.slots))
	slots, maps, last := float64(f.slots), float64(j.Maps), float64(f.last)
	if c.blocked = slots*beside <= at*f.mapTime; c.blocked {
		// Maps of a wave do not end at once, whatever is drawn: each finds what a mean of them has left to copy.
		c.abreast = 1
		if f.mapTime > 0 {
			c.abreast = math.Min(at, 1+(slots-1)*beside/f.mapTime)
		}
		c.during, c.after = maps-last, last
	} else {
		// It copies without a pause from the end of the first wave.
		c.abreast = at
		c.during = math.Min(at/beside*(f.mapsEnd-f.mapTime), maps-last)
		c.after = maps - c.during
	}
	c.batches = math.Ceil(c.after/float64(threads) - 1e-9)
	c.end = f.mapsEnd + c.batches*alone
	return c
}
