package hadoop

import (
	"cmp"
	"maps"
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
	counts      nodeCounts
	queues      wireQueue
	queuesKnown bool
	nodes       []dag.NodeState // never changed in place: snapshots share it
	index       map[string]int32
	ids         map[string]int32 // a node's id (host and RPC port), which diagnostics name
	shared      bool             // index, ids and back are a hub's, for others as well
	listing     bool             // nodes is nobody else's yet
	machines    []dag.Node       // those of machinesOf that take containers
	machinesOf  []dag.NodeState

	// Where nodes are not asked again (a recording), what is lost is guessed.
	listedAt dag.Instant // when the list of nodes was made
	gone     int         // memory that went with the lost ones, not yet found
	goneAt   dag.Instant // when
	recalls  map[int32]int
	guessed  map[int32]dag.Instant
	back     map[int32]dag.Instant // when a node that was lost was listed again
}

func newWorld() world {
	return world{index: map[string]int32{}, ids: map[string]int32{}, recalls: map[int32]int{}, guessed: map[int32]dag.Instant{}, back: map[int32]dag.Instant{}, goneAt: dag.NoInstant, listedAt: dag.NoInstant}
}

// nodesMoved says that the metrics tell of nodes that came, went or changed, or that one was guessed to be lost since they were listed.
func (w *world) nodesMoved(a *answers) bool {
	for _, at := range w.guessed {
		if at > w.listedAt {
			return true
		}
	}
	return a.metricsErr == nil && w.counts.Active.ok && a.metrics.Metrics.v.nodeCounts != w.counts
}

func (w *world) take(a *answers, s *Source) {
	if a.metricsErr != nil {
		s.warn(dag.WarnObservation, "the cluster's metrics could not be read: %s", brief(a.metricsErr))
	} else {
		m := &a.metrics.Metrics.v
		total := m.TotalMB.count(maxMB)
		if w.counts.Active.ok && m.Active.v < w.counts.Active.v && total < w.totalMB {
			w.gone, w.goneAt = w.totalMB-total, s.made("/ws/v1/cluster/metrics")
		}
		w.totalMB, w.counts = total, m.nodeCounts
	}
	if a.nodesAsked && a.nodesErr == nil {
		w.list(a.nodes.Nodes.v.Node, s.made("/ws/v1/cluster/nodes"))
	}
	if a.queuesAsked && a.queuesErr == nil {
		w.queues, w.queuesKnown = a.queues.Scheduler.v.Info.v, true
	}
}

// list takes the nodes as the ResourceManager lists them. An index stays a node's for ever.
func (w *world) list(nodes []wireNode, at dag.Instant) {
	w.own()
	w.nodes, w.listing = slices.Clone(w.nodes), true
	defer func() { w.listing = false }()
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b wireNode) int { return cmp.Or(cmp.Compare(a.HTTP, b.HTTP), cmp.Compare(a.ID, b.ID)) })
	best := map[int32]*wireNode{} // a node that was started again is listed as lost as well, by its old id
	var order []int32
	for i := range nodes {
		n := &nodes[i]
		at0, ok := w.listed(n)
		switch {
		case !ok:
		case best[at0] == nil:
			best[at0], order = n, append(order, at0)
		case n.usable():
			best[at0] = n
		}
	}
	for _, i := range order {
		w.set(i, w.told(i, best[i], at), at)
	}
	w.listedAt = at
	if w.goneAt.Known() && at >= w.goneAt {
		w.gone = 0 // the list itself tells
	}
}

// listed is the index of a node of the list; one that nobody has met and that has no name has none.
func (w *world) listed(n *wireNode) (int32, bool) {
	at0, known := w.ids[string(n.ID)]
	if name := cmp.Or(string(n.HTTP), string(n.ID)); !known && name != "" {
		if at0 = w.node(name); at0 < 0 {
			return 0, false
		}
		known = true
		w.ids[string(n.ID)] = at0
	}
	return at0, known
}

// told is what a list says of node i.
func (w *world) told(i int32, n *wireNode, at dag.Instant) dag.NodeState {
	st := w.nodes[i]
	st.Lost, st.Cause, st.Draining = !n.usable(), n.cause(), n.State == "DECOMMISSIONING"
	st.Label = n.label()
	if !st.Lost {
		// A list may be older than what is known by other ways; 0 where nothing was guessed.
		st.Lost = w.guessed[i] > at
		if mb := n.UsedMB.count(maxMB) + n.AvailMB.count(maxMB); mb > 0 {
			st.MemoryMB = mb
		}
	}
	return st
}

// set changes a node. The slice is a new one: snapshots hold the old.
func (w *world) set(i int32, st dag.NodeState, at dag.Instant) {
	switch old := w.nodes[i]; {
	case !st.Lost:
		st.LostAt, st.Cause = dag.NoInstant, dag.NodeGone
		if old.Lost {
			w.back[i] = at
		}
	case !old.Lost:
		st.LostAt = at
	}
	if w.nodes[i] != st {
		if !w.listing {
			w.nodes = slices.Clone(w.nodes)
		}
		w.nodes[i] = st
	}
}

// own makes the indices this world's alone, before they change.
func (w *world) own() {
	if w.shared {
		w.index, w.ids, w.back, w.shared = maps.Clone(w.index), maps.Clone(w.ids), maps.Clone(w.back), false
	}
}

// adopt takes over what a hub has read out of a list of nodes, unless this world knows of something that the list does not.
func (w *world) adopt(hub *world) bool {
	if len(w.guessed) > 0 || len(w.index) > 0 && !w.shared {
		return false
	}
	w.nodes, w.index, w.ids, w.back, w.shared = hub.nodes, hub.index, hub.ids, hub.back, true
	w.machines, w.machinesOf = hub.plain(), hub.nodes
	w.listedAt = hub.listedAt
	if w.goneAt.Known() && w.listedAt >= w.goneAt {
		w.gone = 0
	}
	return true
}

// relist takes over a hub's nodes by their names, where the two have come to number them differently.
func (w *world) relist(hub *world) {
	w.nodes = slices.Clone(w.nodes)
	w.back = map[int32]dag.Instant{}
	for k, n := range hub.nodes {
		i := w.node(n.Name)
		if i < 0 {
			continue
		}
		if back, came := hub.back[int32(k)]; came {
			w.back[i] = back
		}
		if w.guessed[i] > hub.listedAt { // 0 where nothing was guessed
			n.Lost, n.LostAt = true, w.nodes[i].LostAt
		}
		w.nodes[i] = n
	}
	w.own()
	for id, i := range hub.ids {
		if at, known := w.index[hub.nodes[i].Name]; known {
			w.ids[id] = at
		}
	}
	w.listedAt = hub.listedAt
	if w.goneAt.Known() && w.listedAt >= w.goneAt {
		w.gone = 0
	}
}

// plain are the nodes that take containers, as plans have them: the same slice while the nodes are the same.
func (w *world) plain() []dag.Node {
	same := len(w.nodes) == len(w.machinesOf) && (len(w.nodes) == 0 || &w.nodes[0] == &w.machinesOf[0])
	if same {
		return w.machines
	}
	w.machines, w.machinesOf = nil, w.nodes
	for _, n := range w.nodes {
		if !n.Lost && !n.Draining && n.Label == "" {
			w.machines = append(w.machines, dag.Node{Name: n.Name, MemoryMB: n.MemoryMB})
		}
	}
	return w.machines
}

// mostNodes are more than any cluster has. A job's master may invent names: those beyond are of no known node.
const mostNodes = 50_000

// node returns the index of the node of that name, made if needed; -1 where there are too many.
func (w *world) node(name string) int32 {
	if i, ok := w.index[name]; ok {
		return i
	}
	if len(w.nodes) >= mostNodes {
		return -1
	}
	w.own()
	i := int32(len(w.nodes)) //nolint:gosec // G115: a list of nodes fits into an answer, whose size is bounded
	w.index[name] = i
	if !w.listing {
		w.nodes = slices.Clip(w.nodes)
	}
	w.nodes = append(w.nodes, dag.NodeState{Name: name, LostAt: dag.NoInstant})
	return i
}

// recalled notes that a result on the node was taken back: its master knows that the node is lost, or its output.
func (w *world) recalled(node int32, at dag.Instant) {
	if node >= 0 && at.Known() {
		w.recalls[node]++
	}
}

// unusable marks the node of that id (host and RPC port) by what is said at an instant of an attempt that was killed for it, if the
// list of nodes is older than that. What started before the node came back says nothing new.
func (w *world) unusable(id string, a *dag.Attempt, at dag.Instant) {
	if a.End.Known() {
		at = min(at, a.End)
	}
	i, known := w.ids[id]
	back, came := w.back[i]
	if !known || w.listedAt >= at || w.nodes[i].Lost || came && a.Start < back {
		return
	}
	w.set(i, guessedLost(w.nodes[i]), at)
	w.guessed[i] = at
	if w.gone == w.nodes[i].MemoryMB {
		w.gone = 0
	}
}

// guess marks the node that went, if the list of nodes is older than its going: the one of that size whose results were
// taken back, or the only one of that size.
func (w *world) guess() {
	if w.gone == 0 {
		clear(w.recalls)
		return
	}
	best, alone := int32(-1), int32(-1)
	sizes := 0
	for i := range w.nodes {
		n := &w.nodes[i]
		if n.Lost || n.MemoryMB != w.gone {
			continue
		}
		sizes, alone = sizes+1, int32(i)
		if r := w.recalls[int32(i)]; r > 0 && (best < 0 || r > w.recalls[best]) {
			best = int32(i)
		}
	}
	if best < 0 && sizes == 1 {
		best = alone
	}
	if best < 0 {
		return
	}
	w.set(best, guessedLost(w.nodes[best]), w.goneAt)
	w.guessed[best], w.gone = w.goneAt, 0
	clear(w.recalls)
}

// queueMB is what the workflow's queue lets its user hold, 0 where that is not limited or not known.
func (w *world) queueMB(queue string) int {
	if q := w.queues.find(queue); q != nil {
		return q.limitMB(w.totalMB)
	}
	return 0
}

// shareMB is what the queue is guaranteed, where it is another one than ours; 0 where that is unknown.
func (w *world) shareMB(queue, ours string) int {
	if queue == ours {
		return 0
	}
	q := w.queues.find(queue)
	if q == nil || !(q.Absolute.ratio() > 0) {
		return 0
	}
	return int(q.Absolute.ratio()*float64(w.totalMB) + 0.5)
}
