package queueing

import "math"

// A flow is the timeline of a job (§3.4) if all maps take equally long: waves of maps, and reduces that copy their
// outputs. Reduces that keep up are blocked until the next wave ends.
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

// mapsBeside returns the mean number of other maps of the job that run beside a map in the cluster.
func (f flow) mapsBeside() float64 {
	full, last := float64(f.waves-1)*float64(f.slots), float64(f.last)
	return (full*float64(f.slots)+last*last)/(full+last) - 1
}

// A copying describes how a reduce of the first wave copies a flow's map outputs. Its shuffles take one time while
// maps run and another after the last map.
type copying struct {
	beside, alone float64 // seconds of a shuffle beside maps, and after them
	blocked       bool    // the reduce keeps up, and is blocked until each wave ends
	abreast       float64 // mean number of parallel shuffles of the reduce beside maps
	during, after float64 // number of shuffles until the last map ends, and after that
	end           float64 // of the last shuffle
	batches       float64 // rounds of shuffles that are left when the last map ends
}

func (f flow) copying(j *Job, threads int, beside, alone float64) copying {
	c := copying{beside: beside, alone: alone}
	at := float64(min(threads, f.slots))
	slots, maps, last := float64(f.slots), float64(j.Maps), float64(f.last)
	if c.blocked = slots*beside <= at*f.mapTime; c.blocked {
		// Maps of a wave do not really end at once. Each map's shuffle meets the average remaining shuffles of the
		// others.
		c.abreast = 1
		if f.mapTime > 0 {
			c.abreast = math.Min(at, 1+(slots-1)*beside/f.mapTime)
		}
		c.during, c.after = maps-last, last
	} else {
		// The reduce copies without a pause from the end of the first wave.
		c.abreast = at
		c.during = math.Min(at/beside*(f.mapsEnd-f.mapTime), maps-last)
		c.after = maps - c.during
	}
	c.batches = math.Ceil(c.after/float64(threads) - 1e-9)
	c.end = f.mapsEnd + c.batches*alone
	return c
}

// drawnPhases is the number up to which phases are listed one by one. Above it equal ones are merged.
const drawnPhases = 60

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

// place creates the tasks of a job's timeline on a node.
func (d *detail) place(j *detailJob, n int) []task {
	var all []task
	g := d.nodes[n]
	// A reduce uses the last CPU and disk, and its parallel shuffles those before.
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

// shuffleDemand returns the demand of a reduce's shuffle of some outputs. Outputs of the reduce's own node do not
// cross the network.
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
