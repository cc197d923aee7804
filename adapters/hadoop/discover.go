package hadoop

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	appOrJob = regexp.MustCompile(`^(application|job)_\d+_\d+$`)
	inside   = regexp.MustCompile(`^(task|attempt|container(?:_e\d+)?|appattempt)_(\d+_\d+)(_|$)`)
	inURL    = regexp.MustCompile(`(application|job)_\d+_\d+`)
)

// maxID bounds a workflow id.
const maxID = 1000

// TargetOf reads what a person typed for a workflow: nothing (the newest running workflow of the user), the id of an
// application, of a job or of a workflow, or something else that names an application: an attempt's id or the address
// of its page. User matters only where nothing is typed.
func TargetOf(typed, user string) (Target, error) {
	id := strings.TrimSpace(typed)
	switch {
	case id == "":
		return Target{User: user}, nil
	case len(id) > maxID:
		return Target{}, fmt.Errorf("a workflow's id of %d characters is none", len(id))
	case appOrJob.MatchString(id):
		return Target{ID: id}, nil
	case inside.MatchString(id):
		return Target{ID: "application_" + inside.FindStringSubmatch(id)[2]}, nil
	case strings.HasPrefix(id, "application_"), strings.HasPrefix(id, "job_"):
		return Target{}, fmt.Errorf("%q is no id: application_1700000000000_0001 and job_1700000000000_0001 are", oneLine(id))
	}
	if u, err := url.Parse(id); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if found := inURL.FindString(u.Path); found != "" {
			return Target{ID: found}, nil
		}
		return Target{}, fmt.Errorf("the address %s names no application: give its id", oneLine(id))
	}
	if oneLine(id) != id {
		return Target{}, fmt.Errorf("%q is no id of a workflow", oneLine(id))
	}
	return Target{ID: id}, nil
}
