package yarn

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// An App is an application of any engine as the ResourceManager reports it (docs/facts/hadoop.md A3).
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
func Alike(a, b *App) bool {
	return hive.Script(a.FullName) == hive.Script(b.FullName) && a.User == b.User
}

type appsBody struct {
	Apps rest.Box[struct {
		App rest.List[wireApp] `json:"app"`
	}] `json:"apps"`
}

type appBody struct {
	App rest.Box[wireApp] `json:"app"`
}

type wireApp struct {
	ID          loose.Label     `json:"id"`
	User        loose.Label     `json:"user"`
	Name        loose.Raw       `json:"name"`
	Queue       loose.Label     `json:"queue"`
	State       loose.Label     `json:"state"`
	FinalStatus loose.Label     `json:"finalStatus"`
	Type        loose.Label     `json:"applicationType"`
	Tags        loose.Label     `json:"applicationTags"`
	Diagnostics loose.Diagnosis `json:"diagnostics"`
	Master      loose.Label     `json:"amHostHttpAddress"` // the address of the node that its master runs on
	Logs        loose.Label     `json:"amContainerLogs"`   // the address of its master's logs, on that node
	Started     loose.Optional  `json:"startedTime"`       // the submission
	Finished    loose.Optional  `json:"finishedTime"`
	AllocatedMB loose.Optional  `json:"allocatedMB"` // -1 once nothing is held
	Containers  loose.Optional  `json:"runningContainers"`
	Progress    loose.Optional  `json:"progress"`
	Resources   rest.Box[struct {
		Partitions rest.List[struct {
			Pending wireMemory `json:"pending"`
			AM      wireMemory `json:"amUsed"`
		}] `json:"resourceUsagesByPartition"`
	}] `json:"resourceInfo"` // 3.x
}

type wireMemory = rest.Box[struct {
	Memory loose.Optional `json:"memory"`
}]

// MaxMB bounds a memory size: no cluster has 1 EB of containers.
const MaxMB = 1 << 40

// maxContainers bounds the containers of an application, whatever a response claims.
const maxContainers = 4 << 20

// amLogs matches the address that the ResourceManager reports for a master's logs.
var amLogs = regexp.MustCompile(`^https?://([A-Za-z0-9._:\[\]-]+)/node/containerlogs/(container_[0-9a-z_]+)(/|$)`)

func (w *wireApp) app() *App {
	a := &App{
		ID: string(w.ID), Name: dag.Clean(string(w.Name)), FullName: string(w.Name), User: string(w.User),
		Queue: string(w.Queue), Type: string(w.Type), Tags: string(w.Tags),
		Running: w.State == "RUNNING", Ended: slices.Contains([]loose.Label{"FINISHED", "FAILED", "KILLED"}, w.State),
		EndReported: w.State == "FINISHED", State: w.ending(), Diagnosis: string(w.Diagnostics),
		Submitted: w.Started.Instant(), Finished: w.Finished.Instant(), Progress: w.Progress.Ratio(),
		HeldMB: w.AllocatedMB.Count(MaxMB), HasPending: len(w.Resources.V.Partitions) > 0,
		Containers: -1, Node: string(w.Master),
	}
	if w.Containers.Known {
		a.Containers = w.Containers.Count(maxContainers)
	}
	for _, p := range w.Resources.V.Partitions {
		a.PendingMB = min(a.PendingMB+p.Pending.V.Memory.Count(MaxMB), MaxMB)
		a.MasterMB = min(a.MasterMB+p.AM.V.Memory.Count(MaxMB), MaxMB)
	}
	if m := amLogs.FindStringSubmatch(string(w.Logs)); m != nil {
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

// Apps reads the applications from a response of /cluster/apps, in the response's order.
func Apps(body []byte) ([]*App, error) {
	var b appsBody
	err := Decode("apps", body, &b)
	return b.list(), err
}
