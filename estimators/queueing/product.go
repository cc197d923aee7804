package queueing

import (
	"fmt"
	"math"
)

// A product is the state of the default model's fixpoint. Tasks are grouped by job, stage and group of nodes, so the
// cost does not depend on the number of tasks.
type product struct {
	spec   *Spec
	groups []group
	jobs   []*productJob
	rule   rule
	others []metCopy // scratch space for the current task; kept to reuse its memory
}

// A stage is a kind of task. Shuffles beside maps and shuffles alone are two stages, because they meet different
// queues.
type stage int

const (
	mapping stage = iota
	copyingBeside
	copyingAlone
	merging
	stages
)

func (s stage) kind() Kind { return [...]Kind{Map, Shuffle, Shuffle, Merge}[s] }

// byStage is a number of tasks, or a similar quantity, by stage.
type byStage [stages]float64

type productJob struct {
	*Job
	demand  [stages]vector
	stay    [][stages]vector // residences, by group
	slots   []int            // used map slots of a node, by group
	all     int              // of the cluster
	abreast []int            // parallel reduces of a node, by group

	reducesAbreast int // of the cluster
	threads        int // p_s

	flow     flow
	copies   []copying // by group
	lone     float64   // seconds of a map without other maps of the same copy
	last     []float64 // seconds of a merge without other merges on its node, by group
	response float64
	span     float64
}

func newProduct(s *Spec) *product {
	p := &product{spec: s, groups: groups(s), rule: newRule()}
	for i := range s.Jobs {
		j := &productJob{Job: &s.Jobs[i], copies: make([]copying, len(p.groups)), threads: s.ShuffleThreads}
		j.demand[mapping] = j.Map.vector()
		if j.Reduces > 0 {
			shuffle := j.Shuffle.vector()
			// The map outputs of a reduce's own node do not cross the network.
			shuffle[Network] *= float64(s.Nodes-1) / float64(s.Nodes)
			j.demand[copyingBeside], j.demand[copyingAlone], j.demand[merging] = shuffle, shuffle, j.Merge.vector()
		}
		for _, g := range p.groups {
			slots := min(g.dealt(j.Maps, s.Nodes), s.MapSlots)
			j.slots = append(j.slots, slots)
			j.all += slots * g.nodes
			j.abreast = append(j.abreast, min(g.dealt(j.Reduces, s.Nodes), s.reduceSlots()))
			j.reducesAbreast += j.abreast[len(j.abreast)-1] * g.nodes
			j.stay = append(j.stay, j.demand)
			j.last = append(j.last, j.demand[merging].sum())
		}
		j.lone = j.demand[mapping].sum()
		p.jobs = append(p.jobs, j)
		p.lay(j)
	}
	return p
}

// lay computes a job's timeline and response from the current residences.
func (p *product) lay(j *productJob) {
	j.flow = newFlow(j.Job, j.all, p.mapTime(j))
	j.span = j.flow.mapsEnd
	for g := range p.groups {
		if j.abreast[g] == 0 {
			continue
		}
		j.copies[g] = j.flow.copying(j.Job, p.spec.ShuffleThreads, j.stay[g][copyingBeside].sum(),
			j.stay[g][copyingAlone].sum())
		j.span = math.Max(j.span, p.reduceEnd(j, g))
	}
	j.response = p.join(j)
}

// mapTime returns the mean time of a map over all maps. Nodes with slower maps run fewer of them.
func (p *product) mapTime(j *productJob) float64 {
	rate := 0.0
	for g, gr := range p.groups {
		if j.slots[g] > 0 {
			rate += float64(j.slots[g]*gr.nodes) / j.stay[g][mapping].sum()
		}
	}
	return float64(j.all) / rate // 0 for maps without demand: their rate is infinite
}

// reduceEnd returns the time at which the last reduce of a group's nodes ends.
func (p *product) reduceEnd(j *productJob, g int) float64 {
	merge := j.stay[g][merging].sum()
	return j.copies[g].end + merge + float64(p.laterWaves(j, g))*(p.rounds(j)*j.copies[g].alone+merge)
}

// rounds returns the number of consecutive shuffles that copy all map outputs.
func (p *product) rounds(j *productJob) float64 {
	return math.Ceil(float64(j.Maps) / float64(p.spec.ShuffleThreads))
}

// laterWaves returns the number of waves of reduces after the first on a group's nodes.
func (p *product) laterWaves(j *productJob, g int) int {
	n := p.groups[g].dealt(j.Reduces, p.spec.Nodes)
	return (n+j.abreast[g]-1)/j.abreast[g] - 1
}

// tasks returns the number of tasks of each stage that a node of a group runs for one copy of a job.
func (p *product) tasks(j *productJob, g int) (n byStage) {
	n[mapping] = float64(j.Maps) * float64(j.slots[g]) / float64(j.all)
	if t := j.stay[g][mapping].sum(); t > 0 {
		n[mapping] *= j.flow.mapTime / t
	}
	n[merging] = float64(p.groups[g].dealt(j.Reduces, p.spec.Nodes))
	n[copyingBeside] = float64(j.abreast[g]) * j.copies[g].during
	n[copyingAlone] = n[merging]*float64(j.Maps) - n[copyingBeside]
	return n
}

func (s *Spec) reduceSlots() int { return max(s.ReduceSlots, 1) }

func solveProduct(s *Spec, o Options) (*Result, error) {
	p := newProduct(s)
	r := &Result{Model: Product, Fixpoint: iterate(o, p.step)}
	p.saturate(r)
	if s.several() {
		r.Warnings = append(r.Warnings, severalJobs)
	}
	for _, j := range p.jobs {
		r.Jobs = append(r.Jobs, p.result(j))
	}
	r.Centres = p.centres()
	r.Bottleneck = busiest(r.Centres)
	return r, nil
}

// saturate stretches the responses so that no centre is busy for longer than the jobs take. No queueing model may
// break this bound.
func (p *product) saturate(r *Result) {
	if most := r.saturated(p.centres()); most > 1 {
		for _, j := range p.jobs {
			j.response *= most
		}
	}
}

// saturated returns the utilisation of the busiest centre, and adds a warning if it is above 1.
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
	r := JobResult{Name: j.Name, Response: j.response, Span: j.span, Phases: p.phases(j)}
	if j.response > 0 {
		r.Throughput = float64(j.Copies) / j.response
	}
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

// centres returns the utilisation of each server: demand over time.
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

// centres returns the centres of grouped nodes, from the busy seconds per second at each centre of a group's node.
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
