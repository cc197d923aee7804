package mapreduce

import (
	"cmp"
	"context"
	"sync"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Hub is a yarn.Hub that also keeps what several sources need of the MapReduce applications: their configurations,
// and how much work they have left. Several goroutines may use it.
type Hub struct {
	*yarn.Hub
	cluster Cluster

	mu    sync.RWMutex
	confs map[string]*mrjob.Settings // by application; nil if they may not be read
	flows map[string][]string        // workflow id to applications
	needs needs                      // used by Refresh alone
	room  room                       // for the tasks of all sources
}

// NewHub returns a hub that has sent no request yet.
func NewHub(cluster Cluster) *Hub { return HubOn(cluster, yarn.NewHub(cluster, nil)) }

// HubOn returns a hub for the applications of a hub of all engines, which its owner refreshes.
func HubOn(cluster Cluster, hub *yarn.Hub) *Hub {
	return &Hub{
		Hub: hub, cluster: cluster, confs: map[string]*mrjob.Settings{}, flows: map[string][]string{}, needs: needs{},
		room: room{tasks: map[string]int{}},
	}
}

// Refresh lists the applications and the state of the cluster, and polls the masters of some. After an error sources
// miss their observations.
func (h *Hub) Refresh(ctx context.Context) error {
	if err := h.Hub.Refresh(ctx); err != nil {
		return err //nolint:wrapcheck // it is of this hub
	}
	h.Update(ctx)
	return nil
}

// Update polls the masters of some applications, after a refresh of the hub.
func (h *Hub) Update(ctx context.Context) {
	h.pollNeeds(ctx)
	h.forget()
}

// pollNeeds polls the masters of what runs, once for all sources. If more applications run than a source shows one by
// one, no master is polled.
func (h *Hub) pollNeeds(ctx context.Context) {
	apps, at := h.Running()
	if len(apps) < 2 || len(apps) > fewTenants+1 {
		clear(h.needs)
		h.SetNeeds(nil)
		return
	}
	made := func(string) dag.Instant { return at }
	h.needs.poll(ctx, h.cluster, apps, at, made, h.conf)
	h.SetNeeds(h.needs.reported())
}

// forget drops the settings and the tasks of applications that are no longer known.
func (h *Hub) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.flows)
	for app, c := range h.confs {
		switch {
		case h.App(app) == nil:
			delete(h.confs, app)
		case c != nil && c.Workflow != "":
			h.flows[c.Workflow] = append(h.flows[c.Workflow], app)
		}
	}
	h.room.keep(func(app string) bool { return h.App(app) != nil })
}

func (h *Hub) conf(app string) *mrjob.Settings {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.confs[app]
}

// keep remembers an application's settings for all sources; nil if they may not be read.
func (h *Hub) keep(app string, c *mrjob.Settings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.confs[app] != nil {
		return
	}
	h.confs[app] = c
	if c != nil && c.Workflow != "" {
		h.flows[c.Workflow] = append(h.flows[c.Workflow], app)
	}
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
	if a == nil || h.conf(app) != nil {
		return nil
	}
	ctx, done := rest.Keep(ctx)
	defer done()
	conf, err := requestConf(ctx, h.cluster, a)
	if err == nil || yarn.Denied(err) {
		h.keep(app, conf)
		return nil
	}
	return err
}

// related returns the applications that are of a workflow, or may be: those with its id in their settings,
// and those that look like its first one and have no known settings.
func (h *Hub) related(w *workflow) []string {
	out := []string{w.target.ID}
	for _, j := range w.member {
		out = append(out, j.app)
	}
	first := cmp.Or(w.view.Known(w.target.ID), h.App(w.target.ID))
	if first == nil || !first.MapReduce() {
		return out
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	workflow, conf := w.id, h.confs[w.target.ID]
	if conf != nil {
		workflow = conf.Workflow
	}
	if conf != nil && workflow == "" {
		return out // a job by itself
	}
	out = append(out, h.flows[workflow]...)
	since := launchOf(first, conf).Add(-lookBack)
	for _, id := range h.Alike(first) {
		if a := h.App(id); a != nil && h.confs[id] == nil && (!a.Ended || a.Submitted >= since) {
			out = append(out, id)
		}
	}
	return out
}
