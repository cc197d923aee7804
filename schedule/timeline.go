package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// History returns the schedule of a run so far, from one snapshot. Now is the first submission. End is the end of the
// last job, or the snapshot's instant if the run goes on.
//
// A span is the attempts of consecutive tasks that start and end together. An attempt that succeeded or runs is OK. One
// that failed or was killed, also because its output was lost later, Fails. A running attempt ends at the snapshot's
// instant and is not Past. An attempt is left out if its start is unknown, or if its end is unknown although its job or
// the run has ended.
//
// Pauses have the names of a replay's. Under FIFO a task has the slot of its attempt; a span of tasks with unknown
// slots has no Slots. Otherwise slots are lanes, as many for each node as it has run containers at once: see
// Schedule.Nodes.
// Mastered is unknown, because no snapshot shows when a job's AM got its container.
//
// The cost is n log n in attempts. History returns an error if the snapshot's jobs do not match its plan, if the policy
// is unknown, or if the jobs have no order.
func History(s *dag.Snapshot) (*Schedule, error) {
	h, err := newHistory(s)
	if err != nil {
		return nil, err
	}
	for i := range h.pieces {
		if p := &h.pieces[i]; !p.End.Known() {
			p.End = max(p.Start, s.At)
		}
	}
	sch := h.schedule()
	if s.State.Ended() {
		sch.End = h.over()
	}
	h.addGaps()
	h.addOpenGap(sch)
	h.finish(sch)
	return sch, nil
}

// HistoryAndPlan joins the history of a run and, from the snapshot's instant on, the replay of the snapshot: one
// schedule from the first submission to the expected end. The history stays unchanged. A running attempt ends as in
// the replay, in the slot that it has. If it has no end in the replay (its node is lost), it ends now. Under YARN
// tasks to come get free lanes; tasks of one slot of the replay share a lane.
func HistoryAndPlan(s *dag.Snapshot, future *Schedule) (*Schedule, error) {
	h, err := newHistory(s)
	if err != nil {
		return nil, err
	}
	h.addFuture(future)
	sch := h.schedule()
	fill(sch.Submitted, future.Submitted)
	fill(sch.Finished, future.Finished)
	fill(sch.Mastered, future.Mastered)
	sch.End = max(sch.End, future.End)
	h.addGaps()
	for _, gap := range future.Spans {
		if gap.Pause == dag.Wave && gap.End > s.At {
			gap.Start = max(gap.Start, h.origin)
			h.gaps = append(h.gaps, gap)
		}
	}
	h.finish(sch)
	return sch, nil
}

// fill replaces unknown instants by those of a replay.
func fill(into, from []dag.Instant) {
	for i := range min(len(into), len(from)) {
		into[i] = dag.FirstKnown(into[i], from[i])
	}
}

// A piece is the span of one attempt in its slot, without Count and Slots. Its end is NoInstant while it runs.
type piece struct {
	Span
	slot, node int32
}

type history struct {
	snap   *dag.Snapshot
	graph  *dag.Graph
	origin dag.Instant
	slots  bool // slots have numbers (FIFO)
	pieces []piece
	gaps   []Span  // times before submissions
	nodes  []int32 // by lane, unless slots have numbers
}

func newHistory(s *dag.Snapshot) (*history, error) {
	if s.Plan == nil || len(s.Jobs) != len(s.Plan.Jobs) {
		return nil, fmt.Errorf("schedule: the snapshot has %d jobs, its plan has others", len(s.Jobs))
	}
	if p := s.Plan.Cluster.Policy; p > dag.Executors {
		return nil, fmt.Errorf("schedule: no such policy: %v", p)
	}
	graph, err := dag.NewGraph(s.Plan)
	if err != nil {
		return nil, err
	}
	h := &history{snap: s, graph: graph, slots: s.Plan.Cluster.Policy == dag.FIFO}
	h.origin = dag.FirstKnown(s.Origin(), s.At)
	for j := range s.Jobs {
		js := &s.Jobs[j]
		for k, a := range js.All() {
			if p, ok := pieceOf(a, js.State.Ended() || s.State.Ended()); ok {
				p.Job, p.Stage = int32(j), k //nolint:gosec // an index
				h.pieces = append(h.pieces, p)
			}
		}
	}
	if !h.slots {
		h.lanes()
	}
	return h, nil
}

// pieceOf returns the time of an attempt; ok is false if it is unknown. over means that its job has ended.
func pieceOf(a *dag.Attempt, over bool) (p piece, ok bool) {
	p = piece{
		Span: Span{First: a.Task, Attempt: a.Number, Start: a.Start, End: a.End, Past: true},
		slot: a.Slot, node: max(a.Node, -1),
	}
	switch a.State {
	case dag.AttemptSucceeded:
	case dag.AttemptFailed, dag.AttemptKilled:
		p.Outcome = Fails
		p.Past = a.End.Known() // else it is being stopped, and still uses its slot
	case dag.AttemptRunning:
		p.End, p.Past = dag.NoInstant, false
	default:
		return p, false
	}
	known := p.End.Known() && p.End >= p.Start
	return p, a.Start.Known() && known == p.Past && (p.Past || !over)
}

// over returns when an ended run has ended: with its last job, or else with its last attempt of known end.
func (h *history) over() dag.Instant {
	last := h.snap.LastEnd()
	for i := range h.pieces {
		last = max(last, h.pieces[i].End)
	}
	return max(dag.FirstKnown(last, h.snap.At), h.origin)
}

// schedule makes spans of the pieces, which must have ends. The schedule ends with the last of them, or now.
func (h *history) schedule() *Schedule {
	s := h.snap
	sch := &Schedule{Now: h.origin, End: max(s.At, h.origin), Spans: h.spans(), Nodes: h.nodes}
	for j := range s.Jobs {
		sch.Submitted = append(sch.Submitted, s.Jobs[j].Submitted)
		sch.Finished = append(sch.Finished, s.Jobs[j].Finished)
		if !h.slots {
			sch.Mastered = append(sch.Mastered, dag.NoInstant)
		}
	}
	for i := range sch.Spans {
		sch.End = max(sch.End, sch.Spans[i].End)
	}
	return sch
}

// spans joins pieces of consecutive tasks that start and end together. It sorts the pieces.
func (h *history) spans() []Span {
	all := h.pieces
	slices.SortFunc(all, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Job, b.Job),
			cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.End, b.End), cmp.Compare(a.First, b.First))
	})
	slots := make([]int32, len(all))
	spans := make([]Span, 0, len(all)/4+8)
	for i := range all {
		p := &all[i]
		slots[i] = p.slot
		if i == 0 || !p.follows(&all[i-1]) {
			spans = append(spans, p.Span)
		}
		sp := &spans[len(spans)-1]
		if sp.Count++; p.slot >= 0 {
			sp.Slots = slots[i+1-int(sp.Count) : i+1 : i+1]
		}
	}
	return spans
}

// follows reports whether a piece can be in one span with the piece before it.
func (p *piece) follows(q *piece) bool {
	return p.Start == q.Start && p.End == q.End && p.Stage == q.Stage && p.Job == q.Job && p.Attempt == q.Attempt &&
		p.Outcome == q.Outcome && p.Past == q.Past &&
		p.First == q.First+1 && (p.slot > q.slot && q.slot >= 0 || p.slot < 0 && q.slot < 0)
}

// finish adds the pauses and sorts the spans. A job may have been submitted after the last known end.
func (h *history) finish(sch *Schedule) {
	gaps := slices.DeleteFunc(h.gaps, func(g Span) bool { return g.End > sch.End })
	sch.Spans = append(sch.Spans, h.named(sch, Pauses(sch, gaps))...)
	// As in a replay; also, a task of no length comes before the next task of its slot at the same instant.
	slices.SortFunc(sch.Spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), BySlot(&a, &b), cmp.Compare(a.End, b.End),
			cmp.Compare(a.Job, b.Job), cmp.Compare(a.First, b.First))
	})
}

// lanes assigns to each container the lowest lane of its node that is free when it starts. Nodes are in the order of
// the snapshot; containers on unknown nodes have lanes of their own at the end.
func (h *history) lanes() {
	slices.SortFunc(h.pieces, func(a, b piece) int {
		//nolint:gosec // -1 is last
		if c := cmp.Compare(uint32(a.node), uint32(b.node)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Job, b.Job),
			cmp.Compare(a.First, b.First), cmp.Compare(a.Attempt, b.Attempt))
	})
	var busy, free []keyedLane // busy lanes by their ends; free ones by their numbers
	for i := range h.pieces {
		p := &h.pieces[i]
		if i > 0 && p.node != h.pieces[i-1].node {
			busy, free = nil, nil
		}
		for len(busy) > 0 && busy[0].key <= p.Start {
			free = insert(free, keyedLane{dag.Instant(busy[0].lane), busy[0].lane})
			busy = busy[1:]
		}
		if len(free) > 0 {
			p.slot, free = free[0].lane, free[1:]
		} else {
			p.slot = int32(len(h.nodes)) //nolint:gosec // as many lanes as pieces at most
			h.nodes = append(h.nodes, p.node)
		}
		if p.End.Known() { // else its lane is never free again
			busy = insert(busy, keyedLane{p.End, p.slot})
		}
	}
}

// A keyedLane is a lane in a list that is sorted by keys.
type keyedLane struct {
	key  dag.Instant
	lane int32
}

func insert(lanes []keyedLane, r keyedLane) []keyedLane {
	i, _ := slices.BinarySearchFunc(lanes, r, func(a, b keyedLane) int { return cmp.Compare(a.key, b.key) })
	return slices.Insert(lanes, i, r)
}

type attemptID struct {
	job          int32
	stage        dag.StageIndex
	task, number int32
}

// addFuture sets the ends of running attempts and adds the tasks to come.
func (h *history) addFuture(future *Schedule) {
	now, running := h.snap.At, make(map[attemptID]int)
	for i := range h.pieces {
		if p := &h.pieces[i]; !p.End.Known() {
			p.End = max(p.Start, now)
			running[attemptID{p.Job, p.Stage, p.First, p.Attempt}] = i
		}
	}
	lanes := make(map[int32]int32) // the lane here of each slot of the replay
	var coming []piece
	for _, sp := range future.Spans {
		if sp.Past || sp.Pause != dag.NoPause {
			continue
		}
		slots, first, count := sp.Slots, sp.First, sp.Count
		sp.Slots, sp.Count = nil, 0
		for c := range count {
			slot := int32(-1)
			if int(c) < len(slots) {
				slot = slots[c]
			}
			sp.First = first + c
			if r, ok := running[attemptID{sp.Job, sp.Stage, sp.First, sp.Attempt}]; ok {
				p := &h.pieces[r]
				p.End, p.Outcome = max(p.End, sp.End), sp.Outcome
				lanes[slot] = p.slot
			} else if sp.End > now {
				coming = append(coming, piece{Span: sp, slot: slot, node: -1})
			}
		}
	}
	if !h.slots {
		h.slotsToLanes(coming, lanes)
	}
	h.pieces = append(h.pieces, coming...)
}

// slotsToLanes assigns to each slot of the replay the lowest idle lane on a node that is not lost, or a new lane.
func (h *history) slotsToLanes(coming []piece, lanes map[int32]int32) {
	taken := make([]bool, len(h.nodes))
	for _, lane := range lanes {
		taken[lane] = true
	}
	for i := range h.pieces {
		if p := &h.pieces[i]; p.End > h.snap.At {
			taken[p.slot] = true
		}
	}
	for lane, node := range h.nodes {
		taken[lane] = taken[lane] || node >= 0 && int(node) < len(h.snap.Nodes) && h.snap.Nodes[node].Lost
	}
	slices.SortStableFunc(coming, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.slot, b.slot))
	})
	next := 0
	for i := range coming {
		p := &coming[i]
		if p.slot < 0 {
			continue
		}
		lane, ok := lanes[p.slot]
		if !ok {
			for next < len(taken) && taken[next] {
				next++
			}
			if lane = int32(next); next == len(h.nodes) { //nolint:gosec // a lane
				h.nodes = append(h.nodes, -1)
			}
			next++
			lanes[p.slot] = lane
		}
		p.slot = lane
	}
}
