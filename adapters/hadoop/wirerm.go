package hadoop

import (
	"encoding/json"
	"strings"
)

// Answers of the ResourceManager (facts A3).

type appsBody struct {
	Apps box[struct {
		App list[wireApp] `json:"app"`
	}] `json:"apps"`
}

type appBody struct {
	App box[wireApp] `json:"app"`
}

type wireApp struct {
	ID          text `json:"id"`
	User        text `json:"user"`
	Name        text `json:"name"`
	Queue       text `json:"queue"`
	State       text `json:"state"`
	FinalStatus text `json:"finalStatus"`
	Type        text `json:"applicationType"`
	Diagnostics text `json:"diagnostics"`
	Tracking    text `json:"trackingUrl"`
	Started     num  `json:"startedTime"` // the submission
	Finished    num  `json:"finishedTime"`
	AllocatedMB num  `json:"allocatedMB"`       // -1 once nothing is held
	Containers  num  `json:"runningContainers"` // the master's included
	Progress    num  `json:"progress"`
	Resources   box[struct {
		Partitions list[struct {
			Pending wireMemory `json:"pending"`
			AM      wireMemory `json:"amUsed"`
		}] `json:"resourceUsagesByPartition"`
	}] `json:"resourceInfo"` // 3.x
}

type wireMemory = box[struct {
	Memory num `json:"memory"`
}]

// ended says whether the ResourceManager calls the application over.
func (a *wireApp) ended() bool {
	return a.State == "FINISHED" || a.State == "FAILED" || a.State == "KILLED"
}

// job returns the job id that belongs to the application: the same suffix (facts A3).
func (a *wireApp) job() string { return "job_" + strings.TrimPrefix(string(a.ID), "application_") }

// memory is what the application has asked for and not yet got, and what its master holds; 0 where the version does not say.
func (a *wireApp) memory() (pending, am int) {
	for _, p := range a.Resources.v.Partitions {
		pending = min(pending+p.Pending.v.Memory.count(maxMB), maxMB)
		am = min(am+p.AM.v.Memory.count(maxMB), maxMB)
	}
	return pending, am
}

// maxMB bounds a memory size: 1 EB of containers is no cluster.
const maxMB = 1 << 40

type metricsBody struct {
	Metrics box[struct {
		TotalMB     num `json:"totalMB"`
		AllocatedMB num `json:"allocatedMB"`
		LostNodes   num `json:"lostNodes"`
		ActiveNodes num `json:"activeNodes"`
	}] `json:"clusterMetrics"`
}

type nodesBody struct {
	Nodes box[struct {
		Node list[wireNode] `json:"node"`
	}] `json:"nodes"`
}

type wireNode struct {
	ID      text `json:"id"`
	HTTP    text `json:"nodeHTTPAddress"`
	State   text `json:"state"`
	UsedMB  num  `json:"usedMemoryMB"`
	AvailMB num  `json:"availMemoryMB"`
}

type appAttemptsBody struct {
	Attempts box[struct {
		Attempt list[struct {
			ID num `json:"id"`
		}] `json:"appAttempt"`
	}] `json:"appAttempts"`
}

// newest returns the highest attempt number; 0 where there is none.
func (b *appAttemptsBody) newest() int {
	n := 0
	for _, a := range b.Attempts.v.Attempt {
		n = max(n, a.ID.count(1<<20))
	}
	return n
}

type schedulerBody struct {
	Scheduler box[struct {
		Info box[wireQueue] `json:"schedulerInfo"`
	}] `json:"scheduler"`
}

type wireQueue struct {
	Type     text       `json:"type"`
	Name     text       `json:"queueName"`
	Path     text       `json:"queuePath"` // 3.x
	Absolute num        `json:"absoluteCapacity"`
	Max      num        `json:"absoluteMaxCapacity"`
	Factor   num        `json:"userLimitFactor"`
	MaxRes   wireMemory `json:"maxResources"` // fair scheduler
	Queues   queues     `json:"queues"`       // capacity scheduler
	Root     queues     `json:"rootQueue"`    // fair scheduler
	Children queues     `json:"childQueues"`  // fair scheduler
}

// queues are the queues below one: an array, one alone, or an object that holds either as "queue".
type queues []wireQueue

func (q *queues) UnmarshalJSON(b []byte) error {
	var held struct {
		Queue list[wireQueue] `json:"queue"`
	}
	if b[0] == '{' && json.Unmarshal(b, &held) == nil && len(held.Queue) > 0 {
		*q = queues(held.Queue)
		return nil
	}
	return (*list[wireQueue])(q).UnmarshalJSON(b)
}

// find returns the leaf of that name or path; nil where there is none. Several leaves of one name are told apart by the path only.
func (q *wireQueue) find(name string) *wireQueue {
	leaf := true
	for _, below := range []queues{q.Queues, q.Root, q.Children} {
		for i := range below {
			leaf = false
			if f := below[i].find(name); f != nil {
				return f
			}
		}
	}
	if leaf && name != "" && (string(q.Path) == name || string(q.Name) == name || string(q.Name) == last(name)) {
		return q
	}
	return nil
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// limitMB is what one user may hold in the queue at most, of totalMB in all; 0 where nothing limits it.
// A user may have factor times the queue's capacity, up to its maximum (CapacityScheduler's user-limit-factor; -1: no limit).
func (q *wireQueue) limitMB(totalMB int) int {
	if mb := q.MaxRes.v.Memory.count(maxMB); mb > 0 {
		return min(mb, totalMB)
	}
	share := q.Max.ratio()
	if !(share > 0) {
		return 0
	}
	if q.Factor.ok && q.Factor.v > 0 && q.Absolute.ok && q.Absolute.v > 0 {
		share = min(share, q.Absolute.ratio()*q.Factor.v)
	}
	if share >= 1 {
		return 0
	}
	return int(share*float64(totalMB) + 0.5)
}
