package frame

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// tasks returns a function that lists a job's tasks, so that the list costs nothing until it is needed. The
// function keeps the snapshot and the schedule in memory.
func tasks(s *dag.Snapshot, path *pathfrag.Path) TasksOf {
	return func(job, most int) ([]Task, int) {
		if job < 0 || job >= len(s.Plan.Jobs) {
			return nil, 0
		}
		most = max(most, 0)
		path := path
		if jobOver(s, job) {
			path = nil
		}
		var list []sketch
		all := 0
		for k := range s.Plan.Jobs[job].NumStages() {
			some, n := sketches(s, path, job, k, most)
			list, all = append(list, some...), all+n
		}
		slices.SortStableFunc(list, func(x, y sketch) int {
			return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(y.end, x.end))
		})
		critical := criticalTasks(path, job)
		out := make([]Task, min(len(list), most))
		for i := range out {
			out[i] = list[i].task(s, job, critical)
		}
		return out, all
	}
}

// sketches returns the begun tasks of a stage, and at most most future tasks of each span; all counts all tasks.
func sketches(s *dag.Snapshot, path *pathfrag.Path, job int, k dag.StageIndex, most int) (list []sketch, all int) {
	if job < len(s.Jobs) {
		list = begun(s.Jobs[job].Stages[k].Attempts, k, jobOver(s, job))
	}
	known, toCome := list, 0 // appending to list does not change known
	for i := range spansOf(path) {
		sp := &path.Schedule.Spans[i]
		if sp.Past || int(sp.Job) != job || sp.Stage != k {
			continue
		}
		in := within(known, sp.First, sp.First+sp.Count)
		for j := range in {
			in[j].plan(sp)
		}
		toCome += int(sp.Count) - len(in)
		list = pending(list, in, sketch{kind: k, index: sp.First, start: sp.Start, end: sp.End}, int(sp.Count), most)
	}
	all = len(known) + toCome
	if n := s.Plan.Jobs[job].Stages[k].Count(); toCome == 0 && n > all {
		// There is no plan for them: it is too early, or the job has ended.
		list = pending(list, known, sketch{kind: k, start: dag.NoInstant, end: dag.NoInstant}, n, most)
		all = n
	}
	return list, all
}

// jobOver reports whether a job has ended, or its query has.
func jobOver(s *dag.Snapshot, job int) bool {
	return s.State.Ended() || job < len(s.Jobs) && s.Jobs[job].State.Ended()
}

func spansOf(path *pathfrag.Path) []schedule.Span {
	if path == nil {
		return nil
	}
	return path.Schedule.Spans
}

// criticalTasks returns a function that reports whether a task of the job is on the critical path.
func criticalTasks(path *pathfrag.Path, job int) func(t *sketch) bool {
	type run struct {
		kind        dag.StageIndex
		first, last int32
	}
	var runs []run
	if path != nil {
		for _, seg := range path.Critical {
			for sp := range path.Spans(seg) {
				if int(sp.Job) == job && !sp.Past && sp.Count > 0 {
					runs = append(runs, run{sp.Stage, sp.First, sp.First + sp.Count - 1})
				}
			}
		}
	}
	return func(t *sketch) bool {
		return slices.ContainsFunc(runs, func(r run) bool {
			return r.kind == t.kind && r.first <= t.index &&
				t.index <= r.last
		})
	}
}

func (t *sketch) task(s *dag.Snapshot, job int, critical func(*sketch) bool) Task {
	id := ""
	if job < len(s.Jobs) {
		id = s.Jobs[job].ID
	}
	origin, stage := s.Origin(), s.Plan.StageName(job, t.kind)
	out := Task{
		Phase: t.kind, Index: int(t.index), Attempts: int(t.attempts), Name: taskName(id, stage, t.index),
		State:        "pending",
		StartSeconds: Since(t.start, origin), EndSeconds: Since(t.end, origin),
		Critical: !t.done() && critical(t),
	}
	if a := t.a; a != nil {
		out.Name, out.State, out.Node, out.Ratio = a.Name(id, stage), a.State.String(), Text(machine(s, a)),
			RatioOf(a.Ratio)
	}
	return out
}

// taskName returns Hadoop's name of a task if the job has a Hadoop id: task_1795222440184_0007_m_000006.
func taskName(job, stage string, index int32) string {
	a := dag.Attempt{Task: index}
	name := strings.TrimSuffix(a.Name(job, stage), "_0")
	if rest, ok := strings.CutPrefix(name, "attempt_"); ok {
		return "task_" + rest
	}
	return name
}
