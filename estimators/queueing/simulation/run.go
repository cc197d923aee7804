package simulation

import (
	"math/rand/v2"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A task is at one centre at a time.
type task struct {
	copy   *copyOf
	kind   queueing.Kind
	node   int32
	reduce int32 // of a shuffle or merge
	stage  int8  // the current centre
	asks   [kinds]float64
	start  float64
}

// A run is one simulation, from the submission of all jobs to the end of the last.
type run struct {
	spec    *queueing.Spec
	options Options
	random  *rand.Rand

	now     float64
	centres []centre // CPUs, fibre and disks of each node, then the network
	agenda  *agenda
	tasks   []task
	free    []int32
	ready   []int32 // tasks that move to their next centre now
	copies  []*copyOf
	open    int                         // copies that still have cycles to run
	left    int                         // tasks that may still start
	next    struct{ maps, reduces int } // nodes for the next copy's first map and first reduce
}

// simulate runs all jobs and returns a sample, or nil if the run exceeds limit tasks.
func simulate(s *queueing.Spec, o Options, seed, limit int) *sample {
	r := &run{spec: s, options: o, random: source(o.Seed, seed), left: limit}
	r.centres = make([]centre, 3*s.Nodes+1)
	for i := range r.centres {
		servers := 1
		switch {
		case i == 3*s.Nodes: // the network
		case i%3 == cpu:
			servers = s.CPUs
		case i%3 == disk:
			servers = max(s.Disks, 1)
		}
		r.centres[i] = centre{servers: float64(servers)}
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
		r.tasks[t].stage++
		r.ready = append(r.ready, t)
	}
	return r.sample()
}

// start adds a task at the current time.
func (r *run) start(t task) {
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
func (r *run) settle() {
	for k := 0; k < len(r.ready); { // advance appends to r.ready
		r.advance(r.ready[k])
		k++
	}
	r.ready = r.ready[:0]
}

func (r *run) advance(i int32) {
	t := &r.tasks[i]
	for ; t.stage < kinds; t.stage++ {
		if service := t.asks[t.stage]; service > 0 {
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
func (r *run) centre(t *task) int {
	if t.stage == network {
		return len(r.centres) - 1
	}
	return 3*int(t.node) + int(t.stage)
}

// The centres that a task visits, in order.
const (
	cpu = iota
	fibre
	disk
	network
	kinds
)

// draw returns a task's service demand at each centre.
func (r *run) draw(d queueing.Demand) [kinds]float64 {
	all := [kinds]float64{d.CPU, d.Fibre, d.Disk, d.Network}
	if r.options.Distribution == Exponential {
		for i := range all {
			all[i] *= r.random.ExpFloat64()
		}
	}
	return all
}

// source returns the random source of a run. Each run of a seed has its own stream.
func source(seed uint64, run int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(run)))
}
