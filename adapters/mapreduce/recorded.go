package mapreduce

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// NewReplay returns a replay of a workflow's recorded answers through a source.
func NewReplay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	p := recording.NewPlayer(rec)
	r, site, options, err := yarn.NewReplay(rec, p, o.Every)
	if err != nil {
		return nil, err
	}
	client, err := NewClient(site, options)
	if err != nil {
		return nil, err
	}
	target, err := RecordedTarget(rec, o.Workflow)
	if err != nil {
		return nil, err
	}
	target.Made, target.Final = p.Made, r.Last
	r.Source = NewSource(client, target)
	return r, nil
}

// RecordedTarget selects the workflow to replay. A workflow id selects its first application, so that snapshots begin
// at its submission. Without an id it selects the first workflow that was submitted after the recording began. If
// there is none, it selects the newest running one.
func RecordedTarget(rec *recording.Answers, workflow string) (yarn.Target, error) {
	apps := slices.DeleteFunc(yarn.RecordedApps(rec), func(a *yarn.App) bool { return !a.MapReduce() })
	ids := workflows(rec)
	if workflow == "" {
		before := map[string]bool{"": false} // workflows that began before the recording
		for _, a := range apps {
			id := ids[a.Job()]
			if a.Submitted < rec.First {
				before[id] = id != ""
			} else if !before[id] {
				return yarn.Target{ID: a.ID}, nil
			}
		}
		return yarn.Target{}, nil
	}
	for _, a := range apps {
		if a.ID == workflow || a.Job() == workflow || ids[a.Job()] == workflow {
			return yarn.Target{ID: a.ID}, nil
		}
	}
	e := &recording.UnknownError{Workflow: workflow}
	for _, a := range apps[:min(len(apps), 50)] {
		text := fmt.Sprintf("%s %q of %s %s", a.ID, hive.JobTitle(a.FullName), a.User, ids[a.Job()])
		e.Holds = append(e.Holds, strings.TrimSpace(text))
	}
	return yarn.Target{}, e
}

var (
	jobOfConf      = regexp.MustCompile(`/jobs/(job_\d+_\d+)/conf$`)
	countersOfTask = regexp.MustCompile(`/tasks/(task_\d+_\d+_[mr]_\d+)/counters$`)
)

// workflows returns the workflow ids of jobs with a recorded configuration.
func workflows(rec *recording.Answers) map[string]string {
	out := map[string]string{}
	for _, a := range rec.All() {
		job, ok := idIn(&a, jobOfConf)
		if !ok || out[job] != "" {
			continue
		}
		properties, _ := mrjob.Properties(a.URL.Path, []byte(a.Text()), nil)
		if id := mrjob.ReadSettings(properties).Workflow; id != "" {
			out[job] = id
		}
	}
	return out
}

// idIn returns the id that a pattern matches in the path of a good answer.
func idIn(a *recording.Answer, pattern *regexp.Regexp) (id string, ok bool) {
	m := pattern.FindStringSubmatch(strings.TrimSuffix(a.URL.Path, "/"))
	if m == nil || a.Status != http.StatusOK {
		return "", false
	}
	return m[1], true
}

// Used returns the resource usage of tasks, by their newest recorded counters. Those of the history server come last
// and are complete.
func Used(rec *recording.Answers) mrjob.Used {
	newest := map[string]*recording.Answer{}
	for i := range rec.All() {
		a := &rec.All()[i]
		if task, ok := idIn(a, countersOfTask); ok {
			newest[task] = a
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
		counters, err := mrjob.Counters(id, []byte(a.Text()), nil)
		if ok && err == nil && len(counters) > 0 {
			all[key{job, kind, task}] = mrjob.UsageOf(counters)
		}
	}
	return func(job string, k dag.StageIndex, task int32) (mrjob.Usage, bool) {
		u, ok := all[key{job, k, task}]
		return u, ok
	}
}
