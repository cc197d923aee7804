package queueing

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A simulatedTask is at one centre at a time.
type simulatedTask struct {
	copy   *copyOf
	kind   Kind
	node   int32
	reduce int32      // of a shuffle or merge
	at     CentreKind // its current centre; a task visits the centres in their order
	asks   vector     // seconds of service
	start  float64
}

// A simulationRun is one simulation, from the submission of all jobs to the end of the last.
type simulationRun struct {
	spec    *Spec
	options SimulationOptions
	random  *rand.Rand

	now     float64
	centres []centre // CPUs, fibre and disks of each node, then the network
	agenda  *agenda
	tasks   []simulatedTask
	free    []int32
	ready   []int32 // tasks that move to their next centre now
	copies  []*copyOf
	open    int                         // copies that still have cycles to run
	left    int                         // tasks that may still start
	next    struct{ maps, reduces int } // nodes for the next copy's first map and first reduce
}

// simulate runs all jobs and returns a sample, or nil if the run exceeds limit tasks.
func simulate(s *Spec, o SimulationOptions, seed, limit int) *sample {
	r := &simulationRun{spec: s, options: o, left: limit}
	r.random = rand.New(rand.NewPCG(o.Seed, uint64(seed))) // each run of a seed has its own stream
	r.centres = make([]centre, 3*s.Nodes+1)
	for i := range r.centres {
		r.centres[i] = centre{servers: float64(s.servers()[r.kindOf(i)])}
	}
	r.agenda = newAgenda(len(r.centres))
	r.submitAll()
	for r.settle(); r.open > 0; r.settle() {
		if r.left < 0 {
			return nil
		}
		i, when := r.agenda.first()
		r.now = when
		c := &r.centres[i]
		t := c.leave(when)
		r.agenda.set(i, c.next())
		r.tasks[t].at++
		r.ready = append(r.ready, t)
	}
	return r.sample()
}

// start adds a task at the current time.
func (r *simulationRun) start(t simulatedTask) {
	t.start = r.now
	r.left--
	i := int32(len(r.tasks))
	if n := len(r.free); n > 0 {
		i = r.free[n-1]
		r.free = r.free[:n-1]
		r.tasks[i] = t
	} else {
		r.tasks = append(r.tasks, t)
	}
	r.ready = append(r.ready, i)
}

// settle moves every ready task to its next centre, or ends it, which may start other tasks.
func (r *simulationRun) settle() {
	for k := 0; k < len(r.ready); { // advance appends to r.ready
		r.advance(r.ready[k])
		k++
	}
	r.ready = r.ready[:0]
}

func (r *simulationRun) advance(i int32) {
	t := &r.tasks[i]
	for ; t.at <= Network; t.at++ {
		if service := t.asks[t.at]; service > 0 {
			at := r.centre(t)
			c := &r.centres[at]
			c.arrive(r.now, i, service)
			r.agenda.set(at, c.next())
			return
		}
	}
	done := *t
	r.free = append(r.free, i)
	r.end(&done)
}

// centre returns the index of the task's next centre.
func (r *simulationRun) centre(t *simulatedTask) int {
	if t.at == Network {
		return len(r.centres) - 1
	}
	return 3*int(t.node) + int(t.at)
}

// kindOf returns the kind of the centre of an index.
func (r *simulationRun) kindOf(i int) CentreKind {
	if i == len(r.centres)-1 {
		return Network
	}
	return CentreKind(i % 3)
}

// draw returns a task's service demand at each centre.
func (r *simulationRun) draw(d Demand) vector {
	all := d.raw()
	if r.options.Distribution == Exponential {
		for i := range all {
			all[i] *= r.random.ExpFloat64()
		}
	}
	return all
}

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

func (r *simulationRun) submitAll() {
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
func (r *simulationRun) submit(c *copyOf) {
	j := r.job(c)
	c.submitted = r.now
	c.maps, c.outputs, c.reduces = 0, c.outputs[:0], c.reduces[:0]
	c.open = cmp.Or(j.Reduces, j.Maps)
	r.deal(c, &r.next.maps, j.Maps, r.startMap)
	r.deal(c, &r.next.reduces, j.Reduces, r.startReduce)
}

// deal starts tasks on the nodes in turn, beginning with the next node. So copies with fewer tasks than nodes do not
// all use the first nodes.
func (r *simulationRun) deal(c *copyOf, next *int, tasks int, start func(*copyOf, int) bool) {
	for again := true; again; {
		again = false
		for n := range c.slots {
			again = start(c, (*next+n)%len(c.slots)) || again
		}
	}
	*next = (*next + tasks) % len(c.slots)
}

func (r *simulationRun) startMap(c *copyOf, n int) bool {
	j := r.job(c)
	if c.slots[n].maps == 0 || c.maps == j.Maps {
		return false
	}
	c.slots[n].maps--
	c.maps++
	r.start(simulatedTask{copy: c, kind: Map, node: int32(n), asks: r.draw(j.Map)})
	return true
}

func (r *simulationRun) startReduce(c *copyOf, n int) bool {
	if c.slots[n].reduces == 0 || len(c.reduces) == r.job(c).Reduces {
		return false
	}
	c.slots[n].reduces--
	c.reduces = append(c.reduces, reduce{node: int32(n)})
	r.shuffle(c, len(c.reduces)-1)
	return true
}

// shuffle starts the shuffles that a reduce can run, or its merge if all outputs are copied.
func (r *simulationRun) shuffle(c *copyOf, i int) {
	j, red := r.job(c), &c.reduces[i]
	if red.copied == j.Maps {
		r.start(simulatedTask{copy: c, kind: Merge, node: red.node, reduce: int32(i), asks: r.draw(j.Merge)})
		return
	}
	for red.active < r.spec.ShuffleThreads && red.taken < len(c.outputs) {
		demand := j.Shuffle
		if c.outputs[red.taken] == red.node {
			demand.Network = 0
		}
		red.taken++
		red.active++
		r.start(simulatedTask{copy: c, kind: Shuffle, node: red.node, reduce: int32(i), asks: r.draw(demand)})
	}
}

// end handles the end of a task and starts the tasks that follow.
func (r *simulationRun) end(t *simulatedTask) {
	c := t.copy
	j := r.job(c)
	c.now.add(t, r.now)
	switch t.kind {
	case Map:
		c.slots[t.node].maps++
		c.outputs = append(c.outputs, t.node)
		if j.Reduces == 0 {
			c.open--
		}
		r.startMap(c, int(t.node))
		for i := range c.reduces {
			r.shuffle(c, i)
		}
	case Shuffle:
		red := &c.reduces[t.reduce]
		red.active--
		red.copied++
		r.shuffle(c, int(t.reduce))
	case Merge:
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
func (r *simulationRun) over(c *copyOf) {
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

func (r *simulationRun) job(c *copyOf) *Job { return &r.spec.Jobs[c.job] }
