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
	return j.copies[g].end + merge + float64(p.laterWaves(j, g))*(p.spec.rounds(j.Maps)*j.copies[g].alone+merge)
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

// beside is the mean number of tasks of each stage that run beside a task, by the task's own stage: α and β of
// equation 6, with the tasks of a class taken together.
type beside [stages]byStage

// local returns the tasks of the same copy of the job that run beside a task on a group's node.
func (j *productJob) local(g int) (n beside) {
	maps, c := float64(j.slots[g]), &j.copies[g]
	if maps > 0 {
		n[mapping][mapping] = math.Max(0, (j.flow.mapsBeside()+1)*maps/float64(j.all)-1)
	}
	reduces := float64(j.abreast[g])
	if reduces == 0 {
		return n
	}
	n[mapping][copyingBeside] = reduces * j.copiesAtOnce(g)
	n[copyingBeside][mapping] = maps
	n[copyingBeside][copyingBeside] = reduces*c.abreast - 1
	n[copyingAlone][copyingAlone] = reduces*j.alone(g) - 1
	n[merging][merging] = reduces - 1
	return n
}

// copiesAtOnce returns the mean number of shuffles that a reduce runs at once while maps run.
func (j *productJob) copiesAtOnce(g int) float64 {
	if j.flow.mapsEnd == 0 {
		return 0
	}
	return j.copies[g].during * j.copies[g].beside / j.flow.mapsEnd
}

// alone returns the number of shuffles that a reduce runs at once when no maps run.
func (j *productJob) alone(g int) float64 {
	c := &j.copies[g]
	if c.blocked && j.Reduces <= j.reducesAbreast {
		return c.abreast
	}
	return math.Min(float64(j.threads), float64(j.Maps))
}

// cluster returns the tasks of the same copy of the job that run beside a task, in the whole cluster.
func (p *product) cluster(j *productJob, g int) (n beside) {
	n[mapping][mapping] = j.flow.mapsBeside()
	reduces := float64(j.reducesAbreast)
	for h, gr := range p.groups {
		n[mapping][copyingBeside] += float64(gr.nodes*j.abreast[h]) * j.copiesAtOnce(h)
	}
	if j.abreast[g] == 0 {
		return n
	}
	n[copyingBeside][mapping] = float64(j.all)
	n[copyingBeside][copyingBeside] = reduces*j.copies[g].abreast - 1
	n[copyingAlone][copyingAlone] = reduces*j.alone(g) - 1
	n[merging][merging] = reduces - 1
	return n
}

// step runs one iteration: new residences from equations 5 and 6, damped. It returns the largest change.
func (p *product) step() (change float64) {
	met := p.meetings()
	for ji, j := range p.jobs {
		fresh := make([][stages]vector, len(p.groups))
		lone, slots := 0.0, 0.0
		for g := range p.groups {
			local, cluster := j.local(g), p.cluster(j, g)
			for a := range stages {
				if p.has(j, g, a) {
					fresh[g][a] = p.contend(ji, g, a, local[a], cluster[a], met)
				}
			}
			if maps := float64(j.slots[g] * p.groups[g].nodes); maps > 0 {
				local[mapping][mapping], cluster[mapping][mapping] = 0, 0
				lone += maps * p.contend(ji, g, mapping, local[mapping], cluster[mapping], met).sum()
				slots += maps
			}
			if j.abreast[g] > 0 {
				local[merging][merging] = 0
				last := p.contend(ji, g, merging, local[merging], cluster[merging], met).sum()
				j.last[g] += damping * (last - j.last[g])
			}
		}
		j.lone += damping * (lone/slots - j.lone)
		for g := range fresh {
			for a := range stages {
				if !p.has(j, g, a) {
					continue
				}
				old := j.stay[g][a].sum()
				for k := range fresh[g][a] {
					j.stay[g][a][k] += damping * (fresh[g][a][k] - j.stay[g][a][k])
				}
				now := j.stay[g][a].sum()
				change = math.Max(change, math.Abs(now-old)/damping)
			}
		}
	}
	for _, j := range p.jobs {
		p.lay(j)
	}
	return change
}

// has reports whether nodes of a group run tasks of a stage.
func (p *product) has(j *productJob, g int, a stage) bool {
	if a == mapping {
		return j.slots[g] > 0
	}
	return j.abreast[g] > 0
}

// contend returns the residence of a task at its centres among the tasks beside it.
//
// Equation 6: at centre k, task i stays D_ik·(1 + Σ_j α_ij·Q_jk). Q_jk is the share of its time that task j spends
// there. Equation 5: task i finds j as it would be without i, which delays it: (R_jk - D_jk·Q_ik) / (R_j - Σ_l
// D_jl·Q_il).
func (p *product) contend(ji, g int, a stage, local, cluster byStage, met meetings) vector {
	j := p.jobs[ji]
	own := j.stay[g][a]
	f := finder{servers: p.spec.servers(), task: j.demand[a]}
	for k := range f.own {
		f.own[k] = own.share(CentreKind(k))
	}
	for b, n := range local {
		f.find(n, j.stay[g][b], j.demand[b], false)
		f.find(cluster[b]-n, met[ji].mean[b], j.demand[b], true)
	}
	return p.meet(&f, ji, g, met)
}
