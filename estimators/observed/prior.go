package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A prior is what a profile says of a phase.
type prior struct {
	alpha float64   // milliseconds a unit
	sel   float64   // tuples written for each unit
	sizes []float64 // units by task
	total float64   // their sum
	out   float64   // tuples written by all tasks
}

// priorOf reads a phase of a profile. A reduce's work is given for each record and is wanted for each byte.
func priorOf(job *dag.Job, k dag.Kind) prior {
	ph := job.Phase(k)
	n := ph.Count()
	p := prior{alpha: math.NaN(), sel: math.NaN(), sizes: make([]float64, n)}
	if len(ph.Pipelines) == 0 {
		p.sizes = nil
		return p
	}
	last := ph.Pipelines[len(ph.Pipelines)-1]
	work := 0.0
	for i := range n {
		tuples := last.Tuples.At(i)
		unit := tuples
		if k == dag.Reduce {
			unit = ph.Bytes.At(i)
		}
		if !(unit > 0) {
			unit = 0
		}
		p.sizes[i] = unit
		p.total += unit
		p.out += zero(ph.Out.At(i))
		work += zero(tuples * last.Alpha.At(i))
	}
	if p.total > 0 {
		p.alpha = work / p.total
		if p.out > 0 {
			p.sel = p.out / p.total
		}
	}
	return p
}

// scaledSizes are the profile's sizes for this run's n tasks: by the sizes that this run has told of the same tasks, else by
// how much larger its input is. Told sizes stand.
func scaledSizes(p prior, n int, seen []known, ratio float64) ([]float64, float64) {
	if p.total <= 0 {
		return knownSizes(dag.Map, n, seen)
	}
	mean := p.total / float64(len(p.sizes))
	prior := func(i int) float64 {
		if i < len(p.sizes) && n == len(p.sizes) {
			return p.sizes[i]
		}
		return mean
	}
	told, expected := 0.0, 0.0
	for _, s := range seen {
		told += s.units
		expected += prior(s.task)
	}
	if expected > 0 {
		ratio = told / expected
	}
	sizes := make([]float64, n)
	uniform, sum := true, 0.0
	for i := range sizes {
		sizes[i] = prior(i) * ratio
	}
	for _, s := range seen {
		if s.task < n {
			sizes[s.task] = s.units
		}
	}
	for i, v := range sizes {
		uniform = uniform && v == sizes[0]
		sum += sizes[i]
	}
	if mean := sum / float64(max(n, 1)); !uniform {
		return sizes, mean
	}
	return nil, sum / float64(max(n, 1))
}

// inputRatio is how much more a task of the phase gets than in the profile's run: of a map 1, until reports tell; of
// a reduce by what the job's maps write.
func (m *Model) inputRatio(j int, k dag.Kind, known *dag.Job) float64 {
	if k == dag.Map {
		return 1
	}
	maps := &m.phases[j][dag.Map]
	p := priorOf(known, dag.Map)
	n := float64(m.Snapshot.Plan.Jobs[j].Map.Count())
	reduces := float64(m.Snapshot.Plan.Jobs[j].Reduce.Count())
	spread := 1.0
	if r := float64(known.Reduce.Count()); r > 0 && reduces > 0 {
		spread = r / reduces // the same data over more reduces
	}
	switch {
	case maps.seen.finished > 0 && maps.seen.out > 0 && p.out > 0:
		return maps.seen.out / float64(maps.seen.finished) * n / p.out * spread
	case maps.mean > 0 && p.total > 0:
		return maps.mean * n / p.total * spread
	}
	return spread
}
