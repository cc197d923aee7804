package pathfrag

import (
	"cmp"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// cutting is the state of cutting a schedule: the spans, then their rounds, then the predecessors.
type cutting struct {
	spans          []schedule.Span
	split          bool // spans is a copy: some had to be cut in pieces
	delta1, delta2 dag.Instant
	graph          *dag.Graph

	order   [][]int32  // by stage: indices of its spans by (start, end, job, first task)
	round   []int32    // by span: its round's id, -1 for none
	pred    []handoff  // the spans that the slots of each span come from
	predOf  [][2]int32 // by span: where its own begin and end in pred
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
	for k := range c.order {
		c.order[k] = c.order[k][:0]
	}
	for i := range c.spans {
		if k := int(c.spans[i].Stage); k >= 0 {
			for k >= len(c.order) {
				c.order = append(c.order, nil)
			}
			c.order[k] = append(c.order[k], int32(i))
		}
	}
	for _, order := range c.order {
		slices.SortFunc(order, func(a, b int32) int {
			x, y := &c.spans[a], &c.spans[b]
			switch { // not by one cmp.Or, which makes every comparison
			case x.Start != y.Start:
				return cmp.Compare(x.Start, y.Start)
			case x.End != y.End:
				return cmp.Compare(x.End, y.End)
			case x.Job != y.Job:
				return cmp.Compare(x.Job, y.Job)
			}
			return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(a, b))
		})
	}
}

// A draft is a round that still receives tasks.
type draft struct {
	stage             dag.StageIndex
	pause             dag.Pause
	start             dag.Instant // the first start; tasks come in order of start
	firstEnd, lastEnd dag.Instant
	width             int32
	minJob, minFirst  int32 // independent minima over its tasks
	spans             int32
}

// draft puts every task that does not fail into the oldest round of its stage that accepts it
// (facts/paratimer.md A1, rule 4). It sets c.round to drafts, and splits spans with tasks in several rounds.
func (c *cutting) draft() []draft {
	c.round = slices.Repeat([]int32{-1}, len(c.spans))
	var drafts []draft
	var pieces []piece
	for k := range c.order {
		f := newFitter(c, dag.StageIndex(k), drafts) //nolint:gosec // an index
		for _, i := range c.order[k] {
			if c.spans[i].Outcome != schedule.Fails {
				f.place(i)
			}
		}
		drafts, pieces = f.drafts, append(pieces, f.pieces...)
	}
	if len(pieces) > 0 {
		c.apply(pieces)
	}
	for i := range c.spans {
		if sp := &c.spans[i]; sp.Pause != dag.NoPause && sp.End > sp.Start {
			c.round[i] = int32(len(drafts))
			drafts = append(drafts, draft{
				stage: sp.Stage, pause: sp.Pause, start: sp.Start, firstEnd: sp.End, lastEnd: sp.End,
			})
		}
	}
	return drafts
}

// number makes rounds of drafts, in order of (start, stage, smallest job, smallest index).
func (c *cutting) number(drafts []draft) {
	for i := range drafts {
		drafts[i].minJob, drafts[i].minFirst = 1<<31-1, 1<<31-1
	}
	for i, r := range c.round {
		if r >= 0 {
			d, sp := &drafts[r], &c.spans[i]
			d.minJob, d.minFirst = min(d.minJob, sp.Job), min(d.minFirst, sp.First)
			d.spans++
		}
	}
	byID := make([]int32, len(drafts))
	for i := range byID {
		byID[i] = int32(i)
	}
	slices.SortFunc(byID, func(a, b int32) int {
		x, y := &drafts[a], &drafts[b]
		if x.start != y.start {
			return cmp.Compare(x.start, y.start)
		}
		return cmp.Or(cmp.Compare(x.pause, y.pause), cmp.Compare(x.stage, y.stage), cmp.Compare(x.minJob, y.minJob),
			cmp.Compare(x.minFirst, y.minFirst), cmp.Compare(a, b))
	})
	ids := make([]int32, len(drafts))
	c.rounds = make([]Round, len(drafts))
	spans := make([]int, len(c.spans))
	for id, at := range byID {
		d := &drafts[at]
		ids[at] = int32(id)
		c.rounds[id] = Round{
			ID: id, Stage: d.stage, Pause: d.pause, Start: d.start, End: d.lastEnd, Width: int(d.width),
			Spans: spans[:0:d.spans],
		}
		spans = spans[d.spans:]
	}
	for i, r := range c.round {
		if r >= 0 {
			c.round[i] = ids[r]
			round := &c.rounds[ids[r]]
			round.Spans = append(round.Spans, i)
		}
	}
	byTask := func(a, b int) int {
		x, y := &c.spans[a], &c.spans[b]
		if x.Job != y.Job {
			return cmp.Compare(x.Job, y.Job)
		}
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(a, b))
	}
	for i := range c.rounds {
		if len(c.rounds[i].Spans) > 1 {
			slices.SortFunc(c.rounds[i].Spans, byTask)
		}
	}
}

// A piece is the tasks from to to-1 of a span, which share a round.
type piece struct{ span, from, to, round int32 }

// apply replaces spans by their pieces.
func (c *cutting) apply(pieces []piece) {
	type placed struct {
		sp    schedule.Span
		round int32
	}
	cut := make(map[int32]bool, len(pieces))
	all := make([]placed, 0, len(c.spans)+len(pieces))
	for _, p := range pieces {
		sp := c.spans[p.span]
		sp.First, sp.Count, sp.Slots = sp.First+p.from, p.to-p.from, sp.Slots[p.from:p.to:p.to]
		all = append(all, placed{sp, p.round})
		cut[p.span] = true
	}
	for i := range c.spans {
		if !cut[int32(i)] {
			all = append(all, placed{c.spans[i], c.round[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.sp.Start, b.sp.Start), schedule.BySlot(&a.sp, &b.sp))
	})
	c.spans, c.round, c.split = make([]schedule.Span, len(all)), make([]int32, len(all)), true
	for i := range all {
		c.spans[i], c.round[i] = all[i].sp, all[i].round
	}
}

// A roundList is a list of rounds in order of creation; those before head are closed.
type roundList struct {
	ids  []int32
	head int
}

func (l *roundList) add(r int32) {
	if 2*l.head >= len(l.ids) {
		l.ids = append(l.ids[:0], l.ids[l.head:]...)
		l.head = 0
	}
	l.ids = append(l.ids, r)
}

// from returns the first index from at on with a round that is r or younger.
func (l *roundList) from(at int, r int32) int {
	if at < len(l.ids) && l.ids[at] >= r {
		return at
	}
	return at + sort.Search(len(l.ids)-at, func(i int) bool { return l.ids[at+i] >= r })
}

// rounds is a set of rounds as ascending runs that do not touch.
type rounds []roundRun

// A roundRun is the rounds from to to-1.
type roundRun struct{ from, to int32 }

// find returns the run that contains r, or else the index at which it would be inserted.
func (s rounds) find(r int32) (run int, found bool) {
	if n := len(s); n > 0 && s[n-1].from <= r { // usually the newest
		if r < s[n-1].to {
			return n - 1, true
		}
		return n, false
	}
	i := sort.Search(len(s), func(i int) bool { return s[i].to > r })
	return i, i < len(s) && s[i].from <= r
}

func (s *rounds) add(r int32) {
	i, found := s.find(r)
	if found {
		return
	}
	v := *s
	after, before := i > 0 && v[i-1].to == r, i < len(v) && v[i].from == r+1
	switch {
	case after && before:
		v[i-1].to = v[i].to
		*s = slices.Delete(v, i, i+1)
	case after:
		v[i-1].to++
	case before:
		v[i].from--
	default:
		*s = slices.Insert(v, i, roundRun{r, r + 1})
	}
}
