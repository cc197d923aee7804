package observed

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// ReduceSize is what a reduce is given, in bytes, or on the paper's cluster in records, where nothing tells their
// bytes; NaN where nothing tells.
func (m *Model) ReduceSize(job, task int) float64 { return m.phases[job][dag.Reduce].size(task) }

// KeyGroups is what is known of the key groups of a job's reduces, and what one of them takes, by NearestFit, where the
// job's reduces go by that.
func (m *Model) KeyGroups(job int) (*dag.Groups, estimators.GroupTime) {
	if job < len(m.groups) && m.groups[job] != nil {
		g := m.groups[job]
		if !m.ByGroups(job) || !g.nearest {
			return g.sizes, nil
		}
		return g.sizes, func(task int, bytes float64) (float64, string) {
			seconds, rule := g.prediction.Time(task, bytes)
			return 1000 * seconds, rule.String()
		}
	}
	return m.Snapshot.Plan.Jobs[job].Stages[dag.Reduce].Groups, nil
}
