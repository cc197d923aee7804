package cost

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A prior is what the profile, or the run's own plan, says of a stage.
type prior struct {
	n       int       // tasks; 0: it says nothing
	cores   int       // how many of them were the first on a core
	records bool      // units are records
	units   []float64 // by task
	took    []float64 // milliseconds by task
	total   float64   // units
	out     float64   // records written
	in      float64   // records that the stages before it wrote for it; 0 unknown
	root    bool      // it reads no other stage
}

// priorOf is what is known of a stage before the run has shown anything: by its own plan, else by the profile.
func (m *Model) priorOf(j int, k dag.StageIndex, st *stage) prior {
	own := &m.s.Plan.Jobs[j].Stages[k]
	cores := 0
	if m.executors() {
		cores = m.s.Plan.Cluster.Cores
	}
	if p := priorIn(own, st.single, st.bytes); p.n > 0 {
		p.cores = cores
		return p
	}
	known := m.profile.Job(j)
	was := profiles.Stage(known, own.Name)
	if known != nil && st.single {
		was = &known.Stages[k]
	}
	if was == nil {
		return prior{}
	}
	p := priorIn(was, st.single, st.bytes)
	if p.cores = m.profile.Plan.Cluster.Cores; p.cores <= 0 {
		p.cores = cores
	}
	p.root = p.n > 0 && (!st.single || len(m.s.Plan.Jobs[j].After) == 0)
	for _, e := range was.After {
		if from := &known.Stages[e.From]; e.Kind != dag.Broadcast {
			p.root = false
			p.in += sumKnown(from.Out, from.Count())
		}
	}
	return p
}

// priorIn reads a stage of a plan with costs: what each task took, of a MapReduce job beyond its start, or else what its
// records take at the stage's rates. A task of which neither is known counts as a median one. bytes says that its units
// are bytes; a plan that has none, as one that is written by hand, still has the work of each task.
func priorIn(was *dag.Stage, single, bytes bool) prior {
	p := prior{n: was.Count()}
	if p.n == 0 {
		return prior{}
	}
	p.units, p.took = make([]float64, p.n), make([]float64, p.n)
	var units dag.Series
	rates := len(was.Pipelines) > 0
	for _, pipe := range was.Pipelines {
		units, rates = pipe.Tuples, rates && pipe.Alpha.Known()
		usual := sumKnown(pipe.Tuples, p.n) / float64(p.n)
		for i := range p.n {
			p.took[i] += finite(known(pipe.Tuples.At(i), usual) * pipe.Alpha.At(i))
		}
	}
	lengths, rated, sum := []float64(nil), 0.0, 0.0
	for i := range p.n {
		if took := lengthOf(was, i, single, rates); took >= 0 {
			lengths, rated, sum = append(lengths, took), rated+p.took[i], sum+took
		}
	}
	if !(sum > 0) && !rates {
		return prior{}
	}
	if sum > 0 {
		slices.Sort(lengths)
		scale := rated / sum // the rate of a profile of several runs is their mean, the times are the newest run's
		if !(scale > 0) {
			scale = 1
		}
		for i := range p.n {
			p.took[i] = scale * known(lengthOf(was, i, single, rates), lengths[len(lengths)/2])
		}
	}
	if bytes {
		units = was.Bytes
	}
	usual := sumKnown(units, p.n) / float64(p.n)
	p.records = usual > 0
	for i := range p.n {
		if p.units[i] = 1; p.records {
			p.units[i] = known(units.At(i), usual)
		}
		p.total += p.units[i]
	}
	p.out = sumKnown(was.Out, p.n)
	return p
}

// An older profile has no set-up. That of a map without a rate is taken for this, and for a part of its length at most.
const (
	usualSetup = 3000
	mostSetup  = 0.8
)

// lengthOf is what a task took, of a MapReduce job beyond its set-up, in milliseconds; NaN unknown.
func lengthOf(was *dag.Stage, i int, single, rates bool) float64 {
	length := was.Extent.At(i)
	switch {
	case !single:
		return length
	case !rates && !was.Setup.Known() && !was.Copies():
		return length - min(usualSetup, mostSetup*length)
	}
	return length - was.Setup.At(i)
}

// known is a figure, or the usual one in place of one that is not known.
func known(v, usual float64) float64 {
	if !(v >= 0) || math.IsInf(v, 0) {
		return usual
	}
	return v
}

// finite is a time in milliseconds, 0 for one that is none.
func finite(ms float64) float64 {
	if !(ms > 0) {
		return 0
	}
	return min(ms, taskcost.MostMS)
}

// sumKnown is the sum of n tasks' figures; one that is not known counts as the mean of the others. 0 if none is.
func sumKnown(s dag.Series, n int) float64 {
	sum, known := 0.0, 0
	for i := range n {
		if v := s.At(i); v >= 0 && !math.IsInf(v, 0) {
			sum, known = sum+v, known+1
		}
	}
	if known == 0 {
		return 0
	}
	return sum / float64(known) * float64(n)
}

// asTasks counts each task as one: this run does not report its records.
func (p *prior) asTasks() {
	p.records, p.in, p.total = false, 0, float64(p.n)
	for i := range p.units {
		p.units[i] = 1
	}
}
