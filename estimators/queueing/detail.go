package queueing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A detail is the state of a fixpoint that follows tasks one by one, as the paper does (§3.4 to §3.6). A map slot j
// of a node always uses CPU j and disk j; a reduce uses the last ones. Nodes beyond exactNodes and waves beyond
// exactMaps are represented by similar ones.
type detail struct {
	spec    *Spec
	reading reading
	nodes   []group
	jobs    []*detailJob
}

// A reading settles points that the paper leaves open.
type reading struct {
	exponential bool // tasks overlap with exponential times; else with the drawn times
	firstEarly  bool // the first map ends at the mean of the minimum of the first wave's exponential times
	grouped     bool // a reduce copies up to p_s outputs as one task with p_s times the demand; else as parallel tasks
	// pipelined maps end one after the other, at the rate of exponential tasks in all slots. Threads then wait for
	// each other only at the last map and the last merge. Otherwise maps end in waves, and threads wait at the end of
	// each phase.
	pipelined bool
}

var (
	// pipelined is the reading with a fork/join estimate that is above the simulation, by less than 15%, in all
	// settings of Fig. 7 to 9, as in the paper (docs/evidence/models.md).
	pipelined = reading{pipelined: true}
	// readingA is the reading that comes closest to the fork/join column of Table 4.
	readingA = reading{exponential: true, firstEarly: true, grouped: true}
)

const (
	exactNodes = 16
	exactMaps  = 256 // the largest job of Fig. 7
	// atLeastWaves is the minimum of drawn waves, for any number of slots.
	atLeastWaves = 4
)

type detailJob struct {
	*Job
	slots   int // map slots in use in the cluster
	waves   int
	drawn   int        // waves that are followed
	stay    [3]float64 // mean residence of a task by Kind, which the timeline uses
	tasks   [][]task   // by node
	line    timeline
	abreast []int

	response, span float64
}

// A task uses one CPU, one disk and the fibre of its node, and the network.
type task struct {
	kind       Kind
	id         int // index among the node's tasks; it stays the same when the order of starts changes
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

// lay draws a job's timeline and places its tasks on the nodes. It keeps the residences found before.
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
		slices.SortStableFunc(fresh[n], func(a, b task) int { return cmp.Compare(a.start, b.start) })
	}
	j.tasks = fresh
	whole := d.forkJoin(j, j.line)
	j.span, j.response = j.line.end, whole
	if j.waves > j.drawn {
		// The drawn response grows by a fixed amount with each further wave. If demands differ by many powers of ten,
		// the trees of a few waves may shrink; but more waves never end sooner.
		few := d.draw(j, j.drawn-2)
		short := d.forkJoin(j, few)
		more := float64(j.waves-j.drawn) / 2
		j.span += more * math.Max(0, j.line.end-few.end)
		j.response += more * math.Max(0, whole-short)
	}
}

// step runs one iteration. It returns the largest change of a mean residence.
func (d *detail) step() (change float64) {
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
			}
		}
	}
	for _, j := range d.jobs {
		d.lay(j)
	}
	return change
}

// A nodeLoad is the mean number of tasks of one copy of a job at each centre of a node, over the job's response: β of
// equation 6.
type nodeLoad struct {
	cpu, disk []float64 // by CPU and disk; nil: none
	at        vector    // at fibres and the network; the network's value sums over all nodes
}

// queues returns the loads by job and node.
func (d *detail) queues() [][]nodeLoad {
	q := make([][]nodeLoad, len(d.jobs))
	alone := len(d.jobs) == 1 && d.jobs[0].Copies == 1
	for i, j := range d.jobs {
		q[i] = make([]nodeLoad, len(d.nodes))
		if !alone && j.response > 0 {
			d.spread(j, q[i])
		}
	}
	return q
}

// spread computes where a job's tasks are. Waves that were not drawn count like those that were.
func (d *detail) spread(j *detailJob, loads []nodeLoad) {
	network := 0.0
	for n, g := range d.nodes {
		l := &loads[n]
		l.cpu, l.disk = make([]float64, d.spec.servers()[CPU]), make([]float64, d.spec.servers()[Disk])
		weights := d.weights(j, n)
		for i := range j.tasks[n] {
			t := &j.tasks[n][i]
			weight := weights[t.kind] / j.response
			for k := range t.stay {
				l.at[k] += weight * t.stay[k]
			}
			l.cpu[t.cpu] += weight * t.stay[CPU]
			l.disk[t.disk] += weight * t.stay[Disk]
		}
		network += float64(g.nodes) * l.at[Network]
	}
	for n := range loads {
		loads[n].at[Network] = network
	}
}

// seen returns the mean number of other copies' and jobs' tasks that a task meets on a node, at one of its CPUs and
// one of its disks.
func (d *detail) seen(q [][]nodeLoad, job, n, cpu, disk int) (v vector) {
	for i, j := range d.jobs {
		copies, l := float64(j.Copies), &q[i][n]
		if i == job {
			copies--
		}
		v[Fibre] += copies * l.at[Fibre]
		v[Network] += copies * l.at[Network]
		if l.cpu != nil {
			v[CPU] += copies * l.cpu[cpu]
			v[Disk] += copies * l.disk[disk]
		}
	}
	return v
}

// phases cuts the timeline at the wake-ups of blocked reduces. If there are very many phases, it merges the middle
// ones.
func (t *timeline) phases() []Phase {
	var all []Phase
	for _, p := range t.intervals() {
		all = append(all, Phase{p.from, p.to, 1})
	}
	if many := len(all) - listedPhases; many > 0 {
		at := listedPhases / 2
		all[at] = Phase{all[at].Start, all[at+many].End, many + 1}
		all = append(all[:at+1], all[at+many+1:]...)
	}
	return all
}

func solveDetail(s *Spec, m Model, o Options) (*Result, error) {
	if err := s.bounded(m); err != nil {
		return nil, err
	}
	d := newDetail(s, pipelined)
	if m == ViannaTable4 {
		d = newDetail(s, readingA)
	}
	f := iterate(o, d.step)
	var all []outcome
	var warnings []dag.Warning
	for _, j := range d.jobs {
		one := d.outcome(j)
		one.tree = d.tree(j, &j.line)
		one.tree.evaluate()
		if m == Tripathi {
			one.response = d.tripathi(j, one.tree)
		}
		all = append(all, one)
		if j.drawn < j.waves {
			warnings = append(warnings, dag.Warningf("few_waves",
				"job %q: %d of %d waves of maps were followed, and the others taken as the last of these", j.Name,
				j.drawn, j.waves))
		}
	}
	if m == ViannaTable4 {
		warnings = append(warnings, calibrated)
	}
	r := resultOf(s, d.nodes, all)
	r.Model, r.Fixpoint, r.Warnings = m, f, append(r.Warnings, warnings...)
	return r, nil
}

func (d *detail) outcome(j *detailJob) outcome {
	o := outcome{job: j.Job, response: j.response, span: j.span, phases: j.line.phases()}
	for n, g := range d.nodes {
		var asked vector // at the network, by that node's tasks
		weight := d.weights(j, n)
		for i := range j.tasks[n] {
			t := &j.tasks[n][i]
			for k := range asked {
				asked[k] += weight[t.kind] * t.demand[k]
			}
			o.classes[t.kind].add(float64(g.nodes), t.demand, t.stay)
		}
		o.asked = append(o.asked, asked)
	}
	// Shuffles that are copied as a group count as one.
	shuffles := int(math.Round(float64(j.Reduces) * j.line.copiesOf(j.Maps)))
	for k, count := range []int{j.Maps, shuffles, j.Reduces} {
		o.classes[k].count = count
	}
	return o
}

// copiesOf scales the number of drawn shuffles of a reduce to that many map outputs.
func (t *timeline) copiesOf(maps int) float64 {
	if len(t.maps) == 0 {
		return 0
	}
	return float64(len(t.copies)) * float64(maps) / float64(len(t.maps))
}

// weights returns how many tasks of the job one drawn task on a node represents, by kind.
func (d *detail) weights(j *detailJob, n int) (w [3]float64) {
	var drawn [3]float64
	for i := range j.tasks[n] {
		drawn[j.tasks[n][i].kind]++
	}
	reduces := float64(d.nodes[n].dealt(j.Reduces, d.spec.Nodes))
	all := [3]float64{
		float64(j.Maps) * drawn[Map] / math.Max(1, float64(len(j.line.maps))),
		reduces * j.line.copiesOf(j.Maps), reduces,
	}
	for k := range w {
		if drawn[k] > 0 {
			w[k] = all[k] / drawn[k]
		}
	}
	return w
}

// tripathi returns a job's response from its precedence tree. Waves that were not drawn take as long as the last
// drawn ones.
func (d *detail) tripathi(j *detailJob, t *Tree) float64 {
	if t == nil {
		return 0
	}
	response := float64(t.Mean)
	if j.drawn < j.waves {
		line := d.draw(j, j.drawn-2)
		few := d.tree(j, &line)
		few.evaluate()
		response += float64(j.waves-j.drawn) / 2 * math.Max(0, float64(t.Mean-few.Mean))
	}
	return response
}

// maxMeetings limits the cost of an iteration to some hundredths of a second. A solution takes 500 iterations at
// most.
const maxMeetings = 1_000_000

// ErrTooLarge means that a simulation, or a model which follows tasks one by one, would take too long. Product has no
// such bound.
var ErrTooLarge = errors.New("too large")

// bounded returns an error that is ErrTooLarge if all jobs together have more than maxMeetings meetings. Jobs meet each
// other at the CPUs of each node.
func (s *Spec) bounded(m Model) error {
	nodes := s.Nodes
	if nodes > exactNodes {
		nodes = len(groups(s))
	}
	all := float64(len(s.Jobs)*(len(s.Jobs)-1)) * float64(nodes) * float64(min(s.CPUs, s.MapSlots+1))
	for i := range s.Jobs {
		all += estimatedMeetings(s, &s.Jobs[i], float64(nodes))
	}
	if all > maxMeetings {
		return fmt.Errorf("%w: %s follows tasks one by one, and about %.2g pairs of them meet: at most %.2g can be followed; "+
			"use the model %s", ErrTooLarge, m, all, float64(maxMeetings), Product)
	}
	return nil
}

// estimatedMeetings estimates how many pairs of drawn tasks meet: shuffles with the maps and reduces of their node,
// and with shuffles of other nodes in the network. Drawing a task costs as much as several meetings.
func estimatedMeetings(s *Spec, j *Job, nodes float64) float64 {
	slots := min(s.Nodes*s.MapSlots, j.Maps)
	waves := min((j.Maps+slots-1)/slots, max(atLeastWaves, exactMaps/slots))
	reduces := min(float64(j.Reduces)/float64(s.Nodes), float64(s.reduceSlots()))
	perNode, maps := float64(slots)/float64(s.Nodes), float64(slots)*float64(waves)
	shuffles := max(1, reduces) * maps
	if j.Reduces == 0 {
		shuffles = 0
	}
	const drawing = 10
	mine := perNode * float64(waves)
	return nodes * (shuffles*(drawing+perNode+reduces+nodes*reduces) + mine*(drawing+perNode))
}
