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
		one.find(n, o.stay[g][b], o.demand[b], false)
		one.find(m.all[b]-n, m.mean[b], o.demand[b], true)
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

// A finder sums the load that a task meets at its centres from the tasks beside it.
type finder struct {
	servers [4]int // of each kind of centre
	task    vector // its demand
	own     vector // share of its time at each centre
	seen    vector
	tasks   float64 // number of tasks beside it on the node
}

// find adds n tasks of one class. If they are apart, on other nodes, the task meets them only in the network.
func (f *finder) find(n float64, stay, demand vector, apart bool) {
	rest, first := stay.sum(), CPU
	if apart {
		first = Network
	}
	for k := first; k <= Network; k++ {
		rest -= f.kept(k, demand)
	}
	if n <= 0 || rest <= 0 {
		return
	}
	if !apart {
		f.tasks += n
	}
	for k := first; k <= Network; k++ {
		f.seen[k] += n * math.Max(0, stay[k]-f.kept(k, demand)) / rest
	}
}

// kept returns how long the task delays another task with that demand at a centre. At several servers there is no
// delay.
func (f *finder) kept(k CentreKind, demand vector) float64 {
	if f.servers[k] > 1 {
		return 0
	}
	return demand[k] * f.own[k]
}

// residence returns the residence of the task with the load found so far.
func (f *finder) residence() (stay vector) {
	for k := range stay {
		stay[k] = f.task[k] * slowdown(f.seen[k], f.tasks, f.servers[k])
	}
	return stay
}

// slowdown returns the factor by which a task's residence at a node's CPUs or disks grows. On average seen of the
// tasks beside it are there, each independently of the others. With a single server the factor is 1 + seen, as in
// equation 6.
func slowdown(seen, tasks float64, servers int) float64 {
	if servers == 1 {
		return 1 + seen
	}
	n := math.Ceil(tasks - 1e-9)
	if seen <= 0 || n < float64(servers) {
		return 1
	}
	chance := math.Min(1, seen/n)
	first := math.Pow(1-chance, n)
	if n > 200 || first == 0 {
		return crowd(seen, math.Sqrt(seen*(1-chance)), float64(servers))
	}
	// The mean E[max(1, (1+K)/c)] for c servers and a binomial K.
	mean, p := 0.0, first
	for k := 0.0; k <= n; k++ {
		mean += p * math.Max(1, (1+k)/float64(servers))
		p *= (n - k) / (k + 1) * chance / (1 - chance)
	}
	return mean
}

// crowd returns the same mean for a normal K.
func crowd(mean, deviation, servers float64) float64 {
	if deviation == 0 {
		return math.Max(1, (1+mean)/servers)
	}
	z := (mean + 1 - servers) / deviation
	above := deviation * (z*0.5*math.Erfc(-z/math.Sqrt2) + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
	return 1 + above/servers
}
