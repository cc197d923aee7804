package engine

import (
	"cmp"
	"context"
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

// Manager returns the scheme and host of the ResourceManager whose answers are recorded; "" if there is none.
func Manager(rec *recording.Answers) string {
	for _, a := range rec.All() {
		if u := a.URL; strings.HasPrefix(recording.Served(u), "/ws/v1/cluster/") {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

// eachList visits the recorded lists of applications, without repetitions of the list before.
func eachList(rec *recording.Answers, visit func(apps []byte)) {
	var before *recording.Answer
	for i := range rec.All() {
		a := &rec.All()[i]
		if a.Status == http.StatusOK && IsPoll(a.URL) && !a.SameText(before) {
			before = a
			visit([]byte(a.Text()))
		}
	}
}

var jobOfConf = regexp.MustCompile(`/jobs/(job_\d+_\d+)/conf$`)

// Job selects the MapReduce workflow to replay. A workflow id selects its first application, so that snapshots begin at
// its submission. Without an id it selects the first workflow that was submitted after the recording began. If there is
// none, it selects the newest running one.
func Job(rec *recording.Answers, workflow string) (yarn.Target, error) {
	apps, ids := submissions(rec), workflows(rec)
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

// submissions lists all MapReduce applications by submission.
func submissions(rec *recording.Answers) []*yarn.App {
	seen := map[string]bool{}
	var out []*yarn.App
	eachList(rec, func(apps []byte) {
		listed, _ := yarn.Apps(apps) // an unusable response has none
		for _, s := range listed {
			if s.MapReduce() && !seen[s.ID] {
				seen[s.ID] = true
				out = append(out, s)
			}
		}
	})
	slices.SortStableFunc(out, func(a, b *yarn.App) int {
		return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// workflows returns the workflow ids of jobs with a recorded configuration.
func workflows(rec *recording.Answers) map[string]string {
	out := map[string]string{}
	for _, a := range rec.All() {
		job, ok := named(&a, jobOfConf)
		if !ok || out[job] != "" {
			continue
		}
		properties, _ := mrjob.Properties(context.Background(), a.URL.Path, []byte(a.Text()), nil)
		if id := mrjob.ReadSettings(properties).Workflow; id != "" {
			out[job] = id
		}
	}
	return out
}

// named returns the id that a pattern matches in the path of a good answer.
func named(a *recording.Answer, pattern *regexp.Regexp) (id string, ok bool) {
	m := pattern.FindStringSubmatch(strings.TrimSuffix(a.URL.Path, "/"))
	if m == nil || a.Status != http.StatusOK {
		return "", false
	}
	return m[1], true
}

var countersOfTask = regexp.MustCompile(`/tasks/(task_\d+_\d+_[mr]_\d+)/counters$`)

// Used returns the resource usage of MapReduce tasks, by their newest counters. Those of the history server come last
// and are complete.
func Used(rec *recording.Answers) mrjob.Used {
	newest := map[string]*recording.Answer{}
	for i := range rec.All() {
		a := &rec.All()[i]
		if task, ok := named(a, countersOfTask); ok {
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
		counters, err := mrjob.Counters(context.Background(), id, []byte(a.Text()), nil)
		if ok && err == nil && len(counters) > 0 {
			all[key{job, kind, task}] = mrjob.UsageOf(counters)
		}
	}
	return func(job string, k dag.StageIndex, task int32) (mrjob.Usage, bool) {
		u, ok := all[key{job, k, task}]
		return u, ok
	}
}
