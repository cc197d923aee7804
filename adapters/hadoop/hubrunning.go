package hadoop

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Submitted is an application that runs or waits to.
type Submitted struct {
	App, Name, User, Queue string
	At                     dag.Instant // its submission
	// Read says that its conf is known, and with it the workflow; "" is a job by itself, as is one whose conf may not be read.
	// Readable says that it can be asked.
	Read, Readable bool
	Workflow       string
	// HeldMB is the memory of its containers, its master's included. PendingMB has been asked for and not been given; NaN where
	// the cluster does not say, as the fair scheduler does not, or was not asked, as a busy one is not.
	HeldMB, Containers int
	PendingMB          float64
	// UserMB is what its user, and QueueMB what all, may hold in its queue; 0 where nothing limits it, or nobody knows.
	UserMB, QueueMB int
}

// Together says that two applications may be jobs of one wave of a script: alike, and submitted at about the same time.
func Together(a, b *Submitted) bool {
	return scriptName(a.Name) == scriptName(b.Name) && a.User == b.User && max(a.At.Sub(b.At), b.At.Sub(a.At)) < sameWave*time.Millisecond
}

// Room is the cluster's memory for containers, and how much of it is free; zero where it is not known.
func (h *Hub) Room() (totalMB, freeMB int) {
	m := &h.view.Load().w.metrics.Metrics.v
	totalMB = m.TotalMB.count(maxMB)
	return totalMB, max(0, totalMB-m.AllocatedMB.count(maxMB)-m.ReservedMB.count(maxMB))
}

// Running lists the MapReduce applications that the newest round found, by id.
func (h *Hub) Running() []Submitted {
	v := h.view.Load()
	total := v.w.metrics.Metrics.v.TotalMB.count(maxMB)
	queues := map[text]dag.QueueState{}
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]Submitted, 0, len(v.runs))
	for _, id := range v.runs {
		a := v.apps[id]
		if !a.mapReduce() {
			continue
		}
		s := Submitted{
			App: id, Name: scriptName(JobTitle(string(a.Name))), User: string(a.User), Queue: string(a.Queue), At: a.Started.instant(), Readable: a.State == "RUNNING",
			HeldMB: a.AllocatedMB.count(maxMB), Containers: a.Containers.count(maxTasks), PendingMB: a.pending(),
		}
		q, known := queues[a.Queue]
		if !known {
			if leaf := v.w.queues.Scheduler.v.Info.v.find(string(a.Queue)); leaf != nil {
				q = leaf.state(string(a.Queue), total)
			}
			queues[a.Queue] = q
		}
		s.UserMB, s.QueueMB = q.UserMB, q.MaxMB
		if c := h.confs[id]; c != nil {
			s.Read, s.Workflow = true, c.workflow
		}
		s.Read = s.Read || h.denied[id]
		out = append(out, s)
	}
	return out
}

// pending is what the application has asked for and not yet got, in MB; NaN where nobody says.
func (a *wireApp) pending() float64 {
	if len(a.Resources.v.Partitions) == 0 {
		return math.NaN()
	}
	mb, _ := a.memory()
	return float64(mb)
}
