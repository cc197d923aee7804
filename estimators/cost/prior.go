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

// priorOf is what is known of a stage before the run has shown anything.
func (m *Model) priorOf(j int, k dag.StageIndex, st *stage) prior {
	own := &m.s.Plan.Jobs[j].Stages[k]
	if st.single {
		return m.priorOfTasks(j, k, st.bytes)
	}
	cores := 0
	if m.executors() {
		cores = m.s.Plan.Cluster.Cores
	}
	if p := priorIn(own); p.n > 0 {
		p.cores = cores
		return p
	}
	known := m.profile.Job(j)
	was := profiles.Stage(known, own.Name)
	if was == nil {
		return prior{}
	}
	p := priorIn(was)
	if p.cores = m.profile.Plan.Cluster.Cores; p.cores <= 0 {
		p.cores = cores
	}
	p.root = true
	for _, e := range was.After {
		if from := &known.Stages[e.From]; e.Kind != dag.Broadcast {
			p.root = false
			p.in += sumKnown(from.Out, from.Count())
		}
	}
	return p
}

// priorOfTasks is the same of a stage of a MapReduce job: by the run's own plan, else by the profile.
func (m *Model) priorOfTasks(j int, k dag.StageIndex, bytes bool) prior {
	p := tasksIn(&m.s.Plan.Jobs[j].Stages[k], bytes)
	if known := m.profile.Job(j); p.n == 0 && known != nil {
		p = tasksIn(&known.Stages[k], bytes)
	}
	p.root = p.n > 0 && k == dag.Map && len(m.s.Plan.Jobs[j].After) == 0
	return p
}

// tasksIn reads a stage of a MapReduce job of a plan with costs: what each task takes beyond its start, which is what it
// took then or what its records take at the stage's rate. A plan that has no bytes of reduces, as one that is written by
// hand, still has the work of each.
func tasksIn(was *dag.Stage, bytes bool) prior {
	p := prior{n: was.Count()}
	if p.n == 0 {
		return prior{}
	}
	p.units, p.took = make([]float64, p.n), make([]float64, p.n)
	rated, rates := 0.0, len(was.Pipelines) > 0
	for _, pipe := range was.Pipelines {
		rates = rates && pipe.Alpha.Known()
		usual := sumKnown(pipe.Tuples, p.n) / float64(p.n)
		for i := range p.n {
			took := finite(known(pipe.Tuples.At(i), usual) * pipe.Alpha.At(i))
			p.took[i], rated = p.took[i]+took, rated+took
		}
	}
	if took, sum := worked(was, rates); sum > 0 {
		if p.took = took; rated > 0 {
			// The rate of a profile of several runs is their mean, the times are the newest run's.
			for i := range p.took {
				p.took[i] *= rated / sum
			}
		}
	} else if !rates {
		return prior{}
	}
	var units dag.Series
	if n := len(was.Pipelines); n > 0 {
		units = was.Pipelines[n-1].Tuples
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

// worked is what the tasks of a stage took beyond their set-up, in milliseconds, and the sum, which is 0 if a plan does
// not have that. A task of which it is not known counts as a mean one.
func worked(was *dag.Stage, rates bool) (took []float64, sum float64) {
	n := was.Count()
	took = make([]float64, n)
	count := 0.0
	for i := range took {
		length, setup := was.Extent.At(i), was.Setup.At(i)
		if !rates && !was.Setup.Known() && !was.Copies() {
			setup = min(usualSetup, mostSetup*length)
		}
		if took[i] = length - setup; took[i] >= 0 {
			sum, count = sum+took[i], count+1
		}
	}
	for i := range took {
		if !(took[i] >= 0) {
			took[i] = sum / max(count, 1)
		}
	}
	return took, sum / max(count, 1) * float64(n)
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

// priorIn reads a stage of a plan with costs. A task of which the plan does not say how long it took counts as a median
// one.
func priorIn(was *dag.Stage) prior {
	p := prior{n: was.Count()}
	var pipe dag.Pipeline
	if c := len(was.Pipelines); c > 0 {
		pipe = was.Pipelines[c-1]
	}
	usual := sumKnown(pipe.Tuples, p.n) / float64(max(p.n, 1))
	p.records = usual > 0
	rate := 0.0
	if p.records && pipe.Alpha.IsUniform() && pipe.Alpha.At(0) > 0 {
		rate = pipe.Alpha.At(0)
	}
	p.units, p.took = make([]float64, p.n), make([]float64, p.n)
	var known []float64
	work, told, count := 0.0, 0.0, 0.0
	for i := range p.n {
		p.units[i] = 1
		if p.records {
			if p.units[i] = usual; pipe.Tuples.At(i) >= 0 {
				p.units[i] = pipe.Tuples.At(i)
			}
		}
		p.total += p.units[i]
		if p.took[i] = was.Extent.At(i); p.took[i] >= 0 {
			known = append(known, p.took[i])
			work, told, count = work+p.took[i], told+p.units[i], count+1
		}
	}
	if len(known) == 0 && rate == 0 {
		return prior{}
	}
	slices.Sort(known)
	for i := range p.took {
		if !(p.took[i] >= 0) {
			if p.took[i] = rate * p.units[i]; len(known) > 0 {
				p.took[i] = known[len(known)/2]
			}
		}
	}
	// The rate of a profile of several runs is their mean, the times are the newest run's.
	if scale := rate * told / work; scale > 0 && !math.IsInf(scale, 0) {
		for i := range p.took {
			p.took[i] *= scale
		}
	}
	p.out = sumKnown(was.Out, p.n)
	return p
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
