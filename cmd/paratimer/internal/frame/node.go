package frame

// A Node is a machine of the cluster that is not as good as others, or better.
type Node struct {
	Name  string    `json:"name"`
	State NodeState `json:"state"`
	// Times is how many times as long its tasks take as those of the other nodes; nil: as long, as far as anybody knows.
	Times *Times `json:"times"`
	// AvoidedBy are the jobs (nodes of the DAG) whose masters want nothing there.
	AvoidedBy []string `json:"avoided_by"`
}

// A NodeState is what a node is good for.
type NodeState string

// The states.
const (
	NodeRunning        NodeState = "running"
	NodeDraining       NodeState = "draining"
	NodeLost           NodeState = "lost"
	NodeUnhealthy      NodeState = "unhealthy"
	NodeDecommissioned NodeState = "decommissioned"
)
