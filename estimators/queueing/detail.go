package queueing

import "math"

// A detail is the state of a fixpoint that follows tasks one by one, as the paper does (§3.4 to §3.6): a map slot j of
// a node is held to its CPU j and its disk j, a reduce to the last ones. Nodes beyond exactNodes, and waves beyond
// exactMaps, stand for more of the like.
type detail struct {
	spec    *Spec
	reading reading
	nodes   []group
	jobs    []*detailJob
}

// A reading settles what the paper leaves open.
type reading struct {
	exponential bool // overlap of exponential times; else of those drawn
	firstEarly  bool // the first map of all ends at the mean of the least of the first wave's
	grouped     bool // a reduce takes up to p_s outputs as one task of p_s times the demand; else as tasks side by side
	// pipelined maps end one after the other, as often as exponential ones of so many slots do, and threads wait for
	// each other where the job does: for its last map and its last merge. Else maps end in waves, and threads wait at
	// the end of each phase.
	pipelined bool
}

var (
	// pipelined is the reading with which the fork/join estimate is above the simulation, by less than 15 %, in all
	// settings of Fig. 7 to 9, as the paper has it (docs/models.md).
	pipelined = reading{pipelined: true}
	// readingA is the reading that comes closest to the fork/join column of Table 4.
	readingA = reading{exponential: true, firstEarly: true, grouped: true}
)

const (
	exactNodes = 16
	exactMaps  = 256 // the largest job of Fig. 7
	// atLeastWaves are drawn however many slots there are.
	atLeastWaves = 4
)

type detailJob struct {
	*Job
	slots   int // map slots in use of the cluster
	waves   int
	drawn   int        // waves that are followed
	stay    [3]float64 // of a task by Kind, in the mean: the timeline's
	tasks   [][]task   // by node
	line    timeline
	abreast []int
	response,
	span float64
	phases int
}

// A task is on one CPU, at one disk and the fibre of its node, and in the network.
type task struct {
	kind       Kind
	id         int // of the node's tasks: it stays while starts change places
	cpu, disk  int
	start, end float64
	demand     vector
	stay       vector
}

func newDetail(s *Spec, r reading) *detail {
	d := &detail{spec: s, reading: r}
	if s.Nodes <= exactNodes {
		for n := range s.Nodes {
			d.nodes = append(d.nodes, group{n, 1})
		}
	} else {
		d.nodes = groups(s)
	}
	for i := range s.Jobs {
		j := &detailJob{Job: &s.Jobs[i]}
		j.slots = min(s.Nodes*s.MapSlots, j.Maps)
		j.waves = (j.Maps + j.slots - 1) / j.slots
		j.drawn = min(j.waves, max(atLeastWaves, exactMaps/j.slots))
		times := 1.0
		if r.grouped {
			times = float64(s.ShuffleThreads)
		}
		j.stay = [3]float64{j.Map.vector().sum(), times * j.Shuffle.vector().sum(), j.Merge.vector().sum()}
		for _, g := range d.nodes {
			j.abreast = append(j.abreast, min(g.dealt(j.Reduces, s.Nodes), s.reduceSlots()))
		}
		d.jobs = append(d.jobs, j)
		d.lay(j)
	}
	return d
}

// lay draws a job's timeline and puts its tasks on the nodes; the residences that were found before stay.
func (d *detail) lay(j *detailJob) {
	j.line = d.draw(j, j.drawn)
	fresh := make([][]task, len(d.nodes))
	for n := range d.nodes {
		fresh[n] = d.place(j, n)
		if n < len(j.tasks) && len(j.tasks[n]) == len(fresh[n]) {
			for _, t := range j.tasks[n] {
				fresh[n][t.id].stay = t.stay
			}
		}
		sortTasks(fresh[n])
	}
	j.tasks = fresh
	whole := d.forkJoin(j, j.line)
	j.span, j.response, j.phases = j.line.end, whole, j.line.phaseCount()
	if j.waves > j.drawn {
		// What is drawn grows by as much with every further wave. Of demands that differ by many powers of ten the
		// trees of a few waves may differ the other way; nobody is done sooner for more waves.
		few := d.draw(j, j.drawn-2)
		short := d.forkJoin(j, few)
		more := float64(j.waves-j.drawn) / 2
		j.span += more * math.Max(0, j.line.end-few.end)
		j.response += more * math.Max(0, whole-short)
		j.phases += (j.waves - j.drawn) * (j.line.phaseCount() - few.phaseCount()) / 2
	}
}

// step is one iteration. It returns the largest change of a mean residence, and all.
func (d *detail) step(damping float64) (change float64, found []float64) {
	others := d.queues()
	for ji, j := range d.jobs {
		fresh := d.contend(j, ji, others)
		var sum, count [3]float64
		for n, g := range d.nodes {
			for i := range fresh[n] {
				t := &j.tasks[n][i]
				sum[t.kind] += float64(g.nodes) * fresh[n][i].sum()
				count[t.kind] += float64(g.nodes)
				for k := range t.stay {
					t.stay[k] += damping * (fresh[n][i][k] - t.stay[k])
				}
			}
		}
		for k := range sum {
			if count[k] > 0 {
				by := sum[k]/count[k] - j.stay[k]
				change = math.Max(change, math.Abs(by))
				j.stay[k] += damping * by
				found = append(found, j.stay[k])
			}
		}
	}
	for _, j := range d.jobs {
		d.lay(j)
	}
	return change, found
}
