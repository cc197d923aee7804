package past

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// snapshot returns what a live watcher would have seen at t.
func (s *Source) snapshot(t dag.Instant) *dag.Snapshot {
	var members []mrjob.Member
	var there []int // indices of the members
	for i, j := range s.workflow.Jobs {
		if t < j.Submitted {
			continue
		}
		m := mrjob.Member{Job: j.ID, State: j.stateAt(t)}
		if t >= j.lastSeen() {
			m.Settings = &j.Settings
		}
		members, there = append(members, m), append(there, i)
	}
	g := mrjob.GraphOf(members)
	vertices := without(g.Vertices, s.left)
	s.plan = s.planOf(vertices, members, there)
	first := s.workflow.Jobs[there[0]]
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
		snap.Jobs[i] = s.states[there[v.Member]].at(t, &s.cluster)
	}
	snap.Warnings = s.warnings(snap, g.Launches, g.Cyclic)
	return snap
}

// lastSeen returns when a watcher could first reach the job's master.
func (j *Job) lastSeen() dag.Instant {
	if len(j.Masters) > 0 {
		return j.Masters[0].At
	}
	if j.Launched.Known() {
		return j.Launched
	}
	return j.Submitted
}

// stateAt returns the job's state at t. The history has the launch by the last master only, so the job counts as
// running under each earlier one. It is submitted again from the last master's start to its launch.
func (j *Job) stateAt(t dag.Instant) dag.State {
	n := j.attemptAt(t)
	switch {
	case j.Finished.Known() && t >= j.Finished:
		return j.State
	case j.Launched.Known() && t >= j.Launched, n > 0 && n < len(j.Masters):
		return dag.Running
	}
	return dag.Submitted
}

// attemptAt returns how many masters have started by t.
func (j *Job) attemptAt(t dag.Instant) int {
	n := 0
	for n < len(j.Masters) && j.Masters[n].At <= t {
		n++
	}
	return n
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
func (s *Source) planOf(vertices []mrjob.Vertex, members []mrjob.Member, there []int) *dag.Plan {
	first := s.workflow.Jobs[there[0]]
	p := &dag.Plan{
		Name: pig.Script(first.Name), Cluster: s.cluster.plan,
		Jobs: make([]dag.Job, len(vertices)),
	}
	if slices.ContainsFunc(members, func(m mrjob.Member) bool { return m.Settings != nil && m.Settings.Parallel }) {
		p.Driver = dag.Eager
	}
	var like dag.Job
	for i, m := range members {
		if m.Settings != nil {
			like.MasterMB, like.MapReduce = m.Settings.MasterMB, m.Settings.Limits
			p.Name = cmp.Or(m.Settings.WorkflowName, p.Name)
			p.Overheads = s.workflow.Jobs[there[i]].Settings.Overheads
			break
		}
	}
	for i, v := range vertices {
		// Until a job's own settings are known, it gets those of the script's first job.
		p.Jobs[i] = dag.Job{
			Node: v.Node, After: v.After, MasterMB: like.MasterMB, MapReduce: like.MapReduce,
			Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
		}
		if v.Member >= 0 {
			s.workflow.Jobs[there[v.Member]].plan(&p.Jobs[i], members[v.Member].Settings)
		}
		p.Jobs[i].Stages[dag.Map].Pipelines = make([]dag.Pipeline, 1)
		p.Jobs[i].Stages[dag.Reduce].Pipelines = make([]dag.Pipeline, dag.Pipelines)
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

// longWait is the time between submission and start from which one of the two is in doubt.
const longWait = 24 * time.Hour

// remark collects the warnings of all snapshots.
func (s *Source) remark() {
	warn := func(code, format string, args ...any) {
		s.remarks = append(s.remarks, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	plain, even, of, bare := 0, 0, 0, 0
	for _, j := range s.workflow.Jobs {
		for k := range j.Attempts {
			for i := range j.Attempts[k] {
				if of++; j.Attempts[k][i].course.plain {
					plain++
				}
				if dag.StageIndex(k) == dag.Reduce && j.Attempts[k][i].evenly() {
					even++
				}
			}
		}
		if !j.Configured && !j.Slots {
			bare++
		}
		if j.Bad > 0 {
			warn(dag.WarnObservation, "%s: %s of its history could not be used", j.ID, units.Count(j.Bad, "event"))
		}
		for _, text := range j.Clocks {
			warn(dag.WarnObservation, "%s: %s", j.ID, text)
		}
		if wait := j.lastSeen().Sub(j.Submitted); wait > longWait {
			warn(dag.WarnObservation,
				"%s started %s after its submission: it waited that long, or one of these times is wrong, and so is its length", j.ID, units.Exact(wait))
		}
		if j.Uber {
			warn(dag.WarnObservation, "%s ran in its master's own container, one task after the other", j.ID)
		}
	}
	switch {
	case plain > 0:
		warn(dag.WarnInterpolated,
			"made from history: of %d of %d attempts it tells start and end only, their progress is a straight line; so is what %s had written", plain, of, units.Count(even, "reduce"))
	case even > 0:
		warn(dag.WarnInterpolated, "made from history: what %s had written before their end is a straight line",
			units.Count(even, "reduce"))
	}
	if bare > 0 {
		warn(dag.WarnObservation,
			"the configuration of %d of %d jobs (JOB_conf.xml) is not beside their history: slow start and their masters' memory are taken for Hadoop's defaults", bare, len(s.workflow.Jobs))
	}
	if n := len(s.left); n > 0 {
		warn(dag.WarnObservation, "the history of %s of the workflow is not here and was left out: %s", units.Count(n, "job"),
			strings.Join(s.left[:min(n, 10)], ", "))
	}
}

// warnings returns the warnings of one snapshot.
func (s *Source) warnings(snap *dag.Snapshot, launches int, cyclic bool) []dag.Warning {
	out := slices.Clone(s.remarks)
	warn := func(code, format string, args ...any) {
		out = append(out, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if launches > 1 {
		warn(dag.WarnSecondLaunch, "the script has launched %d batches of jobs; a later one is unknown until it comes",
			launches)
	}
	if cyclic {
		warn(dag.WarnObservation, "the jobs' settings tell a graph with a cycle; it was cut")
	}
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; j.Attempt > 1 && !j.State.Ended() {
			warn(dag.WarnMasterRestarted,
				"%s runs in its application master's attempt %d; of attempts that the one before could not hand on the history knows nothing", j.ID, j.Attempt)
		}
	}
	for _, j := range s.workflow.Jobs {
		switch {
		case snap.At < s.last || j.Ended():
		case j.Torn:
			warn(dag.WarnTornTape, "%s: its history breaks off in the middle of an event", j.ID)
		default:
			warn(dag.WarnTornTape, "%s: its history ends before the job does", j.ID)
		}
	}
	return out
}
