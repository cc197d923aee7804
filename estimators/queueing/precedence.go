package queueing

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
)

// An Operator joins the parts of a precedence tree (§2.3, after D.-R. Liang and S. K. Tripathi, "On Performance
// Prediction of Parallel Computations with Precedent Constraints", IEEE TPDS 11, 2000).
type Operator int

// The operators. A leaf has no operator: it is tasks of one class.
const (
	Leaf        Operator = iota
	Serial               // S: one part after the other
	ParallelAnd          // P_A: all at once, done with the last
)

// String returns the operator's symbol.
func (o Operator) String() string { return [...]string{"task", "S", "P_A"}[o] }

// MarshalText returns the symbol.
func (o Operator) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// A Tree is a job's precedence tree: which tasks follow each other and which are parallel.
type Tree struct {
	Op Operator `json:"operator"`
	// Kind and Tasks describe a leaf: Tasks equal tasks, one after the other.
	Kind  *Kind `json:"class,omitempty"`
	Tasks int   `json:"tasks,omitempty"`
	// Count is the number of equal trees that this one represents: parallel in a ParallelAnd,
	// consecutive in a Serial.
	Count int `json:"count"`
	// Mean and Variance of its duration, in seconds and seconds². Parts are assumed independent. NaN if unknown.
	Mean      units.Float `json:"mean_seconds"`
	Variance  float64     `json:"-"`
	Deviation units.Float `json:"standard_deviation_seconds"` // the root of the variance
	Parts     []*Tree     `json:"parts,omitempty"`            // of an operator, at least one
}

// leaf returns tasks of a kind that follow each other.
func leaf(k Kind, tasks int, m moments) *Tree {
	t := &Tree{Kind: &k, Tasks: tasks, Count: 1}
	t.set(m)
	return t
}

// set sets the moments of a tree's duration.
func (t *Tree) set(m moments) {
	t.Mean, t.Variance, t.Deviation = units.Float(m.mean), m.variance, units.Float(math.Sqrt(m.variance))
}

// tree returns the precedence tree of a timeline (§4.2). Without pipelining, phases follow each other, and in each
// phase all threads are parallel. A map that spans phases has a part of its exponential time in each.
func (d *detail) tree(j *detailJob, t *timeline) *Tree {
	if d.reading.pipelined {
		return d.joinedTree(j, t)
	}
	var phases []*Tree
	for i, p := range t.intervals() {
		parts := d.mapParts(j, t, p.from, p.to)
		reduce := moments{}
		for _, length := range turns(p.copies) {
			reduce = reduce.plus(exponential(length))
		}
		if j.Reduces > 0 {
			var merge *Tree
			if i == len(t.wakes) {
				merge = leaf(Merge, 1, exponential(j.stay[Merge]))
			}
			if chain := serial(leaf(Shuffle, len(p.copies), reduce), merge); chain != nil {
				chain.Count = d.reducesAbreast(j)
				parts = append(parts, chain)
			}
		}
		if whole := and(parts...); whole != nil {
			phases = append(phases, whole)
		}
	}
	return serial(phases...)
}

// mapParts returns the work of the map threads from one instant to another. Equal threads are merged.
func (d *detail) mapParts(j *detailJob, t *timeline, from, to float64) []*Tree {
	var all []*Tree
	for _, thread := range t.kinds(j) {
		m, tasks := moments{}, 0
		for w := range thread.maps {
			start := math.Max(from, thread.start+float64(w)*t.mapTime-thread.ahead)
			if w == 0 {
				start = math.Max(from, 0)
			}
			end := math.Min(to, thread.start+float64(w+1)*t.mapTime-thread.ahead)
			if end > start+merged {
				m = m.plus(exponential(end - start))
				tasks++
			}
		}
		if tasks > 0 {
			one := leaf(Map, tasks, m)
			one.Count = thread.count
			all = append(all, one)
		}
	}
	return all
}

// joinedTree has an operator P_A at the two places where threads wait for each other: the end of the last map, and
// the end of the last merge. The second covers the work that each reduce has left after the last map.
func (d *detail) joinedTree(j *detailJob, t *timeline) *Tree {
	row := func(k Kind, tasks int, turns float64) *Tree {
		return leaf(k, tasks, exponential(j.stay[k]).times(turns))
	}
	waves, last := t.waves()
	long, short := row(Map, waves, float64(waves)), row(Map, waves-1, float64(waves-1))
	long.Count, short.Count = last, j.slots-last
	maps := and(long, short)
	if j.Reduces == 0 {
		return maps
	}
	left := slices.DeleteFunc(slices.Clone(t.copies), func(c copyPiece) bool { return c.start < t.mapsEnd-merged })
	later := serial(row(Shuffle, j.Maps, d.spec.rounds(j.Maps)), row(Merge, 1, 1))
	later.Count = d.laterWaves(j)
	reduce := serial(row(Shuffle, len(left), float64(len(turns(left)))), row(Merge, 1, 1), later)
	reduce.Count = d.reducesAbreast(j)
	return serial(maps, and(reduce))
}

// A threadKind is a group of map threads with the same timeline.
type threadKind struct {
	count, maps  int
	start, ahead float64
}

// kinds returns the thread that is ahead of all others, those with a map in the last wave, and those without one.
func (t *timeline) kinds(j *detailJob) []threadKind {
	waves, last := t.waves()
	ahead := 0.0
	if len(t.maps) > 0 {
		ahead = t.mapTime - t.maps[0].end
	}
	all := []threadKind{{count: 1, maps: waves, ahead: ahead}}
	if last > 1 {
		all = append(all, threadKind{count: last - 1, maps: waves})
	}
	if last < j.slots && waves > 1 {
		all = append(all, threadKind{count: j.slots - last, maps: waves - 1})
	}
	return all
}

func (d *detail) reducesAbreast(j *detailJob) int {
	n := 0
	for i, g := range d.nodes {
		n += g.nodes * j.abreast[i]
	}
	return n
}

func exponential(mean float64) moments { return moments{mean, mean * mean} }

// serial joins parts that follow each other. It skips empty parts and returns a single part as it is.
func serial(parts ...*Tree) *Tree { return operator(Serial, parts) }

func and(parts ...*Tree) *Tree { return operator(ParallelAnd, parts) }

func operator(op Operator, parts []*Tree) *Tree {
	var some []*Tree
	for _, t := range parts {
		if t != nil && t.Count > 0 && (t.Op != Leaf || t.Tasks > 0) {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		return nil
	}
	if len(some) == 1 && some[0].Count == 1 {
		return some[0]
	}
	return &Tree{Op: op, Parts: some, Count: 1}
}

// evaluate sets the Mean and Variance of a tree from those of its leaves as Liang and Tripathi do, operator by
// operator. Each part is approximated by an Erlang or hyper-exponential distribution with its mean and, nearly, its
// variance. A P_A is binary: it joins pairs, and pairs of these, with maps and reduces separate.
func (t *Tree) evaluate() {
	if t == nil || t.Op == Leaf {
		return
	}
	var maps, others []run
	var sum moments
	for _, part := range t.Parts {
		part.evaluate()
		m := moments{float64(part.Mean), part.Variance}
		sum = sum.plus(m.times(float64(part.Count)))
		if part.Op == Leaf && *part.Kind == Map {
			maps = append(maps, run{m, part.Count})
		} else {
			others = append(others, run{m, part.Count})
		}
	}
	if t.Op == ParallelAnd {
		sum = joined([]run{{joined(maps), min(1, len(maps))}, {joined(others), min(1, len(others))}})
	}
	t.set(sum)
}

// A run is a number of equal parallel durations.
type run struct {
	moments
	count int
}

// joined joins neighbours in pairs until one is left. Pairs within a run are equal, so a run costs the logarithm of
// its length.
func joined(runs []run) moments {
	for {
		var next []run
		var odd *moments // the last of the runs before, without a partner
		for _, r := range runs {
			if odd != nil && r.count > 0 {
				next = append(next, run{later(*odd, r.moments), 1})
				odd = nil
				r.count--
			}
			if r.count >= 2 {
				next = append(next, run{later(r.moments, r.moments), r.count / 2})
			}
			if r.count%2 == 1 {
				odd = &r.moments
			}
		}
		if odd != nil {
			next = append(next, run{*odd, 1})
		}
		if len(next) == 0 {
			return moments{}
		}
		if len(next) == 1 && next[0].count == 1 {
			return next[0].moments
		}
		runs = next
	}
}

// later returns the moments of the later of two durations; NaN if one is unknown.
func later(a, b moments) moments {
	if a.mean > b.mean {
		a, b = b, a
	}
	if a.mean <= 1e-6*b.mean || a.mean <= negligible {
		return b
	}
	if x := a.mean + a.variance + b.mean + b.variance; math.IsNaN(x) || math.IsInf(x, 0) {
		return moments{math.NaN(), math.NaN()}
	}
	return latest(a.fit(), b.fit())
}

// A mixture is a phase-type distribution: an Erlang distribution, or one of two exponential ones.
type mixture []branch

// A branch is stages exponential stages of a rate each, one after the other.
type branch struct {
	weight float64 // those of a mixture sum to 1
	stages int
	rate   float64 // per second
}

// leastVariation is the smallest squared coefficient of variation that is modelled. It corresponds to two hundred
// stages: a deviation of 7% of the mean.
const leastVariation = 1. / 200

// fit returns the Erlang distribution with the mean and the nearest number of stages. If the squared coefficient of
// variation is above 1, it returns the hyper-exponential distribution with mean and variance, each branch half of the
// mean (H. Tijms, "Stochastic Models", 1994, appendix B).
func (m moments) fit() mixture {
	cv2 := max(leastVariation, m.variance/m.mean/m.mean)
	if cv2 <= 1 {
		stages := math.Round(1 / cv2)
		return mixture{{1, int(stages), stages / m.mean}}
	}
	root := math.Sqrt((cv2 - 1) / (cv2 + 1))
	seldom := 1 / (cv2 + 1) / (1 + root) // (1-root)/2, which has no digits for a large variation
	often := 1 - seldom
	return mixture{{often, 1, 2 * often / m.mean}, {seldom, 1, 2 * seldom / m.mean}}
}

// latest returns the moments of the larger of two independent variables: those of the sum without those of the smaller
// one.
//
// The stages that both have passed when one ends are a walk on a grid: E[min] = Σ T(i,j)/(a+b) over i < k, j < l,
// where T(i,j) = C(i+j,i) aⁱbʲ/(a+b)^(i+j) is the probability that the walk passes there (facts/queueing.md d;
// Z. Liang and S. Tripathi, "On performance prediction of parallel computations with precedent constraints", 2000).
func latest(a, b mixture) moments {
	mean, square := 0.0, 0.0
	for _, x := range slices.Concat(a, b) {
		m, s := x.raw()
		mean, square = mean+m, square+s
	}
	for _, x := range a {
		for _, y := range b {
			m, s := x.earlier(y)
			mean, square = mean-x.weight*y.weight*m, square-x.weight*y.weight*s
		}
	}
	return moments{mean, max(0, square-mean*mean)}
}

// raw returns the branch's parts of the first two raw moments.
func (b branch) raw() (mean, square float64) {
	k := float64(b.stages)
	return b.weight * k / b.rate, b.weight * k * (k + 1) / (b.rate * b.rate)
}

// earlier returns the first two raw moments of the smaller of two. T is computed step by step, as a probability, so
// that many stages neither overflow nor vanish.
func (b branch) earlier(o branch) (mean, square float64) {
	both := b.rate + o.rate
	right, down := o.rate/both, b.rate/both
	row := make([]float64, o.stages)
	for i := range b.stages {
		for j := range row {
			switch {
			case i == 0 && j == 0:
				row[j] = 1
			case i == 0:
				row[j] = right * row[j-1]
			case j == 0:
				row[j] *= down
			default:
				row[j] = down*row[j] + right*row[j-1]
			}
			mean += row[j]
			square += 2 * float64(i+j+1) * row[j]
		}
	}
	return mean / both, square / both / both
}
