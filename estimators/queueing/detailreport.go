package queueing

import (
	"errors"
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
	f := iterate(o, d.step)
	var all []outcome
	var warnings []Warning
	for _, j := range d.jobs {
		one := d.outcome(j)
		one.tree = d.tree(j, &j.line)
		one.tree.evaluate()
		if m == Tripathi {
			one.response = d.tripathi(j, one.tree)
		}
		all = append(all, one)
		if j.drawn < j.waves {
			warnings = append(warnings, Warning{"few_waves", fmt.Sprintf(
				"job %q: %d of %d waves of maps were followed, and the others taken as the last of these", j.Name,
				j.drawn, j.waves)})
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

// ErrTooLarge means that a model which follows tasks one by one would take too long. Product has no such bound.
var ErrTooLarge = errors.New("too large for this model")

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
