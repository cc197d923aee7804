package observed

import "github.com/paratimer/paratimer/dag"

// ReduceSize is what a reduce is given, in bytes or as InRecords says; NaN where nothing tells. It satisfies estimators.Sizer.
func (m *Model) ReduceSize(job, task int) float64 { return m.phases[job][dag.Reduce].size(task) }

// InRecords says that reduces are measured in records: on the paper's cluster nothing tells their bytes.
func (m *Model) InRecords() bool { return m.fifo }
