package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// History returns the schedule of a run so far, as its snapshot shows it. It can be cut into rounds, fragments and
// a critical path, like a plan. It begins (Now) with the first submission and ends with the last job's end or, if
// the run goes on, with the snapshot's instant.
//
// An attempt is OK if it has succeeded or runs; it Fails if it has failed, was killed, or has lost its work since.
// A running attempt ends with the snapshot and is not Past. Spans are attempts of consecutive tasks that start and
// end together. Pauses have the same names as in a replay. Attempts that were not fully observed are left out:
// those without a known start, and those without a known end if their job has ended. Under FIFO slots are the
// attempts'; an unknown slot stays unknown, and its span has no Slots. Under YARN slots are rows, as many for each
// node as it has run containers at once: see Schedule.Nodes. No snapshot shows when a job's AM got its container,
// so Mastered is unknown.
//
// The cost is n log n in attempts. It returns an error if the snapshot's jobs do not match its plan.
func History(s *dag.Snapshot) (*Schedule, error) {
	h, err := newHistory(s)
	if err != nil {
		return nil, err
	}
	for i := range h.pieces {
		if p := &h.pieces[i]; !p.end.Known() {
			p.end = max(p.start, s.At)
		}
	}
	sch := h.schedule()
	if s.State.Ended() {
		sch.End = h.over()
	}
	h.finish(sch, append(h.gaps(), h.open(sch)...))
	return sch, nil
}

// A piece is the time of an attempt in its slot. Its end is NoInstant while it runs.
type piece struct {
	start, end   dag.Instant
	job          int32
	task, number int32
	slot, node   int32
	kind         dag.StageIndex
	outcome      Outcome
	past         bool
}

type history struct {
	snap   *dag.Snapshot
	graph  *dag.Graph
	origin dag.Instant
	pieces []piece
	nodes  []int32 // YARN: by row
}

func newHistory(s *dag.Snapshot) (*history, error) {
	if s.Plan == nil || len(s.Jobs) != len(s.Plan.Jobs) {
		return nil, fmt.Errorf("schedule: the snapshot tells of %d jobs, its plan of others; take both from one source",
			len(s.Jobs))
	}
	if p := s.Plan.Cluster.Policy; p > dag.Executors {
		return nil, fmt.Errorf("schedule: no such policy: %v", p)
	}
	graph, err := dag.NewGraph(s.Plan)
	if err != nil {
		return nil, err
	}
	h := &history{snap: s, graph: graph, origin: s.Origin()}
	if !h.origin.Known() {
		h.origin = s.At
	}
	h.collect()
	if s.Plan.Cluster.Policy != dag.FIFO {
		h.rows()
	}
	return h, nil
}

// collect reads the attempts with a known time.
func (h *history) collect() {
	n := 0
	for j := range h.snap.Jobs {
		for k := range h.snap.Jobs[j].Stages {
			n += len(h.snap.Jobs[j].Stages[k].Attempts)
		}
	}
	h.pieces = make([]piece, 0, n)
	for j := range h.snap.Jobs {
		js := &h.snap.Jobs[j]
		for k := range js.NumStages() {
			attempts := js.Stages[k].Attempts
			for i := range attempts {
				if p, ok := pieceOf(&attempts[i], js.State.Ended() || h.snap.State.Ended()); ok {
					p.job, p.kind = int32(j), k
					h.pieces = append(h.pieces, p)
				}
			}
		}
	}
}

// pieceOf returns the time of an attempt; ok is false if it is unknown. over means that its job has ended.
func pieceOf(a *dag.Attempt, over bool) (p piece, ok bool) {
	p = piece{
		start: a.Start, end: a.End, task: a.Task, number: a.Number, slot: a.Slot, node: max(a.Node, -1),
		past: true,
	}
	switch a.State {
	case dag.AttemptSucceeded:
	case dag.AttemptFailed, dag.AttemptKilled:
		p.outcome = Fails
		if !a.End.Known() { // it is being stopped, and still uses its slot
			p.past = false
		}
	case dag.AttemptRunning:
		p.end, p.past = dag.NoInstant, false
	default:
		return p, false
	}
	switch {
	case !a.Start.Known(), p.end.Known() && p.end < a.Start, p.past && !p.end.Known(), !p.past && over:
		return p, false
	}
	return p, true
}

// over returns when an ended run has ended: with its last job, or else with its last attempt of known end.
func (h *history) over() dag.Instant {
	last := dag.NoInstant
	for j := range h.snap.Jobs {
		last = max(last, h.snap.Jobs[j].Finished)
	}
	for i := range h.pieces {
		last = max(last, h.pieces[i].end)
	}
	if !last.Known() {
		last = h.snap.At
	}
	return max(last, h.origin)
}

// schedule makes spans of the pieces, which must have ends. The schedule ends with the last of them, or now.
func (h *history) schedule() *Schedule {
	s := h.snap
	sch := &Schedule{Now: h.origin, End: max(s.At, h.origin), Spans: joinPieces(h.pieces), Nodes: h.nodes}
	sch.Submitted, sch.Finished = make([]dag.Instant, len(s.Jobs)), make([]dag.Instant, len(s.Jobs))
	for j := range s.Jobs {
		sch.Submitted[j], sch.Finished[j] = s.Jobs[j].Submitted, s.Jobs[j].Finished
	}
	if s.Plan.Cluster.Policy != dag.FIFO {
		sch.Mastered = make([]dag.Instant, len(s.Jobs))
		for j := range sch.Mastered {
			sch.Mastered[j] = dag.NoInstant
		}
	}
	for i := range sch.Spans {
		sch.End = max(sch.End, sch.Spans[i].End)
	}
	return sch
}

// finish adds the pauses and sorts the spans. A job may have been submitted after the last known end.
func (h *history) finish(sch *Schedule, gaps []Span) {
	gaps = slices.DeleteFunc(gaps, func(g Span) bool { return g.End > sch.End })
	sch.Spans = append(sch.Spans, h.named(sch, pauses(sch, gaps))...)
	// As in sortSpans; also, a task of no length comes before the next task of its slot at the same instant.
	slices.SortFunc(sch.Spans, func(a, b Span) int {
		if a.Start != b.Start {
			return cmp.Compare(a.Start, b.Start)
		}
		return cmp.Or(cmp.Compare(a.Pause, b.Pause), cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(firstSlot(&a), firstSlot(&b)), cmp.Compare(a.Attempt, b.Attempt),
			cmp.Compare(a.End, b.End), cmp.Compare(a.Job, b.Job), cmp.Compare(a.First, b.First))
	})
}
