package spark

import (
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// done reports whether a stage has ended well.
func (s *stage) done() bool { return s.status == "COMPLETE" && len(s.tries) > 0 }

// ran reports whether a stage has been submitted.
func (s *stage) ran() bool { return len(s.tries) > 0 }

func (j *job) over() bool { return j.status == "SUCCEEDED" || j.status == "FAILED" }

// last is the job's last stage, whose results are those of the job.
func (j *job) last() int {
	if len(j.stages) == 0 {
		return -1
	}
	return j.stages[len(j.stages)-1]
}

// parentsOf are the stages that a stage of a job reads: those that are told, else a guess.
func (a *App) parentsOf(j *job, s *stage) []int {
	if s.known {
		return s.parents
	}
	return a.guess(j)[s.id]
}

// guess says which stage of a job reads which where nothing tells it: ids of parents are smaller, the RDD that reads a
// shuffle is often the next one that was made after the last RDD of the stage that writes it, and all that nothing
// else reads is read by the next stage that has no parent yet and is no root.
func (a *App) guess(j *job) map[int][]int {
	out := make(map[int][]int, len(j.stages))
	read := map[int]bool{}
	for i, id := range j.stages {
		s := a.stages[id]
		if s == nil {
			continue
		}
		for _, before := range j.stages[:i] {
			p := a.stages[before]
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

// twins finds stages that have written the shuffle of a stage of another job: their RDDs are the same.
type twins map[string][]*stage

func key(rdds []int) string {
	b := make([]byte, 0, 4*len(rdds))
	for _, n := range rdds {
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
	}
	return string(b)
}

func (a *App) twins() twins {
	out := twins{}
	for _, id := range sortedKeys(a.stages) {
		if s := a.stages[id]; s.ran() && len(s.rdds) > 0 && !a.final(s) {
			k := key(s.rdds)
			out[k] = append(out[k], s)
		}
	}
	return out
}

// of is the newest stage that writes the same shuffle as s and began before it; nil if there is none.
func (t twins) of(s *stage) *stage {
	all := t[key(s.rdds)]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != s && all[i].id < s.id {
			return all[i]
		}
	}
	return nil
}

// final reports whether a stage is the last one of all its jobs and has written no shuffle: then it has results. A
// query stage of adaptive execution is the last one of its job too, and writes a shuffle that later jobs read.
func (a *App) final(s *stage) bool {
	if s.writes {
		return false
	}
	for _, id := range s.jobs {
		if j := a.jobs[id]; j == nil || j.last() != s.id {
			return false
		}
	}
	return len(s.jobs) > 0
}

// lacking marks the stages of a job that have to run and have not: what Spark's scheduler will submit. A stage that was
// submitted has its input, so that what it reads is not lacking unless it was submitted itself.
func (a *App) lacking(j *job, t twins) map[int]bool {
	out := map[int]bool{}
	if j.over() {
		return out
	}
	var visit func(id, depth int)
	seen := map[int]bool{}
	visit = func(id, depth int) {
		s := a.stages[id]
		if !s.told() || seen[id] || depth > mostListed {
			return
		}
		seen[id] = true
		if s.ran() && s.status != "FAILED" {
			return
		}
		if !s.ran() {
			if w := t.of(s); id != j.last() && w != nil && w.done() {
				return // skipped
			}
			out[id] = true
		}
		for _, p := range a.parentsOf(j, s) {
			visit(p, depth+1)
		}
		if out[id] && a.passedOver(j, s, out) {
			delete(out, id)
		}
	}
	visit(j.last(), 0)
	return out
}

// afterJobs are the last stages of the jobs whose end let a job be submitted, as far as times tell: those that had
// ended, but for those that had ended before another one of these was submitted.
func (a *App) afterJobs(j *job) []*stage {
	if !j.submitted.Known() {
		return nil
	}
	latest := dag.NoInstant // the newest submission of a job that has ended before
	before := make([]*job, 0, 4)
	for _, id := range a.unitJobs() {
		k := a.jobs[id]
		if k != j && k.completed.Known() && k.submitted.Known() && k.completed <= j.submitted {
			before = append(before, k)
			latest = max(latest, k.submitted)
		}
	}
	var out []*stage
	for _, k := range before {
		if s := a.stages[k.last()]; k.completed > latest && s != nil && s.planned > 0 {
			out = append(out, s)
		}
	}
	return out
}
