package queueing

import "math"

// A metCopy is the load that a task meets from another copy or another job: the mean over that copy's response, and
// the load in each of its phases.
type metCopy struct {
	copies float64
	mean   vector
	phases [3]metPhase
	idle   float64 // share of the response in which the copy has no load there
}

// A metPhase is one phase of a copy's response: its share of the time and its load.
type metPhase struct {
	share float64
	seen  vector
}

// meet returns the residence of a task among its own copy's tasks, which f contains, and other copies and jobs at
// random points of their timelines.
//
// Equation 6 takes the mean load, and so the mean residence over the phases of the others. But a slow phase does not
// contain more of the task's work, it lasts longer: the work is done at the mean of the rates. meet averages the
// rates over the phases of each other copy, with all else at its mean. It ignores the joint effect of two copies on
// the mean.
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

// meet adds the mean load of a job's copies to f. It returns the load of one copy in each of its phases: maps and the
// shuffles beside them, shuffles alone, merges. In each phase a node of the group runs its maximum of parallel tasks.
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

// slope returns the increase of the residence for each additional task at a centre. At several servers it grows with
// the load; a straight line is accurate enough for one copy's phases.
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

// meetings contains, by job, the tasks that a task may meet from one copy of that job.
type meetings []meeting

type meeting struct {
	mean   [stages]vector // mean residences over nodes
	active []byStage      // mean number of parallel tasks on a node over the job's response, by group
	all    byStage        // the same for the whole cluster
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

// meanStay returns the mean residences of each stage over its tasks.
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
