package hadoop

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// An App is an application of any engine as the ResourceManager reports it.
type App struct {
	ID, Name, User, Queue string
	Type                  string // "TEZ", "MAPREDUCE"
	Tags                  string // comma-separated
	Running, Ended        bool   // its master is up; it has ended
	State                 dag.State
	Diagnosis             string
	Submitted, Finished   dag.Instant
	HeldMB, AMMB          int    // memory of its containers, and of its master's one; 0 if unknown
	Node                  string // host and web port of the node that its master runs on; "" if unknown
	Container             string // its master's container; "" if unknown
}

// Tagged reports whether the application has that tag.
func (a *App) Tagged(tag string) bool { return slices.Contains(strings.Split(a.Tags, ","), tag) }

// An Overview observes what applications of all engines have in common: the ResourceManager's lists of applications,
// nodes and queues. It is for sources of engines that have no jobs of MapReduce. It is not safe for concurrent use.
type Overview struct{ s *Source }

// NewOverview returns an overview of cluster that has sent no request yet. made may be nil, or is as in Target.
func NewOverview(cluster Cluster, made func(path string) dag.Instant) *Overview {
	return &Overview{NewSource(cluster, Target{Made: made})}
}

// Overview returns an overview for the source of one application. It reuses the responses of the hub's newest
// Refresh.
func (h *Hub) Overview(app string) *Overview { return &Overview{h.Source(app)} }

// Observe polls once. It fails if the applications cannot be listed.
func (o *Overview) Observe(ctx context.Context) error {
	o.s.now, o.s.warned = o.s.cluster.Now(), nil
	if o.s.alone() {
		_ = o.s.hub.Refresh(ctx) // serve returns its error
	}
	return o.s.hub.serve(o.s)
}

// Now returns when the newest observation was made.
func (o *Overview) Now() dag.Instant { return o.s.made("/ws/v1/cluster/apps") }

// Warnings returns those of the newest observation.
func (o *Overview) Warnings() []dag.Warning {
	out := o.s.warned
	if w, ok := o.s.cluster.(interface{ Warnings() []dag.Warning }); ok {
		out = append(out[:len(out):len(out)], w.Warnings()...)
	}
	return out
}

// Listed returns the applications of the newest list, by id.
func (o *Overview) Listed() []App {
	out := make([]App, 0, len(o.s.listed))
	for _, id := range o.s.listed {
		out = append(out, o.s.apps[id].told())
	}
	return out
}

// App returns an application, and requests it if the newest list leaves it out. ok is false if the ResourceManager
// does not know it.
func (o *Overview) App(ctx context.Context, id string) (a App, ok bool) {
	was := o.s.apps[id]
	for _, listed := range o.s.listed {
		if listed == id {
			return was.told(), true
		}
	}
	if was != nil && was.ended() {
		return was.told(), true
	}
	body, err := o.s.cluster.RM(ctx, "apps/"+url.PathEscape(id))
	if b, err := get[appBody](ctx, "apps/"+id, body, err); err == nil && string(b.App.V.ID) == id {
		o.s.apps[id] = b.App.V.after(was)
	}
	if o.s.apps[id] == nil {
		return App{}, false
	}
	return o.s.apps[id].told(), true
}

// amLogs matches the address that the ResourceManager reports for a master's logs.
var amLogs = regexp.MustCompile(`^https?://([A-Za-z0-9._:\[\]-]+)/node/containerlogs/(container_[0-9a-z_]+)(/|$)`)

func (a *wireApp) told() App {
	_, am := a.memory()
	out := App{
		ID: string(a.ID), Name: dag.Clean(string(a.Name)), User: string(a.User), Queue: string(a.Queue),
		Type: string(a.Type), Tags: string(a.Tags),
		Running: a.State == "RUNNING", Ended: a.ended(), State: a.ending(), Diagnosis: string(a.Diagnostics),
		Submitted: a.Started.instant(), Finished: a.Finished.instant(),
		HeldMB: a.AllocatedMB.count(maxMB), AMMB: am, Node: string(a.Master),
	}
	if m := amLogs.FindStringSubmatch(string(a.Logs)); m != nil {
		out.Node, out.Container = cmp.Or(out.Node, m[1]), m[2]
	}
	return out
}

// Cluster returns the cluster as the plan of an application describes it.
func (o *Overview) Cluster(app string) dag.Cluster {
	w := &o.s.state
	c := dag.Cluster{Policy: dag.YARN, MemoryMB: w.totalMB, Nodes: w.plain()}
	if a := o.s.apps[app]; a != nil {
		c.QueueMB = w.queueMB(string(a.Queue))
	}
	return c
}

// NodeIndex returns the index in Snapshot.Nodes of a node, by its id (host and RPC port) or its web address; -1 if
// there are too many nodes.
func (o *Overview) NodeIndex(name string) int32 {
	w := &o.s.state
	if i, known := w.ids[name]; known {
		return i
	}
	return w.node(name)
}

// Fill sets the parts of an application's snapshot that describe the cluster: user, queue, nodes, queues and the
// other applications' load.
func (o *Overview) Fill(snap *dag.Snapshot, app string) {
	s := o.s
	s.chosen = app
	a := s.apps[app]
	if a == nil {
		return
	}
	snap.User, snap.Queue, snap.Nodes = string(a.User), string(a.Queue), s.state.nodes
	snap.Load = s.load(&graph{nodes: []node{{job: newJob(a)}}}, map[string]bool{app: true})
	snap.Queues = s.queueStates(snap)
}

// Apps reads the applications from a response of /cluster/apps, in the response's order. It returns none for
// anything else.
func Apps(body []byte) []App {
	var b appsBody
	if decode("apps", body, &b) != nil {
		return nil
	}
	var out []App
	for i := range b.Apps.V.App {
		if a := &b.Apps.V.App[i]; a.ID != "" {
			out = append(out, a.told())
		}
	}
	return out
}
