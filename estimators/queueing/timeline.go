package queueing

import (
	"cmp"
	"math"
	"slices"
)

// A timeline is the work of the map threads and the reduces (§3.4). All reduces of the first wave have the same
// times.
type timeline struct {
	maps     []mapPiece
	copies   []copyPiece
	mapsEnd  float64
	copied   float64   // end of the last shuffle
	wakes    []float64 // wake-ups of blocked reduces, including the first one
	end      float64
	mapSlots int
	mapTime  float64
}

// A mapPiece is one map. Threads are numbered by slot, then by node.
type mapPiece struct {
	thread     int
	start, end float64
}

// A copyPiece is a shuffle of the outputs of one or more threads.
type copyPiece struct {
	lane       int
	from       []int // threads of the maps
	start, end float64
}

// merged is the distance below which events count as simultaneous, so that ties do not depend on rounding.
const merged = 1e-6

// draw returns the timeline of the first waves of a job, from its mean residences.
func (d *detail) draw(j *detailJob, waves int) timeline {
	t := timeline{mapSlots: j.slots, mapTime: j.stay[Map]}
	t.drawMaps(j, waves, d.reading)
	if j.Reduces == 0 {
		t.end = t.mapsEnd
		return t
	}
	t.drawCopies(d.spec.ShuffleThreads, j.stay[Shuffle], d.reading.grouped)
	t.end = t.copied + j.stay[Merge] + float64(d.laterWaves(j))*(d.spec.rounds(j.Maps)*j.stay[Shuffle]+j.stay[Merge])
	return t
}

// laterWaves returns the number of waves of reduces after the first, on the node with the most.
func (d *detail) laterWaves(j *detailJob) int {
	most := 0
	for n, g := range d.nodes {
		if j.abreast[n] > 0 {
			most = max(most, (g.dealt(j.Reduces, d.spec.Nodes)+j.abreast[n]-1)/j.abreast[n]-1)
		}
	}
	return most
}

// rounds returns the number of consecutive shuffles of a reduce that copy all outputs of some maps.
func (s *Spec) rounds(maps int) float64 { return math.Ceil(float64(maps) / float64(s.ShuffleThreads)) }

// drawMaps assigns maps to slots in turn. With k exponential maps always running, one ends every k-th part of their
// mean, so pipelined threads keep that distance. With firstEarly only the first thread is ahead, and the others are
// level.
func (t *timeline) drawMaps(j *detailJob, waves int, r reading) {
	for i := range j.Maps - (j.waves-waves)*j.slots {
		wave, thread := i/j.slots, i%j.slots
		p := mapPiece{thread, float64(wave) * t.mapTime, float64(wave+1) * t.mapTime}
		if r.pipelined || r.firstEarly && thread == 0 {
			ahead := t.mapTime * (1 - float64(thread+1)/float64(j.slots))
			p.start, p.end = math.Max(0, p.start-ahead), p.end-ahead
		}
		t.maps = append(t.maps, p)
		t.mapsEnd = math.Max(t.mapsEnd, p.end)
	}
}

// waves returns the number of drawn waves of maps, and the number of maps in the last one.
func (t *timeline) waves() (n, last int) {
	n = (len(t.maps) + t.mapSlots - 1) / t.mapSlots
	return n, len(t.maps) - (n-1)*t.mapSlots
}

// An interval lies between two wake-ups of blocked reduces, the start or the end. Its copies start in it.
type interval struct {
	from, to float64
	copies   []copyPiece
}

// intervals cuts the timeline at the wake-ups.
func (t *timeline) intervals() (all []interval) {
	from, copies := 0.0, t.copies
	for _, to := range append(slices.Clip(t.wakes), t.end) {
		n := slices.IndexFunc(copies, func(c copyPiece) bool { return c.start >= to-merged })
		if n < 0 {
			n = len(copies)
		}
		all = append(all, interval{from, to, copies[:n]})
		from, copies = to, copies[n:]
	}
	return all
}

// turns returns the lengths of the copies that follow each other: of those that start together, the first one.
func turns(copies []copyPiece) (lengths []float64) {
	before := math.Inf(-1)
	for _, c := range copies {
		if c.start > before {
			lengths, before = append(lengths, c.end-c.start), c.start
		}
	}
	return lengths
}

// drawCopies lets a reduce copy available outputs, up to p_s at once, and wait if there are none.
func (t *timeline) drawCopies(threads int, shuffle float64, grouped bool) {
	ends := slices.Clone(t.maps)
	slices.SortStableFunc(ends, func(a, b mapPiece) int {
		if math.Abs(a.end-b.end) <= merged {
			return 0
		}
		return cmp.Compare(a.end, b.end)
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

// contend returns the residence of each task of a job among the tasks that it overlaps, by node (equations 5 and 6).
func (d *detail) contend(j *detailJob, ji int, others [][]nodeLoad) [][]vector {
	fresh := make([][]vector, len(d.nodes))
	for n := range d.nodes {
		seen := make([]vector, len(j.tasks[n]))
		d.meet(j.tasks[n], j.tasks[n], seen, 1, false)
		for m, g := range d.nodes {
			like := g.nodes
			if m == n {
				like--
			}
			if like > 0 {
				d.meet(j.tasks[n], j.tasks[m], seen, float64(like), true)
			}
		}
		fresh[n] = make([]vector, len(seen))
		known := map[[2]int]vector{} // by CPU and disk: a node has many tasks but few such pairs
		for i := range seen {
			t := &j.tasks[n][i]
			spot := [2]int{t.cpu, t.disk}
			apart, ok := known[spot]
			if !ok {
				apart = d.seen(others, ji, n, t.cpu, t.disk)
				known[spot] = apart
			}
			for k := range t.demand {
				fresh[n][i][k] = t.demand[k] * (1 + math.Max(0, seen[i][k]) + apart[k])
			}
		}
	}
	return fresh
}

// meet adds the load that each task of one list meets from the tasks of another list. If apart is true, the lists are
// of different nodes and meet only in the network. Both lists are sorted by start.
func (d *detail) meet(tasks, others []task, seen []vector, like float64, apart bool) {
	open := 0 // all others before this index have ended
	for i := range tasks {
		t := &tasks[i]
		if apart && t.demand[Network] == 0 || t.end <= t.start+merged {
			continue
		}
		for open < len(others) && others[open].end <= t.start+merged {
			open++
		}
		var own vector
		for k := range own {
			own[k] = t.stay.share(CentreKind(k))
		}
		for o := open; o < len(others) && others[o].start < t.end-merged; o++ {
			u := &others[o]
			if u.end <= t.start+merged || !apart && o == i {
				continue
			}
			if apart && u.demand[Network] == 0 {
				continue
			}
			seen[i].add(t.finds(u, own, like*d.alpha(t, u), apart))
		}
	}
}

// alpha returns the share of t that u overlaps (§3.5). With exponential times, the remaining times from when both run
// are exponential with the drawn remainder as mean: E[min] divided by t's length.
func (d *detail) alpha(t, u *task) float64 {
	from := math.Max(t.start, u.start)
	rest, other := t.end-from, u.end-from
	if d.reading.exponential {
		return rest * other / (rest + other) / (t.end - t.start)
	}
	return math.Min(rest, other) / (t.end - t.start)
}

// finds returns the load that t meets from u at its centres by equation 5: u without the delay that t causes.
func (t *task) finds(u *task, own vector, alpha float64, apart bool) (seen vector) {
	left := u.stay
	rest := u.stay.sum()
	for k := range left {
		if CentreKind(k) != Network && apart || CentreKind(k) == CPU && t.cpu != u.cpu || CentreKind(k) == Disk &&
			t.disk != u.disk {
			left[k] = 0 // the two tasks do not meet there
			continue
		}
		kept := u.demand[k] * own[k]
		left[k] -= kept
		rest -= kept
	}
	if rest <= 0 {
		return vector{}
	}
	for k := range left {
		seen[k] = alpha * left[k] / rest
	}
	return seen
}

func (v *vector) add(w vector) {
	for k := range v {
		v[k] += w[k]
	}
}
