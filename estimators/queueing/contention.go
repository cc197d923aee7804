package queueing

import "math"

// beside is the mean number of tasks of each stage that run beside a task, by the task's own stage: α and β of
// equation 6, with the tasks of a class taken together.
type beside [stages]byStage

// local returns the tasks of the same copy of the job that run beside a task on a group's node.
func (j *productJob) local(g int) (n beside) {
	maps, c := float64(j.slots[g]), &j.copies[g]
	if maps > 0 {
		n[mapping][mapping] = math.Max(0, (j.flow.mapsBeside()+1)*maps/float64(j.all)-1)
	}
	reduces := float64(j.abreast[g])
	if reduces == 0 {
		return n
	}
	n[mapping][copyingBeside] = reduces * j.copiesAtOnce(g)
	n[copyingBeside][mapping] = maps
	n[copyingBeside][copyingBeside] = reduces*c.abreast - 1
	n[copyingAlone][copyingAlone] = reduces*j.alone(g) - 1
	n[merging][merging] = reduces - 1
	return n
}

// copiesAtOnce returns the mean number of shuffles that a reduce runs at once while maps run.
func (j *productJob) copiesAtOnce(g int) float64 {
	if j.flow.mapsEnd == 0 {
		return 0
	}
	return j.copies[g].during * j.copies[g].beside / j.flow.mapsEnd
}

// alone returns the number of shuffles that a reduce runs at once when no maps run.
func (j *productJob) alone(g int) float64 {
	c := &j.copies[g]
	if c.blocked && j.Reduces <= j.reducesAbreast {
		return c.abreast
	}
	return math.Min(float64(j.threads), float64(j.Maps))
}

// cluster returns the tasks of the same copy of the job that run beside a task, in the whole cluster.
func (p *product) cluster(j *productJob, g int) (n beside) {
	n[mapping][mapping] = j.flow.mapsBeside()
	reduces := float64(j.reducesAbreast)
	for h, gr := range p.groups {
		n[mapping][copyingBeside] += float64(gr.nodes*j.abreast[h]) * j.copiesAtOnce(h)
	}
	if j.abreast[g] == 0 {
		return n
	}
	n[copyingBeside][mapping] = float64(j.all)
	n[copyingBeside][copyingBeside] = reduces*j.copies[g].abreast - 1
	n[copyingAlone][copyingAlone] = reduces*j.alone(g) - 1
	n[merging][merging] = reduces - 1
	return n
}

// step runs one iteration: new residences from equations 5 and 6, damped. It returns the largest change.
func (p *product) step() (change float64) {
	met := p.meetings()
	for ji, j := range p.jobs {
		fresh := make([][stages]vector, len(p.groups))
		lone, slots := 0.0, 0.0
		for g := range p.groups {
			local, cluster := j.local(g), p.cluster(j, g)
			for a := range stages {
				if p.has(j, g, a) {
					fresh[g][a] = p.contend(ji, g, a, local[a], cluster[a], met)
				}
			}
			if maps := float64(j.slots[g] * p.groups[g].nodes); maps > 0 {
				local[mapping][mapping], cluster[mapping][mapping] = 0, 0
				lone += maps * p.contend(ji, g, mapping, local[mapping], cluster[mapping], met).sum()
				slots += maps
			}
			if j.abreast[g] > 0 {
				local[merging][merging] = 0
				last := p.contend(ji, g, merging, local[merging], cluster[merging], met).sum()
				j.last[g] += damping * (last - j.last[g])
			}
		}
		j.lone += damping * (lone/slots - j.lone)
		for g := range fresh {
			for a := range stages {
				if !p.has(j, g, a) {
					continue
				}
				old := j.stay[g][a].sum()
				for k := range fresh[g][a] {
					j.stay[g][a][k] += damping * (fresh[g][a][k] - j.stay[g][a][k])
				}
				now := j.stay[g][a].sum()
				change = math.Max(change, math.Abs(now-old)/damping)
			}
		}
	}
	for _, j := range p.jobs {
		p.lay(j)
	}
	return change
}

// has reports whether nodes of a group run tasks of a stage.
func (p *product) has(j *productJob, g int, a stage) bool {
	if a == mapping {
		return j.slots[g] > 0
	}
	return j.abreast[g] > 0
}

// contend returns the residence of a task at its centres among the tasks beside it.
//
// Equation 6: at centre k, task i stays D_ik·(1 + Σ_j α_ij·Q_jk). Q_jk is the share of its time that task j spends
// there. Equation 5: task i finds j as it would be without i, which delays it: (R_jk - D_jk·Q_ik) / (R_j - Σ_l
// D_jl·Q_il).
func (p *product) contend(ji, g int, a stage, local, cluster byStage, met meetings) vector {
	j := p.jobs[ji]
	own := j.stay[g][a]
	f := finder{servers: p.spec.servers(), task: j.demand[a]}
	for k := range f.own {
		f.own[k] = own.share(CentreKind(k))
	}
	for b, n := range local {
		f.find(n, j.stay[g][b], j.demand[b])
		f.findApart(cluster[b]-n, met[ji].mean[b], j.demand[b])
	}
	return p.meet(&f, ji, g, met)
}
