package spark

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// A graph is which stage reads which, and what has to run, at one instant.
type graph struct {
	*facts
	writers map[string][]*stage // by shuffle: those that have written it, ascending
	ended   []*job              // of the unit, by completion
	begun   []dag.Instant       // parallel to ended: the last submission up to there
}

func (f *facts) graph() *graph {
	g := &graph{facts: f, writers: map[string][]*stage{}}
	for _, id := range f.stageIDs {
		if s := f.stages[id]; s.ran() && len(s.rdds) > 0 && !f.final(s) {
			g.writers[s.shuffle] = append(g.writers[s.shuffle], s)
		}
	}
	for _, id := range f.unitJobs() {
		if j := f.jobs[id]; j.completed.Known() && j.submitted.Known() {
			g.ended = append(g.ended, j)
		}
	}
	slices.SortStableFunc(g.ended, func(x, y *job) int { return cmp.Compare(x.completed, y.completed) })
	last := dag.NoInstant
	for _, j := range g.ended {
		last = max(last, j.submitted)
		g.begun = append(g.begun, last)
	}
	return g
}

// setRDDs sets the RDDs of a stage. Stages with the same ones write the same shuffle.
func (s *stage) setRDDs(ids []number) {
	s.rdds = idsOf(ids)
	b := make([]byte, 0, 4*len(s.rdds))
	for _, n := range s.rdds {
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
	}
	s.shuffle = string(b)
}

// twin is the newest stage that writes the same shuffle as s and began before it; nil if there is none.
func (g *graph) twin(s *stage) *stage {
	for _, of := range slices.Backward(g.writers[s.shuffle]) {
		if of.id < s.id {
			return of
		}
	}
	return nil
}

// parentsOf are the stages that a stage of a job reads: those that are known, else a guess.
func (g *graph) parentsOf(j *job, s *stage) []int {
	if s.known {
		return s.parents
	}
	return g.guess(j)[s.id]
}

// guess guesses which stage of a job reads which: ids of parents are smaller, the RDD that reads a shuffle is often the
// next one that was made after the last RDD of the stage that writes it, and all that no other stage reads is read by
// the next stage that has no parent yet and is no root.
func (g *graph) guess(j *job) map[int][]int {
	out := make(map[int][]int, len(j.stages))
	read := map[int]bool{}
	for i, id := range j.stages {
		s := g.stages[id]
		if s == nil {
			continue
		}
		for _, before := range j.stages[:i] {
			p := g.stages[before]
			if p == nil || len(p.rdds) == 0 {
				continue
			}
			if _, found := slices.BinarySearch(s.rdds, p.rdds[len(p.rdds)-1]+1); found {
				out[id] = append(out[id], before)
				read[before] = true
			}
		}
	}
	last := j.last()
	for _, id := range j.stages {
		if id != last && !read[id] && !slices.Contains(out[last], id) {
			out[last] = append(out[last], id)
		}
	}
	slices.Sort(out[last])
	return out
}

// final reports whether a stage is the last one of all its jobs and has written no shuffle: then it has results. A
// query stage of adaptive execution is the last one of its job too, and writes a shuffle that later jobs read.
func (f *facts) final(s *stage) bool {
	if s.writes {
		return false
	}
	for _, id := range s.jobs {
		if j := f.jobs[id]; j == nil || j.last() != s.id {
			return false
		}
	}
	return len(s.jobs) > 0
}

// read reports whether a job runs that may read what a stage writes.
func (f *facts) read(s *stage) bool {
	return slices.ContainsFunc(s.jobs, func(id int) bool { return f.jobs[id] != nil && !f.jobs[id].over() })
}

// lacks marks the stages of the unit that have to run and have not.
func (g *graph) lacks() map[int]bool {
	out := map[int]bool{}
	for _, id := range g.unitJobs() {
		g.lacking(g.jobs[id], out)
	}
	return out
}

// lacking marks the stages of a job that have to run and have not: what Spark's scheduler will submit. A stage that was
// submitted has its input, so that what it reads is not lacking unless it was submitted itself.
func (g *graph) lacking(j *job, all map[int]bool) {
	if j.over() {
		return
	}
	out, seen := map[int]bool{}, map[int]bool{}
	var visit func(id, depth int)
	visit = func(id, depth int) {
		s := g.stages[id]
		if !s.listed() || seen[id] || depth > mostListed {
			return
		}
		seen[id] = true
		if s.ran() && s.status != "FAILED" {
			return
		}
		if !s.ran() {
			if w := g.twin(s); id != j.last() && w != nil && w.done() {
				return // skipped
			}
			out[id] = true
		}
		for _, p := range g.parentsOf(j, s) {
			visit(p, depth+1)
		}
		if out[id] && g.passedOver(j, s, out) {
			delete(out, id)
		}
	}
	visit(j.last(), 0)
	for id := range out {
		all[id] = true
	}
}

// passedOver reports whether a stage that waits will be skipped, although no stage is known that has written its
// output: such a stage may have been dropped. Spark submits all stages whose input is there when it submits the job. So
// one that waits while another one of its job has been submitted, and whose own parents have nothing to run, has its
// output already. lacks are the stages that have to run, its parents among them.
func (g *graph) passedOver(j *job, s *stage, lacks map[int]bool) bool {
	if !s.known || s.id == j.last() || s.id <= g.firstUnlisted() {
		return false
	}
	for _, id := range s.parents {
		if p := g.stages[id]; lacks[id] || p != nil && p.ran() {
			return false
		}
	}
	return slices.ContainsFunc(j.stages, func(id int) bool { return g.stages[id] != nil && g.stages[id].ran() })
}

// firstUnlisted is the lowest id of a stage that no answer has listed. Spark numbers stages without gaps.
func (f *facts) firstUnlisted() int {
	for f.stages[f.untold].listed() {
		f.untold++
	}
	return f.untold
}

// edges are the stages before a stage: those that it reads as barriers, and the last ones of the jobs before its own as
// broadcasts.
func (g *graph) edges(s *stage) []dag.Edge {
	var out []dag.Edge
	add := func(of *stage, kind dag.EdgeKind) {
		if of == nil || of.planned == 0 || of.planned >= s.planned {
			return
		}
		e := edgeTo(of.planned, kind)
		if !slices.ContainsFunc(out, func(o dag.Edge) bool { return o.From == e.From }) {
			out = append(out, e)
		}
	}
	own := false // it waits for a stage of its own job
	for _, id := range s.jobs {
		j := g.jobs[id]
		if j == nil {
			continue
		}
		for _, pid := range g.parentsOf(j, s) {
			p := g.stages[pid]
			if p == nil {
				continue
			}
			own = own || p.planned > 0
			if p.planned == 0 {
				p = g.twin(p)
			}
			add(p, dag.Barrier)
		}
	}
	if !own {
		for _, id := range s.jobs {
			if j := g.jobs[id]; j != nil {
				for _, last := range g.before(j) {
					add(last, dag.Broadcast)
				}
			}
		}
	}
	slices.SortFunc(out, func(x, y dag.Edge) int { return cmp.Compare(x.From, y.From) })
	return out
}

func edgeTo(place int, kind dag.EdgeKind) dag.Edge {
	return dag.Edge{From: dag.StageIndex(place - 1), Kind: kind} //nolint:gosec // G115: bounded by mostStages
}

// before are the last stages of the jobs whose end let a job be submitted, as far as times show: those that had ended,
// except for those that had ended before another one of these was submitted.
func (g *graph) before(j *job) []*stage {
	if !j.submitted.Known() {
		return nil
	}
	n, _ := slices.BinarySearchFunc(g.ended, j.submitted+1, func(k *job, at dag.Instant) int {
		return cmp.Compare(k.completed, at)
	})
	latest := dag.NoInstant // the last submission of a job that had ended
	if n > 0 {
		latest = g.begun[n-1]
	}
	if j.completed.Known() && j.completed <= j.submitted { // the job itself is one of them
		latest = dag.NoInstant
		for _, k := range g.ended[:n] {
			if k != j {
				latest = max(latest, k.submitted)
			}
		}
	}
	var out []*stage
	for _, k := range slices.Backward(g.ended[:n]) {
		if k.completed <= latest {
			break
		}
		if s := g.stages[k.last()]; k != j && s != nil && s.planned > 0 {
			out = append(out, s)
		}
	}
	return out
}

// placeOf is the place of the last stage of a job in the plan, 0 if it has none.
func (g *graph) placeOf(j *job) int {
	if j == nil {
		return 0
	}
	s := g.stages[j.last()]
	if s != nil && s.planned == 0 {
		s = g.twin(s)
	}
	if s == nil {
		return 0
	}
	return s.planned
}

// openEnds are edges to what an execution has submitted, if it is unknown which stage reads which: it comes after the
// jobs that run, else after the newest one.
func (g *graph) openEnds(jobs []int) []dag.Edge {
	var out []dag.Edge
	for _, id := range jobs {
		if j := g.jobs[id]; j != nil && (!j.over() || id == jobs[len(jobs)-1]) {
			if at := g.placeOf(j); at > 0 {
				out = append(out, edgeTo(at, dag.Broadcast))
			}
		}
	}
	return out
}
