package hadoop

import (
	"context"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// When a job has ended, the history server's sums over its tasks are held against what its tasks were last heard to have
// done. Where they differ, an answer about a task was an old one, or none came: the tasks of that kind are asked again.

type sumBody struct {
	Counters box[struct {
		Groups list[struct {
			Name     text `json:"counterGroupName"`
			Counters list[struct {
				Name   text `json:"name"`
				Map    num  `json:"mapCounterValue"`
				Reduce num  `json:"reduceCounterValue"`
			}] `json:"counter"`
		}] `json:"counterGroup"`
	}] `json:"jobCounters"`
}

// A sum is what the tasks of a phase have read and written together, in tuples; NaN where that is not known.
type sum struct{ in, out float64 }

func (b *sumBody) sums() (all [2]sum) {
	none := sum{math.NaN(), math.NaN()}
	all = [2]sum{none, none}
	for _, g := range b.Counters.v.Groups {
		for _, c := range g.Counters {
			switch c.Name {
			case "MAP_INPUT_RECORDS":
				all[dag.Map].in = c.Map.float()
			case "MAP_OUTPUT_RECORDS":
				all[dag.Map].out = c.Map.float()
			case "REDUCE_INPUT_RECORDS":
				all[dag.Reduce].in = c.Reduce.float()
			case "REDUCE_OUTPUT_RECORDS":
				all[dag.Reduce].out = c.Reduce.float()
			}
		}
	}
	return all
}

// sum is what the phase's results were heard to be.
func (p *phase) sum(k dag.Kind) sum {
	var all sum
	for _, t := range p.tasks {
		for i := range t.attempts {
			a := &t.attempts[i]
			if a.Number != t.success || a.State != dag.AttemptSucceeded {
				continue
			}
			if k == dag.Map {
				all.in += a.Done[0]
			} else {
				all.in += a.Done[dag.Work]
			}
			all.out += a.Out
		}
	}
	return all
}

// differ says that two sums are not the same. What the history server does not tell does not differ; what no task told does.
func (s sum) differ(heard sum) bool {
	return !math.IsNaN(s.in) && s.in != heard.in || !math.IsNaN(s.out) && s.out != heard.out
}

// observeSums compares jobs of which everything was heard, once each, and has tasks asked again.
func (s *Source) observeSums(ctx context.Context, visits []*visit) {
	bodies, errs := make([]sumBody, len(visits)), make([]error, len(visits))
	questions := make([]func(context.Context), len(visits))
	for i, v := range visits {
		questions[i] = func(ctx context.Context) {
			body, err := v.get(ctx, "/counters")
			bodies[i], errs[i] = get[sumBody](ctx, v.job.id+"/counters", body, err)
		}
	}
	ask(ctx, questions...)
	for i, v := range visits {
		switch {
		case errs[i] == nil:
			v.job.summed = true
			v.recheck(bodies[i].sums())
		case refused(errs[i]):
			v.job.summed = true
		default:
			v.trouble = true
		}
	}
}

func (v *visit) recheck(told [2]sum) {
	for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
		p := &v.job.phases[k]
		if !told[k].differ(p.sum(k)) {
			continue
		}
		for _, t := range p.tasks {
			if t.state == "SUCCEEDED" {
				t.settled, t.tries, v.trouble = false, 0, true
			}
		}
	}
}
