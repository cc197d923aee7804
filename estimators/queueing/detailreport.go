package queueing

import (
	"fmt"
	"math"
)

func solveDetail(s *Spec, m Model, o Options) (*Result, error) {
	if err := s.bounded(m); err != nil {
		return nil, err
	}
	d := newDetail(s, pipelined)
	if m == ViannaTable4 {
		d = newDetail(s, readingA)
	}
	r := &Result{Model: m, Fixpoint: iterate(o, d.step)}
	trees := make([]*Tree, len(d.jobs))
	for i, j := range d.jobs {
		trees[i] = d.tree(j, &j.line)
		trees[i].evaluate()
		if m == Tripathi {
			j.response = d.tripathi(j, trees[i])
		}
	}
	d.saturate(r)
	for i, j := range d.jobs {
		r.Jobs = append(r.Jobs, d.result(j))
		r.Jobs[i].Tree = trees[i]
		if j.drawn < j.waves {
			r.Warnings = append(r.Warnings, Warning{"few_waves", fmt.Sprintf(
				"job %q: %d of %d waves of maps were followed, and the others taken as the last of these", j.Name,
				j.drawn, j.waves)})
		}
	}
	if m == ViannaTable4 {
		r.Warnings = append(r.Warnings, calibrated)
	}
	r.Centres = d.centres()
	r.Bottleneck = busiest(r.Centres)
	return r, nil
}

func (d *detail) saturate(r *Result) {
	if most := r.saturated(d.centres()); most > 1 {
		for _, j := range d.jobs {
			j.response *= most
		}
	}
}

func (d *detail) result(j *detailJob) JobResult {
	r := JobResult{Name: j.Name, Response: j.response, Span: j.span, Phases: j.line.phases()}
	if j.response > 0 {
		r.Throughput = float64(j.Copies) / j.response
	}
	var demand, stay [3]vector
	var count [3]float64
	for n, g := range d.nodes {
		for i := range j.tasks[n] {
			t := &j.tasks[n][i]
			count[t.kind] += float64(g.nodes)
			for k := range t.stay {
				demand[t.kind][k] += float64(g.nodes) * t.demand[k]
				stay[t.kind][k] += float64(g.nodes) * t.stay[k]
			}
		}
	}
	for k := range count {
		if count[k] == 0 {
			continue
		}
		r.Classes = append(r.Classes, Class{
			Kind(k), int(math.Round(d.tasksOf(j, Kind(k)))), demand[k].over(count[k]),
			stay[k].over(count[k]),
		})
	}
	return r
}

// tasksOf returns the number of tasks of a kind in a job. Shuffles that are copied as a group count as one.
func (d *detail) tasksOf(j *detailJob, k Kind) float64 {
	switch k {
	case Map:
		return float64(j.Maps)
	case Shuffle:
		return float64(j.Reduces) * j.line.copiesOf(j.Maps)
	}
	return float64(j.Reduces)
}

// copiesOf scales the number of drawn shuffles of a reduce to that many map outputs.
func (t *timeline) copiesOf(maps int) float64 {
	if len(t.maps) == 0 {
		return 0
	}
	return float64(len(t.copies)) * float64(maps) / float64(len(t.maps))
}

func (d *detail) centres() []Centre {
	return centres(d.spec, d.nodes, func(n int) (busy vector) {
		for _, j := range d.jobs {
			if j.response == 0 {
				continue
			}
			v := d.demandAt(j, n)
			for k := range busy {
				busy[k] += float64(j.Copies) * v[k] / j.response
			}
		}
		return busy
	})
}

// demandAt returns the service demand of a job at a node's centres; at the network, the demand of that node's tasks.
func (d *detail) demandAt(j *detailJob, n int) (v vector) {
	weight := d.weights(j, n)
	for i := range j.tasks[n] {
		t := &j.tasks[n][i]
		for k := range v {
			v[k] += weight[t.kind] * t.demand[k]
		}
	}
	return v
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
	response := t.Mean
	if j.drawn < j.waves {
		line := d.draw(j, j.drawn-2)
		few := d.tree(j, &line)
		few.evaluate()
		response += float64(j.waves-j.drawn) / 2 * math.Max(0, t.Mean-few.Mean)
	}
	return response
}

// maxMeetings limits the cost of an iteration to some hundredths of a second. A solution takes 500 iterations at
// most.
const maxMeetings = 1_000_000

// A SizeError reports that a model which follows tasks one by one would take too long.
type SizeError struct {
	Model    Model
	Job      string  // the job with the most meetings
	Jobs     int     // number of all jobs
	Meetings float64 // approximate number of overlapping pairs of tasks, over all jobs
}

func (e *SizeError) Error() string {
	of := ""
	if e.Jobs > 1 {
		of = fmt.Sprintf(" and %d more", e.Jobs-1)
	}
	return fmt.Sprintf("job %q%s: model %s follows tasks one by one, and about %.2g pairs of them meet: at most %.2g can be followed; "+
		"use the model %s, which has no such bound", e.Job, of, e.Model, e.Meetings, float64(maxMeetings), Product)
}

// bounded returns a *SizeError if all jobs together have more than maxMeetings meetings. Jobs meet each other at the
// CPUs of each node.
func (s *Spec) bounded(m Model) error {
	nodes := s.Nodes
	if nodes > exactNodes {
		nodes = len(groups(s))
	}
	others := float64(nodes) * float64(min(s.CPUs, s.MapSlots+1)) * float64(len(s.Jobs)-1)
	e := &SizeError{Model: m, Jobs: len(s.Jobs)}
	most := -1.0
	for i := range s.Jobs {
		n := estimatedMeetings(s, &s.Jobs[i], float64(nodes)) + others
		if e.Meetings += n; n > most {
			most, e.Job = n, s.Jobs[i].Name
		}
	}
	if e.Meetings > maxMeetings {
		return e
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
