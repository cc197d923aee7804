package queueing

import "fmt"

func solveProduct(s *Spec, o Options) (*Result, error) {
	p := newProduct(s)
	r := &Result{Model: Product, Fixpoint: iterate(o, p.step)}
	p.saturate(r)
	if s.several() {
		r.Warnings = append(r.Warnings, severalJobs)
	}
	for i, j := range p.jobs {
		r.Jobs = append(r.Jobs, p.result(j))
		if err := r.Jobs[i].Tree.evaluate(); err != nil {
			return nil, err
		}
	}
	r.Centres = p.centres()
	r.Bottleneck = busiest(r.Centres)
	return r, nil
}

// saturate holds that no centre is busy for longer than the jobs take: a bound that no model of the queues may break.
func (p *product) saturate(r *Result) {
	if most := r.saturated(p.centres()); most > 1 {
		for _, j := range p.jobs {
			j.response *= most
		}
	}
}

// saturated is the utilisation of the busiest centre, which is warned about where it cannot be.
func (r *Result) saturated(all []Centre) float64 {
	c := all[busiest(all)]
	if c.Utilisation > 1 {
		r.Warnings = append(r.Warnings, Warning{"saturated", fmt.Sprintf(
			"the model would have the %s busy for %.3g of the time: the response is what its work takes", c.Kind,
			c.Utilisation)})
	}
	return c.Utilisation
}

func (p *product) result(j *productJob) JobResult {
	r := JobResult{Name: j.Name, Response: j.response, Span: j.span}
	if j.response > 0 {
		r.Throughput = float64(j.Copies) / j.response
	}
	r.Phases, r.Threads, r.Tree = p.phases(j), p.threads(j), p.tree(j)
	var kinds [3]struct {
		tasks        float64
		demand, stay vector
	}
	for g, gr := range p.groups {
		for a, n := range p.tasks(j, g) {
			k := &kinds[stage(a).kind()]
			n *= float64(gr.nodes)
			k.tasks += n
			for c := range k.stay {
				k.demand[c] += n * j.demand[a][c]
				k.stay[c] += n * j.stay[g][a][c]
			}
		}
	}
	for k, count := range []int{j.Maps, j.Maps * j.Reduces, j.Reduces} {
		if count > 0 {
			all := &kinds[k]
			r.Classes = append(r.Classes, Class{Kind(k), count, all.demand.over(all.tasks), all.stay.over(all.tasks)})
		}
	}
	return r
}

// centres are the utilisations: demand over time, of each server.
func (p *product) centres() []Centre {
	return centres(p.spec, p.groups, func(g int) (busy vector) {
		for _, j := range p.jobs {
			if j.response == 0 {
				continue
			}
			for a, n := range p.tasks(j, g) {
				for k := range busy {
					busy[k] += float64(j.Copies) * n * j.demand[a][k] / j.response
				}
			}
		}
		return busy
	})
}

// centres are those of nodes in groups, on each of which so much of a centre's time is asked for a second.
func centres(s *Spec, nodes []group, asked func(g int) vector) []Centre {
	var all []Centre
	network := 0.0
	for i, g := range nodes {
		busy := asked(i)
		network += float64(g.nodes) * busy[Network]
		for k := CPU; k <= Disk; k++ {
			n := s.servers()[k]
			all = append(all, Centre{
				Kind: k, Node: g.first, Nodes: g.nodes, Servers: n,
				Utilisation: busy[k] / float64(n),
			})
		}
	}
	return append(all, Centre{Kind: Network, Node: -1, Nodes: 1, Servers: 1, Utilisation: network})
}

func busiest(all []Centre) int {
	best := 0
	for i := range all {
		if all[i].Utilisation > all[best].Utilisation {
			best = i
		}
	}
	return best
}
