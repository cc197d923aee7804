package yarn

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Target selects what to watch. The zero Target is the newest running workflow of any user.
type Target struct {
	// ID is an application, job or workflow id; "" chooses by itself.
	ID string
	// User restricts the choice if ID is "": the newest workflow of this user; "" is any user.
	User string
	// Made, if set, returns when the current response for path was made, as it was recorded. On a live cluster
	// it is now. path begins with /ws or /proxy and has no query.
	Made func(path string) dag.Instant
	// Final, if set, reports whether this observation is the last one, so that waiting for better responses is
	// useless.
	Final func() bool
}

// NoWorkflowError means that there is nothing to watch (yet).
type NoWorkflowError struct {
	Target Target
	Apps   int // applications that were seen
	// Why describes a target that the cluster has but that cannot be watched; "" if there is none.
	Why string
}

func (e *NoWorkflowError) Error() string {
	found := units.Count(e.Apps, "application")
	switch {
	case e.Why != "":
		return "hadoop: " + e.Why
	case e.Target.ID != "":
		return fmt.Sprintf("hadoop: %s is unknown to the cluster (%s seen): is the id right, is it too old?", e.Target.ID, found)
	case e.Target.User != "":
		return fmt.Sprintf("hadoop: no application of MapReduce, Tez or Spark of user %s runs (%s seen): start it, or name one", e.Target.User, found)
	}
	return fmt.Sprintf("hadoop: no application of MapReduce, Tez or Spark runs (%s seen): start one, or name one", found)
}

var (
	appID    = regexp.MustCompile(`^application_\d+_\d+$`)
	appOrJob = regexp.MustCompile(`^(application|job)_\d+_\d+$`)
	inside   = regexp.MustCompile(`^(task|attempt|vertex|container(?:_e\d+)?|appattempt)_(\d+_\d+)(_|$)`)
	inURL    = regexp.MustCompile(`(application|job)_\d+_\d+`)
)

// IsApplication reports whether a text is the id of an application.
func IsApplication(id string) bool { return appID.MatchString(id) }

// NamesApplication reports whether an address is one of an application's pages: its path contains an id.
func NamesApplication(address string) bool {
	u, err := url.Parse(address)
	return err == nil && inURL.MatchString(u.Path)
}

// maxID bounds a workflow id.
const maxID = 1000

// TargetOf parses what a user typed for a workflow: nothing (the newest running workflow of user), the id of an
// application, of a job or of a workflow, or something else that names an application: an attempt's id or the
// address of its page. user matters only if nothing is typed.
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
		return Target{}, fmt.Errorf("%q is not an id: application_1700000000000_0001 and job_1700000000000_0001 are",
			oneLine(id))
	}
	if u, err := url.Parse(id); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if found := inURL.FindString(u.Path); found != "" {
			return Target{ID: found}, nil
		}
		return Target{}, fmt.Errorf("the address %s names no application: give its id", oneLine(id))
	}
	if oneLine(id) != id {
		return Target{}, fmt.Errorf("%q is not an id of a workflow", oneLine(id))
	}
	return Target{ID: id}, nil
}
