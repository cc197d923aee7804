package observed

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// ReduceSize is what a reduce is given, in bytes or as InRecords says; NaN where nothing tells. It satisfies estimators.Sizer.
func (m *Model) ReduceSize(job, task int) float64 { return m.phases[job][dag.Reduce].size(task) }

// InRecords says that reduces are measured in records: on the paper's cluster nothing tells their bytes.
func (m *Model) InRecords() bool { return m.fifo }

// KeyGroups is what is known of the key groups of a job's reduces, and what one of them takes, by NearestFit, where the job's
// reduces go by that. It satisfies estimators.Keyed.
func (m *Model) KeyGroups(job int) (*dag.Groups, estimators.GroupTime) {
	if job < len(m.groups) && m.groups[job] != nil {
		g := m.groups[job]
		if !m.ByGroups(job) || !g.nearest {
			return g.sizes, nil
		}
		return g.sizes, func(task int, bytes float64) (float64, string) {
			seconds, rule := g.said.Time(task, bytes)
			return 1000 * seconds, rule.String()
		}
	}
	return m.Snapshot.Plan.Jobs[job].Reduce.Groups, nil
}
