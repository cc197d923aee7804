package queueing

import "math"

// A product is the state of the default model's fixpoint. Tasks are told apart by job, kind and group of nodes, so that it
// costs the same for a hundred tasks as for a hundred thousand.
type product struct {
	spec   *Spec
	groups []group
	jobs   []*productJob
}

type productJob struct {
	*Job
	demand   [3]vector   // by Kind
	stay     [][3]vector // residences by group and Kind
	slots    []int       // map slots in use, by group, of a node
	all      int         // map slots in use of the cluster
	abreast  []int       // reduces at once, by group, of a node
	flow     flow
	copies   []copying // by group
	response float64
	span     float64
}

func newProduct(s *Spec) *product {
	p := &product{spec: s, groups: groups(s)}
	for i := range s.Jobs {
		j := &productJob{Job: &s.Jobs[i]}
		j.demand = [3]vector{j.Map.vector(), j.Shuffle.vector(), j.Merge.vector()}
		// Of the map outputs that a reduce takes, its own node's do not cross the network.
		j.demand[Shuffle][Network] *= float64(s.Nodes-1) / float64(s.Nodes)
		if j.Reduces == 0 {
			j.demand[Shuffle], j.demand[Merge] = vector{}, vector{}
		}
		for _, g := range p.groups {
			slots := min(g.dealt(j.Maps, s.Nodes), s.MapSlots)
			j.slots = append(j.slots, slots)
			j.all += slots * g.nodes
			j.abreast = append(j.abreast, min(g.dealt(j.Reduces, s.Nodes), s.reduceSlots()))
			j.stay = append(j.stay, j.demand)
		}
		p.jobs = append(p.jobs, j)
		j.copies = make([]copying, len(p.groups))
	}
	for _, j := range p.jobs {
		p.lay(j)
	}
	return p
}

// lay lays out a job's timeline with the residences as they are.
func (p *product) lay(j *productJob) {
	rate, still := 0.0, 0.0
	for g, gr := range p.groups {
		n := float64(j.slots[g] * gr.nodes)
		if t := j.stay[g][Map].sum(); t > 0 {
			rate += n / t
		} else {
			still += n
		}
	}
	mapTime := 0.0
	if still == 0 {
		mapTime = float64(j.all) / rate
	}
	j.flow = newFlow(j.Job, j.all, mapTime)
	j.span = j.flow.mapsEnd
	for g := range p.groups {
		if j.abreast[g] == 0 {
			continue
		}
		j.copies[g] = j.flow.copying(j.Job, p.spec.ShuffleThreads, j.stay[g][Shuffle].sum())
		j.span = math.Max(j.span, p.reduceEnd(j, g))
	}
	j.response = p.join(j)
}

// reduceEnd is when the last reduce of a group's nodes ends.
func (p *product) reduceEnd(j *productJob, g int) float64 {
	c, merge := j.copies[g], j.stay[g][Merge].sum()
	again := math.Ceil(float64(j.Maps)/float64(p.spec.ShuffleThreads))*c.shuffle + merge
	return c.end + merge + float64(p.laterWaves(j, g))*again
}

// laterWaves is how many waves of reduces a group's nodes have after the first.
func (p *product) laterWaves(j *productJob, g int) int {
	n := p.groups[g].dealt(j.Reduces, p.spec.Nodes)
	return (n+j.abreast[g]-1)/j.abreast[g] - 1
}

func (s *Spec) reduceSlots() int { return max(s.ReduceSlots, 1) }
