package mapreduce

import (
	"cmp"
	"context"
	"maps"
	"sync"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A Hub is a yarn.Hub that also keeps what several sources need of the MapReduce applications: their configurations,
// how much work they have left, and how many tasks the sources keep. Several goroutines may use it.
type Hub struct {
	*yarn.Hub
	cluster Cluster
	needs   map[string]*need // of other applications; used by pollNeeds alone

	mu    sync.RWMutex
	confs map[string]*mrjob.Settings // by application; nil if they may not be read
	tasks map[string]int             // by workflow, which its chosen application names; see reserve
}

// HubOn returns a hub for the applications of a hub of all engines, which its owner refreshes.
func HubOn(cluster Cluster, hub *yarn.Hub) *Hub {
	return &Hub{
		Hub: hub, cluster: cluster, needs: map[string]*need{}, confs: map[string]*mrjob.Settings{},
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
	maps.DeleteFunc(h.confs, func(app string, _ *mrjob.Settings) bool { return h.App(app) == nil })
	maps.DeleteFunc(h.tasks, func(app string, _ int) bool { return h.App(app) == nil })
}

// conf returns an application's settings, nil if they are unknown or may not be read. isKnown means that no further
// request is needed.
func (h *Hub) conf(app string) (c *mrjob.Settings, isKnown bool) {
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
		var c *mrjob.Settings
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
	var body []byte
	var err error
	if path := "jobs/" + a.Job() + "/conf"; a.Ended {
		body, err = h.cluster.JHS(ctx, "mapreduce/"+path)
	} else {
		body, err = h.cluster.AM(ctx, a.ID, path)
	}
	properties, err := mrjob.Properties(a.Job()+"/conf", body, err)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case len(properties) > 0:
		c := mrjob.ReadSettings(properties)
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
	out := []string{w.target.ID}
	for _, j := range w.member {
		out = append(out, j.app.ID)
	}
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
