package hadoop

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// answers are the newest responses about the cluster.
type answers struct {
	metrics             metricsBody
	metricsErr          error // the newest request failed: metrics are older
	nodes               nodesBody
	queues              schedulerBody
	newNodes, newQueues bool // they are newer than those that were used before
}

// A clusterState is what is known of the cluster. If a request fails, what was known stays.
type clusterState struct {
	totalMB    int
	counts     nodeCounts
	queues     wireQueue
	nodes      []dag.NodeState // never changed in place: snapshots share it
	index      map[string]int32
	ids        map[string]int32 // by a node's id (host and RPC port), which diagnostics name
	shared     bool             // index, ids and back are a hub's, and others read them
	listing    bool             // nodes is not shared yet
	machines   []dag.Node       // nodes of machinesOf that take containers
	machinesOf []dag.NodeState

	// If nodes are not listed again (in a recording), lost ones are guessed.
	listedAt dag.Instant // when the list of nodes was made
	gone     int         // memory of lost nodes that were not identified yet
	goneAt   dag.Instant // when
	recalls  map[int32]int
	guessed  map[int32]dag.Instant
	back     map[int32]dag.Instant // when a node that was lost was listed again
}

func newClusterState() clusterState {
	return clusterState{
		index: map[string]int32{}, ids: map[string]int32{}, recalls: map[int32]int{},
		guessed: map[int32]dag.Instant{}, back: map[int32]dag.Instant{}, goneAt: dag.NoInstant, listedAt: dag.NoInstant,
	}
}

// guessing reports whether a node was guessed to be lost after the last list of nodes.
func (c *clusterState) guessing() bool {
	for _, at := range c.guessed {
		if at > c.listedAt {
			return true
		}
	}
	return false
}

// take processes the newest responses about the cluster.
func (c *clusterState) take(a *answers, s *Source) {
	if a.metricsErr != nil {
		s.warn(dag.WarnObservation, "the cluster's metrics could not be read: %s", brief(a.metricsErr))
	}
	m := &a.metrics.Metrics.V
	total := m.TotalMB.count(maxMB)
	if c.counts.Active.ok && m.Active.v < c.counts.Active.v && total < c.totalMB {
		c.gone, c.goneAt = c.totalMB-total, s.made("/ws/v1/cluster/metrics")
	}
	c.totalMB, c.counts = total, m.nodeCounts
	if a.newNodes {
		c.list(a.nodes.Nodes.V.Node, s.made("/ws/v1/cluster/nodes"))
	}
	if a.newQueues {
		c.queues = a.queues.Scheduler.V.Info.V
	}
}

// list processes the ResourceManager's list of nodes. A node keeps its index for ever.
func (c *clusterState) list(nodes []wireNode, at dag.Instant) {
	c.own()
	c.nodes, c.listing = slices.Clone(c.nodes), true
	defer func() { c.listing = false }()
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b wireNode) int {
		return cmp.Or(cmp.Compare(a.HTTP, b.HTTP),
			cmp.Compare(a.ID, b.ID))
	})
	best := map[int32]*wireNode{} // a node that was restarted is listed as lost as well, by its old id
	var order []int32
	for i := range nodes {
		n := &nodes[i]
		at0, ok := c.listed(n)
		switch {
		case !ok:
		case best[at0] == nil:
			best[at0], order = n, append(order, at0)
		case n.usable():
			best[at0] = n
		}
	}
	for _, i := range order {
		c.set(i, c.reported(i, best[i], at), at)
	}
	c.listedAt = at
	if c.goneAt.Known() && at >= c.goneAt {
		c.gone = 0 // the list itself shows what is lost
	}
}

// listed returns the index of a listed node, or false for a new one that has no name or exceeds mostNodes.
func (c *clusterState) listed(n *wireNode) (int32, bool) {
	at0, known := c.ids[string(n.ID)]
	if name := cmp.Or(string(n.HTTP), string(n.ID)); !known && name != "" {
		if at0 = c.node(name); at0 < 0 {
			return 0, false
		}
		known = true
		c.ids[string(n.ID)] = at0
	}
	return at0, known
}

// reported returns the state of node i by the list.
func (c *clusterState) reported(i int32, n *wireNode, at dag.Instant) dag.NodeState {
	st := c.nodes[i]
	st.Lost, st.Cause, st.Draining = !n.usable(), n.cause(), n.State == "DECOMMISSIONING"
	st.Label = n.label()
	if !st.Lost {
		// The list may be older than other reports of the loss; guessed is 0 if there are none.
		st.Lost = c.guessed[i] > at
		if mb := n.UsedMB.count(maxMB) + n.AvailMB.count(maxMB); mb > 0 {
			st.MemoryMB = mb
		}
	}
	return st
}

// set changes a node's state. Outside of list it copies the slice first, because snapshots share the old one.
func (c *clusterState) set(i int32, st dag.NodeState, at dag.Instant) {
	switch old := c.nodes[i]; {
	case !st.Lost:
		st.LostAt, st.Cause = dag.NoInstant, dag.NodeGone
		if old.Lost {
			c.back[i] = at
		}
	case !old.Lost:
		st.LostAt = at
	}
	if c.nodes[i] != st {
		if !c.listing {
			c.nodes = slices.Clone(c.nodes)
		}
		c.nodes[i] = st
	}
}

// own copies the shared indices before they change.
func (c *clusterState) own() {
	if c.shared {
		c.index, c.ids, c.back, c.shared = maps.Clone(c.index), maps.Clone(c.ids), maps.Clone(c.back), false
	}
}

// adopt takes over the nodes that a hub has read from a list, and reports whether it did. It does not if this state
// has guessed nodes, or indices of its own.
func (c *clusterState) adopt(hub *clusterState) bool {
	if len(c.guessed) > 0 || len(c.index) > 0 && !c.shared {
		return false
	}
	c.nodes, c.index, c.ids, c.back, c.shared = hub.nodes, hub.index, hub.ids, hub.back, true
	c.machines, c.machinesOf = hub.plain(), hub.nodes
	c.listedAt = hub.listedAt
	if c.goneAt.Known() && c.listedAt >= c.goneAt {
		c.gone = 0
	}
	return true
}

// relist takes over a hub's nodes by their names, if the two number them differently.
func (c *clusterState) relist(hub *clusterState) {
	c.nodes = slices.Clone(c.nodes)
	c.back = map[int32]dag.Instant{}
	for k, n := range hub.nodes {
		i := c.node(n.Name)
		if i < 0 {
			continue
		}
		if back, came := hub.back[int32(k)]; came {
			c.back[i] = back
		}
		if c.guessed[i] > hub.listedAt { // 0 if nothing was guessed
			n.Lost, n.LostAt = true, c.nodes[i].LostAt
		}
		c.nodes[i] = n
	}
	c.own()
	for id, i := range hub.ids {
		if at, known := c.index[hub.nodes[i].Name]; known {
			c.ids[id] = at
		}
	}
	c.listedAt = hub.listedAt
	if c.goneAt.Known() && c.listedAt >= c.goneAt {
		c.gone = 0
	}
}

// plain returns the nodes that take containers, as plans have them: the same slice while the nodes are the same.
func (c *clusterState) plain() []dag.Node {
	same := len(c.nodes) == len(c.machinesOf) && (len(c.nodes) == 0 || &c.nodes[0] == &c.machinesOf[0])
	if same {
		return c.machines
	}
	c.machines, c.machinesOf = nil, c.nodes
	for _, n := range c.nodes {
		if !n.Lost && !n.Draining && n.Label == "" {
			c.machines = append(c.machines, dag.Node{Name: n.Name, MemoryMB: n.MemoryMB})
		}
	}
	return c.machines
}

// mostNodes is more than any cluster has. A job's master may invent names; those beyond the limit have no node.
const mostNodes = 50_000

// node returns the index of the node with that name, and adds it if needed; -1 if there are too many.
func (c *clusterState) node(name string) int32 {
	if i, ok := c.index[name]; ok {
		return i
	}
	if len(c.nodes) >= mostNodes {
		return -1
	}
	c.own()
	i := int32(len(c.nodes)) //nolint:gosec // G115: a list of nodes fits into an answer, whose size is bounded
	c.index[name] = i
	if !c.listing {
		c.nodes = slices.Clip(c.nodes)
	}
	c.nodes = append(c.nodes, dag.NodeState{Name: name, LostAt: dag.NoInstant})
	return i
}

// recalled records that a result on the node was taken back: its master has found the node, or its output, to be
// lost.
func (c *clusterState) recalled(node int32, at dag.Instant) {
	if node >= 0 && at.Known() {
		c.recalls[node]++
	}
}

// unusable marks the node with that id (host and RPC port) as lost because attempt a was killed for it, as reported
// at an instant. It does nothing if the list of nodes is newer, or if the attempt started before the node came
// back.
func (c *clusterState) unusable(id string, a *dag.Attempt, at dag.Instant) {
	if a.End.Known() {
		at = min(at, a.End)
	}
	i, known := c.ids[id]
	back, came := c.back[i]
	if !known || c.listedAt >= at || c.nodes[i].Lost || came && a.Start < back {
		return
	}
	c.set(i, guessedLost(c.nodes[i]), at)
	c.guessed[i] = at
	if c.gone == c.nodes[i].MemoryMB {
		c.gone = 0
	}
}

// guess marks the node that was lost, if the list of nodes is older than the loss. It is the node of the lost size
// with the most results taken back, or else the only node of that size.
func (c *clusterState) guess() {
	if c.gone == 0 {
		clear(c.recalls)
		return
	}
	best, alone := int32(-1), int32(-1)
	sizes := 0
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.Lost || n.MemoryMB != c.gone {
			continue
		}
		sizes, alone = sizes+1, int32(i)
		if r := c.recalls[int32(i)]; r > 0 && (best < 0 || r > c.recalls[best]) {
			best = int32(i)
		}
	}
	if best < 0 && sizes == 1 {
		best = alone
	}
	if best < 0 {
		return
	}
	c.set(best, guessedLost(c.nodes[best]), c.goneAt)
	c.guessed[best], c.gone = c.goneAt, 0
	clear(c.recalls)
}

// queueMB returns the memory that the workflow's user may hold in its queue, in MB; 0 if unlimited or unknown.
func (c *clusterState) queueMB(queue string) int {
	if q := c.queues.find(queue); q != nil {
		return q.limitMB(c.totalMB)
	}
	return 0
}

// shareMB returns the memory that a queue is guaranteed, in MB; 0 for our own queue, or if unknown.
func (c *clusterState) shareMB(queue, ours string) int {
	if queue == ours {
		return 0
	}
	q := c.queues.find(queue)
	if q == nil || !(q.Absolute.ratio() > 0) {
		return 0
	}
	return int(q.Absolute.ratio()*float64(c.totalMB) + 0.5)
}
