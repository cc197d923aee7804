package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Limits of the replays that search for the worst failure, and of the tasks in all of them together. The longest and
// the last task represent a stage, because its tasks are similar.
const (
	mostTries = 48
	tasksTry  = 2_000_000
)

// tries returns how many replays may search for the worst failure.
func (w *clusterState) tries() int {
	return min(max(tasksTry/max(w.tasks(), 1), nodesTried), mostTries)
}

// A course is a whole replay, which can be cut at any instant. Spans of a stage are those that have not ended.
type course struct {
	w *clusterState
	*schedule.Trace
	stages [][][]*schedule.Span // by job and stage
}

// course replays the cluster state.
func (w *clusterState) course() (*course, error) {
	trace, err := schedule.NewTrace(w.s, w.left(), w.fault)
	if err != nil {
		return nil, err
	}
	c := &course{w: w, Trace: trace, stages: dag.ByStage[[]*schedule.Span](w.s.Plan)}
	for i := range c.Spans {
		if sp := &c.Spans[i]; sp.Pause == dag.NoPause && !sp.Past {
			c.stages[sp.Job][sp.Stage] = append(c.stages[sp.Job][sp.Stage], sp)
		}
	}
	return c, nil
}

// from returns the state that continues from the course at t, which must not be before now, with a change of its
// snapshot. Tasks that start at t have not started yet.
func (c *course) from(t dag.Instant, change func(*dag.Snapshot)) *clusterState {
	from := *c.w
	from.s, from.replayed = c.Cut(t)
	from.s = from.s.Clone()
	change(from.s)
	return &from
}

// fail returns the state in which a failure happens, and a description of it. Of the possible failures it takes the
// one that delays the end most. The state is nil if the query would never end.
func (w *clusterState) fail(f Failure) (failed *clusterState, note string, err error) {
	c, err := w.course()
	if err != nil {
		return nil, "", err
	}
	trials := map[FailureKind]func(Failure) ([]trial, error){
		FailTask: c.taskTrials, FailJob: c.jobTrial, FailNode: c.nodeTrials,
	}
	tries, err := trials[f.What](f)
	if err != nil {
		return nil, "", err
	}
	var worst dag.Instant
	for _, t := range tries {
		one := t.make()
		s, err := one.end(nil)
		var stuck *schedule.StuckError
		if errors.As(err, &stuck) {
			return nil, fmt.Sprintf("%s: it never ends, job %s has nowhere to run its %s tasks", t.note, stuck.Job,
				stuck.Stage), nil
		}
		if err != nil {
			return nil, "", err
		}
		if failed == nil || s.End > worst {
			failed, note, worst = one, t.note, s.End
		}
	}
	if failed == nil {
		return w, "nothing is left that can fail", nil
	}
	return failed, note, nil
}

// A trial is one possible failure.
type trial struct {
	note   string
	weight time.Duration // the lost work
	make   func() *clusterState
}

// heaviest keeps the n trials with the most lost work; the first ones of equal trials.
func heaviest(all []trial, n int) []trial {
	slices.SortStableFunc(all, func(a, b trial) int { return cmp.Compare(b.weight, a.weight) })
	return all[:min(len(all), n)]
}

// taskTrials returns the failure of the named task, else of the longest and the last task of each stage, just before
// their end.
func (c *course) taskTrials(f Failure) ([]trial, error) {
	if f.Job != "" {
		return c.taskTrial(f)
	}
	var all []trial
	for j := range c.stages {
		for k := range c.w.s.Plan.Jobs[j].NumStages() {
			var longest, last *schedule.Span
			for _, sp := range c.stages[j][k] {
				if sp.Outcome != schedule.OK {
					continue
				}
				if longest == nil || sp.End-sp.Start > longest.End-longest.Start {
					longest = sp
				}
				if last == nil || sp.End >= last.End {
					last = sp
				}
			}
			for _, sp := range slices.Compact([]*schedule.Span{longest, last}) {
				if sp != nil {
					all = append(all, c.failing(j, k, int(sp.First+sp.Count-1), int(sp.Attempt), sp.End.Sub(sp.Start)))
				}
			}
		}
	}
	return heaviest(all, c.w.tries()), nil
}

// failing returns the trial in which one attempt fails just before its end.
func (c *course) failing(j int, k dag.StageIndex, task, number int, weight time.Duration) trial {
	name := Failure{Job: c.w.s.Plan.Jobs[j].Node, Stage: c.w.s.Plan.StageName(j, k), Task: task}.String()
	return trial{note: name, weight: weight, make: func() *clusterState {
		one := *c.w
		before := c.w.fault
		one.fault = func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
			if t.Job == j && t.Stage == k && t.Index == task && t.Attempt == number {
				return end, true
			}
			if before != nil {
				return before(t, start, end)
			}
			return dag.NoInstant, false
		}
		return &one
	}}
}

// taskTrial returns the failure of the named task.
func (c *course) taskTrial(f Failure) ([]trial, error) {
	j, err := c.w.job(f.Job)
	if err != nil {
		return nil, err
	}
	k, err := c.w.stage(j, f.Stage)
	if err != nil {
		return nil, err
	}
	if n := c.w.s.Plan.Jobs[j].Stages[k].Count(); f.Task >= n {
		return nil, fmt.Errorf("job %s has %d %s tasks, counted from 0: there is no %d", f.Job, n, f.Stage, f.Task)
	}
	for _, sp := range c.stages[j][k] {
		if sp.Outcome == schedule.OK && int(sp.First) <= f.Task && f.Task < int(sp.First+sp.Count) {
			return []trial{c.failing(j, k, f.Task, int(sp.Attempt), 0)}, nil
		}
	}
	return nil, nil
}

// jobTrial returns the loss of all of a job's work, just before its last task ends.
func (c *course) jobTrial(f Failure) ([]trial, error) {
	j, err := c.w.job(f.Job)
	if err != nil {
		return nil, err
	}
	spans := slices.Concat(c.stages[j]...)
	if len(spans) == 0 {
		return nil, nil
	}
	at := max(endOf(spans)-1, c.w.s.At)
	return []trial{{note: fmt.Sprintf("%s starts again after %s", f.Job, c.since(at)), make: func() *clusterState {
		return c.from(at, func(s *dag.Snapshot) {
			js := &s.Jobs[j]
			js.State, js.HeldMB = dag.Submitted, 0
			for k := range js.Stages {
				js.Stages[k].Attempts = nil
			}
		})
	}}}, nil
}

// endOf returns the end of the last of some spans; NoInstant if there are none.
func endOf(spans []*schedule.Span) dag.Instant {
	end := dag.NoInstant
	for _, sp := range spans {
		end = max(end, sp.End)
	}
	return end
}

// since converts an instant to the time since the start of the run.
func (c *course) since(t dag.Instant) time.Duration {
	return t.Sub(dag.FirstKnown(c.w.s.Origin(), c.w.s.At)).Round(100 * time.Millisecond)
}

// nodesTried is the number of nodes that are tried at a moment: those with the most work to lose.
const nodesTried = 2

// nodeTrials returns trials that lose a node just before the last task of each stage ends, when most of its work is
// lost.
func (c *course) nodeTrials(Failure) ([]trial, error) {
	n := c.nodeCount()
	switch {
	case n == 0:
		return nil, &UnsupportedError{"fail node", "the nodes of the cluster are unknown"}
	case n == 1:
		return nil, &UnsupportedError{"fail node", "the cluster has one node: without it nothing runs"}
	}
	var moments []dag.Instant
	for _, spans := range slices.Concat(c.stages...) {
		if len(spans) > 0 {
			moments = append(moments, max(endOf(spans)-1, c.w.s.At))
		}
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	if most := c.w.tries() / nodesTried; len(moments) > most { // evenly over the run
		for i := range most {
			moments[i] = moments[(i+1)*len(moments)/most-1]
		}
		moments = moments[:most]
	}
	var all []trial
	for _, t := range moments {
		var here []trial
		cut, _ := c.Cut(t)
		for node, lost := range lostWith(cut) {
			if node >= n || lost == 0 {
				continue
			}
			here = append(here, trial{
				note: fmt.Sprintf("%s after %s", c.nodeName(node), c.since(t)), weight: lost,
				make: func() *clusterState { return c.from(t, func(s *dag.Snapshot) { lose(s, int32(node)) }) },
			})
		}
		all = append(all, heaviest(here, nodesTried)...)
	}
	return all, nil
}

func (c *course) nodeCount() int {
	p := &c.w.s.Plan.Cluster
	if p.Policy == dag.FIFO {
		per := max(1, p.SlotsPerNode)
		return (max(p.MapSlots, p.ReduceSlots) + per - 1) / per
	}
	n := 0
	for _, s := range c.w.s.Nodes {
		if !s.Lost {
			n++
		}
	}
	if n < 2 {
		return n
	}
	return len(c.w.s.Nodes)
}

func (c *course) nodeName(node int) string {
	if node < len(c.w.s.Nodes) {
		return c.w.s.Nodes[node].Name
	}
	return fmt.Sprintf("node %d", node)
}

// lostWith returns, by node, the work that the loss of the node would undo.
func lostWith(s *dag.Snapshot) []time.Duration {
	var lost []time.Duration
	onNodes(s, -1, func(a *dag.Attempt) {
		if a.Node < 0 || a.Node >= mostNodes {
			return
		}
		for len(lost) <= int(a.Node) {
			lost = append(lost, 0)
		}
		if a.Start.Known() {
			lost[a.Node] += max(dag.FirstKnown(a.End, s.At).Sub(a.Start), 0)
		}
	})
	return lost
}

// onNodes visits the attempts that the loss of a node, or of all nodes if it is -1, would undo. These are running
// attempts, and finished tasks with output that an unfinished or lost task still needs.
func onNodes(s *dag.Snapshot, node int32, visit func(a *dag.Attempt)) {
	for j := range s.Jobs {
		js, stages := &s.Jobs[j], s.Plan.Jobs[j].Stages
		if js.State.Ended() {
			continue
		}
		readers := make([]reader, len(stages))
		for k := len(stages) - 1; k >= 0; k-- {
			n := stages[k].Count()
			readers[k] = reader{done: make([]bool, n), left: n}
			list := js.Stages[k].Attempts
			for i := range list {
				a := &list[i]
				on := node < 0 || a.Node == node
				switch {
				case int(a.Task) >= n:
				case a.State == dag.AttemptRunning && on, a.State == dag.AttemptSucceeded && on &&
					wanted(stages, readers, k, int(a.Task)):
					visit(a)
				case readers[k].done[a.Task]:
				case a.State == dag.AttemptSucceeded, a.State == dag.AttemptRunning && !stages[k].Copies():
					// The task has its input.
					readers[k].done[a.Task] = true
					readers[k].left--
				}
			}
		}
	}
}

// A reader is the progress of a stage that reads other stages.
type reader struct {
	done []bool // by task: it no longer needs its input
	left int
}

// wanted reports whether some task still has to read the output of a task.
func wanted(stages []dag.Stage, readers []reader, k, task int) bool {
	for to := k + 1; to < len(stages); to++ {
		for _, e := range stages[to].After {
			r := &readers[to]
			if int(e.From) != k || r.left == 0 {
				continue
			}
			if e.Kind != dag.OneToOne || task < len(r.done) && !r.done[task] {
				return true
			}
		}
	}
	return false
}

// lose removes a node from a snapshot. In a pool the master counts its tasks as running until it abandons them
// (dag.Overheads.Abandon). The paper's cluster runs them again at once.
func lose(s *dag.Snapshot, node int32) {
	p := &s.Plan.Cluster
	pool := p.Policy != dag.FIFO
	onNodes(s, node, func(a *dag.Attempt) {
		if a.State == dag.AttemptSucceeded || !pool {
			a.State, a.End = dag.AttemptKilled, s.At
		}
	})
	if pool {
		s.Nodes[node].Lost, s.Nodes[node].LostAt = true, s.At
		return
	}
	per := max(1, p.SlotsPerNode)
	p.MapSlots -= onNode(p.MapSlots, int(node), per)
	p.ReduceSlots -= onNode(p.ReduceSlots, int(node), per)
}

// onNode returns how many of the slots of a kind belong to a node.
func onNode(slots, node, per int) int { return min(max(slots-node*per, 0), per) }
