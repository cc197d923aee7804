package explain

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A loss is an attempt with lost work that ran or had succeeded.
type loss struct {
	job     int
	kind    dag.StageIndex
	now     []dag.Attempt // the attempts of the stage in the later snapshot
	attempt *dag.Attempt  // as it was
	failed  bool          // the attempt failed by itself
}

// lostWork is the ingredient of failures: attempts that are lost in later are lost in s at once.
func lostWork(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	c := clone(s)
	var lost []loss
	for j := range s.Jobs {
		l := sameJob(s, later, j)
		if l < 0 {
			continue
		}
		for k := range c.Jobs[j].NumStages() {
			p := &c.Jobs[j].Stages[k]
			at := sameStage(&s.Plan.Jobs[j], &later.Plan.Jobs[l], k)
			if at < 0 || int(at) >= len(later.Jobs[l].Stages) {
				continue // a profile expected it, and it is no part of the plan any more
			}
			now := later.Jobs[l].Stages[at].Attempts
			var copied bool
			for _, i := range losses(p.Attempts, now) {
				if !copied {
					p.Attempts, copied = slices.Clone(p.Attempts), true
				}
				a := &s.Jobs[j].Stages[k].Attempts[i]
				failed := stateLater(now, a) == dag.AttemptFailed
				lost = append(lost, loss{j, k, now, a, failed})
				p.Attempts[i].State, p.Attempts[i].End = dag.AttemptKilled, s.At
				if failed {
					p.Attempts[i].State = dag.AttemptFailed
				}
			}
		}
	}
	if len(lost) == 0 {
		return nil, ""
	}
	return c, describeLosses(s, later, lost)
}

// losses returns the indices of attempts in list that ran or had succeeded, but neither run nor have succeeded in
// later, if no other attempt of their task has succeeded.
func losses(list, later []dag.Attempt) []int {
	var out []int
	for i := range list {
		a := &list[i]
		if a.State != dag.AttemptRunning && a.State != dag.AttemptSucceeded {
			continue
		}
		task, _ := dag.StateOf(dag.AttemptsOf(later, int(a.Task)))
		now := stateLater(later, a)
		if now != dag.AttemptRunning && now != dag.AttemptSucceeded && task != dag.TaskDone {
			out = append(out, i)
		}
	}
	return out
}

// stateLater returns the state of an attempt in a later list; an attempt that is missing there counts as killed.
func stateLater(later []dag.Attempt, a *dag.Attempt) dag.AttemptState {
	if b := dag.FindAttempt(later, a.Task, a.Number); b != nil {
		return b.State
	}
	return dag.AttemptKilled
}

// sameJob returns the index in later of job j of s, -1 if there is none.
func sameJob(s, later *dag.Snapshot, j int) int {
	if j >= len(s.Plan.Jobs) {
		return -1
	}
	node := s.Plan.Jobs[j].Node
	if j < len(later.Plan.Jobs) && later.Plan.Jobs[j].Node == node {
		return within(j, later)
	}
	return within(slices.IndexFunc(later.Plan.Jobs, func(o dag.Job) bool { return o.Node == node }), later)
}

func within(j int, s *dag.Snapshot) int {
	if j >= len(s.Jobs) {
		return -1
	}
	return j
}

// sameStage returns the index in a later plan's job of stage k of job, -1 if there is none. New work may move it.
func sameStage(job, later *dag.Job, k dag.StageIndex) dag.StageIndex {
	if int(k) >= len(job.Stages) {
		return -1
	}
	name := job.Stages[k].Name
	if int(k) < len(later.Stages) && later.Stages[k].Name == name {
		return k
	}
	i := slices.IndexFunc(later.Stages, func(o dag.Stage) bool { return o.Name == name })
	return dag.StageIndex(i) //nolint:gosec // G115: bounded by the stages of a plan
}

// describeLosses names the first loss, or the common cause of several.
func describeLosses(s, later *dag.Snapshot, lost []loss) string {
	first := lost[0]
	if l := sameJob(s, later, first.job); later.Jobs[l].Attempt > s.Jobs[first.job].Attempt &&
		s.Jobs[first.job].Attempt > 0 {
		return fmt.Sprintf("the application master%s came again: %s again", s.Plan.OfJob(first.job),
			start(len(lost), "task"))
	}
	if n := lostNode(s, later, first.attempt); n != nil && len(lost) > 1 {
		return fmt.Sprintf("node %s %s: %s again", n.Name, lostHow(n), start(len(lost), "task"))
	}
	what, again := "was killed", " and starts again"
	switch {
	case first.failed:
		what = "failed"
	case first.preempted():
		what = "was preempted"
	case first.attempt.State == dag.AttemptSucceeded:
		what, again = "had succeeded, its output is lost", ": it runs again"
	}
	if len(lost) > 1 {
		again = fmt.Sprintf(", and %d more: they start again", len(lost)-1)
	}
	return s.Plan.TaskWords(first.job, first.kind, first.attempt.Task) + " " + what + again
}

// preempted reports whether the attempt was killed to make room.
func (l *loss) preempted() bool {
	b := dag.FindAttempt(l.now, l.attempt.Task, l.attempt.Number)
	return b != nil && b.Preempted()
}

// lostNode returns the attempt's node if it is lost in later, else nil.
func lostNode(s, later *dag.Snapshot, a *dag.Attempt) *dag.NodeState {
	if a.Node < 0 || int(a.Node) >= len(s.Nodes) {
		return nil
	}
	if n := node(later, s.Nodes[a.Node].Name); n != nil && n.Lost {
		return n
	}
	return nil
}

func start(n int, what string) string {
	if n == 1 {
		return "1 " + what + " starts"
	}
	return fmt.Sprintf("%d %ss start", n, what)
}
