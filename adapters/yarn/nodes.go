package yarn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// nodeCounts are the numbers of nodes in each state. If one changes, the list of nodes is worth a request.
type nodeCounts struct {
	Active          loose.Optional `json:"activeNodes"`
	Lost            loose.Optional `json:"lostNodes"`
	Unhealthy       loose.Optional `json:"unhealthyNodes"`
	Decommissioning loose.Optional `json:"decommissioningNodes"`
	Decommissioned  loose.Optional `json:"decommissionedNodes"`
	Shutdown        loose.Optional `json:"shutdownNodes"`
}

type nodesBody struct {
	Nodes rest.Box[struct {
		Node rest.List[wireNode] `json:"node"`
	}] `json:"nodes"`
}

type wireNode struct {
	ID      loose.Label            `json:"id"`
	HTTP    loose.Label            `json:"nodeHTTPAddress"`
	State   loose.Label            `json:"state"`
	UsedMB  loose.Optional         `json:"usedMemoryMB"`
	AvailMB loose.Optional         `json:"availMemoryMB"`
	Labels  rest.List[loose.Label] `json:"nodeLabels"` // its partition, if there are any
}

// usable reports whether containers may run on the node.
func (n *wireNode) usable() bool {
	switch n.State {
	case "LOST", "SHUTDOWN", "DECOMMISSIONED", "UNHEALTHY", "REBOOTED":
		return false
	}
	return true
}

func (n *wireNode) cause() dag.NodeCause {
	switch n.State {
	case "DECOMMISSIONED":
		return dag.NodeDecommissioned
	case "UNHEALTHY":
		return dag.NodeUnhealthy
	}
	return dag.NodeGone
}

// label returns the node's partition; "" is the default one.
func (n *wireNode) label() string {
	if len(n.Labels) == 0 {
		return ""
	}
	label := strings.TrimSpace(string(n.Labels[0]))
	if label == "<DEFAULT_PARTITION>" {
		return ""
	}
	return label
}

// A nodeTable has the nodes of a cluster. A node keeps its index for ever. A table that several overviews use never
// changes: each change makes a copy first.
type nodeTable struct {
	nodes    []dag.NodeState // never changed in place: snapshots share it
	byName   map[string]int32
	byID     map[string]int32 // by host and RPC port, which diagnostics name
	back     map[int32]dag.Instant
	borrowed bool        // the maps are of another table
	listedAt dag.Instant // when the newest list was made

	usable   []dag.Node // nodes of usableOf that take containers
	usableOf []dag.NodeState
}

func newNodeTable() nodeTable {
	return nodeTable{
		byName: map[string]int32{}, byID: map[string]int32{}, back: map[int32]dag.Instant{}, listedAt: dag.NoInstant,
	}
}

// list returns a table that has taken over the ResourceManager's list of nodes, made at an instant.
func (t nodeTable) list(nodes []wireNode, at dag.Instant) nodeTable { //nolint:gocritic // the old one stays
	t.borrowed = true
	t.own()
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b wireNode) int {
		return cmp.Or(cmp.Compare(a.HTTP, b.HTTP), cmp.Compare(a.ID, b.ID))
	})
	t.nodes = append(make([]dag.NodeState, 0, len(t.nodes)+len(nodes)), t.nodes...)
	best := map[int32]*wireNode{} // a node that was restarted is listed as lost as well, by its old id
	var order []int32
	for i := range nodes {
		n := &nodes[i]
		index, ok := t.listed(n)
		switch {
		case !ok:
		case best[index] == nil:
			best[index], order = n, append(order, index)
		case n.usable():
			best[index] = n
		}
	}
	for _, i := range order {
		n, st := best[i], t.nodes[i]
		st.Lost, st.Cause, st.Draining, st.Label = !n.usable(), n.cause(), n.State == "DECOMMISSIONING", n.label()
		if mb := n.UsedMB.Count(MaxMB) + n.AvailMB.Count(MaxMB); !st.Lost && mb > 0 {
			st.MemoryMB = mb
		}
		t.nodes[i] = t.changed(i, st, at)
	}
	t.listedAt = at
	t.nodes = slices.Clip(t.nodes) // tables that borrow it may each add nodes
	t.plain()
	return t
}

// listed returns the index of a listed node, or false for a new one that has no name or exceeds mostNodes.
func (t *nodeTable) listed(n *wireNode) (int32, bool) {
	index, known := t.byID[string(n.ID)]
	if name := cmp.Or(string(n.HTTP), string(n.ID)); !known && name != "" {
		if index = t.find(name); index < 0 {
			return 0, false
		}
		known = true
		t.byID[string(n.ID)] = index
	}
	return index, known
}

// changed completes the new state of a node, which is known since an instant.
func (t *nodeTable) changed(i int32, st dag.NodeState, at dag.Instant) dag.NodeState {
	switch earlier := &t.nodes[i]; {
	case !st.Lost:
		st.LostAt, st.Cause = dag.NoInstant, dag.NodeGone
		if earlier.Lost {
			t.back[i] = at
		}
	case !earlier.Lost:
		st.LostAt = at
	}
	return st
}

// set changes a node's state. It copies the slice first, because snapshots share the old one.
func (t *nodeTable) set(i int32, st dag.NodeState, at dag.Instant) {
	t.own()
	if st = t.changed(i, st, at); t.nodes[i] != st {
		t.nodes = slices.Clone(t.nodes)
		t.nodes[i] = st
	}
}

// own copies borrowed maps before they change.
func (t *nodeTable) own() {
	if t.borrowed {
		t.byName, t.byID, t.back, t.borrowed = maps.Clone(t.byName), maps.Clone(t.byID), maps.Clone(t.back), false
	}
}

// plain returns the nodes that take containers, as plans have them: the same slice while the nodes are the same.
func (t *nodeTable) plain() []dag.Node {
	same := len(t.nodes) == len(t.usableOf) && (len(t.nodes) == 0 || &t.nodes[0] == &t.usableOf[0])
	if same {
		return t.usable
	}
	t.usable, t.usableOf = nil, t.nodes
	for _, n := range t.nodes {
		if !n.Lost && !n.Draining && n.Label == "" {
			t.usable = append(t.usable, dag.Node{Name: n.Name, MemoryMB: n.MemoryMB})
		}
	}
	return t.usable
}

// mostNodes is more than any cluster has. A job's master may invent names; those beyond the limit have no node.
const mostNodes = 50_000

// find returns the index of the node with that name, and adds it if needed; -1 if there are too many.
func (t *nodeTable) find(name string) int32 {
	if i, ok := t.byName[name]; ok {
		return i
	}
	if len(t.nodes) >= mostNodes {
		return -1
	}
	t.own()
	i := int32(len(t.nodes)) //nolint:gosec // G115: at most mostNodes
	t.byName[name] = i
	t.nodes = append(t.nodes, dag.NodeState{Name: name, LostAt: dag.NoInstant})
	return i
}

// NodesOn returns the indices in Snapshot.Nodes of the nodes on some hosts, ascending; nil if there are none. A host
// without a port matches all nodes on it, a host with a port only that node.
func (t *nodeTable) NodesOn(hosts []string) []int32 {
	if len(hosts) == 0 {
		return nil
	}
	var out []int32
	for id, i := range t.byID {
		host, _, _ := strings.Cut(id, ":")
		if slices.Contains(hosts, host) || slices.Contains(hosts, id) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Nodes are the nodes of a cluster as one source knows them: as the hub's newest list shows them, with the nodes that
// the masters of the source's jobs report to be lost, and those that they name and no list has. If the list is not
// renewed (in a recording), a lost node is guessed from the cluster's memory.
type Nodes struct {
	nodeTable
	totalMB int
	active  loose.Optional // nodes in the metrics

	missingMB int         // memory of lost nodes that were not identified yet
	missingAt dag.Instant // when that was
	recalls   map[int32]int
	guessed   map[int32]dag.Instant
}

func newNodes() Nodes {
	return Nodes{
		nodeTable: newNodeTable(), recalls: map[int32]int{}, guessed: map[int32]dag.Instant{}, missingAt: dag.NoInstant,
	}
}

// take processes the newest view of the hub. isNew means that the list of nodes is newer than the one before.
func (n *Nodes) take(v *view, isNew bool) {
	m := &v.metrics.Metrics.V
	total := m.TotalMB.Count(MaxMB)
	if n.active.Known && m.Active.V < n.active.V && total < n.totalMB {
		n.missingMB, n.missingAt = n.totalMB-total, v.metricsAt
	}
	n.totalMB, n.active = total, m.Active
	if !isNew {
		return
	}
	if len(n.guessed) == 0 && (len(n.byName) == 0 || n.borrowed) {
		n.nodeTable = v.nodes
		n.borrowed = true
	} else {
		n.merge(&v.nodes)
	}
	if n.missingAt.Known() && n.listedAt >= n.missingAt {
		n.missingMB = 0 // the list itself shows which nodes are lost
	}
}

// merge takes over the nodes of a list by their names: this table numbers them differently, or has guessed nodes.
func (n *Nodes) merge(list *nodeTable) {
	n.own()
	n.nodes = append(make([]dag.NodeState, 0, max(len(n.nodes), len(list.nodes))), n.nodes...)
	for k, st := range list.nodes {
		i := n.find(st.Name)
		if i < 0 {
			continue
		}
		// The list may be older than other reports of the loss; guessed is 0 if there are none.
		if n.guessed[i] > list.listedAt {
			st.Lost, st.LostAt = true, n.nodes[i].LostAt
		} else if n.nodes[i].Lost && !st.Lost {
			n.back[i] = list.listedAt
		}
		if at := list.back[int32(k)]; at > n.back[i] { //nolint:gosec // G115: at most mostNodes
			n.back[i] = at
		}
		n.nodes[i] = st
	}
	for id, i := range list.byID {
		if at, known := n.byName[list.nodes[i].Name]; known {
			n.byID[id] = at
		}
	}
	n.listedAt = list.listedAt
}

// Recalled records that a result on the node was taken back: its master has found the node, or its output, to be
// lost.
func (n *Nodes) Recalled(node int32, at dag.Instant) {
	if node >= 0 && at.Known() {
		n.recalls[node]++
	}
}

// Unusable marks the node with that id (host and RPC port) as lost because attempt a was killed for it, as reported
// at an instant. It does nothing if the list of nodes is newer, or if the attempt started before the node came
// back.
func (n *Nodes) Unusable(id string, a *dag.Attempt, at dag.Instant) {
	if a.End.Known() {
		at = min(at, a.End)
	}
	i, known := n.byID[id]
	back, wasLost := n.back[i]
	if !known || n.listedAt >= at || n.nodes[i].Lost || wasLost && a.Start < back {
		return
	}
	n.lose(i, at)
	if n.missingMB == n.nodes[i].MemoryMB {
		n.missingMB = 0
	}
}

// lose marks a node as lost by another source than the list of nodes. A draining node has then been decommissioned.
func (n *Nodes) lose(i int32, at dag.Instant) {
	st := n.nodes[i]
	st.Lost = true
	if st.Draining {
		st.Draining, st.Cause = false, dag.NodeDecommissioned
	}
	n.set(i, st, at)
	n.guessed[i] = at
}

// guess marks the node that was lost, if the list of nodes is older than the loss. It is the node of the lost size
// with the most results taken back, or else the only node of that size.
func (n *Nodes) guess() {
	if n.missingMB == 0 {
		clear(n.recalls)
		return
	}
	best, alone := int32(-1), int32(-1)
	sizes := 0
	for k := range n.nodes {
		i := int32(k) //nolint:gosec // G115: at most mostNodes
		if st := &n.nodes[i]; st.Lost || st.MemoryMB != n.missingMB {
			continue
		}
		sizes, alone = sizes+1, i
		if r := n.recalls[i]; r > 0 && (best < 0 || r > n.recalls[best]) {
			best = i
		}
	}
	if best < 0 && sizes == 1 {
		best = alone
	}
	if best < 0 {
		return
	}
	n.lose(best, n.missingAt)
	n.missingMB = 0
	clear(n.recalls)
}
