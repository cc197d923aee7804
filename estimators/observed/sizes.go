package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
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

// A profile may come from a sample, and the input may have grown since. Task sizes therefore come from this run where
// it has reported them. The others are the profile's, scaled by what this run has reported.

// inputRatio is how much more a task of the phase gets than in the profile's run, until its own reports tell: of a
// reduce by what the job's maps write, of a map by what the file system says of its input, or by what the jobs before
// it write. One that reads the query's own input gets as much more as those of other such jobs: the profile is of a
// sample, or the input has grown.
func (m *Model) inputRatio(j int, k dag.StageIndex, known *dag.Job) float64 {
	now := &m.Snapshot.Plan.Jobs[j]
	spread := perTask(known.Stages[k].Count(), now.Stages[k].Count())
	var ratio float64
	switch {
	case k == dag.Reduce && recordsOf(&now.Stages[dag.Reduce]).Known():
		ratio = m.growth(j, dag.Reduce) * spread
	case k == dag.Reduce:
		ratio = m.growth(j, dag.Map) * spread
	case !math.IsNaN(m.filesRatio(j, known)):
		return m.filesRatio(j, known)
	case len(now.After) > 0:
		ratio = m.growthBefore(j) * spread
	default:
		return m.inputs
	}
	if math.IsNaN(ratio) {
		return spread
	}
	return ratio
}

// tellPlanned takes the sizes that the run's own plan gives for told where reports have not told them: the number of
// records is known, and what one costs is not (the ParaTimer paper's debug run, section 4.1).
func (m *Model) tellPlanned(j int, k dag.StageIndex) {
	ph, st := &m.Snapshot.Plan.Jobs[j].Stages[k], &m.phases[j][k].seen
	planned := ph.Bytes
	if k == dag.Map || m.fifo {
		planned = recordsOf(ph)
	}
	if !planned.Known() {
		return
	}
	reported := map[int]bool{}
	for _, s := range st.known {
		reported[s.task] = true
	}
	for i := range ph.Count() {
		if u := planned.At(i); u > 0 && !math.IsInf(u, 1) && !reported[i] {
			st.known = append(st.known, known{i, u})
		}
	}
}

// recordsOf are the records that a phase's tasks read.
func recordsOf(ph *dag.Stage) dag.Series {
	if len(ph.Pipelines) == 0 {
		return dag.Series{}
	}
	return ph.Pipelines[len(ph.Pipelines)-1].Tuples
}

// perTask is how much more each task gets where as much is spread over now tasks as over was tasks before; 1 where
// either is unknown.
func perTask(was, now int) float64 {
	if was <= 0 || now <= 0 {
		return 1
	}
	return float64(was) / float64(now)
}

// growth is how many times as much as in the profile's run a phase writes, or reads where nobody has seen it write; of
// reduces that nothing is known of, as many as the maps write. NaN unknown.
func (m *Model) growth(j int, k dag.StageIndex) float64 {
	ph, p := &m.phases[j][k], &m.priors[j][k]
	now := &m.Snapshot.Plan.Jobs[j].Stages[k]
	n, planned := float64(now.Count()), recordsOf(now).Sum(now.Count())
	switch {
	case ph.seen.finished > 0 && ph.seen.out > 0 && p.out > 0:
		return ph.seen.out / float64(ph.seen.finished) * n / p.out
	case ph.mean > 0 && p.total > 0:
		return ph.mean * n / p.total
	case planned > 0 && p.records > 0:
		return planned / p.records
	case k == dag.Reduce:
		return m.growth(j, dag.Map)
	}
	return math.NaN()
}

// growthBefore is how many times as much as in the profile's run the jobs write that job j comes after; NaN where
// nobody can say. Each counts by what it wrote then.
func (m *Model) growthBefore(j int) float64 {
	sum, weight := 0.0, 0.0
	for _, a := range m.Snapshot.Plan.Jobs[j].After {
		k := dag.Reduce
		if m.Snapshot.Plan.Jobs[a].Stages[dag.Reduce].Count() == 0 {
			k = dag.Map
		}
		p, g := &m.priors[a][k], m.growth(a, k)
		w := p.out
		if !(w > 0) {
			w = p.records
		}
		if w > 0 && !math.IsNaN(g) {
			sum, weight = sum+w*g, weight+w
		}
	}
	return sum / weight // NaN where nobody can say
}

// filesRatio is how many times as much as in the profile's run a map of the job gets, by what the file system says of
// the job's input; NaN where it says nothing. Of the profile's run the files count as well, for jobs may read a part of
// each, as those of columns do; where they are not known, what its maps read.
func (m *Model) filesRatio(j int, known *dag.Job) float64 {
	now, n := &m.Snapshot.Plan.Jobs[j], known.Stages[dag.Map].Count()
	was := known.InputBytes
	if !(was > 0) {
		was = float64(n) * meanKnown(known.Stages[dag.Map].Bytes, n)
	}
	if !(now.InputBytes > 0 && was > 0 && now.Stages[dag.Map].Count() > 0) {
		return math.NaN()
	}
	return now.InputBytes / was * perTask(n, now.Stages[dag.Map].Count())
}

// growthOfInputs is how many times as much as in the profile's run a map that reads the query's own input gets, of
// those that have told, and of jobs of which the file system tells; 1 where neither does. sigma is the standard
// deviation of its logarithm until a map has told.
func (m *Model) growthOfInputs(profile *profiles.Match) (ratio, sigma float64) {
	reported, sized, counted := false, false, false
	sum, expected := 0.0, 0.0
	for j := range m.phases {
		p, n := &m.priors[j][dag.Map], m.Snapshot.Plan.Jobs[j].Stages[dag.Map].Count()
		seen := &m.phases[j][dag.Map].seen
		reported = reported || len(seen.known) > 0 || seen.finished > 0
		if p.total == 0 || len(m.Snapshot.Plan.Jobs[j].After) > 0 {
			continue
		}
		counted = counted || m.Snapshot.Jobs[j].ID != "" && m.Snapshot.Plan.Jobs[j].Stages[dag.Map].Known
		for _, s := range seen.known {
			sum += s.units
			expected += p.at(dag.Map, s.task, n)
		}
		if r := m.filesRatio(j, profile.Job(j)); len(seen.known) == 0 && !math.IsNaN(r) {
			mean := p.total / float64(len(p.sizes)) * float64(n)
			sum += r * mean
			expected += mean
			sized = true
		}
	}
	if expected == 0 {
		sum, expected = 1, 1
	}
	switch {
	case reported:
		return sum / expected, 0
	case sized || counted:
		return sum / expected, hintSigma
	}
	return sum / expected, profile.InputSigma()
}

// hintSigma is how far the input's size may differ from the profile's where files or the number of maps tell the size.
// Between two runs of a script, in 39 jobs of recordings, it was 0.30 of the records in as many bytes, 0.09 without
// those of compressed files, and 0.14 of the records of as many maps.
const hintSigma = 0.3
