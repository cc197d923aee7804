package staged

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A prior is what the profile, or the run's own plan, says of a stage.
type prior struct {
	n       int       // tasks; 0: it says nothing
	records bool      // units are records
	units   []float64 // by task
	total   float64   // their sum
	took    []float64 // milliseconds by task; NaN unknown
	rate    float64   // milliseconds a unit; NaN unknown
	sel     float64   // records written a unit; NaN unknown
	share   float64   // records read for each record that the stages before wrote; NaN unknown
	own     bool      // the run's own plan says it: it is of this very run
}

func (m *Model) priorOf(j int, k dag.StageIndex) prior {
	own := &m.snapshot.Plan.Jobs[j].Stages[k]
	if p := priorIn(own); p.n > 0 && !math.IsNaN(p.rate) {
		p.own = true
		return p
	}
	known := m.profile.Job(j)
	stage := profiles.Stage(known, own.Name)
	if stage == nil {
		return prior{rate: math.NaN(), sel: math.NaN(), share: math.NaN()}
	}
	p := priorIn(stage)
	wrote := 0.0
	for _, e := range stage.After {
		if from := &known.Stages[e.From]; e.Kind != dag.Broadcast {
			wrote += sumKnown(from.Out, from.Count())
		}
	}
	if p.records && wrote > 0 && p.total > 0 {
		p.share = p.total / wrote
	}
	return p
}

// priorIn reads a stage of a plan with costs. A task whose records nobody has counted is a mean one.
func priorIn(stage *dag.Stage) prior {
	p := prior{rate: math.NaN(), sel: math.NaN(), share: math.NaN()}
	n := stage.Count()
	work := 0.0
	var pipe dag.Pipeline
	if c := len(stage.Pipelines); c > 0 {
		pipe = stage.Pipelines[c-1]
	}
	usual := sumKnown(pipe.Tuples, n) / float64(max(n, 1))
	p.records = usual > 0 && pipe.Alpha.Known()
	if n == 0 || !p.records && !stage.Extent.Known() {
		return p
	}
	p.n = n
	p.units, p.took = make([]float64, n), make([]float64, n)
	median := medianOf(stage.Extent, n)
	for i := range p.units {
		p.took[i] = stage.Extent.At(i)
		switch v := pipe.Tuples.At(i); {
		case !p.records:
			p.units[i] = 1
			if long := stage.Extent.At(i) / median; long > longTask {
				p.units[i] = long
			}
			work += zero(stage.Extent.At(i))
		case v >= 0:
			p.units[i] = v
			work += v * pipe.Alpha.At(i)
		default:
			p.units[i] = usual
			work += usual * pipe.Alpha.At(i)
		}
		p.total += p.units[i]
	}
	if p.total > 0 {
		p.rate = work / p.total
		p.sel = sumKnown(stage.Out, n) / p.total
	}
	return p
}

// longTask is how many times as long as the median one a task must have been in the profile's run to be expected to be
// so again. Partitions of keys are the same ones in each run; what differs by less is noise.
const longTask = 1.5

func medianOf(s dag.Series, n int) float64 {
	var all []float64
	for i := range n {
		if v := s.At(i); v >= 0 {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// unit is how many units a task counts whose records are not told: more than one if it was much longer than others in
// the profile's run.
func (p *prior) unit(task, n int) float64 {
	if p.n == n && !p.records && task < len(p.units) {
		return p.units[task]
	}
	return 1
}

// sumKnown is the sum of n tasks' figures; one that is not known counts as the mean of the others. 0 where none is.
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
