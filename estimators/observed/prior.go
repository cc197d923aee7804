package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A prior is what a profile says of a phase.
type prior struct {
	alpha   float64   // milliseconds a unit
	sel     float64   // tuples written for each unit
	sizes   []float64 // units by task
	total   float64   // their sum
	records float64   // that all tasks read
	out     float64   // tuples written by all tasks
	work    []float64 // milliseconds by task
}

// priorOf reads a phase of a profile. A reduce's work is given for each tuple and is wanted for each byte; a profile
// that knows no bytes (one written by hand) still knows each task's work.
func (m *Model) priorOf(job *dag.Job, k dag.StageIndex) prior {
	p := prior{alpha: math.NaN(), sel: math.NaN()}
	if job == nil {
		return p
	}
	ph := &job.Stages[k]
	n := ph.Count()
	if len(ph.Pipelines) == 0 {
		return p
	}
	last := ph.Pipelines[len(ph.Pipelines)-1]
	units := last.Tuples
	if k == dag.Reduce && !m.fifo {
		units = ph.Bytes
	}
	p.sizes, p.work = make([]float64, n), make([]float64, n)
	work := 0.0
	for _, pipe := range ph.Pipelines {
		if !pipe.Alpha.Known() {
			work = math.NaN() // it was too little work to tell
		}
	}
	// A task whose counters nobody has seen is a mean one.
	usual, out, tuples := meanKnown(units, n), meanKnown(ph.Out, n), make([]float64, len(ph.Pipelines))
	for i, pipe := range ph.Pipelines {
		tuples[i] = meanKnown(pipe.Tuples, n)
	}
	for i := range n {
		p.sizes[i] = orMean(units.At(i), usual)
		p.total += p.sizes[i]
		p.records += orMean(last.Tuples.At(i), tuples[len(tuples)-1])
		p.out += orMean(ph.Out.At(i), out)
		for l, pipe := range ph.Pipelines {
			p.work[i] += zero(orMean(pipe.Tuples.At(i), tuples[l]) * pipe.Alpha.At(i))
		}
		work += p.work[i]
	}
	if math.IsNaN(work) {
		p.work = nil
	}
	if p.total > 0 {
		p.alpha = work / p.total
		if p.out > 0 {
			p.sel = p.out / p.total
		}
	}
	return p
}

// A map whose work was less than this share of its start-up tells what a record costs only for maps up to so many times
// as large: the law of start-ups is no more exact than that.
const (
	drownedShare  = 0.3
	drownedGrowth = 3
)

// drowned says that the profile's maps were over in their start-up, as those of a run on a sample are, and are much
// larger now: what a record costs cannot be told from them. On the paper's cluster all set-ups are alike, and known.
func (m *Model) drowned(k dag.StageIndex, p *prior, ratio float64, o *dag.Overheads) bool {
	if k != dag.Map || m.fifo || !(ratio > drownedGrowth) || !(p.total > 0) {
		return false
	}
	start := taskcost.MS(o.SetupMin) + usualTogether*taskcost.MS(o.SetupPer)
	return p.alpha*p.total/float64(len(p.sizes)) < drownedShare*start
}

// usualTogether is how many tasks start on a node at about the same time, where only a profile tells of them.
const usualTogether = 8

func orMean(v, mean float64) float64 {
	if math.IsNaN(v) {
		return mean
	}
	return zero(v)
}

// meanKnown is the mean of the known figures of n tasks; 0 where none is known.
func meanKnown(s dag.Series, n int) float64 {
	sum, known := 0.0, 0.0
	for i := range n {
		if v := s.At(i); !math.IsNaN(v) {
			sum, known = sum+zero(v), known+1
		}
	}
	return sum / max(known, 1)
}

// scaledWork is the work of n tasks that take so many times as long: task by task where the counts agree, else the
// mean.
func (p *prior) scaledWork(n int, slow float64) []float64 {
	if len(p.work) == 0 {
		return nil
	}
	mean := 0.0
	for _, w := range p.work {
		mean += w / float64(len(p.work))
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = mean * slow
		if n == len(p.work) {
			out[i] = p.work[i] * slow
		}
	}
	return out
}

// at is the size of task i of n tasks. Hadoop sorts splits largest first (docs/facts/hadoop.md F), so of another number
// of maps each is as large as the profile's map of the same rank; of another number of reduces each is a mean one.
func (p *prior) at(k dag.StageIndex, i, n int) float64 {
	last := len(p.sizes) - 1
	if n == len(p.sizes) {
		return p.sizes[min(i, last)]
	}
	if k == dag.Reduce {
		return p.total / float64(len(p.sizes))
	}
	rank := (float64(i)+0.5)/float64(n)*float64(len(p.sizes)) - 0.5
	rank = min(max(rank, 0), float64(last))
	low := int(rank)
	high := min(low+1, last)
	return p.sizes[low] + (rank-float64(low))*(p.sizes[high]-p.sizes[low])
}

// scaledSizes are the profile's sizes for this run's n tasks: by the sizes that this run has told of the same tasks,
// else by how much larger its input is. Told sizes stand, and no map is larger than one before it that has told its
// own.
func scaledSizes(p *prior, k dag.StageIndex, n int, seen []known, ratio float64) ([]float64, float64) {
	reported, expected := 0.0, 0.0
	for _, s := range seen {
		reported += s.units
		expected += p.at(k, s.task, n)
	}
	if expected > 0 {
		ratio = reported / expected
	}
	sizes := make([]float64, n)
	for _, s := range seen {
		if s.task < n {
			sizes[s.task] = s.units
		}
	}
	uniform, sum, most := true, 0.0, math.Inf(1)
	for i, v := range sizes {
		switch {
		case v == 0:
			sizes[i] = min(p.at(k, i, n)*ratio, most)
		case k == dag.Map:
			most = min(most, v)
		}
		uniform = uniform && sizes[i] == sizes[0]
		sum += sizes[i]
	}
	mean := sum / float64(max(n, 1))
	if uniform {
		return nil, mean
	}
	return sizes, mean
}
