package queueing

// detailQueues is how many tasks of each job are at each centre of each node, in the mean over the job: β of equation
// 6.
type detailQueues struct {
	cpu  [][][]float64 // by job, node and CPU, of one copy
	disk [][][]float64 // by job, node and disk
	at   [][]vector    // by job and node, of fibres and the network: the network's are those of all nodes
	jobs []*detailJob
}

func (d *detail) queues() detailQueues {
	q := detailQueues{jobs: d.jobs}
	alone := len(d.jobs) == 1 && d.jobs[0].Copies == 1
	for _, j := range d.jobs {
		cpu, disk, at := make([][]float64, len(d.nodes)), make([][]float64, len(d.nodes)), make([]vector, len(d.nodes))
		if !alone && j.response > 0 {
			d.spread(j, cpu, disk, at)
		}
		q.cpu, q.disk, q.at = append(q.cpu, cpu), append(q.disk, disk), append(q.at, at)
	}
	return q
}

// spread says where a job's tasks are. Waves that were not drawn are as those that were.
func (d *detail) spread(j *detailJob, cpu, disk [][]float64, at []vector) {
	network := 0.0
	for n, g := range d.nodes {
		cpu[n], disk[n] = make([]float64, d.spec.servers()[CPU]), make([]float64, d.spec.servers()[Disk])
		weights := d.weights(j, n)
		for i := range j.tasks[n] {
			t := &j.tasks[n][i]
			weight := weights[t.kind] / j.response
			for k := range t.stay {
				at[n][k] += weight * t.stay[k]
			}
			cpu[n][t.cpu] += weight * t.stay[CPU]
			disk[n][t.disk] += weight * t.stay[Disk]
		}
		network += float64(g.nodes) * at[n][Network]
	}
	for n := range at {
		at[n][Network] = network
	}
}

// seen is what a task of one copy of a job finds of the other copies and jobs on a node, one of its CPUs and one of its
// disks.
func (q *detailQueues) seen(job, n, cpu, disk int) (v vector) {
	for i, j := range q.jobs {
		copies := float64(j.Copies)
		if i == job {
			copies--
		}
		v[Fibre] += copies * q.at[i][n][Fibre]
		v[Network] += copies * q.at[i][n][Network]
		if q.cpu[i][n] != nil {
			v[CPU] += copies * q.cpu[i][n][cpu]
			v[Disk] += copies * q.disk[i][n][disk]
		}
	}
	return v
}
