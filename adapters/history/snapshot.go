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
	for _, j := range s.jobs {
		if t < j.Submitted {
			continue
		}
		m := mrjob.Member{Job: j.ID, State: j.stateAt(t)}
		if t >= j.firstSeen() {
			m.Settings = &j.Settings
		}
		members, jobs = append(members, m), append(jobs, j)
	}
	graph := mrjob.GraphOf(members)
	vertices := without(graph.Vertices, s.left)
	s.plan = s.planOf(vertices, members, jobs)
	first := jobs[0]
	snap := &dag.Snapshot{
		Plan: s.plan, At: t, ID: first.ID, User: first.User, Queue: first.Queue, State: s.stateOf(vertices, members, t),
		Jobs: make([]dag.JobState, len(vertices)), Nodes: s.cluster.nodes, Stale: dag.NoInstant,
	}
	if slices.ContainsFunc(members, func(m mrjob.Member) bool { return m.Settings != nil }) {
		snap.ID = s.workflow.ID
	}
	for i, v := range vertices {
		if v.Member < 0 {
			snap.Jobs[i] = dag.BlockedJob(dag.MapReduceStages)
			continue
		}
		snap.Jobs[i] = jobs[v.Member].jobAt(t, &s.cluster)
	}
	snap.Warnings = s.warnings(snap, graph)
	return snap
}

// stateOf returns the state of the whole workflow. The workflow runs until the end of its history.
func (s *Source) stateOf(vertices []mrjob.Vertex, members []mrjob.Member, t dag.Instant) dag.State {
	worst, missing := dag.Succeeded, 0
	for _, v := range vertices {
		if v.Member < 0 {
			missing++
			continue
		}
		switch st := members[v.Member].State; {
		case !st.Ended():
			return dag.Running
		case st != dag.Succeeded && worst != dag.Failed:
			worst = st
		}
	}
	if len(members) < len(s.workflow.Jobs) || missing > 0 && t < s.last {
		return dag.Running
	}
	return worst
}

// without removes the vertices left. Successors of a removed vertex then follow its predecessors.
func without(vertices []mrjob.Vertex, left []string) []mrjob.Vertex {
	if len(left) == 0 {
		return vertices
	}
	out := make([]mrjob.Vertex, 0, len(vertices))
	to := make([][]int, len(vertices)) // replacements of a vertex, as indices of out
	for i, v := range vertices {
		var after []int
		for _, a := range v.After {
			after = append(after, to[a]...)
		}
		slices.Sort(after)
		after = slices.Compact(after)
		if v.Member < 0 && slices.Contains(left, v.Node) {
			to[i] = after
			continue
		}
		to[i] = []int{len(out)}
		v.After = after
		out = append(out, v)
	}
	return out
}

// planOf makes the plan. It returns the previous plan if nothing has changed.
func (s *Source) planOf(vertices []mrjob.Vertex, members []mrjob.Member, jobs []*replay) *dag.Plan {
	p := &dag.Plan{Name: pig.Script(jobs[0].Name), Cluster: s.cluster.plan, Jobs: make([]dag.Job, len(vertices))}
	var like mrjob.Settings
	for _, m := range slices.Backward(members) {
		if m.Settings == nil {
			continue
		}
		like = *m.Settings
		if m.Settings.Parallel {
			p.Driver = dag.Eager
		}
	}
	p.Name, p.Overheads = cmp.Or(like.WorkflowName, p.Name), like.Overheads
	for i, v := range vertices {
		// Until a job's own settings are known, it gets those of the script's first job.
		to := &p.Jobs[i]
		*to = dag.Job{
			Node: v.Node, After: v.After, MasterMB: like.MasterMB, MapReduce: like.Limits,
			Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
		}
		if v.Member >= 0 {
			jobs[v.Member].plan(to, members[v.Member].Settings)
		}
		to.Stages[dag.Map].Pipelines = make([]dag.Pipeline, 1)
		to.Stages[dag.Reduce].Pipelines = make([]dag.Pipeline, dag.Pipelines)
	}
	if s.plan != nil && reflect.DeepEqual(s.plan, p) {
		return s.plan
	}
	return p
}

func (j *Job) plan(to *dag.Job, c *mrjob.Settings) {
	to.Name = j.Name
	if c == nil {
		return
	}
	to.Feature, to.Alias, to.Input = c.Feature, c.Alias, c.Input
	to.MasterMB, to.MapReduce = c.MasterMB, c.Limits
	if j.Sized {
		to.Stages = dag.MapReduce(dag.Stage{Known: true, Tasks: j.Maps}, dag.Stage{Known: true, Tasks: j.Reduces})
	}
}
