package queueing

// detailQueues is how many tasks of each job are at each centre of each node, in the mean over the job: β of equation 6.
type detailQueues struct {
	cpu  [][][]float64 // by job, node and CPU, of one copy
	at   [][]vector    // by job and node; the network's are those of all nodes
	jobs []*detailJob
}

func (d *detail) queues() detailQueues {
	q := detailQueues{jobs: d.jobs}
	alone := len(d.jobs) == 1 && d.jobs[0].Copies == 1
	for _, j := range d.jobs {
		cpu, at := make([][]float64, len(d.nodes)), make([]vector, len(d.nodes))
		if !alone && j.response > 0 {
			d.spread(j, cpu, at)
		}
		q.cpu, q.at = append(q.cpu, cpu), append(q.at, at)
	}
	return q
}

// spread says where a job's tasks are. Waves that were not drawn are as those that were.
func (d *detail) spread(j *detailJob, cpu [][]float64, at []vector) {
	network := 0.0
	for n, g := range d.nodes {
		cpu[n] = make([]float64, d.spec.CPUs)
		weights := d.weights(j, n)
		for i := range j.tasks[n] {
			t := &j.tasks[n][i]
			weight := weights[t.kind] / j.response
			for k := range t.stay {
				at[n][k] += weight * t.stay[k]
			}
			cpu[n][t.cpu] += weight * t.stay[CPU]
		}
		network += float64(g.nodes) * at[n][Network]
	}
	for n := range at {
		at[n][Network] = network
	}
}

// seen is what a task of one copy of a job finds of the other copies and jobs on a node and one of its CPUs.
func (q *detailQueues) seen(job, n, cpu int) (v vector) {
	for i, j := range q.jobs {
		copies := float64(j.Copies)
		if i == job {
			copies--
		}
		for k := range v {
			if CentreKind(k) != CPU {
				v[k] += copies * q.at[i][n][k]
			} else if q.cpu[i][n] != nil {
				v[k] += copies * q.cpu[i][n][cpu]
			}
		}
	}
	return v
}
