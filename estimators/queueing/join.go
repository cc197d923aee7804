package queueing

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

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

// listedPhases is the number up to which phases are listed one by one. Above it equal ones are merged.
const listedPhases = 240

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
		if f.waves <= listedPhases {
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

// A chain is the remaining work of a thread: a fixed minimum, followed by a random time.
type chain struct {
	count          float64 // number of equal chains
	from           float64 // seconds
	mean, variance float64 // of the time after from
}

// single returns the probability that one of the chains has ended by t. The random part is gamma distributed.
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

// reach returns a time by which the last of the chains has almost surely ended.
func (c chain) reach() float64 {
	return c.from + c.mean + (8+4*math.Log(1+c.count))*math.Sqrt(c.variance)
}

// begin returns a time before which almost surely none of the chains has ended.
func (c chain) begin() float64 {
	return c.from + math.Max(0, c.mean-12*math.Sqrt(c.variance))
}

// A rule is the points and weights to integrate a function from 0 to 1 (Gauss and Legendre). With ruleSize points the
// mean of a maximum is accurate to about 1e-5.
type rule struct{ at, weight []float64 }

const ruleSize = 64

func newRule() rule {
	r := rule{make([]float64, ruleSize), make([]float64, ruleSize)}
	quad.Legendre{}.FixedLocations(r.at, r.weight, 0, 1)
	return r
}

// last returns the mean end of the last of independent chains: ∫ 1 - Π F dt.
func (r rule) last(chains ...chain) float64 {
	lo, hi, least := 0.0, 0.0, 0.0
	for _, c := range chains {
		lo, hi = math.Max(lo, c.begin()), math.Max(hi, c.reach())
		least = math.Max(least, c.from+c.mean) // a lower bound for the mean of a maximum, against errors of the rule
	}
	sum := 0.0
	for i, at := range r.at {
		all := 1.0
		for _, c := range chains {
			all *= math.Pow(c.single(lo+at*(hi-lo)), c.count)
		}
		sum += r.weight[i] * (1 - all)
	}
	return math.Max(least, lo+sum*(hi-lo))
}

// join returns a job's response: the timeline, but with the mean end of the last task at the final fork/join.
func (p *product) join(j *productJob) float64 {
	maps := p.lastMap(j)
	if j.Reduces == 0 {
		return maps
	}
	var chains []chain
	for g, gr := range p.groups {
		if j.abreast[g] == 0 {
			continue
		}
		c, copied, merge := &j.copies[g], j.stay[g][copyingAlone].moments(), j.stay[g][merging].moments()
		// A freed slot takes the next reduce, so the last wave may be partial.
		waves := float64(gr.dealt(j.Reduces, p.spec.Nodes)) / float64(j.abreast[g])
		later := copied.times(p.spec.rounds(j.Maps)).plus(merge).times(waves - 1)
		ch := chain{count: float64(gr.nodes * j.abreast[g])}
		var left moments
		if c.blocked {
			// The reduce has kept up: one shuffle is left after the last map.
			ch.from, left = maps, copied
		} else {
			ch.from, left = j.flow.mapsEnd, copied.times(c.batches)
			left.variance += c.during / c.abreast * j.stay[g][copyingBeside].squares()
		}
		left = left.plus(p.drained(merge, j.last[g], float64(j.abreast[g]))).plus(later)
		ch.mean, ch.variance = left.mean, left.variance
		chains = append(chains, ch)
	}
	return math.Max(maps, p.rule.last(chains...))
}

// drained returns the moments of a node's last merges, scaled so that the last one ends as it does with draining
// slots.
func (p *product) drained(merge moments, lone, abreast float64) moments {
	if abreast == 1 || merge.mean == 0 {
		return merge
	}
	slowest := p.rule.last(chain{count: abreast, mean: merge.mean, variance: merge.variance})
	by := drain(slowest, merge.mean, math.Min(lone, merge.mean), abreast) / slowest
	return moments{by * merge.mean, by * by * merge.variance}
}

// drain returns the mean end of the last of n tasks that begin together. A task takes all seconds while every task is
// there, and lone seconds on its own.
//
// At full load throughout, the last task would take M times the mean. But with k tasks left, the extra time of a task
// beyond lone shrinks to (k-1)/(n-1) of that at first. The k-th end from the last takes about R(k)/k, and Σ R(k)/k
// gives lone·M + (R-lone)·(n-M)/(n-1), exact for exponential times.
func drain(slowest, all, lone, n float64) float64 {
	m := slowest / all
	return lone*m + (all-lone)*(n-m)/(n-1)
}

// lastMap returns the mean end of the last map. Slots are busy until no map is left to start; then they drain.
func (p *product) lastMap(j *productJob) float64 {
	n, all := float64(j.flow.slots), j.flow.mapTime
	before := (float64(j.Maps) - n) / n * all
	slowest := p.rule.last(chain{count: n, mean: all, variance: p.meanStay(j)[mapping].squares()})
	if n == 1 || all == 0 {
		return before + slowest
	}
	return before + drain(slowest, all, math.Min(j.lone, all), n)
}

// harmonic returns H_k, the mean of the largest of k exponential times divided by their mean (equation 2). A cluster
// may have millions of threads; beyond 100 the asymptotic series is used, which is exact to the last digit.
func harmonic(k int) float64 {
	if k <= 100 {
		h := 0.0
		for i := 1; i <= k; i++ {
			h += 1 / float64(i)
		}
		return h
	}
	const euler = 0.57721566490153286
	n := float64(k)
	return math.Log(n) + euler + 1/(2*n) - 1/(12*n*n) + 1/(120*n*n*n*n)
}

// joined returns the fork/join estimate of a pipelined timeline. In the pipeline no thread waits for another: the
// maps of a slot follow each other, and a reduce copies available outputs. Threads wait only at the two joins, the
// end of the last map and of the last merge. A fork/join of k takes H_k times one of them there (equation 2). One
// delay overlaps the other, so only the longer one counts.
func (d *detail) joined(j *detailJob, t timeline) float64 {
	maps := 0.0
	if n := float64(t.mapSlots); t.mapSlots > 1 && t.mapTime > 0 {
		lone := math.Min(j.Map.Total(), t.mapTime)
		maps = math.Max(0, drain(harmonic(t.mapSlots)*t.mapTime, t.mapTime, lone, n)-t.mapTime)
	}
	if j.Reduces == 0 {
		return t.end + maps
	}
	return t.end + math.Max(maps, (harmonic(d.reducesAbreast(j))-1)*j.stay[Merge])
}

// forkJoin returns the fork/join estimate of a timeline. Without pipelining it sums, over the phases, the longer of
// the maps and the reduces. A phase's maps are a binary fork/join: H_2 times the longest thread. A reduce's shuffles
// and merge run one after the other, so they have no such factor.
func (d *detail) forkJoin(j *detailJob, t timeline) float64 {
	if d.reading.pipelined {
		return d.joined(j, t)
	}
	h := harmonic(2)
	if t.mapSlots == 1 {
		h = 1
	}
	if j.Reduces == 0 {
		return h * t.mapsEnd
	}
	total := 0.0
	for i, p := range t.intervals() {
		reduce := 0.0
		for _, length := range turns(p.copies) {
			reduce += length
		}
		if i == len(t.wakes) {
			reduce += t.end - t.copied
		}
		total += math.Max(h*math.Max(0, math.Min(p.to, t.mapsEnd)-p.from), reduce)
	}
	return total
}

// moments is the mean and variance of a duration.
type moments struct{ mean, variance float64 }

func (m moments) plus(o moments) moments {
	return moments{m.mean + o.mean, m.variance + o.variance}
}

func (m moments) times(n float64) moments { return moments{n * m.mean, n * m.variance} }

// moments returns the mean and variance of a sum of exponential residences.
func (v vector) moments() moments { return moments{v.sum(), v.squares()} }
