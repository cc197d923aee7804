package mapreduce

import (
	"cmp"
	"reflect"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// placed are the workflow's jobs in the graph that their settings describe.
type placed struct {
	*mrjob.Graph
	jobs []*job // of the vertices; nil before submission
}

func (s *Source) place() placed {
	members := make([]mrjob.Member, len(s.member))
	for i, j := range s.member {
		members[i] = mrjob.Member{Job: j.id, Settings: j.conf, State: j.state}
	}
	g := placed{Graph: mrjob.GraphOf(members)}
	for _, v := range g.Vertices {
		var j *job
		if v.Member >= 0 {
			j = s.member[v.Member]
		}
		g.jobs = append(g.jobs, j)
	}
	return g
}

// snapshot returns the current state of the workflow. The snapshot is not changed afterwards.
func (s *Source) snapshot() *dag.Snapshot {
	g := s.place()
	s.plan = s.planOf(g)
	snap := &dag.Snapshot{
		Plan: s.plan, At: s.now, ID: cmp.Or(s.id, s.jobs[s.chosen].id),
		State: s.end(g), Jobs: make([]dag.JobState, len(g.jobs)), Stale: dag.NoInstant,
	}
	var own, active []string
	for i, j := range g.jobs {
		if j == nil {
			snap.Jobs[i] = dag.BlockedJob(dag.MapReduceStages)
			continue
		}
		own = append(own, j.app.ID)
		if !j.state.Ended() {
			active = append(active, j.app.ID)
		}
		snap.Jobs[i] = j.shown()
		snap.Jobs[i].Avoided = s.view.NodesOn(j.avoids.hosts)
	}
	s.view.FillWorkflow(snap, s.chosen, own, active)
	s.remark(snap, g)
	if !s.isOnly && len(snap.Load) > fewTenants {
		snap.Load = sumLoads(snap.Load)
	}
	snap.Warnings = s.warned
	return snap
}

// shown returns the job's part of a snapshot.
func (j *job) shown() dag.JobState {
	st := dag.JobState{
		ID: j.id, State: j.state, Submitted: j.submitted, Started: j.started, Finished: dag.NoInstant,
		Attempt: j.attempt, Diagnosis: j.diagnosis, Stages: make([]dag.StageState, dag.MapReduceStages),
		HeldMB: j.app.HeldMB, Master: j.app.Node,
	}
	if j.state.Ended() {
		st.Finished = j.finished
	}
	j.failed = 0
	for k := range j.tasks {
		// Snapshots share the slice until a task changes.
		all := j.tasks[k].Attempts(show)
		for i := range all {
			if all[i].State == dag.AttemptFailed {
				j.failed++
			}
		}
		st.Stages[k].Attempts = all
	}
	return st
}

// remark adds the warnings that follow from the snapshot itself.
func (s *Source) remark(snap *dag.Snapshot, g placed) {
	s.warned = append(s.warned, yarn.LoadWarning(snap.Load)...)
	if s.large != "" {
		s.warn(dag.WarnTooLarge, "too large to estimate: %s", s.large)
	}
	if g.Launches > 1 {
		s.warn(dag.WarnSecondLaunch,
			"the script has launched %d batches of jobs; a later one is unknown until it comes", g.Launches)
	}
	if g.Cyclic {
		s.warn(dag.WarnObservation, "the jobs' confs tell a graph with a cycle; it was cut")
	}
	for i := range snap.Jobs {
		j := &snap.Jobs[i]
		if j.State.Ended() {
			continue
		}
		if j.Attempt > 1 {
			s.warn(dag.WarnMasterRestarted,
				"%s runs in its application master's attempt %d; what the one before had not finished, or could not hand on, runs again", j.ID, j.Attempt)
		}
		s.remarkNodes(snap, j)
	}
}

// planOf makes the plan of the graph. If nothing has changed it returns the previous plan, so that readers may
// compare pointers.
func (s *Source) planOf(g placed) *dag.Plan {
	// Until a job's own settings are known, these are assumed to be those of the script's first job.
	conf := cmp.Or(s.conf(), &mrjob.Settings{})
	script := pig.Script(hive.Script(hive.JobTitle(s.view.Known(s.chosen).FullName)))
	p := &dag.Plan{
		Name: cmp.Or(conf.WorkflowName, script), Cluster: s.view.Cluster(s.chosen), Overheads: conf.Overheads,
		Jobs: make([]dag.Job, len(g.jobs)),
	}
	if g.Parallel {
		p.Driver = dag.Eager
	}
	left := dag.MaxTasks
	for i, j := range g.jobs {
		v := &g.Vertices[i]
		to := &p.Jobs[i]
		*to = dag.Job{
			Node: v.Node, After: v.After, MasterMB: conf.MasterMB, MapReduce: conf.Limits,
			Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
		}
		if j != nil {
			planJob(to, j)
		}
		// Jobs with task lists too long to read use their masters' counts, which may exceed the limit of a plan.
		for k := range to.Stages {
			to.Stages[k].Tasks = min(to.Stages[k].Tasks, left)
			left -= to.Stages[k].Tasks
		}
		to.Stages[dag.Map].Pipelines = make([]dag.Pipeline, 1)
		to.Stages[dag.Reduce].Pipelines = make([]dag.Pipeline, dag.Pipelines)
	}
	if s.plan != nil && reflect.DeepEqual(s.plan, p) {
		return s.plan
	}
	return p
}

func planJob(to *dag.Job, j *job) {
	if c := j.conf; c != nil {
		to.Feature, to.Alias, to.Input = c.Feature, c.Alias, c.Input
		to.MasterMB, to.MapReduce = c.MasterMB, c.Limits
	}
	to.Name, to.MasterMB = hive.JobTitle(j.app.FullName), cmp.Or(j.app.MasterMB, to.MasterMB)
	if j.known() {
		to.Stages = dag.MapReduce(dag.Stage{Known: true, Tasks: j.total(dag.Map)},
			dag.Stage{Known: true, Tasks: j.total(dag.Reduce)})
	}
}
