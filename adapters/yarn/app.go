package yarn

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// An App is an application of any engine as the ResourceManager reports it (facts/hadoop.md A3).
type App struct {
	ID, Name, User, Queue string
	FullName              string // as its owner wrote it, not cleaned
	Type                  string // "TEZ", "MAPREDUCE"
	Tags                  string // comma-separated
	Running, Ended        bool   // its master is up; the ResourceManager lists it as ended
	EndReported           bool   // it has ended, and its master has reported the end
	Forgotten             bool   // the ResourceManager has forgotten it: that it has ended is a guess
	State                 dag.State
	Diagnosis             string
	Submitted, Finished   dag.Instant
	Progress              float64 // 0 to 1, NaN if unknown
	// HeldMB is the memory of its containers, MasterMB that of its master's one, PendingMB what it has requested but
	// not received. They are 0 if unknown. The fair scheduler, and lists of busy clusters, have no pending memory.
	HeldMB, MasterMB, PendingMB int
	HasPending                  bool
	Containers                  int    // the master's included; -1 if unknown
	Node                        string // host and web port of the node that its master runs on; "" if unknown
	Container                   string // its master's container; "" if unknown
}

// MapReduce reports whether the application may be a MapReduce job.
func (a *App) MapReduce() bool { return a.Type == "MAPREDUCE" || a.Type == "" }

// Job returns the id of the MapReduce job that belongs to the application: the same suffix.
func (a *App) Job() string { return "job_" + strings.TrimPrefix(a.ID, "application_") }

// Tagged reports whether the application has that tag.
func (a *App) Tagged(tag string) bool { return slices.Contains(strings.Split(a.Tags, ","), tag) }

// after returns the valid one of a new and an earlier state of an application. An application that has ended does
// not run again, whatever a stale response shows.
func (a *App) after(earlier *App) *App {
	if earlier != nil && earlier.Ended && !earlier.Forgotten && !a.Ended {
		return earlier
	}
	return a
}

// Older orders applications by submission.
func Older(a, b *App) int {
	return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), ByID(a.ID, b.ID))
}

// Alike reports whether two applications may be parts of one script: the same user, and the same name but for the
// stage of a Hive query.
func Alike(a, b *App) bool { return keyOf(a) == keyOf(b) }

type (
	appsBody struct {
		Apps rest.Box[struct{ App rest.List[wireApp] }]
	}
	appBody struct{ App rest.Box[wireApp] }
)

// A wireApp has Hadoop's names.
type wireApp struct {
	ID, User, Queue, State, FinalStatus, ApplicationType, ApplicationTags input.Label

	Name              input.Raw
	Diagnostics       input.Diagnosis
	AMHostHTTPAddress input.Label    // of the node that its master runs on
	AMContainerLogs   input.Label    // the address of its master's logs, on that node
	StartedTime       input.Optional // the submission
	AllocatedMB       input.Optional // -1 once nothing is held
	ResourceInfo      rest.Box[struct {
		Partitions rest.List[struct{ Pending, AMUsed wireMemory }] `json:"resourceUsagesByPartition"`
	}] // 3.x

	FinishedTime, RunningContainers, Progress input.Optional
}

type wireMemory = rest.Box[struct{ Memory input.Optional }]

// MaxMB bounds a memory size: no cluster has 1 EB of containers.
const MaxMB = 1 << 40

// maxContainers bounds the containers of an application, whatever a response claims.
const maxContainers = 4 << 20

// amLogs matches the address that the ResourceManager reports for a master's logs.
var amLogs = regexp.MustCompile(`^https?://([A-Za-z0-9._:\[\]-]+)/node/containerlogs/(container_[0-9a-z_]+)(/|$)`)

func (w *wireApp) app() *App {
	a := &App{
		ID: string(w.ID), Name: dag.Clean(string(w.Name)), FullName: string(w.Name), User: string(w.User),
		Queue: string(w.Queue), Type: string(w.ApplicationType), Tags: string(w.ApplicationTags),
		Running: w.State == "RUNNING", Ended: slices.Contains([]input.Label{"FINISHED", "FAILED", "KILLED"}, w.State),
		EndReported: w.State == "FINISHED", State: w.ending(), Diagnosis: string(w.Diagnostics),
		Submitted: w.StartedTime.Instant(), Finished: w.FinishedTime.Instant(), Progress: w.Progress.Ratio(),
		HeldMB: w.AllocatedMB.Count(MaxMB), HasPending: len(w.ResourceInfo.V.Partitions) > 0,
		Containers: -1, Node: string(w.AMHostHTTPAddress),
	}
	if w.RunningContainers.Known {
		a.Containers = w.RunningContainers.Count(maxContainers)
	}
	for _, p := range w.ResourceInfo.V.Partitions {
		a.PendingMB = min(a.PendingMB+p.Pending.V.Memory.Count(MaxMB), MaxMB)
		a.MasterMB = min(a.MasterMB+p.AMUsed.V.Memory.Count(MaxMB), MaxMB)
	}
	if m := amLogs.FindStringSubmatch(string(w.AMContainerLogs)); m != nil {
		a.Node, a.Container = cmp.Or(a.Node, m[1]), m[2]
	}
	return a
}

// ending returns how an application ended, by the last report of its master or of the ResourceManager.
func (w *wireApp) ending() dag.State {
	switch {
	case w.FinalStatus == "SUCCEEDED":
		return dag.Succeeded
	case w.FinalStatus == "KILLED" || w.State == "KILLED":
		return dag.Killed
	case w.FinalStatus == "FAILED" || w.State == "FAILED":
		return dag.Failed
	}
	return dag.EndedUnconfirmed
}

// list returns the applications in the response's order, without those that have no id.
func (b *appsBody) list() []*App {
	var out []*App
	for i := range b.Apps.V.App {
		if w := &b.Apps.V.App[i]; w.ID != "" {
			out = append(out, w.app())
		}
	}
	return out
}

// Apps reads the applications from a response of /cluster/apps, in the response's order. The request may have failed
// with err.
func Apps(body []byte, err error) ([]*App, error) {
	b, err := Read[appsBody]("apps", body, err)
	return b.list(), err
}

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

// IsEarly returns true: the workflow may come later, as a replay of recorded answers finds.
func (e *NoWorkflowError) IsEarly() bool { return true }

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
		return Target{}, fmt.Errorf("a workflow's id of %d characters is too long", len(id))
	case appOrJob.MatchString(id):
		return Target{ID: id}, nil
	case inside.MatchString(id):
		return Target{ID: "application_" + inside.FindStringSubmatch(id)[2]}, nil
	case strings.HasPrefix(id, "application_"), strings.HasPrefix(id, "job_"):
		return Target{}, fmt.Errorf("%q is not an id such as application_1700000000000_0001 or job_1700000000000_0001",
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
