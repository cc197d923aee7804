package hadoop

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// answers are a tick's about the cluster.
type answers struct {
	metrics                         metricsBody
	nodes                           nodesBody
	queues                          schedulerBody
	metricsErr, nodesErr, queuesErr error
	nodesAsked, queuesAsked         bool
}

// A world is what is known of the cluster. Where an answer fails, what was known stays.
type world struct {
	totalMB     int
	active      num
	lost        num
	changed     bool // nodes came or went since they were asked
	queues      wireQueue
	queuesKnown bool
	nodes       []dag.NodeState
	index       map[string]int32
}

func newWorld() world { return world{index: map[string]int32{}} }

func (w *world) take(a *answers, s *Source) {
	if a.metricsErr == nil {
		m := &a.metrics.Metrics.v
		w.changed = w.active.ok && (m.ActiveNodes != w.active || m.LostNodes != w.lost)
		w.totalMB, w.active, w.lost = m.TotalMB.count(maxMB), m.ActiveNodes, m.LostNodes
	} else {
		s.warn(dag.WarnObservation, "the cluster's metrics: %v", firstLine(a.metricsErr.Error()))
	}
	if a.nodesAsked && a.nodesErr == nil {
		w.listNodes(a.nodes.Nodes.v.Node)
	}
	if a.queuesAsked && a.queuesErr == nil {
		w.queues, w.queuesKnown = a.queues.Scheduler.v.Info.v, true
	}
}

// listNodes takes the nodes as the ResourceManager lists them. An index stays a node's for ever.
func (w *world) listNodes(list []wireNode) {
	slices.SortStableFunc(list, func(a, b wireNode) int { return cmp.Or(cmp.Compare(a.HTTP, b.HTTP), cmp.Compare(a.ID, b.ID)) })
	nodes := slices.Clone(w.nodes)
	for i := range list {
		n := &list[i]
		// A lost node has no HTTP address any more in some versions; its id's host and port are not what attempts tell.
		name := cmp.Or(string(n.HTTP), string(n.ID))
		if name == "" {
			continue
		}
		w.nodes = nodes
		at := w.node(name)
		nodes = slices.Clone(w.nodes)
		st := &nodes[at]
		switch n.State {
		case "LOST", "SHUTDOWN", "DECOMMISSIONED", "UNHEALTHY", "REBOOTED":
			st.Lost = true
		default:
			st.Lost = false
			if mb := n.UsedMB.count(maxMB) + n.AvailMB.count(maxMB); mb > 0 {
				st.MemoryMB = mb
			}
		}
	}
	w.nodes = nodes
}

// node returns the index of the node of that name, made if needed.
func (w *world) node(name string) int32 {
	if i, ok := w.index[name]; ok {
		return i
	}
	i := int32(len(w.nodes))
	w.index[name] = i
	w.nodes = append(slices.Clip(w.nodes), dag.NodeState{Name: name})
	return i
}

// queueMB is what the workflow's queue lets its user hold, 0 where that is not limited or not known.
func (w *world) queueMB(queue string) int {
	if q := w.queues.find(queue); q != nil {
		return q.limitMB(w.totalMB)
	}
	return 0
}
