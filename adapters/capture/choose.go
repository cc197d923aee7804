package capture

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoop"
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
func (r *Recording) target(workflow string) (hadoop.Target, error) {
	apps, ids := r.submissions(), r.workflows()
	if workflow == "" {
		before := map[string]bool{"": false} // workflows that began before the recording
		for _, a := range apps {
			id := ids[a.Job]
			if a.At < int64(r.First) {
				before[id] = id != ""
			} else if !before[id] {
				return hadoop.Target{ID: a.App}, nil
			}
		}
		return hadoop.Target{}, nil
	}
	for _, a := range apps {
		if a.App == workflow || a.Job == workflow || ids[a.Job] == workflow {
			return hadoop.Target{ID: a.App}, nil
		}
	}
	e := &UnknownError{Workflow: workflow}
	for _, a := range apps[:min(len(apps), 50)] {
		e.Holds = append(e.Holds, strings.TrimSpace(fmt.Sprintf("%s %q of %s %s", a.App, a.Name, a.User, ids[a.Job])))
	}
	return hadoop.Target{}, e
}

// submissions lists all applications of all responses by submission.
func (r *Recording) submissions() []hadoop.Submission {
	seen := map[string]bool{}
	var out []hadoop.Submission
	var before body
	for _, a := range r.paths[appsPath] {
		if a.status != http.StatusOK || a.body == before {
			continue
		}
		before = a.body
		for _, s := range hadoop.Submissions([]byte(a.body.String())) {
			if !seen[s.App] {
				seen[s.App] = true
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b hadoop.Submission) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.App, b.App))
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
			if id := hadoop.WorkflowOf([]byte(a.body.String())); id != "" {
				out[m[1]] = id
				break
			}
		}
	}
	return out
}
