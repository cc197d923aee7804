package tape

import (
	"time"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

type load struct {
	ID        text          `json:"id"`
	Name      text          `json:"name,omitempty"`
	User      text          `json:"user,omitempty"`
	Before    bool          `json:"before,omitempty"`
	Submitted instant       `json:"sub"`
	Queue     text          `json:"queue,omitempty"`
	HeldMB    int           `json:"mb,omitempty"`
	PendingMB int           `json:"ask,omitempty"`
	MasterMB  int           `json:"am,omitempty"`
	ShareMB   int           `json:"share,omitempty"`
	Need      opt[need]     `json:"need,omitzero"`
	Until     instant       `json:"until"`
	Length    time.Duration `json:"length,omitempty"`
	Progress  num           `json:"ratio"`
}

type need struct {
	At     instant   `json:"t"`
	Map    needPhase `json:"m"`
	Reduce needPhase `json:"r"`
}

type needPhase struct {
	Tasks    int `json:"n,omitempty"`
	Done     int `json:"done,omitempty"`
	Running  int `json:"run,omitempty"`
	Progress num `json:"ratio"`
	LengthMS num `json:"ms"`
	TaskMB   int `json:"mb,omitempty"`
}

type queue struct {
	Name      text      `json:"name"`
	ShareMB   int       `json:"share,omitempty"`
	MaxMB     int       `json:"max,omitempty"`
	UserMB    int       `json:"user,omitempty"`
	MastersMB int       `json:"masters,omitempty"`
	UserRatio num       `json:"user_ratio"`
	Order     dag.Order `json:"order,omitempty"`
	Preempted bool      `json:"preempted,omitempty"`
}

func loadOf(l dag.Load) load {
	out := load{
		ID: text(l.ID), Name: text(l.Name), User: text(l.User), Before: l.Before, Submitted: instant(l.Submitted),
		Queue:  text(l.Queue),
		HeldMB: l.HeldMB, PendingMB: l.PendingMB, MasterMB: l.MasterMB, ShareMB: l.ShareMB, Until: instant(l.Until),
		Length: l.Length, Progress: numOf(l.Progress),
	}
	if l.Need != nil {
		out.Need = some(need{instant(l.Need.At), needOf(&l.Need.Map), needOf(&l.Need.Reduce)})
	}
	return out
}

func needOf(p *dag.NeedPhase) needPhase {
	return needPhase{p.Tasks, p.Done, p.Running, numOf(p.Progress), numOf(p.LengthMS), p.TaskMB}
}

func (l load) dag() dag.Load {
	// Tapes of earlier versions have the cluster's name of a script's application, with Pig's prefix.
	out := dag.Load{
		ID: string(l.ID), Name: pig.Script(string(l.Name)), User: string(l.User), Before: l.Before,
		Submitted: dag.Instant(l.Submitted), Queue: string(l.Queue),
		HeldMB: l.HeldMB, PendingMB: l.PendingMB, MasterMB: l.MasterMB, ShareMB: l.ShareMB, Until: dag.Instant(l.Until),
		Length: l.Length, Progress: l.Progress.float(),
	}
	if l.Need.set {
		out.Need = &dag.Need{At: dag.Instant(l.Need.v.At), Map: l.Need.v.Map.dag(), Reduce: l.Need.v.Reduce.dag()}
	}
	return out
}

func (p needPhase) dag() dag.NeedPhase {
	return dag.NeedPhase{
		Tasks: p.Tasks, Done: p.Done, Running: p.Running, Progress: p.Progress.float(),
		LengthMS: p.LengthMS.float(), TaskMB: p.TaskMB,
	}
}

func queueOf(q dag.QueueState) queue {
	return queue{text(q.Name), q.ShareMB, q.MaxMB, q.UserMB, q.MastersMB, numOf(q.UserRatio), q.Order, q.Preempted}
}

func (q queue) dag() dag.QueueState {
	return dag.QueueState{
		Name: string(q.Name), ShareMB: q.ShareMB, MaxMB: q.MaxMB, UserMB: q.UserMB, MastersMB: q.MastersMB,
		UserRatio: q.UserRatio.float(), Order: q.Order, Preempted: q.Preempted,
	}
}
