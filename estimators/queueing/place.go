package queueing

// place puts the tasks of a job's timeline on a node.
func (d *detail) place(j *detailJob, n int) []task {
	var all []task
	g := d.nodes[n]
	// A reduce is on the last CPU and disk, and what it does besides on those before.
	last := func(servers, lane int) int { return ((servers-1-lane)%servers + servers) % servers }
	cpus, disks := d.spec.servers()[CPU], d.spec.servers()[Disk]
	for _, p := range j.line.maps {
		slot, node := p.thread/d.spec.Nodes, p.thread%d.spec.Nodes
		if node == g.first {
			t := task{
				kind: Map, cpu: slot % cpus, disk: slot % disks, start: p.start, end: p.end,
				demand: j.Map.vector(),
			}
			all = append(all, t)
		}
	}
	for range j.abreast[n] {
		for _, c := range j.line.copies {
			t := task{kind: Shuffle, start: c.start, end: c.end, demand: d.shuffleDemand(j, c, g)}
			t.cpu, t.disk = last(cpus, c.lane), last(disks, c.lane)
			all = append(all, t)
		}
		end := j.line.copied + j.stay[Merge]
		all = append(all, task{
			kind: Merge, cpu: last(cpus, 0), disk: last(disks, 0), start: j.line.copied, end: end,
			demand: j.Merge.vector(),
		})
	}
	for i := range all {
		all[i].id = i
		all[i].stay = all[i].demand
	}
	return all
}

// shuffleDemand is what a reduce on a node asks to take some outputs: its own node's do not cross the network.
func (d *detail) shuffleDemand(j *detailJob, c copyPiece, g group) vector {
	v := j.Shuffle.vector()
	if d.reading.grouped {
		for k := range v {
			v[k] *= float64(d.spec.ShuffleThreads)
		}
	}
	if d.spec.Nodes > exactNodes {
		v[Network] *= float64(d.spec.Nodes-1) / float64(d.spec.Nodes)
		return v
	}
	own := 0
	for _, thread := range c.from {
		if thread%d.spec.Nodes == g.first {
			own++
		}
	}
	v[Network] *= float64(len(c.from)-own) / float64(len(c.from))
	return v
}
