package past

import (
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// Used returns the resource usage of succeeded tasks.
func (w *Workflow) Used() mrjob.Used {
	type key struct {
		job  string
		kind dag.StageIndex
		task int32
	}
	all := map[key]mrjob.Usage{}
	for _, j := range w.Jobs {
		for k := range j.Attempts {
			for i := range j.Attempts[k] {
				if a := &j.Attempts[k][i]; a.State == dag.AttemptSucceeded {
					all[key{j.ID, dag.StageIndex(k), a.Task}] = a.Usage
				}
			}
		}
	}
	return func(job string, k dag.StageIndex, task int32) (mrjob.Usage, bool) {
		u, ok := all[key{job, k, task}]
		return u, ok
	}
}
