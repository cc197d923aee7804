package profiles

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// Merge makes one profile of several runs of the same script, oldest first. Sizes and numbers of tasks are the
// newest run's. Key groups are those of the newest run that had any, and as many reduces. Costs and pauses are
// means over the runs that have them, weighted by weights (nil: equally). Residuals are those of all runs, in their
// order. ok is false if a run is of another script.
func Merge(runs []*dag.Plan, weights []float64) (merged *dag.Plan, ok bool) {
	out := *runs[len(runs)-1]
	out.Jobs = dag.CloneJobs(out.Jobs)
	out.Residuals, out.InputSizes = nil, nil
	var sizes []float64
	sums := dag.ByStage[stageTally](&out)
	for i, run := range runs {
		m, n := matchPlan(&out, run)
		if n == 0 {
			return nil, false
		}
		out.Residuals = append(out.Residuals, run.Residuals...)
		sizes = append(sizes, inputSizes(run)...)
		for j := range out.Jobs {
			job := m.Job(j)
			if job == nil {
				continue
			}
			same := Pair(traitsOf(&out.Jobs[j]), traitsOf(job)).Of
			for k := range out.Jobs[j].Stages {
				if same[k] >= 0 {
					sums[j][k].add(&out.Jobs[j].Stages[k], &job.Stages[same[k]], Weight(weights, i))
				}
			}
		}
	}
	for j := range out.Jobs {
		for k := range out.Jobs[j].Stages {
			sums[j][k].mean(&out.Jobs[j].Stages[k])
		}
	}
	if out.InputSizes = sizes[max(0, len(sizes)-dag.MaxInputSizes):]; len(out.InputSizes) < 2 {
		out.InputSizes = nil
	}
	out.Overheads = meanOverheads(runs, weights)
	return &out, true
}

// A stageTally sums the costs and the pause of a stage over runs.
type stageTally struct {
	costs [dag.Pipelines]tally
	pause tally
}

// add adds a run's data of a stage. Key groups of a run with as many tasks replace those of an older one.
func (t *stageTally) add(stage, known *dag.Stage, weight float64) {
	t.pause.add(float64(known.Pause), weight)
	if g := known.Groups; g != nil && known.Count() == stage.Count() {
		stage.Groups = g
	}
	for p, pipe := range known.Pipelines {
		if pipe.Alpha.IsUniform() && pipe.Alpha.Known() {
			t.costs[p].add(pipe.Alpha.At(0), weight)
		}
	}
}

// mean sets the weighted means of a stage.
func (t *stageTally) mean(stage *dag.Stage) {
	if t.pause.weight > 0 {
		stage.Pause = time.Duration(t.pause.mean()).Round(time.Millisecond)
	}
	stage.Pipelines = append([]dag.Pipeline(nil), stage.Pipelines...)
	for p := range stage.Pipelines {
		if sum := t.costs[p]; sum.weight > 0 && stage.Pipelines[p].Alpha.IsUniform() {
			stage.Pipelines[p].Alpha = dag.Uniform(Round(sum.mean()))
		}
	}
}

// halfLife is the number of later runs that halve the weight of a run in a mean. Costs follow a cluster that
// changes within a week of nightly runs, and five runs still average out most of the noise of one. Ages count in
// runs, not in days: the profile of a monthly script is as good as that of an hourly one, and clocks may step.
const halfLife = 5

// Weights returns the weight of each of n runs, oldest first, in a mean of them; the newest has weight 1.
func Weights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Exp2(-float64(n-1-i) / halfLife)
	}
	return w
}

// Weight returns the weight of run i; 1 without weights.
func Weight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// A tally is a weighted sum and its weight.
type tally struct{ sum, weight float64 }

func (t *tally) add(v, weight float64) { t.sum, t.weight = t.sum+v*weight, t.weight+weight }

func (t *tally) mean() float64 { return t.sum / t.weight }

// meanOverheads returns the means over the runs that have them: 0 is unknown. Those that follow from a configuration
// are the newest run's.
func meanOverheads(runs []*dag.Plan, weights []float64) dag.Overheads {
	newest := runs[len(runs)-1].Overheads
	for name, mean := range newest.Each() {
		if name == "beat" || name == "idle" || name == "report" || name == "abandon" {
			continue
		}
		var t tally
		for i, run := range runs {
			for of, d := range run.Overheads.Each() {
				if of == name && *d > 0 {
					t.add(float64(*d), Weight(weights, i))
				}
			}
		}
		if *mean = 0; t.weight > 0 {
			*mean = time.Duration(t.mean()).Round(time.Millisecond)
		}
	}
	return newest
}

// inputSizes returns those of a profile: of the runs behind it, or its own.
func inputSizes(profile *dag.Plan) []float64 {
	if len(profile.InputSizes) > 0 {
		return profile.InputSizes
	}
	sum, maps := 0.0, 0
	for j := range profile.Jobs {
		job := &profile.Jobs[j]
		if !job.IsMapReduce() {
			continue
		}
		if n := job.Stages[dag.Map].Count(); len(job.After) == 0 && n > 0 {
			sum, maps = sum+recordsOf(&job.Stages[dag.Map]), maps+n
		}
	}
	if !(sum > 0) {
		return nil
	}
	return []float64{Round(sum / float64(maps))}
}

// recordsOf returns the records that the tasks of a stage read in all; 0 if none is known.
func recordsOf(s *dag.Stage) float64 {
	if len(s.Pipelines) == 0 {
		return 0
	}
	return Total(s.Pipelines[len(s.Pipelines)-1].Tuples, s.Count())
}

// Round keeps six digits: a profile is read by people too.
func Round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, 6-math.Ceil(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// Blank returns n unknown values: NaN.
func Blank(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// Series stores equal values once. A stage without known values has no series.
func Series(v []float64) dag.Series {
	known, uniform := false, true
	for _, x := range v {
		known = known || !math.IsNaN(x)
		uniform = uniform && x == v[0]
	}
	switch {
	case !known:
		return dag.Series{}
	case uniform:
		return dag.Uniform(v[0])
	}
	return dag.Each(v)
}

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

// lengthOf returns the time of a task, for a MapReduce job without its set-up, in milliseconds; NaN unknown.
func lengthOf(was *dag.Stage, i int, single, rates bool) float64 {
	length := was.Extent.At(i)
	switch {
	case !single, !rates && !was.Setup.Known() && !was.Copies(): // a profile without rates has no set-up
		return length
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

// Summary returns a profile with means instead of the values of each task, in stages of more than most tasks; short
// is false if there are none. Their key groups are left out. Numbers of tasks, costs, pauses and residuals stay;
// only the differences between tasks are lost.
func Summary(profile *dag.Plan, most int) (summary *dag.Plan, short bool) {
	out := *profile
	out.Jobs = dag.CloneJobs(out.Jobs)
	for j := range out.Jobs {
		for k := range out.Jobs[j].Stages {
			if ph := &out.Jobs[j].Stages[k]; valuesOf(ph) > most {
				*ph = meanPhase(ph)
				short = true
			}
		}
	}
	return &out, short
}

// valuesOf returns the length of the longest series of a stage.
func valuesOf(ph *dag.Stage) int {
	n := 0
	for _, s := range []*dag.Series{&ph.Setup, &ph.Out, &ph.Bytes, &ph.Extent} {
		n = max(n, len(s.Values()))
	}
	for p := range ph.Pipelines {
		n = max(n, len(ph.Pipelines[p].Tuples.Values()), len(ph.Pipelines[p].Alpha.Values()))
	}
	if ph.Groups != nil {
		n = max(n, len(ph.Groups.Reduces))
	}
	return n
}

func meanPhase(ph *dag.Stage) dag.Stage {
	out := *ph
	out.Groups = nil
	out.Setup, out.Out, out.Bytes, out.Extent = meanOf(ph.Setup, nil), meanOf(ph.Out, nil), meanOf(ph.Bytes, nil),
		meanOf(ph.Extent, nil)
	out.Pipelines = make([]dag.Pipeline, len(ph.Pipelines))
	for p, pipe := range ph.Pipelines {
		out.Pipelines[p] = dag.Pipeline{Tuples: meanOf(pipe.Tuples, nil), Alpha: meanOf(pipe.Alpha, &pipe.Tuples)}
	}
	return out
}

// meanOf returns the mean of the known values, weighted by by if it is given: the cost of a tuple is that of all
// tuples, not of all tasks.
func meanOf(s dag.Series, by *dag.Series) dag.Series {
	if s.IsUniform() {
		return s
	}
	var t tally
	for i, v := range s.Values() {
		w := 1.0
		if by != nil {
			w = by.At(i)
		}
		if !math.IsNaN(v) && !math.IsNaN(w) {
			t.add(v, w)
		}
	}
	if t.weight == 0 {
		return dag.Series{}
	}
	return dag.Uniform(Round(t.mean()))
}
