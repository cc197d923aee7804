package queueing

import "math"

// queues is how many tasks of each job are at the centres of each group's nodes, in the mean over a job's response: β of
// equation 6. Jobs of a closed system are at random places of their timelines when they meet.
type queues struct {
	at     [][]vector  // by job and group; the network's are those of all nodes
	active [][]float64 // tasks on a node, by job and group
	all    []vector    // by group, of all copies of all jobs
	busy   []float64
}

func (p *product) queues() queues {
	q := queues{all: make([]vector, len(p.groups)), busy: make([]float64, len(p.groups))}
	for _, j := range p.jobs {
		at, active := make([]vector, len(p.groups)), make([]float64, len(p.groups))
		if j.response > 0 {
			p.spread(j, at, active)
		}
		for g := range at {
			for k := range at[g] {
				q.all[g][k] += float64(j.Copies) * at[g][k]
			}
			q.busy[g] += float64(j.Copies) * active[g]
		}
		q.at, q.active = append(q.at, at), append(q.active, active)
	}
	return q
}

// spread says how much of a job's tasks are where.
func (p *product) spread(j *productJob, at []vector, active []float64) {
	network := 0.0
	for g, gr := range p.groups {
		tasks := p.tasks(j, g)
		for a, n := range tasks {
			for k := range at[g] {
				at[g][k] += n * j.stay[g][a][k] / j.response
			}
			active[g] += n * j.stay[g][a].sum() / j.response
		}
		network += float64(gr.nodes) * at[g][Network]
	}
	for g := range at {
		at[g][Network] = network
	}
}

// tasks is how many tasks of each kind a node of a group runs for one job.
func (p *product) tasks(j *productJob, g int) (n [3]float64) {
	if t := j.stay[g][Map].sum(); t > 0 {
		n[Map] = float64(j.Maps) * float64(j.slots[g]) / float64(j.all) * j.flow.mapTime / t
	} else {
		n[Map] = float64(j.Maps) * float64(j.slots[g]) / float64(j.all)
	}
	n[Merge] = float64(p.groups[g].dealt(j.Reduces, p.spec.Nodes))
	n[Shuffle] = n[Merge] * float64(j.Maps)
	return n
}

// seen is what a task of a job finds of all other jobs and copies at its centres.
func (q *queues) seen(job, g int) vector {
	v := q.all[g]
	for k := range v {
		v[k] = math.Max(0, v[k]-q.at[job][g][k])
	}
	return v
}

// tasks is how many tasks of other jobs and copies a node runs.
func (q *queues) tasks(job, g int) float64 { return math.Max(0, q.busy[g]-q.active[job][g]) }

// slowdown of a task at a node's CPUs, of which it uses one, while so many of the other tasks on the node want one in the mean.
// Each of the others wants one by chance, independently; with a single CPU it is 1 + seen, as equation 6 has it.
func slowdown(seen, tasks float64, cpus int) float64 {
	if cpus == 1 {
		return 1 + seen
	}
	n := math.Ceil(tasks - 1e-9)
	if seen <= 0 || n < float64(cpus) {
		return 1
	}
	chance := math.Min(1, seen/n)
	if n > 200 {
		return crowd(seen, math.Sqrt(seen*(1-chance)), float64(cpus))
	}
	// E[max(1, (1+K)/c)] for a binomial K.
	mean, p := 0.0, math.Pow(1-chance, n)
	if p == 0 {
		return math.Max(1, (1+seen)/float64(cpus))
	}
	for k := 0.0; k <= n; k++ {
		mean += p * math.Max(1, (1+k)/float64(cpus))
		p *= (n - k) / (k + 1) * chance / (1 - chance)
	}
	return mean
}

// crowd is the same for a normal K.
func crowd(mean, deviation, cpus float64) float64 {
	if deviation == 0 {
		return math.Max(1, (1+mean)/cpus)
	}
	z := (mean + 1 - cpus) / deviation
	above := deviation * (z*0.5*math.Erfc(-z/math.Sqrt2) + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
	return 1 + above/cpus
}
