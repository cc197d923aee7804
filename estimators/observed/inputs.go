package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// filesRatio is how many times as much as in the profile's run a map of the job gets, by what the file system says of the job's input; NaN
// where it says nothing. Of the profile's run the files count as well, for jobs may read a part of each, as those of columns do; where
// they are not known, what its maps read.
func (m *Model) filesRatio(j int, known *dag.Job) float64 {
	now, n := &m.Snapshot.Plan.Jobs[j], known.Map.Count()
	was := known.InputBytes
	if !(was > 0) {
		was = float64(n) * meanKnown(known.Map.Bytes, n)
	}
	if !(now.InputBytes > 0 && was > 0 && now.Map.Count() > 0) {
		return math.NaN()
	}
	return now.InputBytes / was * perTask(n, now.Map.Count())
}

// growthOfInputs is how many times as much as in the profile's run a map that reads the query's own input gets, of those that have
// told, and of jobs of which the file system tells; 1 where neither does. sigma is the standard deviation of its logarithm until a map has told.
func (m *Model) growthOfInputs(profile *match) (ratio, sigma float64) {
	told, sized, counted := false, false, false
	sum, expected := 0.0, 0.0
	for j := range m.phases {
		p, n := &m.priors[j][dag.Map], m.Snapshot.Plan.Jobs[j].Map.Count()
		seen := &m.phases[j][dag.Map].seen
		told = told || len(seen.known) > 0 || seen.finished > 0
		if p.total == 0 || len(m.Snapshot.Plan.Jobs[j].After) > 0 {
			continue
		}
		counted = counted || m.Snapshot.Jobs[j].ID != "" && m.Snapshot.Plan.Jobs[j].Map.Known
		for _, s := range seen.known {
			sum += s.units
			expected += p.at(dag.Map, s.task, n)
		}
		if r := m.filesRatio(j, profile.job(j)); len(seen.known) == 0 && !math.IsNaN(r) {
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
	case told:
		return sum / expected, 0
	case sized || counted:
		return sum / expected, hintSigma
	}
	return sum / expected, profile.inputSigma()
}

// How far the input's size may differ from the profile's before this run has reported any: the profile may be of a sample, or the input may have grown.
const (
	// unknownInput is how many times as large or as small the input may be, where the profile is of one run: eight of ten times within. A profile
	// of a sample is off by far more.
	unknownInput = 3
	// unknownWeight is how much that weighs against each step from one run to the next.
	unknownWeight = 0.1
	// tenthAbove is the standard normal distribution's 0.9 quantile.
	tenthAbove = 1.2816
	// hintSigma is that where files or the number of maps tell the size. Between two runs of a script, in 39 jobs of recordings, it was 0.30 of the records in
	// as many bytes, 0.09 without those of compressed files, and 0.14 of the records of as many maps.
	hintSigma = 0.3
)

// inputSigma is the standard deviation of the logarithm of an input's size, against the profile's, where nothing tells it: that of the steps between the runs that the profile
// is learned from.
func (m *match) inputSigma() float64 {
	if m == nil {
		return 0
	}
	wide := math.Log(unknownInput) / tenthAbove
	sum, weight := unknownWeight*wide*wide, unknownWeight
	sizes := m.plan.InputSizes
	for i := 1; i < len(sizes); i++ {
		if step := math.Log(sizes[i] / sizes[i-1]); !math.IsNaN(step) && !math.IsInf(step, 0) {
			sum, weight = sum+step*step, weight+1
		}
	}
	return min(math.Sqrt(sum/weight), wide)
}

// inputSizes are those of a profile: of the runs that it is learned from, or of its own.
func inputSizes(profile *dag.Plan) []float64 {
	if len(profile.InputSizes) > 0 {
		return profile.InputSizes
	}
	sum, maps := 0.0, 0
	for j := range profile.Jobs {
		job := &profile.Jobs[j]
		if n := job.Map.Count(); len(job.After) == 0 && n > 0 {
			sum, maps = sum+float64(n)*meanKnown(recordsOf(&job.Map), n), maps+n
		}
	}
	if !(sum > 0) {
		return nil
	}
	return []float64{round(sum / float64(maps))}
}
