package capture

import (
	"context"
	"net/http"
	"regexp"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

var countersOfTask = regexp.MustCompile(`/tasks/(task_\d+_\d+_[mr]_\d+)/counters$`)

// Used returns the resource usage of tasks, by their newest counters in the recording. Those of the history server
// come last and are complete.
func (r *Recording) Used() mrjob.Used {
	newest := map[string]answer{}
	for path, list := range r.paths {
		m := countersOfTask.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		for _, a := range list {
			if was, known := newest[m[1]]; a.status == http.StatusOK && (!known || a.at >= was.at) {
				newest[m[1]] = a
			}
		}
	}
	type key struct {
		job  string
		kind dag.StageIndex
		task int32
	}
	all := map[key]mrjob.Usage{}
	for id, a := range newest {
		job, kind, task, ok := mrjob.TaskOf(id)
		counters, err := mrjob.Counters(context.Background(), id, []byte(a.body.String()), nil)
		if ok && err == nil && len(counters) > 0 {
			all[key{job, kind, task}] = mrjob.UsageOf(counters)
		}
	}
	return func(job string, k dag.StageIndex, task int32) (mrjob.Usage, bool) {
		u, ok := all[key{job, k, task}]
		return u, ok
	}
}
