package hadoop

import (
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// nodeCounts are how many nodes the ResourceManager has in each state. Where one changes the list of nodes is worth asking for.
type nodeCounts struct {
	Active          num `json:"activeNodes"`
	Lost            num `json:"lostNodes"`
	Unhealthy       num `json:"unhealthyNodes"`
	Decommissioning num `json:"decommissioningNodes"`
	Decommissioned  num `json:"decommissionedNodes"`
	Shutdown        num `json:"shutdownNodes"`
}

type nodesBody struct {
	Nodes box[struct {
		Node list[wireNode] `json:"node"`
	}] `json:"nodes"`
}

type wireNode struct {
	ID      text       `json:"id"`
	HTTP    text       `json:"nodeHTTPAddress"`
	State   text       `json:"state"`
	UsedMB  num        `json:"usedMemoryMB"`
	AvailMB num        `json:"availMemoryMB"`
	Labels  list[text] `json:"nodeLabels"` // its partition, where there are any
}

// usable says that containers may run on the node.
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

// guessedLost is a node of which other things than the list of nodes say that it is lost: one that drained has been decommissioned.
func guessedLost(st dag.NodeState) dag.NodeState {
	st.Lost = true
	if st.Draining {
		st.Draining, st.Cause = false, dag.NodeDecommissioned
	}
	return st
}

// label is the node's partition; "" is the default one.
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
