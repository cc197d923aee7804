package yarn

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// Fill sets the parts of an application's snapshot that describe the cluster: user, queue, nodes, queues and the other
// applications' load.
func (o *Overview) Fill(snap *dag.Snapshot, app string) {
	o.FillWorkflow(snap, app, []string{app}, []string{app})
}

// FillWorkflow is Fill for a workflow of several applications. app stands for the workflow, own are all its
// applications, and of these active have not ended.
func (o *Overview) FillWorkflow(snap *dag.Snapshot, app string, own, active []string) {
	a := o.apps[app]
	if a == nil {
		return
	}
	o.showNodes()
	snap.User, snap.Queue, snap.Nodes = a.User, a.Queue, o.nodes
	snap.Load = o.load(a, own, active)
	snap.Queues = o.queueStates(snap)
}

// load lists what other applications hold or wait for.
func (o *Overview) load(chosen *App, own, active []string) []dag.Load {
	var first *App
	for _, id := range active {
		if a := o.apps[id]; a != nil && (first == nil || Older(a, first) < 0) {
			first = a
		}
	}
	v, needs := o.hub.view.Load(), *o.hub.needs.Load()
	ours := make(map[string]bool, len(own))
	for _, id := range own {
		ours[id] = true
	}
	var out []dag.Load
	for _, id := range v.listed {
		a := cmp.Or(o.apps[id], v.apps[id])
		if ours[id] || a.Ended && a.HeldMB == 0 {
			continue
		}
		out = append(out, dag.Load{
			ID: id, Name: pig.Script(hive.JobTitle(a.FullName)), User: a.User, Need: needs[id],
			Before: first == nil || Older(a, first) < 0, Submitted: a.Submitted,
			Queue: a.Queue, HeldMB: a.HeldMB, PendingMB: a.PendingMB, MasterMB: a.MasterMB, Progress: a.Progress,
			ShareMB: o.shareMB(a.Queue, chosen.Queue), Until: dag.NoInstant,
		})
	}
	return out
}

// shareMB returns the memory that a queue is guaranteed, in MB; 0 for the workflow's own queue, or if unknown.
func (o *Overview) shareMB(queue, own string) int {
	q := o.queue(queue)
	if queue == own || q == nil || !(q.Absolute.Ratio() > 0) {
		return 0
	}
	return part(q.Absolute.Ratio(), o.totalMB)
}

// queueStates returns the workflow's queue and the queues of other applications, by name. If nothing has changed it
// returns the same slice as before.
func (o *Overview) queueStates(snap *dag.Snapshot) []dag.QueueState {
	names := []string{snap.Queue}
	for i := range snap.Load {
		names = append(names, snap.Load[i].Queue)
	}
	slices.Sort(names)
	var out []dag.QueueState
	for _, name := range slices.Compact(names) {
		if q := o.queue(name); q != nil {
			out = append(out, q.state(name, o.totalMB))
		}
	}
	if !slices.Equal(out, o.queues) {
		o.queues = out
	}
	return o.queues
}
