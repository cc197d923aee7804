package capture

import (
	"net/http"
	"regexp"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
)

var countersOfTask = regexp.MustCompile(`/tasks/(task_\d+_\d+_[mr]_\d+)/counters$`)

// Used returns the resource usage of tasks, by their newest counters in the recording. Those of the history server
// come last and are complete.
func (r *Recording) Used() mapreduce.Used {
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
	all := map[key]mapreduce.Usage{}
	for id, a := range newest {
		job, kind, task, ok := mapreduce.TaskOf(id)
		if u, counted := mapreduce.UsageIn([]byte(a.body.String())); ok && counted {
			all[key{job, kind, task}] = u
		}
	}
	return func(job string, k dag.StageIndex, task int32) (mapreduce.Usage, bool) {
		u, ok := all[key{job, k, task}]
		return u, ok
	}
}
