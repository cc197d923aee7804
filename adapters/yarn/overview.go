package yarn

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// An Overview is the view of a cluster by one source: the ResourceManager's lists of applications, nodes and queues. It
// is not safe for concurrent use.
type Overview struct {
	hub     *Hub
	refresh func(context.Context) error // nil if the hub's owner refreshes it
	some    func() []string             // the applications that it observes; nil for all that are listed
	at      dag.Instant                 // when the applications were listed
	begun   dag.Instant                 // when the newest observation began
	apps    map[string]*App             // the last reports
	listed  []string                    // of the newest observation, by id
	queues  []dag.QueueState            // of the newest snapshot; shared while nothing changes
	warned  []dag.Warning
	totalMB int

	nodes  []dag.NodeState // as snapshots show them
	usable []dag.Node      // that take containers, as plans have them
}

// NewOverview returns an overview of cluster, with a hub of its own, that has sent no request yet. made may be nil, or
// is as in Target.
func NewOverview(cluster Cluster, made func(path string) dag.Instant) *Overview {
	return NewHub(cluster, made).OnlyOverview(func() bool { return false })
}

// OnlyOverview returns an overview for the only source of a hub: each observation refreshes the hub. The first list has
// all applications, and so has every third one while endedDue reports true. The others have those that run.
func (h *Hub) OnlyOverview(endedDue func() bool) *Overview {
	h.endedDue = endedDue
	o := h.Overview(nil)
	o.refresh = h.Refresh
	return o
}

// Overview returns an overview for one source among several. It reuses the responses of the hub's newest Refresh, and
// observes some applications, or with nil all that were listed.
func (h *Hub) Overview(some func() []string) *Overview {
	return &Overview{hub: h, some: some, apps: map[string]*App{}, at: dag.NoInstant, begun: dag.NoInstant}
}

// Observe takes over the hub's newest responses. An overview with a hub of its own refreshes that first. Observe fails
// if the applications cannot be listed.
func (o *Overview) Observe(ctx context.Context) error {
	o.begun, o.warned = o.hub.cluster.Now(), nil
	if o.refresh != nil {
		_ = o.refresh(ctx) // it is in the view
	}
	v := o.hub.view.Load()
	if v.err != nil {
		return v.err
	}
	ids := v.listed
	if o.some != nil {
		ids = o.some()
	}
	o.listed = o.listed[:0]
	for _, id := range ids {
		// A source itself requests its applications that are on no list.
		if v.apps[id] != nil || v.missed[id] != nil && o.apps[id] == nil {
			o.apps[id] = v.known(id).after(o.apps[id])
			o.listed = append(o.listed, id)
		}
	}
	slices.SortFunc(o.listed, ByID)
	o.listed = slices.Compact(o.listed)
	if v.metricsErr != nil {
		o.warned = append(o.warned, dag.Warningf(dag.WarnObservation, "the cluster's metrics could not be read: %s",
			Brief(v.metricsErr)))
	}
	o.at, o.totalMB = v.at, v.metrics.Metrics.V.TotalMB.Count(MaxMB)
	o.showNodes()
	return nil
}

// Now returns when the applications of the newest observation were listed, as a recording has it, or when the
// observation began.
func (o *Overview) Now() dag.Instant { return o.hub.MadeAt("/ws/v1/cluster/apps", o.begun) }

// ListedAt returns when the hub requested the applications.
func (o *Overview) ListedAt() dag.Instant { return o.at }

// Warnings returns those of the newest observation.
func (o *Overview) Warnings() []dag.Warning {
	out := o.warned
	if w, ok := o.hub.cluster.(interface{ Warnings() []dag.Warning }); ok {
		out = append(out[:len(out):len(out)], w.Warnings()...)
	}
	return out
}

// Listed returns the applications of the newest observation, by id.
func (o *Overview) Listed() []*App { return units.Each(o.listed, o.Known) }

// IsListed reports whether the newest observation has the application.
func (o *Overview) IsListed(id string) bool {
	_, found := slices.BinarySearchFunc(o.listed, id, ByID)
	return found
}

// Known returns the last report of an application; nil if there is none.
func (o *Overview) Known(id string) *App { return o.apps[id] }

// Forget drops the reports of applications that are not listed, unless they are needed.
func (o *Overview) Forget(needed func(id string) bool) {
	for id := range o.apps {
		if !o.IsListed(id) && !needed(id) {
			delete(o.apps, id)
		}
	}
}

// Request asks the ResourceManager for applications one by one. If it has forgotten one, as after a restart without a
// state store, the application counts as ended from then on.
func (o *Overview) Request(ctx context.Context, ids ...string) {
	var mu sync.Mutex
	Each(ctx, ids, func(ctx context.Context, id string) {
		var body appBody
		err := ask(ctx, o.hub.cluster, "apps/"+url.PathEscape(id), &body)
		mu.Lock()
		defer mu.Unlock()
		earlier := o.apps[id]
		switch {
		case err == nil && string(body.App.V.ID) == id:
			o.apps[id] = body.App.V.app().after(earlier)
		case rest.Status(err) == http.StatusNotFound && earlier != nil:
			forgotten := *earlier
			forgotten.Running, forgotten.Ended, forgotten.EndReported, forgotten.Forgotten = false, true, true, true
			forgotten.HeldMB, forgotten.State = 0, dag.EndedUnconfirmed
			o.apps[id] = &forgotten
		}
	})
}

// App returns an application, and requests it if the newest list leaves it out. ok is false if the ResourceManager
// does not know it.
func (o *Overview) App(ctx context.Context, id string) (a App, ok bool) {
	if earlier := o.apps[id]; !o.IsListed(id) && (earlier == nil || !earlier.Ended) {
		o.Request(ctx, id)
	}
	if o.apps[id] == nil {
		return App{}, false
	}
	return *o.apps[id], true
}

// Cluster returns the cluster as the plan of an application describes it.
func (o *Overview) Cluster(app string) dag.Cluster {
	o.showNodes()
	c := dag.Cluster{Policy: dag.YARN, MemoryMB: o.totalMB, Nodes: o.usable}
	if a := o.apps[app]; a != nil {
		if q := o.queue(a.Queue); q != nil {
			c.QueueMB = q.limitMB(o.totalMB)
		}
	}
	return c
}

// queue returns the leaf with that name; nil if there is none.
func (o *Overview) queue(name string) *wireQueue {
	return o.hub.view.Load().queues.Scheduler.V.Info.V.find(name)
}

// Fill sets the parts of an application's snapshot that describe the cluster: user, queue, nodes, queues and the other
// applications' load.
func (o *Overview) Fill(snap *dag.Snapshot, app string) {
	o.FillWorkflow(snap, app, []string{app}, []string{app})
}

// FillWorkflow is Fill for a workflow of several applications. app stands for the workflow, own are all its
// applications, and of these active have not ended.
func (o *Overview) FillWorkflow(snap *dag.Snapshot, app string, own, active []string) {
	a := o.apps[app]
	if a == nil {
		return
	}
	o.showNodes()
	snap.User, snap.Queue, snap.Nodes = a.User, a.Queue, o.nodes
	snap.Load = o.load(a, own, active)
	snap.Queues = o.queueStates(snap)
}

// load lists what other applications hold or wait for.
func (o *Overview) load(chosen *App, own, active []string) []dag.Load {
	var first *App
	for _, id := range active {
		if a := o.apps[id]; a != nil && (first == nil || Older(a, first) < 0) {
			first = a
		}
	}
	v, needs := o.hub.view.Load(), *o.hub.needs.Load()
	ours := make(map[string]bool, len(own))
	for _, id := range own {
		ours[id] = true
	}
	var out []dag.Load
	for _, id := range v.listed {
		a := cmp.Or(o.apps[id], v.apps[id])
		if ours[id] || a.Ended && a.HeldMB == 0 {
			continue
		}
		share := 0 // what its queue is guaranteed; 0 for the workflow's own, or if unknown
		if q := o.queue(a.Queue); q != nil && a.Queue != chosen.Queue && q.AbsoluteCapacity.Ratio() > 0 {
			share = part(q.AbsoluteCapacity.Ratio(), o.totalMB)
		}
		out = append(out, dag.Load{
			ID: id, Name: naming.PigScript(naming.JobTitle(a.FullName)), User: a.User, Need: needs[id],
			Before: first == nil || Older(a, first) < 0, Submitted: a.Submitted,
			Queue: a.Queue, HeldMB: a.HeldMB, PendingMB: a.PendingMB, MasterMB: a.MasterMB, Progress: a.Progress,
			ShareMB: share, Until: dag.NoInstant,
		})
	}
	return out
}

// queueStates returns the workflow's queue and the queues of other applications, by name. If nothing has changed it
// returns the same slice as before.
func (o *Overview) queueStates(snap *dag.Snapshot) []dag.QueueState {
	names := append(units.Each(snap.Load, func(l dag.Load) string { return l.Queue }), snap.Queue)
	var out []dag.QueueState
	for _, name := range input.Unique(names) {
		if q := o.queue(name); q != nil {
			out = append(out, q.state(name, o.totalMB))
		}
	}
	if !slices.Equal(out, o.queues) {
		o.queues = out
	}
	return o.queues
}
