package queueing

import (
	"math"
	"slices"
)

// A timeline is what map threads and reduces do (§3.4). All reduces of the first wave do the same at the same time.
type timeline struct {
	maps     []mapPiece
	copies   []copyPiece
	mapsEnd  float64
	copied   float64   // when the last shuffle ends
	wakes    []float64 // when blocked reduces go on, the first time included
	end      float64
	mapSlots int
	mapTime  float64
}

// A mapPiece is a map. Threads are numbered by slot and then by node.
type mapPiece struct {
	thread     int
	start, end float64
}

// A copyPiece is a shuffle of the outputs of some threads.
type copyPiece struct {
	lane       int
	from       []int // threads of the maps
	start, end float64
}

// merged is how close events are that count as one: ties must not hang on rounding.
const merged = 1e-6

// draw is the timeline of so many waves of a job, with its mean residences.
func (d *detail) draw(j *detailJob, waves int) timeline {
	t := timeline{mapSlots: j.slots, mapTime: j.stay[Map]}
	t.drawMaps(j, waves, d.reading)
	if j.Reduces == 0 {
		t.end = t.mapsEnd
		return t
	}
	t.drawCopies(d.spec.ShuffleThreads, j.stay[Shuffle], d.reading.grouped)
	t.end = t.copied + j.stay[Merge] + float64(d.laterWaves(j))*(d.rounds(j)*j.stay[Shuffle]+j.stay[Merge])
	return t
}

// laterWaves is how many waves of reduces follow the first one on the node that has most.
func (d *detail) laterWaves(j *detailJob) int {
	most := 0
	for n, g := range d.nodes {
		if j.abreast[n] > 0 {
			most = max(most, (g.dealt(j.Reduces, d.spec.Nodes)+j.abreast[n]-1)/j.abreast[n]-1)
		}
	}
	return most
}

// rounds is how many shuffles one after the other it takes to copy all map outputs.
func (d *detail) rounds(j *detailJob) float64 {
	return float64((j.Maps + d.spec.ShuffleThreads - 1) / d.spec.ShuffleThreads)
}

// drawMaps deals maps to slots as these come free, which they do in turn. Of k exponential ones that are always there
// one ends each k-th of their mean: pipelined threads stay that far apart. With firstEarly the first does so, and the
// others are abreast.
func (t *timeline) drawMaps(j *detailJob, waves int, r reading) {
	last := j.Maps - (j.waves-1)*j.slots
	left := (waves-1)*j.slots + last
	for w := range waves {
		for thread := range j.slots {
			if left == 0 {
				return
			}
			left--
			p := mapPiece{thread, float64(w) * t.mapTime, float64(w+1) * t.mapTime}
			if r.pipelined || r.firstEarly && thread == 0 {
				ahead := t.mapTime * (1 - float64(thread+1)/float64(j.slots))
				p.start, p.end = math.Max(0, p.start-ahead), p.end-ahead
			}
			t.maps = append(t.maps, p)
			t.mapsEnd = math.Max(t.mapsEnd, p.end)
		}
	}
}

// drawCopies lets a reduce take what there is, up to p_s outputs at once, and wait when there is nothing.
func (t *timeline) drawCopies(threads int, shuffle float64, grouped bool) {
	ends := slices.Clone(t.maps)
	slices.SortStableFunc(ends, func(a, b mapPiece) int {
		switch {
		case a.end < b.end-merged:
			return -1
		case a.end > b.end+merged:
			return 1
		}
		return 0
	})
	now := 0.0
	for len(ends) > 0 {
		if ends[0].end > now+merged || now == 0 {
			now = math.Max(now, ends[0].end)
			t.wakes = append(t.wakes, now)
		}
		var from []int
		for len(ends) > 0 && len(from) < threads && (len(from) == 0 || ends[0].end <= now+merged) {
			from = append(from, ends[0].thread)
			ends = ends[1:]
		}
		if grouped {
			t.copies = append(t.copies, copyPiece{0, from, now, now + shuffle})
		} else {
			for lane := range from {
				t.copies = append(t.copies, copyPiece{lane, from[lane : lane+1], now, now + shuffle})
			}
		}
		now += shuffle
	}
	t.copied = now
}

// phaseCount is how many phases there are: one before the first wake-up, and one from each.
func (t *timeline) phaseCount() int { return len(t.wakes) + 1 }
