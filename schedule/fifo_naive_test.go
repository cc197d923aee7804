package schedule_test

import (
	"cmp"
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// naive is the FIFO scheduler of facts/paratimer.md A1, attempt by attempt and rule by rule, with no
// thought of speed. Every job must be able to end.
type naive struct {
	plan  *dag.Plan
	left  schedule.Left
	fault schedule.Fault

	submitted, finished map[int]dag.Instant
	tasks               map[taskID]*naiveTask
	running             map[slotID]*naiveAttempt
	log                 []naiveAttempt
}

type taskID struct {
	job   int
	kind  dag.StageIndex
	index int
}

type slotID struct {
	kind dag.StageIndex
	slot int
}

type naiveTask struct {
	done, running bool
	attempt       int
	failed        map[int]bool // nodes
}

type naiveAttempt struct {
	taskID
	attempt, slot int
	start, end    dag.Instant
	fails         bool
}

func newNaive(s *dag.Snapshot, left schedule.Left, fault schedule.Fault) *naive {
	n := &naive{
		plan: s.Plan, left: left, fault: fault, submitted: map[int]dag.Instant{}, finished: map[int]dag.Instant{},
		tasks: map[taskID]*naiveTask{}, running: map[slotID]*naiveAttempt{},
	}
	for j := range s.Jobs {
		if s.Jobs[j].Submitted.Known() {
			n.submitted[j] = s.Jobs[j].Submitted
		}
		if s.Jobs[j].State == dag.Succeeded {
			n.finished[j] = s.Jobs[j].Finished
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range s.Plan.Jobs[j].Stages[k].Count() {
				n.tasks[taskID{j, k, i}] = &naiveTask{failed: map[int]bool{}}
			}
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				n.load(s.At, j, k, &attempts[i])
			}
		}
	}
	return n
}

func (n *naive) load(now dag.Instant, j int, k dag.StageIndex, a *dag.Attempt) {
	id := taskID{j, k, int(a.Task)}
	task := n.tasks[id]
	x := naiveAttempt{id, int(a.Number), int(a.Slot), a.Start, a.End, false}
	switch a.State {
	case dag.AttemptSucceeded:
		task.done = true
		n.log = append(n.log, x)
	case dag.AttemptFailed:
		task.failed[int(a.Node)] = true
		task.attempt = max(task.attempt, int(a.Number)+1)
	case dag.AttemptRunning:
		task.running = true
		task.attempt = max(task.attempt, int(a.Number)+1)
		cost := n.left(schedule.Task{
			Job: j, Stage: k, Index: id.index, Attempt: x.attempt, Slot: x.slot, Running: a,
			Start: a.Start,
		})
		x.end = now + dag.Instant((cost.Setup + cost.Work).Milliseconds())
		n.run(now, x)
	}
}

// run starts an attempt, or goes on with one.
func (n *naive) run(now dag.Instant, x naiveAttempt) {
	if n.fault != nil {
		task := schedule.Task{Job: x.job, Stage: x.kind, Index: x.index, Attempt: x.attempt}
		if at, fails := n.fault(task, x.start, x.end); fails {
			x.fails, x.end = true, min(max(at, now), x.end)
		}
	}
	n.running[slotID{x.kind, x.slot}] = &x
}

// replay returns all attempts by (start, kind, slot, attempt).
func (n *naive) replay(now dag.Instant) []naiveAttempt {
	for t := now; ; {
		n.batch(t)
		if len(n.running) == 0 {
			break
		}
		t = dag.Instant(1 << 60)
		for _, x := range n.running {
			t = min(t, x.end)
		}
	}
	slices.SortFunc(n.log, inOrder)
	return n.log
}

// inOrder is the order of schedules; what has no length and shares start and slot comes by job and task.
func inOrder(a, b naiveAttempt) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.kind, b.kind), cmp.Compare(a.slot, b.slot),
		cmp.Compare(a.attempt, b.attempt),
		cmp.Compare(a.end, b.end), cmp.Compare(a.job, b.job), cmp.Compare(a.index, b.index))
}

func (n *naive) batch(t dag.Instant) {
	ids := slices.SortedFunc(maps.Keys(n.running), func(a, b slotID) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.slot, b.slot))
	})
	for _, id := range ids {
		if x := n.running[id]; x.end == t {
			delete(n.running, id)
			n.log = append(n.log, *x)
			task := n.tasks[x.taskID]
			task.running = false
			if x.fails {
				task.failed[id.slot/max(1, n.plan.Cluster.SlotsPerNode)] = true
			} else {
				task.done = true
			}
		}
	}
	for again := true; again; {
		again = false
		for j := range n.plan.Jobs {
			if _, ok := n.finished[j]; n.complete(j) && !ok {
				n.finished[j] = t
			}
			if _, ok := n.submitted[j]; !ok && !slices.ContainsFunc(n.plan.Jobs[j].After,
				func(a int) bool { return !n.complete(a) }) {
				n.submitted[j] = t
				again = true
			}
		}
	}
	n.fill(dag.Map, n.plan.Cluster.MapSlots, t)
	n.fill(dag.Reduce, n.plan.Cluster.ReduceSlots, t)
}

func (n *naive) fill(k dag.StageIndex, slots int, t dag.Instant) {
	per := max(1, n.plan.Cluster.SlotsPerNode)
	nodes := (slots + per - 1) / per
	for slot := range slots {
		if n.running[slotID{k, slot}] != nil {
			continue
		}
		id, ok := n.first(k, slot/per, nodes)
		if !ok {
			continue
		}
		task := n.tasks[id]
		cost := n.left(schedule.Task{
			Job: id.job, Stage: k, Index: id.index, Attempt: task.attempt, Slot: slot,
			Node: slot / per, Start: t,
		})
		task.running = true
		n.run(t, naiveAttempt{
			id, task.attempt, slot, t, t + dag.Instant((cost.Setup + cost.Work).Milliseconds()),
			false,
		})
		task.attempt++
	}
}

// first returns the first task that a slot on the node may take.
func (n *naive) first(k dag.StageIndex, node, nodes int) (taskID, bool) {
	var jobs []int
	for j := range n.plan.Jobs {
		if _, ok := n.submitted[j]; ok && (k == dag.Map || n.done(j, dag.Map)) {
			jobs = append(jobs, j)
		}
	}
	slices.SortStableFunc(jobs, func(a, b int) int { return slices.Compare(n.rank(a, k), n.rank(b, k)) })
	for _, j := range jobs {
		for i := range n.plan.Jobs[j].Stages[k].Count() {
			task := n.tasks[taskID{j, k, i}]
			if !task.done && !task.running && (!task.failed[node] || len(task.failed) >= nodes) {
				return taskID{j, k, i}, true
			}
		}
	}
	return taskID{}, false
}

// rank orders jobs: the plan's keys, then the submission.
func (n *naive) rank(j int, k dag.StageIndex) []int64 {
	var rank []int64
	for _, key := range n.plan.Cluster.Order {
		var size, left, running int64
		for id, task := range n.tasks {
			if id.job == j {
				size++
				if !task.done {
					left++
				}
			}
		}
		for _, x := range n.running {
			if x.job == j && x.kind == k {
				running++
			}
		}
		rank = append(rank, map[dag.OrderKey]int64{
			dag.BySubmit: int64(n.submitted[j]), dag.ByPriority: -int64(n.plan.Jobs[j].Priority), dag.BySize: size,
			dag.ByRemaining: left, dag.ByRunning: running,
		}[key])
	}
	return append(rank, int64(n.submitted[j]))
}

func (n *naive) done(j int, k dag.StageIndex) bool {
	for i := range n.plan.Jobs[j].Stages[k].Count() {
		if !n.tasks[taskID{j, k, i}].done {
			return false
		}
	}
	return true
}

func (n *naive) complete(j int) bool {
	_, submitted := n.submitted[j]
	return submitted && n.done(j, dag.Map) && n.done(j, dag.Reduce)
}
