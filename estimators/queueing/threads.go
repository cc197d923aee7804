package queueing

import "slices"

// Up to these numbers, phases and slots are listed one by one. Above them equal ones are merged.
const (
	drawnPhases = 60
	drawnSlots  = 24
)

// phases returns the phases of a job: one until the first maps end, and a new one at each wake-up of a blocked
// reduce.
func (p *product) phases(j *productJob) []Phase {
	f, blocked := j.flow, false
	for g := range p.groups {
		blocked = blocked || j.abreast[g] > 0 && j.copies[g].blocked
	}
	if j.Reduces == 0 {
		return []Phase{{0, j.span, 1}}
	}
	all := []Phase{{0, f.mapTime, 1}}
	if blocked && f.waves > 1 {
		if f.waves <= drawnPhases {
			for w := 1; w < f.waves; w++ {
				all = append(all, Phase{float64(w) * f.mapTime, float64(w+1) * f.mapTime, 1})
			}
		} else {
			all = append(all, Phase{f.mapTime, f.mapsEnd, f.waves - 1})
		}
		return append(all, Phase{f.mapsEnd, j.span, 1})
	}
	return append(all, Phase{f.mapTime, j.span, 1})
}

// threads returns the work of the slots, from the flow.
func (p *product) threads(j *productJob) []Thread {
	all := p.mapThreads(j)
	for g, gr := range p.groups {
		if j.abreast[g] == 0 {
			continue
		}
		pieces := p.reducePieces(j, g)
		var some []Thread
		for slot := range j.abreast[g] {
			some = append(some, alike(Thread{
				Kind: Merge, Node: gr.first, Slot: slot, Count: gr.nodes,
				Pieces: pieces,
			})...)
		}
		all = append(all, gather(some)...)
	}
	return all
}

// mapThreads assigns the last wave's maps like those of all waves: to a slot of each node in turn.
func (p *product) mapThreads(j *productJob) []Thread {
	f, dealt := j.flow, 0
	long := Piece{Kind: Map, Tasks: f.waves, End: f.mapsEnd}
	short := Piece{Kind: Map, Tasks: f.waves - 1, End: f.mapsEnd - f.mapTime}
	var all []Thread
	for slot := range p.spec.MapSlots {
		for g, gr := range p.groups {
			if slot >= j.slots[g] {
				continue
			}
			with := min(max(f.last-dealt, 0), gr.nodes)
			dealt += gr.nodes
			all = append(all, alike(Thread{
				Kind: Map, Node: gr.first, Slot: slot, Count: with,
				Pieces: []Piece{long},
			})...)
			all = append(all, alike(Thread{
				Kind: Map, Node: gr.first + with, Slot: slot, Count: gr.nodes - with,
				Pieces: []Piece{short},
			})...)
		}
		if dealt == 0 {
			break
		}
	}
	return gather(all)
}

// reducePieces returns the work of a reduce of a group and of the later reduces on its slot.
func (p *product) reducePieces(j *productJob, g int) []Piece {
	f, c, threads := j.flow, j.copies[g], p.spec.ShuffleThreads
	merge := j.stay[g][merging].sum()
	took := func(n int, each float64) float64 { return float64((n+threads-1)/threads) * each }
	var all []Piece
	switch {
	case !c.blocked:
		all = append(all, Piece{Shuffle, j.Maps, f.mapTime, c.end, false})
	case f.waves <= drawnPhases:
		for w := 1; w < f.waves; w++ {
			start := float64(w) * f.mapTime
			end := min(start+took(f.slots, c.beside), start+f.mapTime)
			all = append(all, Piece{Shuffle, f.slots, start, end, false})
		}
	default:
		end := f.mapsEnd - f.mapTime + min(took(f.slots, c.beside), f.mapTime)
		all = append(all, Piece{Shuffle, (f.waves - 1) * f.slots, f.mapTime, end, true})
	}
	if c.blocked {
		all = append(all, Piece{Shuffle, f.last, f.mapsEnd, c.end, false})
	}
	all = append(all, Piece{Merge, 1, c.end, c.end + merge, false})
	if n := p.laterWaves(j, g); n > 0 {
		start := c.end + merge
		copied := took(j.Maps, c.alone)
		all = append(all, Piece{Shuffle, j.Maps, start, start + copied, false},
			Piece{Merge, 1, start + copied, start + copied + merge, false})
		if n > 1 {
			all = append(all, Piece{Merge, n - 1, start + copied + merge, p.reduceEnd(j, g), false})
		}
	}
	return all
}

// alike splits a thread that represents several nodes into one thread per node if there are few.
func alike(t Thread) []Thread {
	switch {
	case t.Count <= 0 || t.Pieces[0].Tasks == 0:
		return nil
	case t.Count > drawnSlots:
		return []Thread{t}
	}
	all := make([]Thread, t.Count)
	for i := range all {
		all[i] = t
		all[i].Node, all[i].Count = t.Node+i, 1
	}
	return all
}

// gather merges equal threads if there are many.
func gather(all []Thread) []Thread {
	if len(all) <= 2*drawnSlots {
		return all
	}
	var few []Thread
	for _, t := range all {
		same := func(o Thread) bool { return o.Kind == t.Kind && o.Pieces[0] == t.Pieces[0] }
		if i := slices.IndexFunc(few, same); i >= 0 {
			few[i].Count += t.Count
		} else {
			few = append(few, t)
		}
	}
	return few
}
