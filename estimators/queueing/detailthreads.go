package queueing

// phases cuts the timeline where blocked reduces go on; where there are very many, the middle ones stand together.
func (t *timeline) phases() []Phase {
	cuts := append(append([]float64{0}, t.wakes...), t.end)
	var all []Phase
	for i, c := range cuts[1:] {
		all = append(all, Phase{cuts[i], c, 1})
	}
	if many := len(all) - listedPhases; many > 0 {
		at := listedPhases / 2
		all[at] = Phase{all[at].Start, all[at+many].End, many + 1}
		all = append(all[:at+1], all[at+many+1:]...)
	}
	return all
}

// listedPhases are told one by one.
const listedPhases = 240

// threads is what slots and reduces do.
func (d *detail) threads(j *detailJob) []Thread {
	t := &j.line
	var all []Thread
	for slot := range (j.slots + d.spec.Nodes - 1) / d.spec.Nodes {
		for n := range min(d.spec.Nodes, j.slots-slot*d.spec.Nodes) {
			all = append(all, Thread{Kind: Map, Node: n, Slot: slot, Count: 1})
		}
	}
	for _, p := range t.maps {
		thread := &all[p.thread]
		if k := len(thread.Pieces) - 1; k >= 0 {
			thread.Pieces[k].Tasks++
			thread.Pieces[k].End = p.end
			continue
		}
		thread.Pieces = []Piece{{Map, 1, p.start, p.end, false}}
	}
	all = gather(all)
	var some []Thread
	for n, g := range d.nodes {
		for slot := range j.abreast[n] {
			some = append(some, alike(Thread{
				Kind: Merge, Node: g.first, Slot: slot, Count: g.nodes,
				Pieces: t.reducePieces(j),
			})...)
		}
	}
	return append(all, gather(some)...)
}

// reducePieces puts shuffles that follow one another without a pause together.
func (t *timeline) reducePieces(j *detailJob) []Piece {
	var all []Piece
	for _, c := range t.copies {
		if k := len(all) - 1; k >= 0 && c.start <= all[k].End+merged {
			all[k].Tasks++
			all[k].End = c.end
			continue
		}
		all = append(all, Piece{Shuffle, 1, c.start, c.end, false})
	}
	if many := len(all) - listedPhases; many > 0 {
		at := listedPhases / 2
		for _, p := range all[at+1 : at+many+1] {
			all[at].Tasks += p.Tasks
			all[at].End = p.End
		}
		all[at].Waits = true
		all = append(all[:at+1], all[at+many+1:]...)
	}
	return append(all, Piece{Merge, 1, t.copied, t.copied + j.stay[Merge], false})
}
