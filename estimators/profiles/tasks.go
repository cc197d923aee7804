package profiles

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// Tasks are a plan's data of a stage's tasks.
type Tasks struct {
	N       int       // 0: the plan has no data
	Records bool      // units are records or bytes; else each task counts as one
	Units   []float64 // by task
	Took    []float64 // milliseconds by task
	Total   float64   // units
	Out     float64   // records written; 0 unknown
}

// TasksIn reads a stage of a plan with costs: the time of each task, for a MapReduce job (single) without its
// start, or the time of its records at the stage's rates. A task without either counts as a median one. bytes means
// that its units are bytes; a plan without bytes, for example one that is written by hand, still has the work of
// each task.
func TasksIn(was *dag.Stage, single, bytes bool) Tasks {
	p := Tasks{N: was.Count()}
	if p.N == 0 {
		return Tasks{}
	}
	p.Units, p.Took = make([]float64, p.N), make([]float64, p.N)
	var units dag.Series
	rates := len(was.Pipelines) > 0
	for _, pipe := range was.Pipelines {
		units, rates = pipe.Tuples, rates && pipe.Alpha.Known()
		usual := Total(pipe.Tuples, p.N) / float64(p.N)
		for i := range p.N {
			p.Took[i] += taskcost.Finite(known(pipe.Tuples.At(i), usual) * pipe.Alpha.At(i))
		}
	}
	lengths, rated, sum := []float64(nil), 0.0, 0.0
	for i := range p.N {
		if took := lengthOf(was, i, single, rates); took >= 0 {
			lengths, rated, sum = append(lengths, took), rated+p.Took[i], sum+took
		}
	}
	if !(sum > 0) && !rates {
		return Tasks{}
	}
	if sum > 0 {
		slices.Sort(lengths)
		scale := rated / sum // the rate of a profile of several runs is their mean, the times are the newest run's
		if !(scale > 0) {
			scale = 1
		}
		for i := range p.N {
			p.Took[i] = scale * known(lengthOf(was, i, single, rates), lengths[len(lengths)/2])
		}
	}
	if bytes {
		units = was.Bytes
	}
	usual := Total(units, p.N) / float64(p.N)
	p.Records = usual > 0
	for i := range p.N {
		if p.Units[i] = 1; p.Records {
			p.Units[i] = known(units.At(i), usual)
		}
		p.Total += p.Units[i]
	}
	p.Out = Total(was.Out, p.N)
	return p
}

// An older profile has no set-up. usualSetup is assumed for a map without a rate, limited to a part of its length.
const (
	usualSetup = 3000
	mostSetup  = 0.8
)

// lengthOf returns the time of a task, for a MapReduce job without its set-up, in milliseconds; NaN unknown.
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

// known returns v, or usual if v is not known.
func known(v, usual float64) float64 {
	if !(v >= 0) || math.IsInf(v, 0) {
		return usual
	}
	return v
}

// Total returns the sum of n tasks' values; an unknown value counts as the mean of the others. 0 if none is known.
func Total(s dag.Series, n int) float64 {
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
