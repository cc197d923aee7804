package history

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Source replays one workflow. It yields snapshots from the submission of the first job on, and one at the end.
type Source struct {
	recording.Steps
	workflow *Workflow
	jobs     []*replay // parallel to the workflow's jobs
	cluster  dag.Cluster
	nodes    []dag.NodeState
	plan     *dag.Plan
	remarks  []dag.Warning // in each snapshot
	left     []string      // omitted nodes of the graph: their history is missing
}

// NewSource returns a source that replays w. every is the time between snapshots; 0 chooses it automatically.
func NewSource(w *Workflow, every time.Duration) (*Source, error) {
	if len(w.Jobs) == 0 {
		return nil, errors.New("there is no job in it")
	}
	s, first, last := &Source{workflow: w}, w.Jobs[0].Submitted, dag.NoInstant
	for _, j := range w.Jobs {
		if !j.Submitted.Known() {
			return nil, errors.New(j.ID + ": its history does not record when it was submitted")
		}
		j.settle()
		last = max(last, j.Submitted, j.Launched, j.Finished, j.Last)
	}
	s.cluster = clusterOf(w.Jobs)
	nodes := map[string]int32{}
	for i, n := range s.cluster.Nodes {
		nodes[n.Name] = int32(i) //nolint:gosec // far fewer than attempts, which are in memory
		s.nodes = append(s.nodes, dag.NodeState{Name: n.Name, MemoryMB: n.MemoryMB, LostAt: dag.NoInstant})
	}
	for _, j := range w.Jobs {
		first = min(first, j.Submitted)
		r := &replay{Job: j, nodes: nodes}
		for k := range r.shown {
			r.shown[k] = make([]*dag.Attempt, len(j.Attempts[k]))
		}
		s.jobs = append(s.jobs, r)
	}
	s.Steps = recording.NewSteps(first, last, every, io.EOF)
	s.leaveOut()
	s.remark()
	return s, nil
}

// Next returns the next snapshot, io.EOF after the last.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	return s.Play(ctx, s.snapshot) //nolint:wrapcheck // it is the end's or the context's
}

// leaveOut finds nodes of the workflow graph that should have run but have no history.
func (s *Source) leaveOut() {
	members := units.Each(s.workflow.Jobs, func(j *Job) mapreduce.Member {
		return mapreduce.Member{Job: j.ID, Settings: &j.Settings, State: j.State}
	})
	vertices := mapreduce.GraphOf(members).Vertices
	stopped := make([]bool, len(vertices))
	for i, v := range vertices {
		for _, a := range v.After {
			stopped[i] = stopped[i] || stopped[a]
		}
		switch {
		case v.Member >= 0:
			stopped[i] = stopped[i] || members[v.Member].State != dag.Succeeded
		case !stopped[i]:
			s.left = append(s.left, v.Node)
		}
	}
}

// snapshot returns what a live watcher would have seen at t.
func (s *Source) snapshot(t dag.Instant) *dag.Snapshot {
	var members []mapreduce.Member
	var jobs []*replay // parallel to members
	like := &mapreduce.Settings{}
	snap := &dag.Snapshot{At: t, State: dag.Succeeded, Nodes: s.nodes, Stale: dag.NoInstant}
	for _, j := range s.jobs {
		if t < j.Submitted {
			continue
		}
		m := mapreduce.Member{Job: j.ID, State: j.stateAt(t)}
		if t >= j.firstSeen() {
			m.Settings = &j.Settings
			if snap.ID == "" { // the first job with known settings
				snap.ID, like = s.workflow.ID, m.Settings
			}
		}
		members, jobs = append(members, m), append(jobs, j)
	}
	graph := mapreduce.GraphOf(members)
	graph.Vertices = without(graph.Vertices, s.left)
	first := jobs[0]
	snap.ID, snap.User, snap.Queue = cmp.Or(snap.ID, first.ID), first.User, first.Queue
	plan := graph.Plan(like)
	plan.Name, plan.Cluster = cmp.Or(plan.Name, naming.PigScript(first.Name)), s.cluster
	runs := len(members) < len(s.jobs)
	for i, v := range graph.Vertices {
		state := dag.BlockedJob(dag.MapReduceStages)
		if m := v.Member; m >= 0 {
			j, to := jobs[m].Job, &plan.Jobs[i]
			state, to.Name = jobs[m].at(t), j.Name
			if members[m].Settings != nil && j.Sized {
				to.Stages[dag.Map].Known, to.Stages[dag.Map].Tasks = true, j.Maps
				to.Stages[dag.Reduce].Known, to.Stages[dag.Reduce].Tasks = true, j.Reduces
			}
		}
		snap.Jobs = append(snap.Jobs, state)
		switch st := state.State; {
		case v.Member < 0:
			runs = runs || t < s.Last
		case !st.Ended():
			runs = true
		case st != dag.Succeeded && snap.State != dag.Failed:
			snap.State = st
		}
	}
	if runs { // the workflow runs until the end of its history
		snap.State = dag.Running
	}
	s.plan = events.Plan(s.plan, plan)
	snap.Plan, snap.Warnings = s.plan, s.warnings(snap, graph)
	return snap
}

// A change is the start or the end of a container.
type change struct {
	at   dag.Instant
	node string
	kind dag.StageIndex // dag.NoStage: of a master
	mb   int            // negative at the end
}

// most returns the largest value that an amount reaches while changes add up.
func most(changes []change, amount func(change) int) int {
	byTime := map[dag.Instant]int{}
	for _, c := range changes {
		byTime[c.at] += amount(c)
	}
	return events.Peak(byTime)
}

func memory(c change) int { return c.mb }

// slotMB stands for a slot. slotMaster stands for the master that a job on slots does not have; it is negligible.
const (
	slotMB     = 1024
	slotMaster = 1
)

// clusterOf derives the cluster from the jobs that ran on it, because a history has no capacities. Its size is the most
// memory that our containers used at once, on each node and in total. Slots become containers of one size, with the
// peak numbers of maps and reduces as limits. Real clusters with slots start reduces early and report nodes. The
// paper's slot model has neither.
func clusterOf(jobs []*Job) dag.Cluster {
	changes, masters := changesOf(jobs), 0
	if slices.ContainsFunc(jobs, func(j *Job) bool { return j.Slots }) {
		slots := func(kind dag.StageIndex) int {
			return max(1, most(changes, func(c change) int {
				if c.kind != kind {
					return 0
				}
				return cmp.Compare(c.mb, 0)
			}))
		}
		maxMaps, maxReduces := slots(dag.Map), slots(dag.Reduce)
		for _, j := range jobs {
			l := &j.Settings.Limits
			j.Settings.MasterMB, l.MapMB, l.ReduceMB = slotMaster, slotMB, slotMB
			l.MaxMaps, l.MaxReduces = maxMaps, maxReduces
		}
		masters = len(jobs) * slotMaster
	}
	all := most(changes, memory)
	c := dag.Cluster{Policy: dag.YARN, MemoryMB: masters}
	byNode := map[string][]change{}
	for _, ch := range changes {
		byNode[ch.node] = append(byNode[ch.node], ch)
	}
	if most(byNode[""], memory) > 0 { // containers without a known node may have run on any node
		c.MemoryMB += all
		return c
	}
	delete(byNode, "")
	for _, name := range slices.Sorted(maps.Keys(byNode)) {
		mb := most(byNode[name], memory)
		c.MemoryMB += mb
		c.Nodes = append(c.Nodes, dag.Node{Name: name, MemoryMB: mb})
	}
	if all+masters < c.MemoryMB {
		c.QueueMB = all + masters
	}
	return c
}

// changesOf lists the starts and ends of containers.
func changesOf(jobs []*Job) (out []change) {
	add := func(from, to dag.Instant, node string, kind dag.StageIndex, mb int) {
		if from.Known() && to > from {
			out = append(out, change{from, node, kind, mb}, change{to, node, kind, -mb})
		}
	}
	for _, j := range jobs {
		end := dag.FirstKnown(j.Finished, j.Last)
		for i, m := range j.Masters {
			to := end
			if i+1 < len(j.Masters) {
				to = j.Masters[i+1].At
			}
			add(m.At, to, m.Node, dag.NoStage, j.Settings.MasterMB)
		}
		if j.Uber {
			continue
		}
		for _, a := range j.all() {
			mb := []int{j.Settings.Limits.MapMB, j.Settings.Limits.ReduceMB}[a.Kind]
			if j.Slots {
				mb = slotMB
			}
			add(a.Start, dag.FirstKnown(a.End, end), a.Node, a.Kind, max(mb, 1))
		}
	}
	return out
}

// longWait is the time between submission and start from which one of the two is in doubt.
const longWait = 24 * time.Hour

// remark collects the warnings of all snapshots.
func (s *Source) remark() {
	warn := func(code, format string, args ...any) {
		s.remarks = append(s.remarks, dag.Warningf(code, format, args...))
	}
	plain, even, of, bare := 0, 0, 0, 0
	for _, j := range s.workflow.Jobs {
		for _, a := range j.all() {
			if of++; a.course.plain {
				plain++
			}
			if a.Kind == dag.Reduce && a.evenly() {
				even++
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
		if wait := j.firstSeen().Sub(j.Submitted); wait > longWait {
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
			"made from history: %d of %d attempts have only a start and an end, so their progress is a straight line, as is the output of %s", plain, of, units.Count(even, "reduce"))
	case even > 0:
		warn(dag.WarnInterpolated, "made from history: the output of %s before their end is a straight line",
			units.Count(even, "reduce"))
	}
	if bare > 0 {
		warn(dag.WarnObservation,
			"the configuration of %d of %d jobs (JOB_conf.xml) is not beside their history: Hadoop's defaults are used for slow start and their masters' memory", bare, len(s.workflow.Jobs))
	}
	if n := len(s.left); n > 0 {
		warn(dag.WarnObservation, "the history of %s of the workflow is missing, so the replay lacks %s", units.Count(n, "job"),
			strings.Join(s.left[:min(n, 10)], ", "))
	}
}

// warnings returns the warnings of one snapshot.
func (s *Source) warnings(snap *dag.Snapshot, graph *mapreduce.Graph) []dag.Warning {
	out := slices.Concat(s.remarks, graph.Warnings())
	warn := func(code, format string, args ...any) { out = append(out, dag.Warningf(code, format, args...)) }
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; j.Attempt > 1 && !j.State.Ended() {
			warn(dag.WarnMasterRestarted,
				"%s runs in its application master's attempt %d; the history lacks the task attempts that the one before could not hand on", j.ID, j.Attempt)
		}
	}
	for _, j := range s.workflow.Jobs {
		switch {
		case snap.At < s.Last || j.Ended():
		case j.Torn:
			warn(dag.WarnTornTape, "%s: its history breaks off in the middle of an event", j.ID)
		default:
			warn(dag.WarnTornTape, "%s: its history ends before the job does", j.ID)
		}
	}
	return out
}
