package mapreduce

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/units"
)

// A Hub is a yarn.Hub that also keeps what several sources need of the MapReduce applications: their configurations,
// how much work they have left, and how many tasks the sources keep. Several goroutines may use it.
type Hub struct {
	*yarn.Hub
	cluster Cluster
	needs   map[string]*need // of other applications; used by pollNeeds alone

	mu    sync.RWMutex
	confs map[string]*Settings // by application; nil if they may not be read
	tasks map[string]int       // by workflow, which its chosen application names; see reserve
}

// HubOn returns a hub for the applications of a hub of all engines, which its owner refreshes.
func HubOn(cluster Cluster, hub *yarn.Hub) *Hub {
	return &Hub{
		Hub: hub, cluster: cluster, needs: map[string]*need{}, confs: map[string]*Settings{},
		tasks: map[string]int{},
	}
}

// Update polls the masters of what runs, once for all sources, after a refresh of the hub. If more applications run
// than a source shows one by one, no master is polled.
func (h *Hub) Update(ctx context.Context) {
	apps, at := h.Running()
	if len(apps) < 2 || len(apps) > fewTenants+1 {
		apps = nil
	}
	h.pollNeeds(ctx, apps, at)
	h.forget()
}

// forget drops the settings and the tasks of applications that are no longer known.
func (h *Hub) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.confs, func(app string, _ *Settings) bool { return h.App(app) == nil })
	maps.DeleteFunc(h.tasks, func(app string, _ int) bool { return h.App(app) == nil })
}

// conf returns an application's settings, nil if they are unknown or may not be read. isKnown means that no further
// request is needed.
func (h *Hub) conf(app string) (c *Settings, isKnown bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	c, isKnown = h.confs[app]
	return c, isKnown
}

// Submitted lists the MapReduce applications that the newest round found, by id. A single job has no workflow, nor has
// one with a configuration that may not be read.
func (h *Hub) Submitted() []yarn.Submitted {
	all := h.Hub.Submitted((*yarn.App).MapReduce)
	h.mu.RLock()
	defer h.mu.RUnlock()
	for i := range all {
		s := &all[i]
		var c *Settings
		if c, s.Read = h.confs[s.App]; c != nil {
			s.Workflow = c.Workflow
		}
	}
	return all
}

// Identify requests a running application's configuration, once. If that may not be read, the application counts as a
// single job.
func (h *Hub) Identify(ctx context.Context, app string) error {
	a := h.App(app)
	if c, _ := h.conf(app); a == nil || c != nil {
		return nil
	}
	ctx, done := rest.Keep(ctx)
	defer done()
	return h.requestConf(ctx, a)
}

// requestConf requests an application's configuration, and keeps its settings for all sources.
func (h *Hub) requestConf(ctx context.Context, a *yarn.App) error {
	body, err := resource(ctx, h.cluster, a, "/conf")
	properties, err := Properties(a.Job()+"/conf", body, err)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(properties) > 0:
		c := ReadSettings(properties)
		h.confs[a.ID] = &c
	case err == nil, yarn.Denied(err):
		h.confs[a.ID] = nil
	default:
		return err //nolint:wrapcheck // it names the request
	}
	return nil
}

// related returns the applications that are of a workflow, or may be: those with its id in their settings, and those
// that look like its first one and have no known settings, if they were not submitted long before it.
func (h *Hub) related(w *workflow) []string {
	out := append(units.Each(w.member, func(j *job) string { return j.app.ID }), w.target.ID)
	first := cmp.Or(w.view.Known(w.target.ID), h.App(w.target.ID))
	if first == nil || !first.MapReduce() {
		return out
	}
	id, conf := w.id, w.settings(first)
	if conf != nil {
		id = conf.Workflow
	}
	if conf != nil && id == "" {
		return out // a job by itself
	}
	since := launchOf(first, conf).Add(-lookBack)
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, app := range h.Alike(first) {
		if a := h.App(app); a != nil && h.confs[app] == nil && (!a.Ended || a.Submitted >= since) {
			out = append(out, app)
		}
	}
	for app, c := range h.confs {
		if c != nil && id != "" && c.Workflow == id {
			out = append(out, app)
		}
	}
	return out
}

// NewReplay returns a replay of a workflow's recorded answers through a source.
func NewReplay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	target, err := RecordedTarget(rec, o.Workflow)
	if err != nil {
		return nil, err
	}
	return yarn.NewReplay(rec, recording.NewPlayer(rec), o.Every, target,
		func(c *yarn.Client, t yarn.Target) recording.Source { return NewSource(&Client{Client: c}, t) })
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
		text := fmt.Sprintf("%s %q of %s %s", a.ID, naming.JobTitle(a.FullName), a.User, ids[a.Job()])
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
		properties, _ := Properties(a.URL.Path, []byte(a.Text()), nil)
		if id := ReadSettings(properties).Workflow; id != "" {
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

// UsedIn returns the resource usage of tasks, by their newest recorded counters. Those of the history server come last
// and are complete.
func UsedIn(rec *recording.Answers) Used {
	newest := map[string]*recording.Answer{}
	for i := range rec.All() {
		a := &rec.All()[i]
		if task, ok := idIn(a, countersOfTask); ok {
			newest[task] = a
		}
	}
	all := Used{}
	for id, a := range newest {
		job, kind, task, ok := TaskOf(id)
		counters, err := Counters(id, []byte(a.Text()), nil)
		if ok && err == nil && len(counters) > 0 {
			all[TaskID{job, kind, task}] = UsageOf(counters)
		}
	}
	return all
}
