package hadoop

import (
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// Responses of the ResourceManager (docs/facts/hadoop.md A3).

type appsBody struct {
	Apps rest.Box[struct {
		App rest.List[wireApp] `json:"app"`
	}] `json:"apps"`
}

type appBody struct {
	App rest.Box[wireApp] `json:"app"`
}

type wireApp struct {
	ID          text      `json:"id"`
	User        text      `json:"user"`
	Name        anyText   `json:"name"`
	Queue       text      `json:"queue"`
	State       text      `json:"state"`
	FinalStatus text      `json:"finalStatus"`
	Type        text      `json:"applicationType"`
	Tags        text      `json:"applicationTags"` // comma-separated
	Diagnostics diagnosis `json:"diagnostics"`
	Tracking    text      `json:"trackingUrl"`
	Master      text      `json:"amHostHttpAddress"` // the address of the node that its master runs on
	Logs        text      `json:"amContainerLogs"`   // the address of its master's logs, on that node
	Started     num       `json:"startedTime"`       // the submission
	Finished    num       `json:"finishedTime"`
	AllocatedMB num       `json:"allocatedMB"`       // -1 once nothing is held
	Containers  num       `json:"runningContainers"` // the master's included
	Progress    num       `json:"progress"`
	Resources   rest.Box[struct {
		Partitions rest.List[struct {
			Pending wireMemory `json:"pending"`
			AM      wireMemory `json:"amUsed"`
		}] `json:"resourceUsagesByPartition"`
	}] `json:"resourceInfo"` // 3.x

	forgotten bool // the ResourceManager has forgotten it: that it has ended is a guess
}

type wireMemory = rest.Box[struct {
	Memory num `json:"memory"`
}]

// after returns the valid one of a new and an earlier state of an application. An application that has ended does
// not run again, whatever a stale response says.
func (a *wireApp) after(was *wireApp) *wireApp {
	if was != nil && was.ended() && !was.forgotten && !a.ended() {
		return was
	}
	return a
}

// ended reports whether the ResourceManager lists the application as ended.
func (a *wireApp) ended() bool {
	return a.State == "FINISHED" || a.State == "FAILED" || a.State == "KILLED"
}

// job returns the job id that belongs to the application: the same suffix (docs/facts/hadoop.md A3).
func (a *wireApp) job() string { return "job_" + strings.TrimPrefix(string(a.ID), "application_") }

// memory returns the memory that the application has requested but not received, and the memory of its master, in
// MB. Both are 0 if the version does not report them.
func (a *wireApp) memory() (pending, am int) {
	for _, p := range a.Resources.V.Partitions {
		pending = min(pending+p.Pending.V.Memory.count(maxMB), maxMB)
		am = min(am+p.AM.V.Memory.count(maxMB), maxMB)
	}
	return pending, am
}

// maxMB bounds a memory size: no cluster has 1 EB of containers.
const maxMB = 1 << 40

type metricsBody struct {
	Metrics rest.Box[struct {
		TotalMB     num `json:"totalMB"`
		AllocatedMB num `json:"allocatedMB"`
		ReservedMB  num `json:"reservedMB"`
		nodeCounts
	}] `json:"clusterMetrics"`
}

type appAttemptsBody struct {
	Attempts rest.Box[struct {
		Attempt rest.List[struct {
			ID      num  `json:"id"`
			Avoided text `json:"blacklistedNodes"`
		}] `json:"appAttempt"`
	}] `json:"appAttempts"`
}

// newest returns the highest attempt number; 0 if there is none.
func (b *appAttemptsBody) newest() int {
	n := 0
	for _, a := range b.Attempts.V.Attempt {
		n = max(n, a.ID.count(1<<20))
	}
	return n
}

// nodeCounts are the numbers of nodes in each state. If one changes, the list of nodes is worth a request.
type nodeCounts struct {
	Active          num `json:"activeNodes"`
	Lost            num `json:"lostNodes"`
	Unhealthy       num `json:"unhealthyNodes"`
	Decommissioning num `json:"decommissioningNodes"`
	Decommissioned  num `json:"decommissionedNodes"`
	Shutdown        num `json:"shutdownNodes"`
}

type nodesBody struct {
	Nodes rest.Box[struct {
		Node rest.List[wireNode] `json:"node"`
	}] `json:"nodes"`
}

type wireNode struct {
	ID      text            `json:"id"`
	HTTP    text            `json:"nodeHTTPAddress"`
	State   text            `json:"state"`
	UsedMB  num             `json:"usedMemoryMB"`
	AvailMB num             `json:"availMemoryMB"`
	Labels  rest.List[text] `json:"nodeLabels"` // its partition, if there are any
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

// guessedLost returns the state of a node that is lost according to other sources than the list of nodes. A
// draining node has then been decommissioned.
func guessedLost(st dag.NodeState) dag.NodeState {
	st.Lost = true
	if st.Draining {
		st.Draining, st.Cause = false, dag.NodeDecommissioned
	}
	return st
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
