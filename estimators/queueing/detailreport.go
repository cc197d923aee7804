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
		var err error
		if trees[i], err = d.evaluated(j, &j.line); err != nil {
			return nil, err
		}
		if m == Tripathi {
			if j.response, err = d.tripathi(j, trees[i]); err != nil {
				return nil, err
			}
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
	r := JobResult{Name: j.Name, Response: j.response, Span: j.span, Phases: j.line.phases(), Threads: d.threads(j)}
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

// tasksOf is how many tasks of a kind a job has; shuffles that are taken together count as one.
func (d *detail) tasksOf(j *detailJob, k Kind) float64 {
	switch k {
	case Map:
		return float64(j.Maps)
	case Shuffle:
		return float64(j.Reduces) * j.line.copiesOf(j.Maps)
	}
	return float64(j.Reduces)
}

// copiesOf is how many shuffles a reduce takes so many outputs by, if it goes on as it is drawn.
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
			v := d.asked(j, n)
			for k := range busy {
				busy[k] += float64(j.Copies) * v[k] / j.response
			}
		}
		return busy
	})
}

// asked is the service that a job asks of a node's centres; of the network, for the tasks of that node.
func (d *detail) asked(j *detailJob, n int) (v vector) {
	weight := d.weights(j, n)
	for i := range j.tasks[n] {
		t := &j.tasks[n][i]
		for k := range v {
			v[k] += weight[t.kind] * t.demand[k]
		}
	}
	return v
}

// weights is how many tasks of the job a drawn one on a node stands for, by kind.
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

func (d *detail) evaluated(j *detailJob, line *timeline) (*Tree, error) {
	t := d.tree(j, line)
	return t, t.evaluate()
}

// tripathi is a job's response by its precedence tree. Waves that were not drawn take as long each as the last that
// were.
func (d *detail) tripathi(j *detailJob, t *Tree) (float64, error) {
	if t == nil {
		return 0, nil
	}
	response := t.Mean
	if j.drawn < j.waves {
		line := d.draw(j, j.drawn-2)
		few, err := d.evaluated(j, &line)
		if err != nil {
			return 0, err
		}
		response += float64(j.waves-j.drawn) / 2 * math.Max(0, t.Mean-few.Mean)
	}
	return response, nil
}
