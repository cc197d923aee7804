package pathfrag

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// cutting is the state of cutting a schedule: the spans, then their rounds, then the predecessors.
type cutting struct {
	spans          []schedule.Span
	split          bool // spans is a copy: some had to be cut in pieces
	delta1, delta2 dag.Instant
	graph          *dag.Graph

	order   [][]int32 // by stage: indices of its spans by (start, end, job, first task)
	round   []int32   // by span: its round's id, -1 for none
	pred    []handoff // by span from predOf[i]: the spans that its slots come from
	predOf  []int32
	predN   []int32
	rounds  []Round
	overlap bool // a slot is used twice at one time, which no schedule of package schedule does
}

// A handoff is n slots of a span that span from used before.
type handoff struct{ from, n int32 }

// cut finds the rounds of all spans and the predecessors of each.
func (c *cutting) cut() {
	c.sort()
	c.follow()
	drafts := c.draft()
	if c.split {
		c.sort()
		c.follow()
	}
	c.number(drafts)
}

// sort orders the spans of each stage.
func (c *cutting) sort() {
	var n []int
	for i := range c.spans {
		if k := c.spans[i].Stage; k >= 0 {
			for int(k) >= len(n) {
				n = append(n, 0)
			}
			n[k]++
		}
	}
	for len(c.order) < len(n) {
		c.order = append(c.order, nil)
	}
	for k := range n {
		c.order[k] = slices.Grow(c.order[k][:0], n[k])
	}
	for i := range c.spans {
		if k := c.spans[i].Stage; k >= 0 {
			c.order[k] = append(c.order[k], int32(i))
		}
	}
	for _, order := range c.order {
		c.sortStarts(order)
	}
}

// sortStarts relies on schedules sorted by start: only spans with equal starts have to be sorted.
func (c *cutting) sortStarts(order []int32) {
	byStart := func(a, b int32) int { return cmp.Compare(c.spans[a].Start, c.spans[b].Start) }
	if !slices.IsSortedFunc(order, byStart) {
		slices.SortStableFunc(order, byStart)
	}
	rest := func(a, b int32) int {
		x, y := &c.spans[a], &c.spans[b]
		switch {
		case x.End != y.End:
			return cmp.Compare(x.End, y.End)
		case x.Job != y.Job:
			return cmp.Compare(x.Job, y.Job)
		case x.First != y.First:
			return cmp.Compare(x.First, y.First)
		}
		return cmp.Compare(a, b)
	}
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && c.spans[order[to]].Start == c.spans[order[from]].Start {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(order[from:to], rest)
		}
		from = to
	}
}
