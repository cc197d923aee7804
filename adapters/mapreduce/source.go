// Package mapreduce observes a workflow of MapReduce jobs on a cluster over REST. It queries the jobs' masters
// behind the ResourceManager's proxy, and the job history server once the masters are gone. Package yarn has the
// ResourceManager.
//
// A [Client] is a yarn.Client that finds the history server (client.go). A [Source] polls these services at each
// call, in a fixed order, and shows what is known by the cluster's clock (source.go). The responses (wire.go) decide
// which jobs the workflow has, and when it has ended (workflow.go), what is known of each job (job.go) and of its tasks
// (task.go), and which tasks are requested next (tasks.go). A [Hub] has what several sources share (hub.go), such as
// the work that other applications have left (tenants.go).
//
// Watchers of a cluster and readers of history files share what shows of a job: the settings in its configuration
// (settings.go), the graph of the workflow that settings describe (graph.go), its tasks' counters and ids
// (counters.go). So both make the same workflow of a run.
//
// An observation that failed for now is a *dag.MissedError. A workflow has ended once the cluster has reported it,
// and also the history server if it can be reached.
package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Cluster sends a source's requests. Its methods return the bodies of JSON responses with status 200. Everything
// else is an error, an *rest.Error if the server responded. *Client is a Cluster.
type Cluster interface {
	yarn.Cluster
	AM(ctx context.Context, app, path string) ([]byte, error)
	JHS(ctx context.Context, path string) ([]byte, error)
}

// The most tasks with requests in one tick, for attempts (0.4 KB each) and counters (1.4 KB). The tasks beyond the
// limit follow in the next ticks, so each stage is in the sample by its share of the tasks (ParaTimer, section 3.1.4;
// TestErrorOfSamples measures its cost). For a source among many it takes a few ticks to read all tasks of a job that
// is already under way.
const tasksATick, tasksOfMany = 300, 15

// A Source yields snapshots of one workflow. It is not safe for concurrent use.
type Source struct {
	workflow
	cluster Cluster
	isOnly  bool // no other source uses the hub, and no Refresh polls the masters of other applications

	isSample bool // in the tick before, more tasks were due than a tick polls

	now    dag.Instant // time of this tick
	ticks  int
	due    []*job // with requests in this tick
	warned []dag.Warning

	plan       *dag.Plan   // of the newest snapshot
	large      string      // why the workflow is too large to be estimated, "" if it is not
	lastMissed dag.Instant // the last tick for which the hub had no response
	ended      bool
}

// Owns reports whether an id is that of a job, or of a workflow of Pig. Other engines on MapReduce choose any id.
func Owns(id string) bool { return strings.HasPrefix(id, "job_") || strings.HasPrefix(id, "pig_") }

// NewSource watches target on cluster, as the only source of a hub. Its observations refresh the hub. It sees all
// applications, and lists those that have ended while its workflow is between two jobs.
func NewSource(cluster Cluster, target yarn.Target) *Source {
	h := HubOn(cluster, yarn.NewHub(cluster, target.Made))
	s := h.source(target)
	s.view, s.isOnly = h.OnlyOverview(s.idle), true
	return s
}

// Source returns a source for the workflow of an application, one of several: Refresh is called by others. It sees
// the applications that may be of its workflow, and the load of others in sums.
func (h *Hub) Source(app string) recording.Source {
	s := h.source(yarn.Target{ID: app})
	s.view = h.Overview(func() []string { return h.related(&s.workflow) })
	return s
}

func (h *Hub) source(target yarn.Target) *Source {
	return &Source{
		workflow: workflow{target: target, hub: h, jobs: map[string]*job{}, tried: map[string]bool{}},
		cluster:  h.cluster, lastMissed: dag.NoInstant,
	}
}

// mostBack is by how much an observation may seem to be earlier than the one before, as after an old answer with its
// old date. It then gets the time of the one before.
const mostBack = time.Minute

// Next observes once. It neither waits nor retries. It returns a *yarn.NoWorkflowError while there is nothing to
// watch, a *dag.MissedError if an observation failed and a later one may succeed, and io.EOF after a snapshot with a
// final state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.ended {
		return nil, io.EOF
	}
	at := s.cluster.Now()
	if back := s.now.Sub(at); s.ticks > 0 && back > 0 && back <= mostBack {
		at = s.now
	}
	s.now, s.warned = at, nil
	err := s.observe(ctx)
	s.ticks++
	if err = cmp.Or(ctx.Err(), err); err != nil {
		if _, none := errors.AsType[*yarn.NoWorkflowError](err); none || ctx.Err() != nil {
			return nil, err
		}
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	snap := s.snapshot()
	if s.ended = snap.State.Ended(); s.ended {
		s.hub.reserve(s.chosen, 0)
	}
	return snap, nil
}

// observe sends the requests of a tick, the most important first. The responses to each decide what the next ones
// request.
func (s *Source) observe(ctx context.Context) error {
	if err := s.pollCluster(ctx); err != nil {
		return err
	}
	if err := s.pollConfs(ctx); err != nil {
		return err
	}
	s.pollUnlisted(ctx)
	s.pollJobs(ctx)
	s.pollTasks(ctx)
	s.pollSums(ctx)
	s.pollAvoided(ctx)
	s.pollTenants(ctx)
	return s.lostMasters()
}

// pollCluster takes over the hub's newest responses.
func (s *Source) pollCluster(ctx context.Context) error {
	if err := s.view.Observe(ctx); err != nil {
		s.lastMissed = s.now
		return err //nolint:wrapcheck // it names the request
	}
	s.warned = append(s.warned, s.view.Warnings()...)
	if s.catchUp(); s.ticks == 0 {
		s.now = s.cluster.Now() // the cluster's clock was unknown before the first response
	}
	return nil
}

// pollUnlisted requests members that the list leaves out: they have ended, or the ResourceManager has forgotten
// them. Then the history server is queried.
func (s *Source) pollUnlisted(ctx context.Context) {
	left := input.Only(s.member, func(j *job) bool {
		return !s.view.IsListed(j.app.ID) && !(j.app.Ended && j.state.Ended() && j.app.HeldMB == 0)
	})
	s.view.Request(ctx, units.Each(left, func(j *job) string { return j.app.ID })...)
	for _, j := range s.member {
		j.app = cmp.Or(s.view.Known(j.app.ID), j.app)
	}
}

func (s *Source) warn(code, format string, args ...any) {
	s.warned = append(s.warned, dag.Warningf(code, format, args...))
}

// live reports whether responses come from a live cluster. A recording has the time of each response.
func (s *Source) live() bool { return s.target.Made == nil }

// made returns when the response for path was made. A recording has that time; on a live cluster it is now.
func (s *Source) made(path string) dag.Instant { return s.hub.MadeAt(path, s.now) }

// slow is how long responses may take before they describe a later instant than the beginning of the tick.
const slow = time.Second

// catchUp moves the tick's time to now if responses were slow: a service that hung reports its present state.
func (s *Source) catchUp() {
	if at := s.cluster.Now(); s.live() && at.Sub(s.now) > slow {
		s.now = at
	}
}

// placed are the workflow's jobs in the graph that their settings describe.
type placed struct {
	*Graph
	jobs []*job // of the vertices; nil before submission
}

func (s *Source) place() placed {
	g := placed{Graph: GraphOf(units.Each(s.member, func(j *job) Member {
		return Member{Job: j.id, Settings: j.conf, State: j.state}
	}))}
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
		j.failed += len(input.Only(all, func(a dag.Attempt) bool { return a.State == dag.AttemptFailed }))
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
	s.warned = append(s.warned, g.Warnings()...)
	for i := range snap.Jobs {
		j := &snap.Jobs[i]
		if j.State.Ended() {
			continue
		}
		if j.Attempt > 1 {
			s.warn(dag.WarnMasterRestarted,
				"%s runs in its application master's attempt %d; tasks that the last one did not finish, or that were not recovered, run again", j.ID, j.Attempt)
		}
		s.remarkNodes(snap, j)
	}
}

// planOf makes the plan of the graph. If nothing has changed it returns the previous plan, so that readers may
// compare pointers.
func (s *Source) planOf(g placed) *dag.Plan {
	// Until a job's own settings are known, these are assumed to be those of the script's first job.
	conf := cmp.Or(s.conf(), &Settings{})
	script := naming.PigScript(naming.HiveScript(naming.JobTitle(s.view.Known(s.chosen).FullName)))
	p := g.Plan(conf)
	p.Name, p.Cluster = cmp.Or(p.Name, script), s.view.Cluster(s.chosen)
	left := dag.MaxTasks
	for i, j := range g.jobs {
		if j == nil {
			continue
		}
		to := &p.Jobs[i]
		to.Name, to.MasterMB = naming.JobTitle(j.app.FullName), cmp.Or(j.app.MasterMB, to.MasterMB)
		// Jobs with task lists too long to read use their masters' counts, which may exceed the limit of a plan.
		for k := range to.Stages {
			if stage := &to.Stages[k]; j.known() {
				stage.Known, stage.Tasks = true, min(j.total(dag.StageIndex(k)), left)
				left -= stage.Tasks
			}
		}
	}
	return events.Plan(s.plan, p)
}
