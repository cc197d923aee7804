package queueing

import "math"

// A flow is the timeline of a job (§3.4) of which every map takes as long: waves of maps, whose outputs its reduces take in
// batches of p_s. Reduces that keep up are blocked until the next wave ends.
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

// A copying is how a reduce of the first wave, whose shuffles each take as long, gets through a flow.
type copying struct {
	shuffle float64 // seconds each
	blocked bool    // until each wave ends: it keeps up
	batch   float64 // shuffles at once, in the mean over shuffles
	during  float64 // shuffles until the last map ends
	after   float64
	end     float64 // of the last shuffle
	tail    float64 // seconds from the last map's end to that
}

// keepsUp is how much later than the next wave a batch may end and still count as in time: less than any event takes.
const keepsUp = 1e-6

func (f flow) copying(j *Job, threads int, shuffle float64) copying {
	c := copying{shuffle: shuffle}
	at := min(threads, f.slots)
	batches := (f.slots + at - 1) / at
	full, rest := float64(f.slots/at), float64(f.slots%at)
	maps, last := float64(j.Maps), float64(f.last)
	if c.blocked = float64(batches)*shuffle <= f.mapTime+keepsUp; c.blocked {
		c.batch = (full*float64(at)*float64(at) + rest*rest) / float64(f.slots)
		c.during = maps - last
		c.after = last
	} else {
		// It copies without a pause from the end of the first wave, as fast as outputs come or threads can.
		c.batch = math.Min(float64(at), float64(f.slots)*shuffle/f.mapTime)
		if f.mapTime == 0 {
			c.batch = float64(at)
		}
		c.during = math.Min(c.batch/shuffle*(f.mapsEnd-f.mapTime), maps-last)
		c.after = maps - c.during
	}
	c.tail = math.Ceil(c.after/float64(threads)-1e-9) * shuffle
	c.end = f.mapsEnd + c.tail
	return c
}
