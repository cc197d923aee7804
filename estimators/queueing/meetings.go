package queueing

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
