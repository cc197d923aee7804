package tez

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// report is how often a task sends its counters (tez.task.am.heartbeat.counter.interval-ms.max).
const report = 4 * time.Second

// snapshot returns the current state. Later observations do not change the returned value.
func (s *Source) snapshot() *dag.Snapshot {
	g := s.g
	state := s.state()
	if state.Ended() {
		if state == dag.Succeeded {
			g.settle(orNow(g.finished, s.now))
		}
		g.stop(orNow(g.finished, s.now))
	}
	if s.plan == nil {
		s.order = g.order()
	}
	for i := len(s.order); i < len(g.vertices); i++ { // every earlier place is taken by a vertex with a lower index
		s.order = append(s.order, g.vertices[i].index)
	}
	order := s.order
	s.plan = s.planOf(order)
	snap := &dag.Snapshot{
		Plan: s.plan, At: s.now, ID: s.id, State: state, Stale: dag.NoInstant, Jobs: make([]dag.JobState, 1),
	}
	j := &snap.Jobs[0]
	*j = dag.JobState{
		ID: s.app.ID, State: state, Attempt: max(1, s.masters),
		Submitted: s.submitted(), Started: g.started, Finished: dag.NoInstant,
		HeldMB: s.app.HeldMB, Master: s.app.Node, Stages: make([]dag.StageState, len(s.plan.Jobs[0].Stages)),
	}
	if state.Ended() {
		j.Finished = min(orNow(g.finished, s.now), s.now)
		if state != dag.Succeeded {
			j.Diagnosis = g.diagnosis
		}
	}
	for i, index := range order {
		j.Stages[i].Attempts = g.vertices[index].attempts(s.now)
	}
	s.room.Fill(snap, s.app.ID)
	s.remark(snap)
	snap.Warnings = append(s.warned, s.room.Warnings()...)
	return snap
}

// beginning returns a snapshot of a DAG with vertices or edges that are not written yet. One stage with unknown tasks
// stands for all vertices.
func (s *Source) beginning() *dag.Snapshot {
	plan := &dag.Plan{
		Name: cmp.Or(s.g.name, s.id), Engine: engine.Tez, Whole: engine.Whole(engine.Tez),
		Cluster: s.room.Cluster(s.app.ID), Driver: dag.Eager,
		Jobs: []dag.Job{{
			Node: "dag", Name: cmp.Or(s.g.title, s.g.name, s.id), Rules: dag.AncestorsFirst,
			MasterMB: s.app.MasterMB,
			Stages:   []dag.Stage{{Name: unknownStages}},
		}},
		Overheads: dag.Overheads{Report: report, Boot: s.g.master.took(orNow(s.g.submitted, s.now))},
	}
	snap := &dag.Snapshot{
		Plan: plan, At: s.now, ID: s.id, State: dag.Submitted, Stale: dag.NoInstant,
		Jobs: plan.BlockedJobs(),
	}
	j := &snap.Jobs[0]
	j.ID, j.State, j.HeldMB, j.Master = s.app.ID, dag.Submitted, s.app.HeldMB, s.app.Node
	if s.refused() {
		s.remark(snap)
		if s.app.Running {
			j.State, snap.State = dag.Running, dag.Running
		}
		j.Submitted = s.submitted()
	}
	if at := s.g.submitted; at.Known() {
		j.Submitted = min(at, s.now)
	}
	s.room.Fill(snap, s.app.ID)
	snap.Warnings = append(s.warned, s.room.Warnings()...)
	return snap
}

// unknownStages stands for the vertices of a DAG while they are unknown.
const unknownStages = "vertex"

func orNow(at, now dag.Instant) dag.Instant {
	if at.Known() {
		return at
	}
	return now
}

// submitted returns when the DAG was submitted to its master. If that is unknown, it returns when the master started
// the DAG.
func (s *Source) submitted() dag.Instant {
	g := s.g
	switch {
	case g.submitted.Known():
	case g.started.Known():
		g.submitted = g.started
	case s.refused() && s.app.Submitted.Known():
		g.submitted = s.app.Submitted
	default:
		g.submitted = s.now
	}
	return min(g.submitted, s.now)
}

// order returns the vertices in topological order, by index where several orders are possible. In a cycle, which no
// master accepts, the vertex with the lowest index comes first.
func (g *graph) order() []int32 {
	waits := make([]int, len(g.vertices))
	next := make([][]int32, len(g.vertices))
	var ready indexHeap
	for i, v := range g.vertices {
		for _, s := range v.sources {
			next[s.vertex] = append(next[s.vertex], v.index)
		}
		if waits[i] = len(v.sources); waits[i] == 0 {
			ready = append(ready, v.index)
		}
	}
	out := make([]int32, 0, len(g.vertices))
	placed := make([]bool, len(g.vertices))
	for first := 0; len(out) < len(g.vertices); {
		if len(ready) == 0 {
			for placed[first] {
				first++
			}
			heap.Push(&ready, g.vertices[first].index)
		}
		i, _ := heap.Pop(&ready).(int32)
		if placed[i] {
			continue
		}
		out, placed[i] = append(out, i), true
		for _, to := range next[i] {
			if waits[to]--; waits[to] == 0 {
				heap.Push(&ready, to)
			}
		}
	}
	return out
}

// An indexHeap returns the lowest index first.
type indexHeap []int32

func (h indexHeap) Len() int           { return len(h) }
func (h indexHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h indexHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *indexHeap) Push(x any) { *h = append(*h, x.(int32)) } //nolint:forcetypeassert // nothing else is pushed

// Pop implements heap.Interface.
func (h *indexHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// planOf makes the plan. It returns the previous plan if nothing has changed, so that readers can compare pointers.
func (s *Source) planOf(order []int32) *dag.Plan {
	g := s.g
	p := &dag.Plan{
		Name: cmp.Or(g.name, s.id), Engine: engine.Tez, Whole: engine.Whole(engine.Tez),
		Cluster: s.room.Cluster(s.app.ID), Driver: dag.Eager,
		Jobs: []dag.Job{{
			Node: "dag", Name: cmp.Or(g.title, g.name, s.id), Rules: dag.AncestorsFirst, Input: g.inputs,
			Feature: g.feature(), Alias: g.key,
			Stages: make([]dag.Stage, len(order)),
		}},
		Overheads: dag.Overheads{
			Report: report, Boot: g.master.took(orNow(g.submitted, s.now)),
			SetupMin: time.Duration(g.setupMedian() * float64(time.Millisecond)),
		},
	}
	job := &p.Jobs[0]
	if len(order) == 0 {
		job.Stages = []dag.Stage{{Name: unknownStages}}
	}
	job.MasterMB = s.app.MasterMB
	if s.plan != nil && job.MasterMB == 0 {
		job.MasterMB = s.plan.Jobs[0].MasterMB
	}
	at := make(map[int32]dag.StageIndex, len(order))
	left := dag.MaxTasks
	used := map[string]bool{}
	for i, index := range order {
		v := g.vertices[index]
		stage := &job.Stages[i]
		stage.Name = cmp.Or(v.name, "vertex "+strconv.Itoa(int(index)))
		if used[stage.Name] {
			stage.Name += " #" + strconv.Itoa(int(index))
		}
		used[stage.Name] = true
		stage.MemoryMB = cmp.Or(v.memoryMB, g.taskMB)
		stage.Tasks, stage.Known = min(v.tasks, left), v.known
		if v.known {
			left -= stage.Tasks
		}
		stage.After = g.edges(v, at)
		stage.Pipelines = make([]dag.Pipeline, 1)
		if stage.Copies() {
			stage.Pipelines = make([]dag.Pipeline, dag.Pipelines)
		}
		at[index] = dag.StageIndex(i) //nolint:gosec // G115: vertices are bounded
	}
	if s.plan != nil && reflect.DeepEqual(s.plan, p) {
		return s.plan
	}
	return p
}

// The defaults of tez.shuffle-vertex-manager.min-src-fraction and max-src-fraction.
const defaultMin, defaultMax = 0.25, 0.75

// edges returns the plan's edges into a vertex. They do not model auto-parallelism: a vertex that may still reduce
// its number of tasks requests none before its sources have written enough or reached the upper fraction.
func (g *graph) edges(v *vertex, at map[int32]dag.StageIndex) []dag.Edge {
	var out []dag.Edge
	for _, s := range v.sources {
		from, before := at[s.vertex]
		if !before || slices.ContainsFunc(out, func(e dag.Edge) bool { return e.From == from }) {
			continue
		}
		e := dag.Edge{From: from}
		switch s.movement {
		case scatterGather:
			e.Kind, e.Ratio, e.Full = dag.SlowStart, v.min, v.max
			if math.IsNaN(e.Ratio) {
				e.Ratio, e.Full = defaultMin, defaultMax
			}
			e.Full = max(e.Full, e.Ratio)
		case broadcast:
			e.Kind = dag.Broadcast
		case oneToOne:
			if of := g.vertices[s.vertex]; !of.known || !v.known || of.tasks == v.tasks {
				e.Kind = dag.OneToOne
			}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b dag.Edge) int { return cmp.Compare(a.From, b.From) })
	return out
}

// If one source reports the DAG's end, waitTicks is how many polls it waits for a better one. waitFiles is the wait
// in milliseconds if files that could be read before cannot be read now.
const (
	waitTicks = 3
	waitFiles = 120_000
)

// sessionStats matches the summary of DAGs in a session's final diagnostics.
var sessionStats = regexp.MustCompile(`submittedDAGs=(\d+), successfulDAGs=(\d+), failedDAGs=(\d+), killedDAGs=(\d+)`)

// state returns the state of the DAG. The end comes from the master's web service, log or history. If the application
// ends without any of these, it comes from the ResourceManager.
func (s *Source) state() dag.State {
	g := s.g
	if st, over := dagStates[g.logged]; over {
		return st
	}
	final := s.target.Final != nil && s.target.Final()
	if st, over := dagStates[g.status]; over {
		if !final && s.await(len(s.left) > 0 || s.logs != nil && s.logs.sizes != nil) {
			return dag.Running
		}
		return st
	}
	if s.app.Ended {
		if !final && s.await(true) {
			return dag.Running
		}
		st, why := s.byManager()
		if st == dag.EndedUnconfirmed {
			s.warn(dag.WarnObservation,
				"%s is over, and neither the files of its master nor the ResourceManager tell how "+
					"%s ended%s", s.app.ID, s.id, why)
		} else {
			s.warn(dag.WarnObservation, "that %s is %s is the ResourceManager's word", s.id, st)
		}
		g.finished, g.diagnosis = s.app.Finished, s.app.Diagnosis
		return st
	}
	if s.g.started.Known() || g.status == "RUNNING" {
		return dag.Running
	}
	return dag.Submitted
}

// await reports whether an end that only one source reports waits for another one. It waits waitTicks polls if more
// data can come, and up to waitFiles while the master's files cannot be read.
func (s *Source) await(more bool) bool {
	if s.awaited++; s.awaited == 1 {
		s.awaitedAt = s.now
	}
	if more && s.awaited <= waitTicks {
		return true
	}
	if s.logs == nil || s.now-s.awaitedAt > waitFiles {
		return false
	}
	switch rest.Status(s.logs.err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return false
	}
	return s.logs.err != nil
}

// byManager returns how the DAG ended, as far as the ResourceManager's final diagnostics show.
func (s *Source) byManager() (dag.State, string) {
	m := sessionStats.FindStringSubmatch(s.app.Diagnosis)
	if m == nil {
		if s.app.State == dag.Succeeded && s.number() > 1 {
			return dag.EndedUnconfirmed, ""
		}
		return s.app.State, ""
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	for i, st := range []dag.State{dag.Succeeded, dag.Failed, dag.Killed} {
		if n[0] >= s.number() && n[i+1] == n[0] {
			return st, ""
		}
	}
	return dag.EndedUnconfirmed, fmt.Sprintf(" (%s)", m[0])
}

// recovery is how long a new master may take to read the recovery data of the previous one, in milliseconds.
const recovery = 20_000

// remark adds warnings about missing information.
func (s *Source) remark(snap *dag.Snapshot) {
	g := s.g
	if len(snap.Load) > 0 {
		mb := 0
		for _, l := range snap.Load {
			mb += l.HeldMB
		}
		s.warn(dag.WarnOtherLoad, "%d other applications hold %d MB", len(snap.Load), mb)
	}
	if why := g.tooLarge(); why != "" {
		s.warn(dag.WarnTooLarge, "too large to estimate: %s", why)
	}
	if snap.State.Ended() {
		return
	}
	s.remarkNodes(snap)
	if s.masters > 1 {
		s.warn(dag.WarnMasterRestarted, "%s runs in its application master's attempt %d; what the one before had not "+
			"finished, or could not hand on, runs again", s.app.ID, s.masters)
		if s.app.Running && s.logs != nil && s.logs.sizes != nil && !s.logged() && s.now-s.masterAt > recovery {
			s.warn(dag.WarnObservation,
				"the new master of %s does not know of %s: nothing of it could be recovered, and "+
					"it will not go on by itself", s.app.ID, s.id)
		}
	}
	if s.silentAt.Known() && s.now-s.silentAt > silentLimit && !s.gone {
		s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s",
			s.app.ID, loose.FirstLine(s.silence.Error()))
	}
	switch {
	case g.planned:
	case s.over == nil:
		s.warn(dag.WarnNoEdges, "which vertex reads which is not known: the history has no plan of the DAG")
	case s.logs == nil || s.logs.err != nil:
		s.warn(dag.WarnNoEdges,
			"which vertex reads which is not known, as the files of the application's master could "+
				"not be read: %s", s.logErr())
	case !g.edged:
		s.warn(dag.WarnNoEdges,
			"which vertex reads which is not known yet: it is in no file of the application's master")
	default:
		s.warn(dag.WarnNoEdges,
			"which vertex reads which is by the log of the application's master, which does not tell "+
				"the kind of edges: its history file has no plan")
	}
	if s.logs == nil {
		return
	}
	if lost := s.logs.lost("syslog_" + s.id); lost > 0 {
		s.warn(dag.WarnObservation, "%d bytes of the log of the application's master were passed over: times of some "+
			"attempts are those at which they were seen", lost)
	}
}

// remarkNodes warns about attempts on nodes that are lost or being decommissioned.
func (s *Source) remarkNodes(snap *dag.Snapshot) {
	if !slices.ContainsFunc(snap.Nodes, dag.NodeState.Closed) {
		return
	}
	on := make([]int, len(snap.Nodes))
	for i := range snap.Jobs[0].Stages {
		for _, a := range snap.Jobs[0].Stages[i].Attempts {
			if a.State == dag.AttemptRunning && a.Node >= 0 && int(a.Node) < len(on) {
				on[a.Node]++
			}
		}
	}
	for i, count := range on {
		switch n := &snap.Nodes[i]; {
		case count == 0:
		case n.Lost:
			why := map[dag.NodeCause]string{dag.NodeUnhealthy: "unhealthy", dag.NodeDecommissioned: "decommissioned"}[n.Cause]
			s.warn(dag.WarnNodeLost, "node %s is %s with %s of %s, to run again elsewhere, and so does what ended "+
				"there if it is still needed", n.Name, cmp.Or(why, "lost"), units.Count(count, "task"), s.id)
		case n.Draining:
			s.warn(dag.WarnNodeClosed, "node %s is being decommissioned: %s of %s on it may end for as long as it is "+
				"given, new ones go elsewhere", n.Name, units.Count(count, "task"), s.id)
		}
	}
}

func (s *Source) logErr() string {
	if s.logs == nil {
		return "the ResourceManager does not say where it runs"
	}
	return loose.FirstLine(s.logs.err.Error())
}
