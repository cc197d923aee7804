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
// told, and of jobs of which the file system tells; 1, false where neither does.
func (m *Model) growthOfInputs(profile *match) (ratio float64, told bool) {
	sum, expected := 0.0, 0.0
	for j := range m.phases {
		p, n := &m.priors[j][dag.Map], m.Snapshot.Plan.Jobs[j].Map.Count()
		if p.total == 0 || len(m.Snapshot.Plan.Jobs[j].After) > 0 {
			continue
		}
		seen := m.phases[j][dag.Map].seen.known
		for _, s := range seen {
			sum += s.units
			expected += p.at(dag.Map, s.task, n)
		}
		if r := m.filesRatio(j, profile.job(j)); len(seen) == 0 && !math.IsNaN(r) {
			mean := p.total / float64(len(p.sizes)) * float64(n)
			sum += r * mean
			expected += mean
		}
	}
	if expected == 0 {
		return 1, false
	}
	return sum / expected, true
}
