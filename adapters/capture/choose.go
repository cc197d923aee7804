package capture

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
	"github.com/paratimer/paratimer/adapters/yarn"
)

// An UnknownError means that a recording does not contain the requested workflow.
type UnknownError struct {
	Workflow string
	Holds    []string // workflows of the recording, one line each
}

func (e *UnknownError) Error() string {
	if len(e.Holds) == 0 {
		return fmt.Sprintf("capture: it does not hold %s, nor any other MapReduce application", e.Workflow)
	}
	return fmt.Sprintf("capture: it does not hold %s; it holds\n  %s", e.Workflow, strings.Join(e.Holds, "\n  "))
}

var jobOfConf = regexp.MustCompile(`/jobs/(job_\d+_\d+)/conf$`)

// target selects the workflow to replay. A workflow id selects its first application, so that snapshots begin at its
// submission. Without an id it selects the first workflow that was submitted after the recording began. If there is
// none, it selects the newest running one.
func (r *Recording) target(workflow string) (yarn.Target, error) {
	apps, ids := r.submissions(), r.workflows()
	if workflow == "" {
		before := map[string]bool{"": false} // workflows that began before the recording
		for _, a := range apps {
			id := ids[a.Job()]
			if a.Submitted < r.First {
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
	e := &UnknownError{Workflow: workflow}
	for _, a := range apps[:min(len(apps), 50)] {
		text := fmt.Sprintf("%s %q of %s %s", a.ID, hive.JobTitle(a.FullName), a.User, ids[a.Job()])
		e.Holds = append(e.Holds, strings.TrimSpace(text))
	}
	return yarn.Target{}, e
}

// submissions lists all applications of all responses by submission.
func (r *Recording) submissions() []*yarn.App {
	seen := map[string]bool{}
	var out []*yarn.App
	var before body
	for _, a := range r.paths[appsPath] {
		if a.status != http.StatusOK || a.body == before {
			continue
		}
		before = a.body
		listed, _ := yarn.Apps([]byte(a.body.String())) // an unusable response has none
		for _, s := range listed {
			if s.MapReduce() && !seen[s.ID] {
				seen[s.ID] = true
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *yarn.App) int {
		return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// workflows returns the workflow ids of jobs with a recorded configuration.
func (r *Recording) workflows() map[string]string {
	out := map[string]string{}
	for path, list := range r.paths {
		m := jobOfConf.FindStringSubmatch(path)
		if m == nil {
			continue
		}
		for _, a := range list {
			if a.status != http.StatusOK {
				continue
			}
			properties, _ := mrjob.Properties(context.Background(), path, []byte(a.body.String()), nil)
			if id := mrjob.ReadSettings(properties).Workflow; id != "" {
				out[m[1]] = id
				break
			}
		}
	}
	return out
}
