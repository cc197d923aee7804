package explain

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// changedSlots is the ingredient of slots: the later cluster, its nodes, and the memory that others use.
func changedSlots(s, later *dag.Snapshot) (*dag.Snapshot, string) {
	subjects := capacityChanges(s, later)
	if len(subjects) == 0 && len(s.Nodes) == 0 && len(later.Nodes) > 0 {
		subjects = []string{"its nodes became known"}
	}
	avoided := avoidances(s, later)
	subjects = slices.Concat(subjects, loadChanges(s, later), avoided)
	if len(subjects) == 0 {
		return nil, ""
	}
	c := s.Clone()
	c.Plan.Cluster, c.Load, c.Coming = later.Plan.Cluster, later.Load, later.Coming
	// Attempts name their nodes by index: nodes keep their places.
	for i := range c.Nodes {
		if n := node(later, c.Nodes[i].Name); n != nil {
			c.Nodes[i] = *n
		}
	}
	for _, n := range later.Nodes {
		if node(c, n.Name) == nil {
			c.Nodes = append(c.Nodes, n)
		}
	}
	if len(avoided) > 0 {
		avoid(c, later)
	}
	return c, list(subjects)
}

func node(s *dag.Snapshot, name string) *dag.NodeState {
	if i := slices.IndexFunc(s.Nodes, func(n dag.NodeState) bool { return n.Name == name }); i >= 0 {
		return &s.Nodes[i]
	}
	return nil
}

// capacityChanges names the nodes and slots that came or went. If s has no nodes at all, the later ones are not
// new.
func capacityChanges(s, later *dag.Snapshot) []string {
	var out []string
	for i := range later.Nodes {
		n := &later.Nodes[i]
		was := node(s, n.Name)
		switch {
		case n.Lost && (was == nil || !was.Lost):
			out = append(out, "node "+n.Name+" "+lostHow(n))
		case n.Draining && (was == nil || !was.Draining):
			out = append(out, "node "+n.Name+" is being decommissioned")
		case was == nil && len(s.Nodes) == 0:
		case was == nil:
			out = append(out, "node "+n.Name+" is new")
		case !n.Lost && was.Lost:
			out = append(out, "node "+n.Name+" is back")
		case !n.Lost && !n.Draining && was.Draining:
			out = append(out, "node "+n.Name+" stays in the cluster")
		case n.MemoryMB != was.MemoryMB:
			out = append(out, fmt.Sprintf("node %s has %d MB, not %d", n.Name, n.MemoryMB, was.MemoryMB))
		}
	}
	a, b := s.Plan.Cluster, later.Plan.Cluster
	for _, c := range []struct {
		what    string
		was, is int
	}{
		{"map slots", a.MapSlots, b.MapSlots},
		{"reduce slots", a.ReduceSlots, b.ReduceSlots},
		{"MB in the queue", a.QueueMB, b.QueueMB},
		{"MB in the cluster", a.MemoryMB, b.MemoryMB},
	} {
		if c.was != c.is && len(out) == 0 {
			out = append(out, fmt.Sprintf("%d %s, not %d", c.is, c.what, c.was))
		}
	}
	return out
}

// loadChanges names the other applications that use more or less memory than before.
func loadChanges(s, later *dag.Snapshot) []string {
	var out []string
	for i := range later.Load {
		l := &later.Load[i]
		switch before := s.Other(l.ID); {
		case before == nil && l.HeldMB == 0:
			out = append(out, l.Title()+" has come and waits")
		case before == nil:
			out = append(out, fmt.Sprintf("%s started and uses %d MB", l.Title(), l.HeldMB))
		case before.HeldMB != l.HeldMB:
			out = append(out, fmt.Sprintf("%s uses %d MB, not %d", l.Title(), l.HeldMB, before.HeldMB))
		}
	}
	for i := range s.Load {
		if l := &s.Load[i]; later.Other(l.ID) == nil {
			out = append(out, l.Title()+" is gone")
		}
	}
	return out
}

// lostHow describes why a node is lost.
func lostHow(n *dag.NodeState) string {
	switch n.Cause {
	case dag.NodeDecommissioned:
		return "is decommissioned"
	case dag.NodeUnhealthy:
		return "is unhealthy"
	}
	return "is lost"
}

// avoidances names the nodes that masters have begun to avoid, and those that they use again.
func avoidances(s, later *dag.Snapshot) []string {
	var out []string
	for j := range s.Jobs {
		l := sameJob(s, later, j)
		if l < 0 {
			continue
		}
		was, is := names(s, s.Jobs[j].Avoided), names(later, later.Jobs[l].Avoided)
		for _, name := range is {
			if !slices.Contains(was, name) {
				out = append(out, s.Plan.JobName(j)+" avoids node "+name)
			}
		}
		for _, name := range was {
			if !slices.Contains(is, name) {
				out = append(out, s.Plan.JobName(j)+" avoids node "+name+" no longer")
			}
		}
	}
	return out
}

// avoid makes the masters of c avoid the same nodes as those of later.
func avoid(c, later *dag.Snapshot) {
	for j := range c.Jobs {
		l := sameJob(c, later, j)
		if l < 0 {
			continue
		}
		c.Jobs[j].Avoided = nil
		for _, name := range names(later, later.Jobs[l].Avoided) {
			i := slices.IndexFunc(c.Nodes, func(n dag.NodeState) bool { return n.Name == name })
			c.Jobs[j].Avoided = append(c.Jobs[j].Avoided, int32(i))
		}
		slices.Sort(c.Jobs[j].Avoided)
	}
}

// names returns the names of the nodes.
func names(s *dag.Snapshot, nodes []int32) []string {
	var out []string
	for _, n := range nodes {
		if n >= 0 && int(n) < len(s.Nodes) {
			out = append(out, s.Nodes[n].Name)
		}
	}
	return out
}

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
	c := s.Clone()
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
	if node := s.Plan.Jobs[j].Node; j >= len(later.Plan.Jobs) || later.Plan.Jobs[j].Node != node {
		j = slices.IndexFunc(later.Plan.Jobs, func(o dag.Job) bool { return o.Node == node })
	}
	if j >= len(later.Jobs) {
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
			start(len(lost)))
	}
	if n := lostNode(s, later, first.attempt); n != nil && len(lost) > 1 {
		return fmt.Sprintf("node %s %s: %s again", n.Name, lostHow(n), start(len(lost)))
	}
	what, again := "was killed", " and starts again"
	now := dag.FindAttempt(first.now, first.attempt.Task, first.attempt.Number)
	switch {
	case first.failed:
		what = "failed"
	case now != nil && now.Preempted():
		what = "was preempted"
	case first.attempt.State == dag.AttemptSucceeded:
		what, again = "had succeeded, its output is lost", ": it runs again"
	}
	if len(lost) > 1 {
		again = fmt.Sprintf(", and %d more: they start again", len(lost)-1)
	}
	return s.Plan.TaskWords(first.job, first.kind, first.attempt.Task) + " " + what + again
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

func start(n int) string {
	if n == 1 {
		return "1 task starts"
	}
	return fmt.Sprintf("%d tasks start", n)
}
