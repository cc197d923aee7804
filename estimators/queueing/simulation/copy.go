package simulation

import (
	"slices"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A node has free slots for maps and reduces.
type node struct{ maps, reduces int }

// A copyOf is one copy of a job, which runs once or several times.
type copyOf struct {
	job       int
	submitted float64
	cycle     int
	maps      int     // maps that have started
	outputs   []int32 // the node of each finished map, in order of their ends
	reduces   []reduce
	open      int // unfinished reduces, or unfinished maps of a job without reduces
	slots     []node
	now       classes // of this cycle
	took      record
}

// A reduce has taken a prefix of its copy's outputs.
type reduce struct {
	node   int32
	taken  int
	copied int
	active int // shuffles in progress
}

func (r *run) submitAll() {
	for j := range r.spec.Jobs {
		for range r.spec.Jobs[j].Copies {
			slots := slices.Repeat([]node{{r.spec.MapSlots, max(r.spec.ReduceSlots, 1)}}, r.spec.Nodes)
			r.copies = append(r.copies, &copyOf{job: j, slots: slots})
		}
	}
	r.open = len(r.copies)
	for _, c := range r.copies {
		r.submit(c)
	}
}

// submit starts a copy of a job.
func (r *run) submit(c *copyOf) {
	j := r.job(c)
	c.submitted = r.now
	c.maps, c.outputs, c.reduces = 0, c.outputs[:0], c.reduces[:0]
	c.open = j.Reduces
	if j.Reduces == 0 {
		c.open = j.Maps
	}
	r.fill(c)
}

// fill assigns free slots to a copy while it has tasks for them.
func (r *run) fill(c *copyOf) {
	j := r.job(c)
	r.deal(c, &r.next.maps, j.Maps, r.startMap)
	r.deal(c, &r.next.reduces, j.Reduces, r.startReduce)
}

// deal starts tasks on the nodes in turn, beginning with the next node. So copies with fewer tasks than nodes do not
// all use the first nodes.
func (r *run) deal(c *copyOf, next *int, tasks int, start func(*copyOf, int) bool) {
	for again := true; again; {
		again = false
		for n := range c.slots {
			again = start(c, (*next+n)%len(c.slots)) || again
		}
	}
	*next = (*next + tasks) % len(c.slots)
}

func (r *run) startMap(c *copyOf, n int) bool {
	j := r.job(c)
	if c.slots[n].maps == 0 || c.maps == j.Maps {
		return false
	}
	c.slots[n].maps--
	c.maps++
	r.start(task{copy: c, kind: queueing.Map, node: int32(n), asks: r.draw(j.Map)})
	return true
}

func (r *run) startReduce(c *copyOf, n int) bool {
	if c.slots[n].reduces == 0 || len(c.reduces) == r.job(c).Reduces {
		return false
	}
	c.slots[n].reduces--
	c.reduces = append(c.reduces, reduce{node: int32(n)})
	r.shuffle(c, len(c.reduces)-1)
	return true
}

// shuffle starts the shuffles that a reduce can run, or its merge if all outputs are copied.
func (r *run) shuffle(c *copyOf, i int) {
	j, red := r.job(c), &c.reduces[i]
	if red.copied == j.Maps {
		r.start(task{copy: c, kind: queueing.Merge, node: red.node, reduce: int32(i), asks: r.draw(j.Merge)})
		return
	}
	for red.active < r.spec.ShuffleThreads && red.taken < len(c.outputs) {
		demand := j.Shuffle
		if c.outputs[red.taken] == red.node {
			demand.Network = 0
		}
		red.taken++
		red.active++
		r.start(task{copy: c, kind: queueing.Shuffle, node: red.node, reduce: int32(i), asks: r.draw(demand)})
	}
}

// end handles the end of a task and starts the tasks that follow.
func (r *run) end(t *task) {
	c := t.copy
	j := r.job(c)
	c.now.add(t, r.now)
	switch t.kind {
	case queueing.Map:
		c.slots[t.node].maps++
		c.outputs = append(c.outputs, t.node)
		if j.Reduces == 0 {
			c.open--
		}
		r.startMap(c, int(t.node))
		for i := range c.reduces {
			r.shuffle(c, i)
		}
	case queueing.Shuffle:
		red := &c.reduces[t.reduce]
		red.active--
		red.copied++
		r.shuffle(c, int(t.reduce))
	case queueing.Merge:
		c.slots[t.node].reduces++
		c.open--
		r.startReduce(c, int(t.node))
	}
	if c.open == 0 {
		r.over(c)
	}
}

// over handles the end of a copy. The copy is submitted again while any copy has cycles left, so that the other
// copies keep their load. The first cycle does not count, because all copies began together.
func (r *run) over(c *copyOf) {
	if c.cycle >= min(r.options.Cycles, 1) && c.cycle <= r.options.Cycles || r.now == c.submitted {
		c.took.responses += r.now - c.submitted
		c.took.cycles++
		c.took.classes.addAll(&c.now)
	}
	if c.cycle == r.options.Cycles || c.cycle < r.options.Cycles && r.now == c.submitted {
		r.open-- // a copy that takes no time would be submitted forever
	}
	c.now = classes{}
	c.cycle++
	if r.options.Cycles > 0 && r.open > 0 && r.now > c.submitted {
		r.submit(c)
	}
}

func (r *run) job(c *copyOf) *queueing.Job { return &r.spec.Jobs[c.job] }
