package spark

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestCoresRunOneTask holds that no executor runs more tasks at once than it has cores, although the driver takes a
// result after it has launched the next task.
func TestCoresRunOneTask(t *testing.T) {
	t.Parallel()
	l, err := OpenLog(filepath.Join("testdata", "skew-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	s := atEnd(t, l)
	type step struct {
		at dag.Instant
		by int
	}
	byNode := map[int32][]step{}
	for k := range s.Jobs[0].Stages {
		for _, a := range s.Jobs[0].Stages[k].Attempts {
			byNode[a.Node] = append(byNode[a.Node], step{a.Start, 1}, step{a.End, -1})
		}
	}
	for node, steps := range byNode {
		slices.SortFunc(steps, func(x, y step) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.by, y.by)) })
		running, most := 0, 0
		for _, st := range steps {
			running += st.by
			most = max(most, running)
		}
		if cores := s.Nodes[node].Cores; most != cores {
			t.Errorf("%s has %d cores and ran %d tasks at once", s.Nodes[node].Name, cores, most)
		}
	}
}

// TestRunAgain holds that a task which has run again after its executor was lost has lost what it did before, also when
// all is over.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	a := NewApp("app-1")
	gone, other := a.executorAt("0"), a.executorAt("1")
	a.executors[gone].active, a.executors[gone].removed = false, 30_000
	s := a.stageAt(0)
	a.takeJob(0, "save", "", 0, 60_000, []int{0, 1}, "SUCCEEDED", "")
	s.tasks, s.status = 2, "COMPLETE"
	for id, k := range []task{
		{part: 0, launch: 1000, end: 9000, executor: gone},
		{part: 1, launch: 1000, end: 9500, executor: other},
		{part: 0, launch: 31_000, end: 39_000, executor: other},
	} {
		k.id, k.state = id, dag.AttemptSucceeded
		s.tryAt(id / 2).list[id] = &k
	}
	got := a.attempts(s, 60_000)
	if len(got) != 3 || got[0].State != dag.AttemptKilled || got[0].Diagnosis != lostOutput || got[0].Ratio != 1 ||
		got[1].State != dag.AttemptSucceeded || got[2].State != dag.AttemptSucceeded {
		t.Errorf("the attempts are %+v", got)
	}
}
