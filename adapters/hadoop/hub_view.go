package hadoop

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

// A view holds the cluster's answers to one Refresh. A published view never changes.
type view struct {
	round  int
	at     dag.Instant // when it was requested
	err    error
	apps   map[string]*wireApp // running ones, and those that were seen to have ended; in a hub of one, listed
	listed []string            // runs; in a hub of one, all of the newest list, by id
	// applications that ran and are on no list any more, until a list of ended ones was due to contain them
	missed map[string]*wireApp
	runs   []string // the ones that run, by id
	names  map[nameKey][]string
	w      answers
	nodes  int           // the newest round that listed nodes
	queues int           // the newest round that listed queues
	state  *clusterState // made of the nodes, in a hub of many
	needs  map[string]*dag.Need
}

// need returns what an application has left to do; nil if unknown.
func (v *view) need(app string) *dag.Need { return v.needs[app] }

// known returns the last report of an application that runs, has ended or is missed; nil for any other.
func (v *view) known(app string) *wireApp { return cmp.Or(v.apps[app], v.missed[app]) }

type nameKey struct {
	name string
	user text
}

func keyOf(a *wireApp) nameKey { return nameKey{scriptName(string(a.Name)), a.User} }

// list reads the nodes for all sources. Nodes keep their indices.
func (v *view) list(at dag.Instant) {
	fresh := newClusterState()
	if v.state != nil {
		fresh.nodes, fresh.index, fresh.ids, fresh.back, fresh.shared = v.state.nodes, v.state.index, v.state.ids,
			v.state.back, true
	}
	fresh.list(v.w.nodes.Nodes.V.Node, at)
	fresh.plain()
	v.state = &fresh
	v.w.nodes = nodesBody{}
}

// moved reports whether nodes came, went or changed since the last metrics that could be read.
func (v *view) moved(old *view) bool {
	was := old.w.metrics.Metrics.V.nodeCounts
	return v.w.metricsErr == nil && was.Active.ok && v.w.metrics.Metrics.V.nodeCounts != was
}

// takeAll makes the view of a hub with an only source, which remembers what it needs of earlier lists.
func (v *view) takeAll(list *appsBody) {
	v.apps = make(map[string]*wireApp, len(list.Apps.V.App))
	for i := range list.Apps.V.App {
		if a := &list.Apps.V.App[i]; a.ID != "" {
			v.apps[string(a.ID)] = a.after(v.apps[string(a.ID)])
		}
	}
	v.listed = slices.SortedFunc(maps.Keys(v.apps), byID)
}

// take makes the view from two lists: the applications that run, and those that have ended since.
func (v *view) take(old *view, runs, ended *appsBody) {
	v.apps = make(map[string]*wireApp, len(old.apps))
	for id, a := range old.apps {
		if a.ended() {
			v.apps[id] = a
		}
	}
	for _, list := range []*appsBody{ended, runs} {
		for i := range list.Apps.V.App {
			a := &list.Apps.V.App[i]
			if a.ID == "" {
				continue
			}
			if before := old.known(string(a.ID)); before != nil { // the same texts are kept once
				a.ID, a.Name, a.User, a.Queue, a.Tracking = before.ID, before.Name, before.User, before.Queue,
					before.Tracking
			}
			v.apps[string(a.ID)] = a.after(old.apps[string(a.ID)])
		}
	}
	v.names = map[nameKey][]string{}
	var over []*wireApp
	for id, a := range v.apps {
		if !a.ended() {
			v.runs = append(v.runs, id)
		} else {
			over = append(over, a)
		}
	}
	if len(over) > maxEnded {
		slices.SortFunc(over, older)
		for _, a := range over[:len(over)-maxEnded] {
			delete(v.apps, string(a.ID))
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(v.apps), byID) {
		a := v.apps[id]
		k := keyOf(a)
		v.names[k] = append(v.names[k], id)
	}
	slices.SortFunc(v.runs, byID)
	v.listed = v.runs
}

// miss remembers applications that ran and are on no list. If an application was missed before a list of ended ones
// was requested and is not on that list either, it is gone, as after a failover to a ResourceManager without a
// state store.
func (v *view) miss(old *view, ended bool) {
	v.missed = map[string]*wireApp{}
	if !ended {
		maps.Copy(v.missed, old.missed)
	}
	for _, id := range old.runs {
		v.missed[id] = old.apps[id]
	}
	maps.DeleteFunc(v.missed, func(id string, _ *wireApp) bool { return v.apps[id] != nil })
}

// A Submitted is an application that runs or waits to.
type Submitted struct {
	App, Name, User, Queue string
	Engine                 string      // "Tez" or "Spark"; "" is MapReduce
	Title                  string      // the name of the DAG that it runs, if that is known; "" with MapReduce
	At                     dag.Instant // its submission
	// Read means that its conf is known, and with it the workflow; "" is a single job, or one with a conf that may
	// not be read. Readable means that the conf can be requested.
	Read, Readable bool
	Workflow       string
	// HeldMB is the memory of its containers, its master's included. PendingMB is requested and not allocated. It
	// is NaN if the cluster does not report it (the fair scheduler), or if the list leaves it out (a busy cluster).
	HeldMB, Containers int
	PendingMB          float64
	// UserMB is what its user may hold in its queue, and QueueMB what all users may; 0 if unlimited or unknown.
	UserMB, QueueMB int
}

// Together reports whether two applications may be jobs of one wave of a script: alike, and submitted at about the
// same time.
func Together(a, b *Submitted) bool {
	return scriptName(a.Name) == scriptName(b.Name) && a.User == b.User &&
		max(a.At.Sub(b.At), b.At.Sub(a.At)) < sameWave*time.Millisecond
}

// Room returns the cluster's memory for containers and the free part of it, in MB. Both are 0 if unknown.
func (h *Hub) Room() (totalMB, freeMB int) {
	m := &h.view.Load().w.metrics.Metrics.V
	totalMB = m.TotalMB.count(maxMB)
	return totalMB, max(0, totalMB-m.AllocatedMB.count(maxMB)-m.ReservedMB.count(maxMB))
}

// Running lists the MapReduce applications that the newest round found, by id.
func (h *Hub) Running() []Submitted { return h.running((*wireApp).mapReduce) }

// Tez lists the applications of Tez that the newest round found, by id. Only their masters report which DAG they
// run.
func (h *Hub) Tez() []Submitted {
	all := h.running(func(a *wireApp) bool { return a.Type == "TEZ" })
	for i := range all {
		all[i].Engine, all[i].Read, all[i].Workflow = engine.Tez, false, ""
	}
	return all
}

// Spark lists the applications of Spark that the newest round found, by id. Each is a workflow once its driver runs.
func (h *Hub) Spark() []Submitted {
	all := h.running(func(a *wireApp) bool { return a.Type == "SPARK" })
	for i := range all {
		s := &all[i]
		s.Engine, s.Read, s.Workflow = engine.Spark, s.Readable, ""
		if s.Readable {
			s.Workflow, s.Title = s.App, s.Name
		}
	}
	return all
}

// App returns an application that the newest round found.
func (h *Hub) App(id string) (a App, ok bool) {
	if w := h.view.Load().known(id); w != nil {
		return w.told(), true
	}
	return App{}, false
}

func (h *Hub) running(of func(*wireApp) bool) []Submitted {
	v := h.view.Load()
	total := v.w.metrics.Metrics.V.TotalMB.count(maxMB)
	queues := map[text]dag.QueueState{}
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]Submitted, 0, len(v.runs))
	for _, id := range v.runs {
		a := v.apps[id]
		if !of(a) {
			continue
		}
		s := Submitted{
			App: id, Name: scriptName(JobTitle(string(a.Name))), User: string(a.User), Queue: string(a.Queue),
			At: a.Started.instant(), Readable: a.State == "RUNNING",
			HeldMB: a.AllocatedMB.count(maxMB), Containers: a.Containers.count(maxTasks), PendingMB: a.pending(),
		}
		q, known := queues[a.Queue]
		if !known {
			if leaf := v.w.queues.Scheduler.V.Info.V.find(string(a.Queue)); leaf != nil {
				q = leaf.state(string(a.Queue), total)
			}
			queues[a.Queue] = q
		}
		s.UserMB, s.QueueMB = q.UserMB, q.MaxMB
		if c := h.confs[id]; c != nil {
			s.Read, s.Workflow = true, c.workflow
		}
		s.Read = s.Read || h.denied[id]
		out = append(out, s)
	}
	return out
}

// pending returns the memory that the application has requested but not received, in MB; NaN if unknown.
func (a *wireApp) pending() float64 {
	if len(a.Resources.V.Partitions) == 0 {
		return math.NaN()
	}
	mb, _ := a.memory()
	return float64(mb)
}
