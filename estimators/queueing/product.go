package queueing

import "math"

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

func solveProduct(s *Spec, o Options) *Result {
	p := newProduct(s)
	f := iterate(o, p.step)
	var all []outcome
	for _, j := range p.jobs {
		all = append(all, p.outcome(j))
	}
	r := resultOf(s, p.groups, all)
	r.Fixpoint = f
	if s.Several() {
		r.Warnings = append(r.Warnings, severalJobs)
	}
	return r
}

func (p *product) outcome(j *productJob) outcome {
	o := outcome{job: j.Job, response: j.response, span: j.span, phases: p.phases(j)}
	for g, gr := range p.groups {
		var asked vector
		for a, n := range p.tasks(j, g) {
			for k := range asked {
				asked[k] += n * j.demand[a][k]
			}
			o.classes[stage(a).kind()].add(n*float64(gr.nodes), j.demand[a], j.stay[g][a])
		}
		o.asked = append(o.asked, asked)
	}
	for k, count := range []int{j.Maps, j.Maps * j.Reduces, j.Reduces} {
		o.classes[k].count = count
	}
	return o
}
