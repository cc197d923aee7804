package hadoop

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A view is what the cluster said at one Refresh. Nothing of it is changed once it is published.
type view struct {
	round  int
	at     dag.Instant // when it was asked
	err    error
	apps   map[string]*wireApp // those that run, and those that were seen to have ended
	missed map[string]*wireApp // those that ran and that no list has any more, until one has had to tell that they have ended
	runs   []string            // the ones that run, by id
	names  map[nameKey][]string
	w      answers
	nodes  int // the round of w.nodes, and of w.queues
	queues int
	world  *world // made of w.nodes
	needs  map[string]*dag.Need
}

// need is what an application has left to do; nil where nobody knows.
func (v *view) need(app string) *dag.Need { return v.needs[app] }

// known is what was said last of an application that runs, has ended or is missed; nil where it is none of these.
func (v *view) known(app string) *wireApp { return cmp.Or(v.apps[app], v.missed[app]) }

type nameKey struct {
	name string
	user text
}

func keyOf(a *wireApp) nameKey { return nameKey{scriptName(string(a.Name)), a.User} }

// list reads the nodes for all sources. Indices stay those of before.
func (v *view) list(at dag.Instant) {
	fresh := newWorld()
	if v.world != nil {
		fresh.nodes, fresh.index, fresh.ids, fresh.back, fresh.shared = v.world.nodes, v.world.index, v.world.ids, v.world.back, true
	}
	fresh.list(v.w.nodes.Nodes.v.Node, at)
	fresh.plain()
	v.world = &fresh
	v.w.nodes = nodesBody{}
}

// moved says that nodes came, went or changed.
func (v *view) moved(old *view) bool {
	return v.w.metrics.Metrics.v.nodeCounts != old.w.metrics.Metrics.v.nodeCounts
}

// take makes the view of two lists: the applications that run, and those that have ended since.
func (v *view) take(old *view, runs, ended *appsBody) {
	v.apps = make(map[string]*wireApp, len(old.apps))
	for id, a := range old.apps {
		if a.ended() {
			v.apps[id] = a
		}
	}
	for _, list := range []*appsBody{ended, runs} {
		for i := range list.Apps.v.App {
			a := &list.Apps.v.App[i]
			if a.ID == "" {
				continue
			}
			if before := old.known(string(a.ID)); before != nil { // the same texts are kept once
				a.ID, a.Name, a.User, a.Queue, a.Tracking = before.ID, before.Name, before.User, before.Queue, before.Tracking
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
}

// miss remembers what has run and is on no list. What was missed before a list of those that have ended was asked and is not on
// it either is gone for good, as after a failover to a ResourceManager that has no state store.
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
