package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A stat sums what the attempts of a phase show.
type stat struct {
	// Samples of the rate: work time between two reports of an attempt, or a report and its end.
	sampleMS, sampleUnits float64
	nodeUnits             map[int32]float64
	paces                 []pace
	paced                 map[int32]int // how many of them, by node
	// Finished attempts: whole extents, and work beyond the law's set-up.
	finished       int
	workMS, units  float64
	in, out, bytes float64
	reduces        sizeFit // finished reduces
	known          []known // sizes, by task
	silent         int     // running attempts whose counters say nothing of what is left
}

// A known size is the units of a task that reports told.
type known struct {
	task  int
	units float64
}

// minSampleMS is how much work must have been watched before a rate is believed: two samples of a counter that
// moves once a second, seen once a second, can be half or double the rate (docs/facts/measured.md 4).
const minSampleMS = 4000

// unit returns how many units an attempt has in all, NaN where its counters do not tell.
func (m *Model) unit(k dag.StageIndex, a *dag.Attempt) float64 {
	if k == dag.Map {
		if a.State == dag.AttemptSucceeded && a.Done[0] > 0 {
			return a.Done[0] * m.counts(a)
		}
		return positive(a.Total[0] * m.counts(a))
	}
	if m.fifo {
		return tuples(a)
	}
	if a.CopyEnd.Known() || a.State == dag.AttemptSucceeded {
		return positive(a.Bytes)
	}
	// Bytes grow with the map outputs copied.
	if c, n := a.Done[dag.Copy], a.Total[dag.Copy]; c > 0 && n >= c && a.Bytes > 0 {
		return a.Bytes * n / c
	}
	return math.NaN()
}

func positive(v float64) float64 {
	if v > 0 && !math.IsInf(v, 0) {
		return v
	}
	return math.NaN()
}

// observe sums the attempts of a phase.
func (m *Model) observe(k dag.StageIndex, p *dag.StageState) stat {
	st := stat{nodeUnits: map[int32]float64{}}
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if a.State == dag.AttemptWaiting {
			continue
		}
		if u := m.unit(k, a); u > 0 {
			st.known = append(st.known, known{int(a.Task), u})
		}
		switch {
		case k == dag.Map:
			m.observeMap(&st, a)
		case m.fifo:
			m.observeWhole(&st, a)
		default:
			m.observeReduce(&st, a)
		}
	}
	return st
}

func (st *stat) sample(node int32, ms, units float64) {
	if ms > 0 && units > 0 {
		st.sampleMS += ms
		st.sampleUnits += units
		st.nodeUnits[node] += units
		st.pace(node, ms, units)
	}
}

// pace notes how fast an attempt was, for its node's sake.
func (st *stat) pace(node int32, ms, units float64) {
	if node < 0 || !(ms >= paceMS && units > 0) || st.paced[node] >= mostPaces {
		return
	}
	if st.paced == nil {
		st.paced = map[int32]int{}
	}
	st.paced[node]++
	st.paces = append(st.paces, pace{node, ms, units})
}

func (m *Model) observeMap(st *stat, a *dag.Attempt) {
	if a.First.At.Known() {
		switch {
		case a.State == dag.AttemptSucceeded && a.End.Known() && a.End > a.First.At:
			// The end is exact; the first report is older than its sight.
			st.sample(a.Node, float64(a.End-a.First.At)+m.lag, (a.Done[0]-a.First.Done)*m.counts(a))
		case a.Last.At > a.First.At: // one that failed or was killed showed its rate as well
			st.sample(a.Node, float64(a.Last.At-a.First.At), (a.Last.Done-a.First.Done)*m.counts(a))
		}
	}
	if a.State == dag.AttemptSucceeded && a.End.Known() && a.Start.Known() {
		st.finished++
		st.in += zero(a.Done[0])
		st.out += zero(a.Out)
		st.units += zero(m.unit(dag.Map, a))
		st.workMS += max(0, float64(a.End-a.Start)-m.setup.of(a))
	}
}

func (m *Model) observeReduce(st *stat, a *dag.Attempt) {
	if a.State == dag.AttemptSucceeded && a.End.Known() && a.CopyEnd.Known() {
		st.finished++
		st.workMS += max(0, float64(a.End-a.CopyEnd))
		st.sample(a.Node, float64(a.End-a.CopyEnd), positive(a.Bytes))
		st.units += zero(a.Bytes)
		st.reduces.add(zero(a.Bytes), max(0, float64(a.End-a.CopyEnd)))
		st.bytes += zero(a.Bytes)
		st.in += zero(a.Done[dag.Work])
		st.out += zero(a.Out)
		return
	}
	if a.State == dag.AttemptRunning && a.SortEnd.Known() && silent(a, m.now) {
		st.silent++
	}
}

// silent says that a reduce has been working for a while and its counters do not move: all input is read, nothing is
// written (a Streaming job, or one huge bag). Nothing tells how much is left.
func silent(a *dag.Attempt, now dag.Instant) bool {
	if !a.SortEnd.Known() {
		return false
	}
	moved := a.Last.At.Known() && a.First.At.Known() && (a.Last.Out > a.First.Out || a.Last.Done > a.First.Done)
	age := float64(now - a.SortEnd)
	return !moved && (age >= minSampleMS || a.Ratio >= 0.95 && !(a.Last.Out > 0) && age >= minSampleMS/4)
}

func zero(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0
	}
	return v
}

// fewSamples is how many times as much finished tasks must have worked as samples cover for the samples alone to be no
// measure of the phase.
const fewSamples = 2

// alpha is milliseconds a unit: by samples where enough work was watched, else by the extents of finished tasks; by
// both where the samples cover little of what has been done.
func (st *stat) alpha() (ms float64, weight float64) {
	if st.sampleMS >= minSampleMS && st.sampleUnits > 0 {
		if st.units > fewSamples*st.sampleUnits && st.workMS > 0 {
			return (st.sampleMS + st.workMS) / (st.sampleUnits + st.units), st.sampleMS + st.workMS
		}
		return st.sampleMS / st.sampleUnits, st.sampleMS
	}
	if st.finished > 0 && st.units > 0 {
		return st.workMS / st.units, st.workMS
	}
	return math.NaN(), 0
}

// dwarfMS is the work below which a task's own overhead (to open, to commit) may be most of it.
const dwarfMS = 2000

// dwarfed says that the tasks that have finished did little, and are far smaller than the others: a unit's cost cannot
// be told from them. A reduce that is given 20 bytes takes a second as well.
func (st *stat) dwarfed() bool {
	if n := float64(st.finished); n == 0 || st.workMS >= dwarfMS*n {
		return false
	}
	sum := 0.0
	for _, s := range st.known {
		sum += s.units
	}
	return sum/float64(len(st.known)) > drownedGrowth*st.units/float64(st.finished)
}

// silentMaps says that maps have finished and none of them ever reported work on the way (a Streaming job reads its
// whole split at once).
func (st *stat) silentMaps() bool { return st.finished > 0 && st.sampleMS == 0 }

// On the paper's cluster a reduce starts when all map outputs exist, so its copy is work like the rest
// (docs/facts/paratimer.md P6): the task is measured as a whole, a unit being a tuple of its last pipeline.

// tuples is how many tuples a reduce has in all, NaN where its reports do not tell.
func tuples(a *dag.Attempt) float64 {
	if a.State == dag.AttemptSucceeded && a.Done[dag.Work] > 0 {
		return a.Done[dag.Work]
	}
	if t := positive(a.Total[dag.Work]); !math.IsNaN(t) {
		return t
	}
	return positive(a.Total[dag.Copy])
}

func (m *Model) observeWhole(st *stat, a *dag.Attempt) {
	if a.State != dag.AttemptSucceeded || !a.End.Known() || !a.Start.Known() {
		return
	}
	work := max(0, float64(a.End-a.Start)-m.setup.of(a))
	st.finished++
	st.workMS += work
	st.units += zero(tuples(a))
	st.sample(a.Node, work, tuples(a))
	st.in += zero(a.Done[dag.Work])
	st.out += zero(a.Out)
}

// A sizeFit tells how much of the work of reduces goes by their bytes. The rest is alike for all: to open and to
// commit, or a few groups whose cost has nothing to do with their size. Reduces of 180 and of 90,000 bytes that both
// take four seconds do not tell what a byte costs.
type sizeFit struct{ n, units, ms, squares, products float64 }

func (f *sizeFit) add(units, ms float64) {
	f.n, f.units, f.ms = f.n+1, f.units+units, f.ms+ms
	f.squares, f.products = f.squares+units*units, f.products+units*ms
}

// sizeDoubt is how much it weighs that work goes by size, before tasks have told: as much as tasks whose relative sizes
// have this sum of squared deviations. It is the noise of relative lengths, 0.2 squared, over how far shares lie from
// 1, 0.5 squared.
const sizeDoubt = 0.2 * 0.2 / (0.5 * 0.5)

// share is how much of the work of a task of the mean size goes by size, 0 to 1: the slope of relative lengths over
// relative sizes, by ridge regression towards 1 (Hoerl and Kennard 1970).
func (f *sizeFit) share() float64 {
	size, length := f.units/f.n, f.ms/f.n
	spread, together := f.squares/(size*size)-f.n, f.products/(size*length)-f.n
	if share := (together + sizeDoubt) / (max(0, spread) + sizeDoubt); !math.IsNaN(share) {
		return min(max(share, 0), 1)
	}
	return 1 // nothing was seen, or nothing was done
}

// effort is how many units of a task of the mean size take as long as a task of so many.
func (f *sizeFit) effort(units float64) float64 {
	share := f.share()
	if share == 1 {
		return units
	}
	return share*units + (1-share)*f.units/f.n
}
