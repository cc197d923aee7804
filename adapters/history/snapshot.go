package history

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
)

// snapshot returns what a live watcher would have seen at t.
func (s *Source) snapshot(t dag.Instant) *dag.Snapshot {
	var members []mrjob.Member
	var jobs []*replay // parallel to members
	like := &mrjob.Settings{}
	snap := &dag.Snapshot{At: t, State: dag.Succeeded, Nodes: s.nodes, Stale: dag.NoInstant}
	for _, j := range s.jobs {
		if t < j.Submitted {
			continue
		}
		m := mrjob.Member{Job: j.ID, State: j.stateAt(t)}
		if t >= j.firstSeen() {
			m.Settings = &j.Settings
			if snap.ID == "" { // the first job whose settings are known
				snap.ID, like = s.workflow.ID, m.Settings
			}
		}
		members, jobs = append(members, m), append(jobs, j)
	}
	graph := mrjob.GraphOf(members)
	graph.Vertices = without(graph.Vertices, s.left)
	first := jobs[0]
	snap.ID, snap.User, snap.Queue = cmp.Or(snap.ID, first.ID), first.User, first.Queue
	plan := &dag.Plan{
		Name: cmp.Or(like.WorkflowName, pig.Script(first.Name)), Cluster: s.cluster, Overheads: like.Overheads,
		Jobs: make([]dag.Job, len(graph.Vertices)),
	}
	if graph.Parallel {
		plan.Driver = dag.Eager
	}
	runs := len(members) < len(s.jobs)
	for i, v := range graph.Vertices {
		state := dag.BlockedJob(dag.MapReduceStages)
		var j *Job
		var own *mrjob.Settings
		if m := v.Member; m >= 0 {
			state, j, own = jobs[m].at(t), jobs[m].Job, members[m].Settings
		}
		plan.Jobs[i] = planJob(v, j, own, like)
		snap.Jobs = append(snap.Jobs, state)
		switch st := state.State; {
		case v.Member < 0:
			runs = runs || t < s.last
		case !st.Ended():
			runs = true
		case st != dag.Succeeded && snap.State != dag.Failed:
			snap.State = st
		}
	}
	if runs { // the workflow runs until the end of its history
		snap.State = dag.Running
	}
	if s.plan == nil || !reflect.DeepEqual(s.plan, plan) {
		s.plan = plan
	}
	snap.Plan, snap.Warnings = s.plan, s.warnings(snap, graph)
	return snap
}

// planJob returns the plan of a vertex's job, which is nil before its submission. Until its own settings are known, it
// gets those of the script's first job.
func planJob(v mrjob.Vertex, j *Job, own, like *mrjob.Settings) dag.Job {
	known := cmp.Or(own, like)
	out := dag.Job{
		Node: v.Node, After: v.After, MasterMB: known.MasterMB, MapReduce: known.Limits,
		Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
	}
	if j != nil {
		out.Name = j.Name
	}
	if own != nil {
		out.Feature, out.Alias, out.Input = own.Feature, own.Alias, own.Input
		if j.Sized {
			out.Stages = dag.MapReduce(dag.Stage{Known: true, Tasks: j.Maps}, dag.Stage{Known: true, Tasks: j.Reduces})
		}
	}
	out.Stages[dag.Map].Pipelines = make([]dag.Pipeline, 1)
	out.Stages[dag.Reduce].Pipelines = make([]dag.Pipeline, dag.Pipelines)
	return out
}

// without removes the vertices left. Successors of a removed vertex then follow its predecessors.
func without(vertices []mrjob.Vertex, left []string) (out []mrjob.Vertex) {
	to := make([][]int, len(vertices)) // replacements of a vertex, as indices of out
	for i, v := range vertices {
		var after []int
		for _, a := range v.After {
			after = append(after, to[a]...)
		}
		slices.Sort(after)
		v.After = slices.Compact(after)
		if v.Member < 0 && slices.Contains(left, v.Node) {
			to[i] = v.After
			continue
		}
		to[i] = []int{len(out)}
		out = append(out, v)
	}
	return out
}
