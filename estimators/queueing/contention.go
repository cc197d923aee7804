package queueing

import "math"

// beside is how many tasks of each kind of the same job a task of a kind has beside itself, in the mean over its time: α of
// equation 6, with tasks of a class taken together. Timelines overlap as they are drawn, not as exponential times would.
func (j *productJob) beside(g int) (local [3][3]float64) {
	m, c := float64(j.slots[g]), &j.copies[g]
	if m > 0 {
		local[Map][Map] = math.Max(0, (j.flow.mapsBeside()+1)*m/float64(j.all)-1)
	}
	r := float64(j.abreast[g])
	if r == 0 {
		return local
	}
	if j.flow.mapsEnd > 0 {
		local[Map][Shuffle] = r * c.during * c.shuffle / j.flow.mapsEnd
	}
	local[Shuffle][Map] = c.during / float64(j.Maps) * m
	local[Shuffle][Shuffle] = r*c.batch - 1
	local[Merge][Merge] = r - 1
	return local
}

// step is one iteration: new residences from equations 5 and 6, damped. It returns the largest change, and all.
func (p *product) step(damping float64) (change float64, found []float64) {
	others := p.queues()
	for ji, j := range p.jobs {
		fresh := make([][3]vector, len(p.groups))
		mean := p.meanStay(j)
		for g := range p.groups {
			local := j.beside(g)
			for a := range local {
				fresh[g][a] = p.contend(j, ji, g, Kind(a), local, mean, others)
			}
		}
		for g := range fresh {
			for a := range fresh[g] {
				old := j.stay[g][a].sum()
				for k := range fresh[g][a] {
					j.stay[g][a][k] += damping * (fresh[g][a][k] - j.stay[g][a][k])
				}
				if p.has(j, g, Kind(a)) {
					change = math.Max(change, math.Abs(j.stay[g][a].sum()-old)/damping)
					found = append(found, j.stay[g][a].sum())
				}
			}
		}
	}
	for _, j := range p.jobs {
		p.lay(j)
	}
	return change, found
}

// has says whether nodes of a group run tasks of a kind.
func (p *product) has(j *productJob, g int, a Kind) bool {
	if a == Map {
		return j.slots[g] > 0
	}
	return j.abreast[g] > 0
}

// contend is the residence of a task at its centres among those beside it.
//
// Equation 6: at centre k task i stays D_ik·(1 + Σ_j α_ij·Q_jk), with Q_jk the part of its time that j is there. Equation 5:
// what i finds there is j as it would be without i, which has kept it: (R_jk - D_jk·Q_ik) / (R_j - Σ_l D_jl·Q_il).
func (p *product) contend(j *productJob, ji, g int, a Kind, local [3][3]float64, mean [3]vector, others queues) vector {
	d, own := j.demand[a], j.stay[g][a]
	if !p.has(j, g, a) {
		return d
	}
	seen := others.seen(ji, g)
	tasks := 0.0 // beside it, at most
	for b := range local[a] {
		n := local[a][b]
		if n <= 0 {
			continue
		}
		other, asks := j.stay[g][b], j.demand[b]
		left := other.sum()
		for k := range asks {
			left -= p.kept(CentreKind(k), asks, own)
		}
		if left <= 0 {
			continue
		}
		tasks += n
		for k := range asks {
			seen[k] += n * math.Max(0, other[k]-p.kept(CentreKind(k), asks, own)) / left
		}
	}
	for b, n := range p.elsewhere(j, g, a, local) {
		kept := mean[b].sum() - p.kept(Network, j.demand[b], own)
		if n > 0 && kept > 0 {
			seen[Network] += n * math.Max(0, mean[b][Network]-p.kept(Network, j.demand[b], own)) / kept
		}
	}
	var stay vector
	for k := range stay {
		stay[k] = d[k] * (1 + seen[k])
	}
	stay[CPU] = d[CPU] * slowdown(seen[CPU], tasks+others.tasks(ji, g), p.spec.CPUs)
	return stay
}

// kept is how long a task that stays own keeps one that asks so much at a centre. Several CPUs keep nobody waiting for one.
func (p *product) kept(k CentreKind, asks, own vector) float64 {
	if k == CPU && p.spec.CPUs > 1 {
		return 0
	}
	return asks[k] * own.share(k)
}

// elsewhere is how many tasks of the same job, by kind, a task has beside itself on other nodes: it meets them in the network.
func (p *product) elsewhere(j *productJob, g int, a Kind, local [3][3]float64) (n [3]float64) {
	reduces := 0.0
	for h, gr := range p.groups {
		reduces += float64(gr.nodes * j.abreast[h])
	}
	c := &j.copies[g]
	switch a {
	case Map:
		n[Map] = j.flow.mapsBeside() - local[Map][Map]
		for h, gr := range p.groups {
			if j.flow.mapsEnd > 0 {
				n[Shuffle] += float64(gr.nodes*j.abreast[h]) * j.copies[h].during * j.copies[h].shuffle / j.flow.mapsEnd
			}
		}
		n[Shuffle] -= local[Map][Shuffle]
	case Shuffle:
		n[Map] = c.during/float64(j.Maps)*float64(j.all) - local[Shuffle][Map]
		n[Shuffle] = reduces*c.batch - 1 - local[Shuffle][Shuffle]
	case Merge:
		n[Merge] = reduces - 1 - local[Merge][Merge]
	}
	for b := range n {
		n[b] = math.Max(0, n[b])
	}
	return n
}

// meanStay is the residences of a kind in the mean over the nodes that have it.
func (p *product) meanStay(j *productJob) (mean [3]vector) {
	for a := range mean {
		n := 0.0
		for g, gr := range p.groups {
			w := float64(gr.nodes * j.abreast[g])
			if Kind(a) == Map {
				w = float64(gr.nodes * j.slots[g])
			}
			n += w
			for k := range mean[a] {
				mean[a][k] += w * j.stay[g][a][k]
			}
		}
		for k := range mean[a] {
			if n > 0 {
				mean[a][k] /= n
			}
		}
	}
	return mean
}
