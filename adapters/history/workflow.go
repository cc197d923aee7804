package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Workflow has the jobs that belong together, by job id.
type Workflow struct {
	ID   string // the engine's id; for a single job, the job's id
	Name string
	Jobs []*Job
}

// Group sorts jobs into workflows by the submission of their first jobs. If a job has several histories, the fuller
// one is used. A job without a workflow is a workflow by itself.
func Group(jobs []*Job) []*Workflow {
	newest := map[string]*Job{}
	for _, j := range jobs {
		if was := newest[j.ID]; was == nil || fuller(j, was) {
			newest[j.ID] = j
		}
	}
	byID := map[string]*Workflow{}
	for _, id := range slices.SortedFunc(maps.Keys(newest), yarn.ByID) {
		j := newest[id]
		key := cmp.Or(j.Settings.Workflow, j.ID)
		w := byID[key]
		if w == nil {
			w = &Workflow{ID: key, Name: cmp.Or(j.Settings.WorkflowName, pig.Script(j.Name))}
			byID[key] = w
		}
		w.Jobs = append(w.Jobs, j)
	}
	out := slices.Collect(maps.Values(byID))
	slices.SortFunc(out, func(a, b *Workflow) int {
		return cmp.Or(cmp.Compare(a.Jobs[0].Submitted, b.Jobs[0].Submitted), yarn.ByID(a.Jobs[0].ID, b.Jobs[0].ID),
			cmp.Compare(a.ID, b.ID))
	})
	for _, w := range out {
		w.launches()
	}
	return out
}

// fuller reports whether a has more of the job than b. A running job's file may be copied while it grows, and only
// one of two copies may have a configuration.
func fuller(a, b *Job) bool {
	switch {
	case a.Ended() != b.Ended():
		return a.Ended()
	case a.Last != b.Last:
		return a.Last > b.Last
	}
	return a.Configured && !b.Configured
}

// launches separates the batches of a script if no configuration names them. Jobs of one batch have the same graph,
// and a batch is submitted after the end of the previous one.
func (w *Workflow) launches() {
	key := map[string]string{}
	for i, j := range w.Jobs {
		if j.Settings.Launch != "" || j.Settings.Workflow == "" {
			continue
		}
		graph := fmt.Sprint(j.Settings.After) // fmt prints maps in key order
		if len(j.Settings.After) == 0 {
			graph = "node " + j.Settings.Node
		}
		if _, known := key[graph]; !known {
			key[graph] = j.ID
			for _, b := range w.Jobs[:i] {
				if b.Settings.Launch != "" && (!b.Finished.Known() || b.Finished > j.Submitted) {
					key[graph] = b.Settings.Launch // they overlap, so they are one batch
				}
			}
		}
		j.Settings.Launch = key[graph]
	}
}

func (w *Workflow) is(id string) bool {
	return w.ID == id || slices.ContainsFunc(w.Jobs, func(j *Job) bool {
		return j.ID == id || strings.Replace(j.ID, "job_", "application_", 1) == id
	})
}

// Used returns the resource usage of the workflow's succeeded tasks.
func (s *Source) Used() mrjob.Used {
	type key struct {
		job  string
		kind dag.StageIndex
		task int32
	}
	all := map[key]mrjob.Usage{}
	for _, j := range s.jobs {
		for _, a := range j.all() {
			if a.State == dag.AttemptSucceeded {
				all[key{j.ID, a.Kind, a.Task}] = a.Usage
			}
		}
	}
	return func(job string, k dag.StageIndex, task int32) (u mrjob.Usage, ok bool) {
		u, ok = all[key{job, k, task}]
		return u, ok
	}
}
