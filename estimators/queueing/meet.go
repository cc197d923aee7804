package queueing

import "math"

// meet is the residence of a task that f has found its own copy's tasks for, with other copies and jobs at random places of
// their timelines.
//
// Equation 6 takes the mean of what the task finds, and so of how long it would stay in each phase of the others. But a slow
// phase is not met by more of its work, it lasts longer: its work is done at the mean of the rates. These are taken in each
// phase of each other copy, all else at its mean; what two copies do together to the mean is left out.
func (p *product) meet(f *finder, ji, g int, met meetings) vector {
	type other struct {
		copies float64
		mean   finder
		phases []phaseMet
	}
	var others []other
	for oi, o := range p.jobs {
		copies := float64(o.Copies)
		if oi == ji {
			copies--
		}
		if copies == 0 {
			continue
		}
		one := other{copies: copies, mean: f.alone(), phases: p.phasesOf(f, oi, g, met)}
		for b := range stages {
			one.mean.meet(1, b, o, g, &met[oi])
		}
		f.add(&one.mean, copies)
		others = append(others, one)
	}
	stay := f.residence()
	mean := stay.sum()
	if len(others) == 0 || mean == 0 {
		return stay
	}
	rate := 1 / mean
	for i := range others {
		o := &others[i]
		for _, ph := range o.phases {
			in := *f
			in.add(&o.mean, -1)
			in.add(&ph.found, 1)
			rate += o.copies * ph.share * (1/in.residence().sum() - 1/mean)
		}
	}
	least := *f
	for i := range others {
		least.add(&others[i].mean, -others[i].copies)
	}
	longer := math.Max(1/rate, least.residence().sum())
	for k := range stay {
		stay[k] *= longer / mean
	}
	return stay
}

// A phaseMet is a part of a copy's response, and what a task finds of it then.
type phaseMet struct {
	share float64
	found finder
}

// phasesOf are those of a copy: maps and the shuffles beside them, shuffles alone, merges, and nothing. In each a node of the
// group has as many tasks as it runs at once.
func (p *product) phasesOf(f *finder, oi, g int, met meetings) []phaseMet {
	o, m := p.jobs[oi], &met[oi]
	most := byStage{mapping: float64(o.slots[g]), copyingAlone: float64(o.abreast[g]) * o.alone(g), merging: float64(o.abreast[g])}
	var phases []phaseMet
	left := 1.0
	for _, a := range [...]stage{mapping, copyingAlone, merging} {
		active := m.active[g][a]
		if active <= 0 || most[a] <= 0 {
			continue
		}
		ph := phaseMet{math.Min(left, active/most[a]), f.alone()}
		if ph.share <= 0 {
			continue
		}
		left -= ph.share
		ph.found.meet(1/ph.share, a, o, g, m)
		if a == mapping {
			ph.found.meet(1/ph.share, copyingBeside, o, g, m)
		}
		phases = append(phases, ph)
	}
	if left > 0 {
		phases = append(phases, phaseMet{left, f.alone()})
	}
	return phases
}

// meet adds so many times what a copy of a job has of a stage in the mean.
func (f *finder) meet(times float64, b stage, o *productJob, g int, m *meeting) {
	n := m.active[g][b]
	f.find(times*n, o.stay[g][b], o.demand[b])
	f.findApart(times*(m.all[b]-n), m.mean[b], o.demand[b])
}

// alone is the same task that has found nobody.
func (f *finder) alone() finder { return finder{cpus: f.cpus, task: f.task, own: f.own} }

// add adds so many times what another finder of the same task has found.
func (f *finder) add(o *finder, times float64) {
	f.tasks = math.Max(0, f.tasks+times*o.tasks)
	for k := range f.seen {
		f.seen[k] = math.Max(0, f.seen[k]+times*o.seen[k])
	}
}
