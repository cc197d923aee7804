package spark

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// twin returns the newest stage before s that writes the same shuffle, or nil.
func (p *planner) twin(s *stage) *stage {
	for _, of := range slices.Backward(p.writers[s.shuffle]) {
		if of.id < s.id {
			return of
		}
	}
	return nil
}

// parentsOf returns the ids of the stages that a stage of a job reads. If they are unknown, it returns a guess.
func (j *job) parentsOf(s *stage) []int {
	if s.parents != nil {
		return s.parents
	}
	return j.guess()[s]
}

// guess guesses the dependencies between the stages of a job. Parents have smaller ids. The RDD that reads a shuffle
// often follows directly after the last RDD of the stage that writes it. Every stage that no other stage reads is a
// parent of the job's last stage.
func (j *job) guess() map[*stage][]int {
	out, last := make(map[*stage][]int, len(j.stages)), j.last()
	for i, p := range j.stages {
		read := false
		for _, s := range j.stages[i+1:] {
			if len(p.rdds) == 0 {
				break
			}
			if _, found := slices.BinarySearch(s.rdds, p.rdds[len(p.rdds)-1]+1); found {
				out[s], read = append(out[s], p.id), true
			}
		}
		if p != last && !read {
			out[last] = append(out[last], p.id)
		}
	}
	return out
}

// final reports whether a stage is the last one of all its jobs and writes no shuffle, so that it has the jobs'
// results. A query stage of adaptive execution is the last stage of its job too, but it writes a shuffle for later
// jobs.
func (s *stage) final() bool {
	return !s.writes && len(s.jobs) > 0 && !slices.ContainsFunc(s.jobs, func(j *job) bool { return j.last() != s })
}

// read reports whether a running job may read the output of a stage.
func (s *stage) read() bool {
	return slices.ContainsFunc(s.jobs, func(j *job) bool { return !j.hasEnded() })
}

// lacking marks the stages of a job that Spark's scheduler will still submit. A submitted stage has its input, so
// its unsubmitted parents are not lacking, unless the stage has failed.
func (p *planner) lacking(j *job) map[int]bool {
	if j.hasEnded() || j.last() == nil {
		return nil
	}
	out, seen := map[int]bool{}, map[int]bool{}
	var visit func(id, depth int)
	visit = func(id, depth int) {
		s := p.stages[id]
		if !s.listed() || seen[id] || depth > mostListed {
			return
		}
		seen[id] = true
		if s.ran() && s.status != "FAILED" {
			return
		}
		if !s.ran() {
			if w := p.twin(s); s != j.last() && w != nil && w.done() {
				return // Spark skips it
			}
			out[id] = true
		}
		for _, parent := range j.parentsOf(s) {
			visit(parent, depth+1)
		}
		if out[id] && p.passedOver(j, s, out) {
			delete(out, id)
		}
	}
	visit(j.last().id, 0)
	return out
}

// passedOver reports whether Spark will skip a waiting stage although no known stage has written its output. The
// driver may have dropped the stage that wrote it. On submission of a job Spark submits all stages that have their
// input. A stage therefore has its output already if another stage of its job was submitted and its own parents have
// nothing to run. lacks are the stages that have to run, including parents of s.
func (p *planner) passedOver(j *job, s *stage, lacks map[int]bool) bool {
	for p.stages[p.listedBelow].listed() { // Spark numbers stages without gaps
		p.listedBelow++
	}
	if s.parents == nil || s == j.last() || s.id <= p.listedBelow {
		return false
	}
	for _, id := range s.parents {
		if of := p.stages[id]; lacks[id] || of != nil && of.ran() {
			return false
		}
	}
	return slices.ContainsFunc(j.stages, (*stage).ran)
}

// edges returns the edges into a stage: barriers from the stages that it reads, or else broadcasts from the last
// stages of the preceding jobs.
func (p *planner) edges(s *stage) []dag.Edge {
	var out []dag.Edge
	add := func(of *stage, kind dag.EdgeKind) {
		if of != nil && of.planPlace > 0 && of.planPlace < s.planPlace {
			//nolint:gosec // G115: bounded by mostStages
			out = append(out, dag.Edge{From: dag.StageIndex(of.planPlace - 1), Kind: kind})
		}
	}
	own := false // the stage waits for a stage of its own job
	for _, j := range s.jobs {
		for _, id := range j.parentsOf(s) {
			of := p.stages[id]
			own = own || of != nil && of.planPlace > 0
			add(p.writerOf(of), dag.Barrier)
		}
	}
	if !own {
		for _, j := range s.jobs {
			for _, last := range p.before(j) {
				add(last, dag.Broadcast)
			}
		}
	}
	return inOrderOfStages(out)
}

// writerOf returns a stage, or else the stage in the plan that has written the same shuffle.
func (p *planner) writerOf(s *stage) *stage {
	if s != nil && s.planPlace == 0 {
		return p.twin(s)
	}
	return s
}

// inOrderOfStages sorts edges, and keeps the first one from each stage.
func inOrderOfStages(edges []dag.Edge) []dag.Edge {
	slices.SortStableFunc(edges, func(x, y dag.Edge) int { return cmp.Compare(x.From, y.From) })
	return slices.CompactFunc(edges, func(x, y dag.Edge) bool { return x.From == y.From })
}

// before returns the last stages of the jobs that had to end before j was submitted, judged by times. These are the
// jobs that had ended by then, except those that ended before another of these was submitted. They do not change any
// more once j has ended.
func (p *planner) before(j *job) []*stage {
	if j.before != nil || !j.submitted.Known() {
		return j.before
	}
	latest, out := dag.NoInstant, []*stage{} // the latest submission of a job that had ended
	var ended []*job
	for _, k := range p.unitJobs() {
		if k != j && k.completed.Known() && k.submitted.Known() && k.completed <= j.submitted {
			ended, latest = append(ended, k), max(latest, k.submitted)
		}
	}
	for _, k := range ended {
		if s := k.last(); k.completed > latest && s != nil && s.planPlace > 0 {
			out = append(out, s)
		}
	}
	if j.hasEnded() {
		j.before = out
	}
	return out
}
