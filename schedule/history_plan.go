package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// HistoryAndPlan joins the history of a run and, from the snapshot's instant on, the replay of the snapshot: one
// schedule from the first submission to the expected end. The history stays unchanged. A running attempt ends as in
// the replay, in the slot that it has. If it has no end in the replay (its node is lost), it ends now. Under YARN
// tasks to come get free rows; tasks of one slot of the replay share a row.
func HistoryAndPlan(s *dag.Snapshot, future *Schedule) (*Schedule, error) {
	h, err := newHistory(s)
	if err != nil {
		return nil, err
	}
	h.foretell(future)
	sch := h.schedule()
	for j := range sch.Submitted {
		if !sch.Submitted[j].Known() && j < len(future.Submitted) {
			sch.Submitted[j] = future.Submitted[j]
		}
		if !sch.Finished[j].Known() && j < len(future.Finished) {
			sch.Finished[j] = future.Finished[j]
		}
		if j < len(sch.Mastered) && j < len(future.Mastered) {
			sch.Mastered[j] = future.Mastered[j]
		}
	}
	sch.End = max(sch.End, future.End)
	gaps := h.gaps()
	for i := range future.Spans {
		if sp := &future.Spans[i]; sp.Pause == dag.Wave && sp.End > s.At {
			gap := *sp
			gap.Start = max(gap.Start, h.origin)
			gaps = append(gaps, gap)
		}
	}
	h.finish(sch, gaps)
	return sch, nil
}

type attemptID struct {
	job          int32
	kind         dag.StageIndex
	task, number int32
}

// foretell sets the ends of running attempts and adds the tasks to come.
func (h *history) foretell(future *Schedule) {
	now, yarn := h.snap.At, h.snap.Plan.Cluster.Policy != dag.FIFO
	running := make(map[attemptID]int)
	for i := range h.pieces {
		if p := &h.pieces[i]; !p.end.Known() {
			p.end = max(p.start, now)
			running[attemptID{p.job, p.kind, p.task, p.number}] = i
		}
	}
	lanes := make(map[int32]int32) // YARN: the row here of each slot of the replay
	var coming []piece
	for i := range future.Spans {
		sp := &future.Spans[i]
		if sp.Past || sp.Pause != dag.NoPause {
			continue
		}
		for c := range sp.Count {
			slot := int32(-1)
			if int(c) < len(sp.Slots) {
				slot = sp.Slots[c]
			}
			if r, ok := running[attemptID{sp.Job, sp.Stage, sp.First + c, sp.Attempt}]; ok {
				p := &h.pieces[r]
				p.end, p.outcome = max(p.end, sp.End), sp.Outcome
				lanes[slot] = p.slot
				continue
			}
			if sp.End > now {
				coming = append(coming, piece{
					start: sp.Start, end: sp.End, job: sp.Job, kind: sp.Stage, task: sp.First + c, number: sp.Attempt,
					slot: slot, node: -1, outcome: sp.Outcome,
				})
			}
		}
	}
	if yarn {
		h.lanesToRows(coming, lanes)
	}
	h.pieces = append(h.pieces, coming...)
}

// lanesToRows assigns to each slot of the replay the lowest idle row on a node that is not lost, or a new row.
func (h *history) lanesToRows(coming []piece, lanes map[int32]int32) {
	taken := make([]bool, len(h.nodes))
	for _, row := range lanes {
		taken[row] = true
	}
	for i := range h.pieces {
		if p := &h.pieces[i]; p.end > h.snap.At {
			taken[p.slot] = true
		}
	}
	for row, node := range h.nodes {
		taken[row] = taken[row] || node >= 0 && int(node) < len(h.snap.Nodes) && h.snap.Nodes[node].Lost
	}
	slices.SortStableFunc(coming, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.slot, b.slot))
	})
	next := int32(0)
	for i := range coming {
		p := &coming[i]
		if p.slot < 0 {
			continue
		}
		row, ok := lanes[p.slot]
		if !ok {
			for int(next) < len(taken) && taken[next] {
				next++
			}
			if row = next; int(row) == len(h.nodes) {
				h.nodes = append(h.nodes, -1)
			}
			next++
			lanes[p.slot] = row
		}
		p.slot = row
	}
}
