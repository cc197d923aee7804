package yarn

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// nodeCounts are the numbers of nodes in each state. If one changes, the list of nodes is worth a request.
type nodeCounts struct {
	ActiveNodes, LostNodes, UnhealthyNodes                   input.Optional
	DecommissioningNodes, DecommissionedNodes, ShutdownNodes input.Optional
}

type nodesBody struct {
	Nodes rest.Box[struct{ Node rest.List[wireNode] }]
}

type wireNode struct {
	ID, NodeHTTPAddress, State  input.Label
	UsedMemoryMB, AvailMemoryMB input.Optional
	NodeLabels                  rest.List[input.Label] // its partition, if there are any
}

// lostStates are the states in which no containers may run on a node, and what they mean.
var lostStates = map[input.Label]dag.NodeCause{
	"LOST": dag.NodeGone, "SHUTDOWN": dag.NodeGone, "REBOOTED": dag.NodeGone,
	"DECOMMISSIONED": dag.NodeDecommissioned, "UNHEALTHY": dag.NodeUnhealthy,
}

// label returns the node's partition; "" is the default one.
func (n *wireNode) label() string {
	for _, label := range n.NodeLabels {
		return strings.TrimSpace(strings.Replace(string(label), "<DEFAULT_PARTITION>", "", 1))
	}
	return ""
}

// A nodeTable has the nodes of a cluster by index, which a node keeps for ever. Several goroutines may use it.
type nodeTable struct {
	mu       sync.Mutex
	nodes    []dag.NodeState       // never changed in place: snapshots share it
	index    map[string]int32      // by web address, and by host and RPC port, which diagnostics name
	back     map[int32]dag.Instant // when a node that was lost was listed as usable again
	listedAt dag.Instant           // when the newest list was made
}

// list takes over the ResourceManager's list of nodes, made at an instant. It reports whether a master has reported
// since then that a node is lost: that node stays lost.
func (t *nodeTable) list(nodes []wireNode, at dag.Instant) (isDoubted bool) {
	slices.SortStableFunc(nodes, func(a, b wireNode) int {
		return cmp.Or(cmp.Compare(a.NodeHTTPAddress, b.NodeHTTPAddress), cmp.Compare(a.ID, b.ID))
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	best := map[int32]*wireNode{} // a node that was restarted is listed as lost as well, by its old id
	for i := range nodes {
		n := &nodes[i]
		index, known := t.index[string(n.ID)]
		if !known {
			if index = t.add(cmp.Or(string(n.NodeHTTPAddress), string(n.ID))); index < 0 {
				continue
			}
			t.index[string(n.ID)] = index
		}
		if _, isLost := lostStates[n.State]; best[index] == nil || !isLost {
			best[index] = n
		}
	}
	t.nodes = slices.Clone(t.nodes)
	for i, n := range best {
		st := &t.nodes[i]
		if st.Lost && st.LostAt > at {
			isDoubted = true
			continue
		}
		wasLost := st.Lost
		st.Cause, st.Lost = lostStates[n.State]
		st.Draining, st.Label = n.State == "DECOMMISSIONING", n.label()
		switch {
		case st.Lost && !wasLost:
			st.LostAt = at
		case !st.Lost && wasLost:
			st.LostAt, t.back[i] = dag.NoInstant, at
		}
		if mb := n.UsedMemoryMB.Count(MaxMB) + n.AvailMemoryMB.Count(MaxMB); !st.Lost && mb > 0 {
			st.MemoryMB = mb
		}
	}
	t.listedAt = at
	return isDoubted
}

// mostNodes is more than any cluster has. A job's master may invent names; those beyond the limit have no node.
const mostNodes = 50_000

// add returns the index of the node with that name, and adds it if needed; -1 if there are too many, or without a
// name. The caller has locked the table.
func (t *nodeTable) add(name string) int32 {
	i, known := t.index[name]
	switch {
	case known:
		return i
	case name == "" || len(t.nodes) >= mostNodes:
		return -1
	}
	i = int32(len(t.nodes)) //nolint:gosec // G115: at most mostNodes
	t.index[name] = i
	t.nodes = append(t.nodes, dag.NodeState{Name: name, LostAt: dag.NoInstant})
	return i
}

// lose marks the node with that id as lost because an attempt that began at start was killed for it, as reported at an
// instant. It does nothing if the list of nodes is newer, or if the attempt began before the node came back.
func (t *nodeTable) lose(id string, start, at dag.Instant) (isLost bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, known := t.index[id]
	back, wasLost := t.back[i]
	if !known || t.listedAt >= at || t.nodes[i].Lost || wasLost && start < back {
		return false
	}
	t.nodes = slices.Clone(t.nodes)
	st := &t.nodes[i]
	if st.Lost, st.LostAt = true, at; st.Draining {
		st.Draining, st.Cause = false, dag.NodeDecommissioned
	}
	return true
}

// showNodes shows the hub's nodes as they are now. It keeps the slices if nothing has changed.
func (o *Overview) showNodes() {
	o.hub.nodes.mu.Lock()
	all := o.hub.nodes.nodes
	o.hub.nodes.mu.Unlock()
	if len(all) == len(o.nodes) && (len(all) == 0 || &all[0] == &o.nodes[0]) {
		return
	}
	o.nodes = all
	usable := input.Only(all, func(n dag.NodeState) bool { return !n.Closed() && n.Label == "" })
	o.usable = units.Each(usable, func(n dag.NodeState) dag.Node {
		return dag.Node{Name: n.Name, MemoryMB: n.MemoryMB}
	})
}

// OnClosed yields the nodes of a snapshot that take no containers, with the attempts of some stages that are there. A
// killed attempt without an end is still being stopped.
func OnClosed(snap *dag.Snapshot, stages ...dag.StageState) iter.Seq2[*dag.NodeState, int] {
	return func(yield func(*dag.NodeState, int) bool) {
		if !slices.ContainsFunc(snap.Nodes, dag.NodeState.Closed) {
			return
		}
		on := map[int32]int{}
		for i := range stages {
			for _, a := range stages[i].Attempts {
				if a.State == dag.AttemptRunning || a.State == dag.AttemptKilled && !a.End.Known() {
					on[a.Node]++
				}
			}
		}
		for i := range snap.Nodes {
			count := on[int32(i)] //nolint:gosec // G115: an index of nodes
			if n := &snap.Nodes[i]; count > 0 && n.Closed() && !yield(n, count) {
				return
			}
		}
	}
}

// Unusable marks the node with that id (host and RPC port) as lost because attempt a was killed for it, as reported
// at an instant. The hub lists the nodes again in its next round.
func (o *Overview) Unusable(id string, a *dag.Attempt, at dag.Instant) {
	if a.End.Known() {
		at = min(at, a.End)
	}
	if o.hub.nodes.lose(id, a.Start, at) {
		o.hub.nodesDoubted.Store(true)
		o.showNodes()
	}
}

// NodeIndex returns the index in Snapshot.Nodes of a node, by its id (host and RPC port) or its web address; -1 if it
// is unknown. Masters may name nodes that no list has only to the only source of a hub: others would get them too.
func (o *Overview) NodeIndex(name string) int32 {
	t := o.hub.nodes
	t.mu.Lock()
	defer t.mu.Unlock()
	if i, known := t.index[name]; known {
		return i
	}
	if o.refresh == nil {
		return -1
	}
	return t.add(name)
}

// NodesOn returns the indices in Snapshot.Nodes of the nodes on some hosts, ascending; nil if there are none. A host
// without a port matches all nodes on it, a host with a port only that node.
func (o *Overview) NodesOn(hosts []string) []int32 {
	if len(hosts) == 0 {
		return nil
	}
	o.hub.nodes.mu.Lock()
	defer o.hub.nodes.mu.Unlock()
	var out []int32
	for id, i := range o.hub.nodes.index {
		host, _, _ := strings.Cut(id, ":")
		if int(i) < len(o.nodes) && (slices.Contains(hosts, host) || slices.Contains(hosts, id)) {
			out = append(out, i)
		}
	}
	return input.Unique(out)
}

// Responses of the schedulers about their queues (facts/hadoop.md A3). The capacity scheduler nests them as
// queues, the fair one as childQueues.

type schedulerBody struct {
	Scheduler rest.Box[struct {
		Info rest.Box[wireQueue] `json:"schedulerInfo"`
	}]
}

// A wireQueue has Hadoop's names.
type wireQueue struct {
	Type, QueueName input.Label
	QueuePath       input.Label // 3.x

	// The children: an array, a single queue, or an object that has either as "queue".
	Queue                  rest.List[wireQueue]
	Queues                 rest.List[wireQueue] // capacity scheduler
	RootQueue, ChildQueues rest.List[wireQueue] // fair scheduler

	// The capacity scheduler's, in percent. Absolute values are percentages of the whole cluster.
	AbsoluteCapacity, AbsoluteMaxCapacity, UserLimitFactor input.Optional
	UserLimit                                              input.Optional // minimum-user-limit-percent
	OrderingPolicyInfo                                     input.Label    // not in 2.10
	AMResourceLimit                                        wireMemory
	// True if the ResourceManager does not preempt at all.
	PreemptionDisabled input.Label

	// The fair scheduler's.
	MaxResources, SteadyFairResources, AMMaxResources wireMemory
	SchedulingPolicy                                  input.Label
}

// find returns the leaf with that name or path; nil if there is none. Leaves with the same name differ only in
// their paths.
func (q *wireQueue) find(name string) *wireQueue {
	leaf := true
	for _, below := range []rest.List[wireQueue]{q.Queue, q.Queues, q.RootQueue, q.ChildQueues} {
		for i := range below {
			leaf = false
			if f := below[i].find(name); f != nil {
				return f
			}
		}
	}
	if leaf && name != "" && q.called(name) {
		return q
	}
	return nil
}

// called reports whether the queue is the one that an application names. Hadoop 2 reports no paths; the fair
// scheduler reports them as names.
func (q *wireQueue) called(name string) bool {
	path := cmp.Or(string(q.QueuePath), string(q.QueueName))
	if !strings.Contains(path, ".") {
		return path == name[strings.LastIndexByte(name, '.')+1:]
	}
	return path == name || strings.HasSuffix(path, "."+name)
}

// limitMB returns how much of totalMB one user may hold in the queue, in MB; 0 if there is no limit.
func (q *wireQueue) limitMB(totalMB int) int {
	st := q.state("", totalMB)
	return min(cmp.Or(st.UserMB, st.MaxMB), cmp.Or(st.MaxMB, st.UserMB))
}

// state returns the leaf's state under the name that applications use. A user may have factor times the queue's
// capacity, up to its maximum (CapacityScheduler's user-limit-factor; -1: no limit).
func (q *wireQueue) state(name string, totalMB int) dag.QueueState {
	st := dag.QueueState{Name: name}
	steady := q.SteadyFairResources.V.Memory.Count(MaxMB)
	if steady > 0 || q.SchedulingPolicy != "" || q.MaxResources.Set {
		st.ShareMB, st.MastersMB = min(steady, totalMB), q.AMMaxResources.V.Memory.Count(MaxMB)
		if mb := q.MaxResources.V.Memory.Count(MaxMB); mb < totalMB {
			st.MaxMB = mb
		}
		if q.SchedulingPolicy != "fifo" {
			st.Order = dag.OrderFair
		}
		return st
	}
	share, most := q.AbsoluteCapacity.Ratio(), q.AbsoluteMaxCapacity.Ratio()
	if share > 0 {
		st.ShareMB = part(share, totalMB)
	}
	if most > 0 && most < 1 {
		st.MaxMB = part(most, totalMB)
	}
	if q.UserLimitFactor.Known && q.UserLimitFactor.V > 0 && share > 0 && share*q.UserLimitFactor.V < 1 {
		st.UserMB = part(share*q.UserLimitFactor.V, totalMB)
	}
	if least := q.UserLimit.Ratio(); least > 0 {
		st.UserRatio = least
	}
	if strings.Contains(string(q.OrderingPolicyInfo), "fair") {
		st.Order = dag.OrderFair
	}
	st.MastersMB, st.Preempted = q.AMResourceLimit.V.Memory.Count(MaxMB), q.PreemptionDisabled == "false"
	return st
}

func part(ratio float64, mb int) int { return int(ratio*float64(mb) + 0.5) }
