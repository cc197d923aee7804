package yarn

import (
	"cmp"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// Responses of the schedulers about their queues (docs/facts/hadoop.md A3). The capacity scheduler nests them as
// queues, the fair one as childQueues.

type schedulerBody struct {
	Scheduler rest.Box[struct {
		Info rest.Box[wireQueue] `json:"schedulerInfo"`
	}] `json:"scheduler"`
}

type wireQueue struct {
	Type loose.Label `json:"type"`
	Name loose.Label `json:"queueName"`
	Path loose.Label `json:"queuePath"` // 3.x

	// The children: an array, a single queue, or an object that has either as "queue".
	Queue    rest.List[wireQueue] `json:"queue"`
	Queues   rest.List[wireQueue] `json:"queues"`    // capacity scheduler
	Root     rest.List[wireQueue] `json:"rootQueue"` // fair scheduler
	Children rest.List[wireQueue] `json:"childQueues"`

	// The capacity scheduler's, in percent. Absolute values are percentages of the whole cluster.
	Absolute loose.Optional `json:"absoluteCapacity"`
	Max      loose.Optional `json:"absoluteMaxCapacity"`
	Factor   loose.Optional `json:"userLimitFactor"`
	Least    loose.Optional `json:"userLimit"`          // minimum-user-limit-percent
	Order    loose.Label    `json:"orderingPolicyInfo"` // not in 2.10
	Masters  wireMemory     `json:"AMResourceLimit"`
	Spared   loose.Label    `json:"preemptionDisabled"` // true if the ResourceManager does not preempt at all

	// The fair scheduler's.
	MaxRes      wireMemory  `json:"maxResources"`
	Steady      wireMemory  `json:"steadyFairResources"`
	FairMasters wireMemory  `json:"amMaxResources"`
	Policy      loose.Label `json:"schedulingPolicy"`
}

// find returns the leaf with that name or path; nil if there is none. Leaves with the same name differ only in
// their paths.
func (q *wireQueue) find(name string) *wireQueue {
	leaf := true
	for _, below := range []rest.List[wireQueue]{q.Queue, q.Queues, q.Root, q.Children} {
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
	path := cmp.Or(string(q.Path), string(q.Name))
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
	if steady := q.Steady.V.Memory.Count(MaxMB); steady > 0 || q.Policy != "" || q.MaxRes.Set {
		st.ShareMB, st.MastersMB = min(steady, totalMB), q.FairMasters.V.Memory.Count(MaxMB)
		if mb := q.MaxRes.V.Memory.Count(MaxMB); mb < totalMB {
			st.MaxMB = mb
		}
		if q.Policy != "fifo" {
			st.Order = dag.OrderFair
		}
		return st
	}
	share, most := q.Absolute.Ratio(), q.Max.Ratio()
	if share > 0 {
		st.ShareMB = part(share, totalMB)
	}
	if most > 0 && most < 1 {
		st.MaxMB = part(most, totalMB)
	}
	if q.Factor.Known && q.Factor.V > 0 && share > 0 && share*q.Factor.V < 1 {
		st.UserMB = part(share*q.Factor.V, totalMB)
	}
	if least := q.Least.Ratio(); least > 0 {
		st.UserRatio = least
	}
	if strings.Contains(string(q.Order), "fair") {
		st.Order = dag.OrderFair
	}
	st.MastersMB, st.Preempted = q.Masters.V.Memory.Count(MaxMB), q.Spared == "false"
	return st
}

func part(ratio float64, mb int) int { return int(ratio*float64(mb) + 0.5) }
