package queueing

import "math"

// A metCopy is what a task finds of another copy, or of another job: in the mean over its response, and in each of its
// phases.
type metCopy struct {
	copies float64
	mean   vector
	phases [3]metPhase
	idle   float64 // part of the response in which it has nothing there
}

// A metPhase is a part of a copy's response.
type metPhase struct {
	share float64
	seen  vector
}

// meet is the residence of a task that f has found its own copy's tasks for, with other copies and jobs at random
// places of their timelines.
//
// Equation 6 takes the mean of what the task finds, and so of how long it would stay in each phase of the others. But a
// slow phase is not met by more of its work, it lasts longer: its work is done at the mean of the rates. These are
// taken in each phase of each other copy, all else at its mean; what two copies do together to the mean is left out.
func (p *product) meet(f *finder, ji, g int, met meetings) vector {
	floor := f.residence().sum()
	p.others = p.others[:0]
	for oi, o := range p.jobs {
		copies := float64(o.Copies)
		if oi == ji {
			copies--
		}
		if copies > 0 {
			p.others = append(p.others, f.meet(copies, o, g, &met[oi]))
		}
	}
	stay := f.residence()
	mean := stay.sum()
	if len(p.others) == 0 || mean == 0 {
		return stay
	}
	slope, rate := f.slope(), 1/mean
	for i := range p.others {
		o := &p.others[i]
		quiet := mean
		for k := range slope {
			quiet -= slope[k] * o.mean[k]
		}
		rate += o.copies * o.idle * (1/math.Max(quiet, floor) - 1/mean)
		for _, ph := range o.phases {
			in := quiet
			for k := range slope {
				in += slope[k] * ph.seen[k]
			}
			if ph.share > 0 {
				rate += o.copies * ph.share * (1/math.Max(in, floor) - 1/mean)
			}
		}
	}
	longer := math.Max(1/rate, floor) / mean
	for k := range stay {
		stay[k] *= longer
	}
	return stay
}

// meet adds what so many copies of a job have beside the task in the mean, and returns what one has in each of its
// phases: maps and the shuffles beside them, shuffles alone, merges. In each a node of the group has as many tasks as
// it runs at once.
func (f *finder) meet(copies float64, o *productJob, g int, m *meeting) metCopy {
	var of [stages]vector
	for b := range stages {
		one := finder{servers: f.servers, task: f.task, own: f.own}
		n := m.active[g][b]
		one.find(n, o.stay[g][b], o.demand[b])
		one.findApart(m.all[b]-n, m.mean[b], o.demand[b])
		of[b] = one.seen
		f.tasks += copies * one.tasks
	}
	met := metCopy{copies: copies, idle: 1}
	most := [...]float64{float64(o.slots[g]), float64(o.abreast[g]) * o.alone(g), float64(o.abreast[g])}
	for i, a := range [...]stage{mapping, copyingAlone, merging} {
		ph := &met.phases[i]
		if most[i] > 0 {
			ph.share = math.Min(met.idle, m.active[g][a]/most[i])
		}
		met.idle -= ph.share
		for k := range ph.seen {
			seen := of[a][k]
			if a == mapping {
				seen += of[copyingBeside][k]
			}
			met.mean[k] += seen
			f.seen[k] += copies * seen
			if ph.share > 0 {
				ph.seen[k] = seen / ph.share
			}
		}
	}
	return met
}

// slope is how much longer the task stays for each more that it finds at a centre. At several servers that grows with
// what is there already; a straight line will do for one copy's phases.
func (f *finder) slope() vector {
	slope := f.task
	for k, n := range f.servers {
		if n > 1 && f.task[k] > 0 {
			const step = 0.01
			more := slowdown(f.seen[k]+step, f.tasks, n)
			slope[k] *= (more - slowdown(f.seen[k], f.tasks, n)) / step
		}
	}
	return slope
}

// meetings are, by job, what tasks may meet of one copy of it.
type meetings []meeting

type meeting struct {
	mean   [stages]vector // residences in the mean over nodes
	active []byStage      // tasks of a node at a time, by group, in the mean over the job
	all    byStage        // of the cluster
}

func (p *product) meetings() meetings {
	m := make(meetings, len(p.jobs))
	for i, j := range p.jobs {
		m[i].mean = p.meanStay(j)
		m[i].active = make([]byStage, len(p.groups))
		if j.response == 0 {
			continue
		}
		for g, gr := range p.groups {
			for a, n := range p.tasks(j, g) {
				active := n * j.stay[g][a].sum() / j.response
				m[i].active[g][a] = active
				m[i].all[a] += float64(gr.nodes) * active
			}
		}
	}
	return m
}

// meanStay is the residences of a stage in the mean over its tasks.
func (p *product) meanStay(j *productJob) (mean [stages]vector) {
	var count byStage
	for g, gr := range p.groups {
		for a, n := range p.tasks(j, g) {
			n *= float64(gr.nodes)
			count[a] += n
			for k := range mean[a] {
				mean[a][k] += n * j.stay[g][a][k]
			}
		}
	}
	for a := range mean {
		for k := range mean[a] {
			if count[a] > 0 {
				mean[a][k] /= count[a]
			}
		}
	}
	return mean
}
