package spark

import (
	"cmp"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestCoresRunOneTask checks that no executor runs more tasks at once than it has cores, although the driver takes a
// result after it has launched the next task.
func TestCoresRunOneTask(t *testing.T) {
	t.Parallel()
	l, err := openLog(filepath.Join("testdata", "skew-3.eventlog.gz"))
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

// TestRunAgain checks that a task which has run again after its executor was lost has lost its earlier work, also
// after the end.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	a := NewApp("app-1")
	removed, other := a.executorAt("0"), a.executorAt("1")
	a.all[removed].active, a.all[removed].removed = false, 30_000
	s := a.stageAt(0)
	a.takeJob(&wireJob{JobID: new(number), CompletionTime: 60_000, StageIDs: []number{0, 1}, Status: "SUCCEEDED"})
	s.tasks, s.status = 2, "COMPLETE"
	for id, want := range []struct {
		part, executor int
		launch, end    dag.Instant
	}{
		{0, removed, 1000, 9000},
		{1, other, 1000, 9500},
		{0, other, 31_000, 39_000},
	} {
		k, _ := a.taskAt(a.tryOf(0, id/2), id)
		k.identify(want.part, want.launch, want.executor)
		k.End = want.end
		k.become(dag.AttemptSucceeded, false)
	}
	got := a.attempts(s, 60_000, dag.NoInstant)
	if len(got) != 3 || got[0].State != dag.AttemptKilled || got[0].Diagnosis != lostOutput || got[0].Ratio != 1 ||
		got[1].State != dag.AttemptSucceeded || got[2].State != dag.AttemptSucceeded {
		t.Errorf("the attempts are %+v", got)
	}
}

// took applies a response about a part of an application that arrives at an instant, and returns what Take returns.
func took(a *App, at dag.Instant, part, body string) bool {
	if !strings.HasPrefix(part, "/") { // a page
		part = root + "/" + a.id + "/" + part
	}
	u, err := url.Parse(part)
	if err != nil {
		return false
	}
	return a.Take(&Answer{
		URL: u, At: at, Status: http.StatusOK, Type: "application/json", Body: func() string { return body },
	})
}
