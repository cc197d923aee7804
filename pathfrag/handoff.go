package pathfrag

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// maxSlot bounds the tables by slot; a higher slot counts as unknown.
const maxSlot = 1 << 22

func known(slot int32) bool { return slot >= 0 && slot < maxSlot }

// slotsOf returns the known slots of a span's tasks; a span may have fewer slots than tasks.
func slotsOf(s *schedule.Span) []int32 { return s.Slots[:min(len(s.Slots), int(s.Count))] }

// tableSize returns the highest known slot of the stage plus one.
func (c *cutting) tableSize(k dag.StageIndex) int {
	size := int32(0)
	for _, i := range c.order[k] {
		slots := slotsOf(&c.spans[i])
		for at := len(slots) - 1; at >= 0; at-- {
			if known(slots[at]) {
				size = max(size, slots[at]+1)
				break
			}
		}
	}
	return int(size)
}

// follow finds, for each span, the spans that used its slots immediately before (docs/facts/paratimer.md A2: "a
// slot vacated by a task of A"; A10). Failed attempts use slots too.
func (c *cutting) follow() {
	c.pred = make([]handoff, 0, len(c.spans))
	c.predOf = make([]int32, len(c.spans))
	c.predN = make([]int32, len(c.spans))
	for k := range c.order {
		l := newLanes(c.tableSize(dag.StageIndex(k))) //nolint:gosec // an index
		for _, i := range c.order[k] {
			from := len(c.pred)
			c.pred = l.take(c.pred, &c.spans[i], i)
			c.predOf[i], c.predN[i] = int32(from), int32(len(c.pred)-from)
			for _, h := range c.pred[from:] {
				c.overlap = c.overlap || c.spans[h.from].End > c.spans[i].Start
			}
		}
	}
}

// lanes track the last user of each slot. Slots that pass from span to span together are one block, so a round of a
// uniform stage, which passes on the very slice, costs one step whatever its width.
type lanes struct {
	block  []int32 // by slot: its block, -1 before its first task
	blocks []block
	idle   []int32 // blocks without slots, to be used again
}

type block struct {
	last  int32   // the span that used the slots last
	live  int     // number of slots still in the block
	slots []int32 // of span last
	n     int32   // while a span is taken: number of its slots from this block
}

func newLanes(size int) *lanes {
	l := &lanes{block: make([]int32, size)}
	for i := range l.block {
		l.block[i] = -1
	}
	return l
}

// take assigns the slots to the span and appends their previous users to pred, in order of first slot.
func (l *lanes) take(pred []handoff, s *schedule.Span, id int32) []handoff {
	slots := slotsOf(s)
	if len(slots) == 0 {
		return pred
	}
	if first := slots[0]; known(first) && l.block[first] >= 0 {
		if b := &l.blocks[l.block[first]]; b.is(slots) {
			pred = append(pred, handoff{b.last, int32(len(slots))})
			b.last = id
			return pred
		}
	}
	own := l.open(block{last: id, slots: slots})
	var touched []int32
	for _, slot := range slots {
		if !known(slot) {
			continue
		}
		if b := l.block[slot]; b >= 0 && b != own {
			if l.blocks[b].n == 0 {
				touched = append(touched, b)
			}
			l.blocks[b].n++
			l.blocks[b].live--
		}
		l.block[slot] = own
		l.blocks[own].live++
	}
	for _, b := range touched {
		x := &l.blocks[b]
		pred = append(pred, handoff{x.last, x.n})
		if x.n = 0; x.live == 0 {
			l.idle = append(l.idle, b)
		}
	}
	return pred
}

func (l *lanes) open(b block) int32 {
	if n := len(l.idle); n > 0 {
		i := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.blocks[i] = b
		return i
	}
	l.blocks = append(l.blocks, b)
	return int32(len(l.blocks) - 1)
}

// is reports whether the block consists of exactly these slots.
func (b *block) is(slots []int32) bool {
	return b.live == len(slots) && len(b.slots) == len(slots) && (len(slots) == 1 && b.slots[0] == slots[0] ||
		&b.slots[0] == &slots[0])
}
