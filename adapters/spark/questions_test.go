package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A patchy driver answers some paths, and returns the errors of others. It has no history server.
type patchy struct {
	errs     map[string]error // by the end of the path
	requests []string
}

func (p *patchy) Now() dag.Instant { return 1795366700000 }

func (p *patchy) History(context.Context, string) ([]byte, error) { return nil, errNoHistory }

func (p *patchy) Get(_ context.Context, path string) ([]byte, error) {
	part := path[strings.LastIndexByte(path, '/')+1:]
	p.requests = append(p.requests, part)
	return []byte("[]"), p.errs[part]
}

// TestQuestions checks which failures end a round, and that a question has a bound of requests.
func TestQuestions(t *testing.T) {
	t.Parallel()
	lacks := &rest.Error{Status: http.StatusNotFound}
	down := errors.New("down")
	three := func(s *Source, get func(string) bool) {
		for _, part := range []string{"a", "b", "c"} {
			if !get(s.path("%s", part)) {
				return
			}
		}
	}
	then := question{requests: func(s *Source, get func(string) bool) { get(s.path("then")) }}
	for name, c := range map[string]struct {
		q    question
		err  error // of b
		want string
		ends bool
	}{
		"all":                   {question{requests: three}, nil, "a b c then", false},
		"two":                   {question{requests: three, most: 2}, nil, "a b then", false},
		"failed":                {question{requests: three}, down, "a b", true},
		"lacks":                 {question{requests: three}, lacks, "a b", true},
		"may lack":              {question{requests: three, most: 5}, lacks, "a b c then", false},
		"may lack, failed":      {question{requests: three, most: 5}, down, "a b", true},
		"optional":              {question{requests: three, optional: true}, down, "a b c then", false},
		"no history server":     {question{requests: three, ofHistory: true}, nil, "", true},
		"none, and none needed": {question{requests: three, ofHistory: true, optional: true}, nil, "then", false},
	} {
		p := &patchy{errs: map[string]error{"b": c.err}}
		err := NewSource(p, "app-1").ask(t.Context(), []question{c.q, then})
		if got := strings.Join(p.requests, " "); got != c.want || (err != nil) != c.ends {
			t.Errorf("%s: got requests %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// TestTakeWindow checks that parts of a list of tasks move the position of the next request, whoever made them.
func TestTakeWindow(t *testing.T) {
	t.Parallel()
	a := NewApp("app-1")
	took(a, 0, "jobs", `[{"jobId":0,"stageIds":[0],"status":"RUNNING"}]`)
	took(a, 0, "stages", `[{"stageId":0,"attemptId":0,"numTasks":4,"status":"ACTIVE"}]`)
	row := func(id, status string) string {
		return `{"taskId":` + id + `,"index":` + id + `,"status":"` + status + `"}`
	}
	try := a.stages[0].newest()
	for _, c := range []struct {
		part, rows string
		want       int
	}{
		{"?offset=0&length=60", row("0", "SUCCESS") + "," + row("1", "RUNNING") + "," + row("2", "SUCCESS"), 1},
		{"?status=RUNNING", row("1", "RUNNING"), 1}, // has no position
		{"?offset=1&length=60", row("1", "SUCCESS") + "," + row("2", "SUCCESS"), 3},
	} {
		if !took(a, 0, "stages/0/0/taskList"+c.part, "["+c.rows+"]") || try.offset() != c.want {
			t.Errorf("%s: next is %d, want %d", c.part, try.offset(), c.want)
		}
	}
	if took(a, 0, "stages/0/0/taskList?offset=3", `{"error":"x"}`) || try.offset() != 3 {
		t.Error("an answer that is no list was applied")
	}
}

// TestStageRow checks that a driver and an event log report a stage alike.
func TestStageRow(t *testing.T) {
	t.Parallel()
	live, logged := NewApp("app-1"), NewApp("app-1")
	took(live, 0, "stages/7", `{"stageId":7,"attemptId":1,"name":"count","numTasks":3,"rddIds":[5,4],"failureReason":"x",
		"submissionTime":"2026-11-22T15:30:42.878GMT","completionTime":"no time","status":"FAILED"}`)
	kind, w, ok := parseEvent([]byte(`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":7,"Stage Attempt ID":1,
		"Stage Name":"count","Number of Tasks":3,"RDD Info":[{"RDD ID":5},{"RDD ID":4}],"Failure Reason":"x",
		"Submission Time":1795361442878,"Completion Time":0}}`))
	if !ok {
		t.Fatal("no event")
	}
	e := w.event(kind, 1)
	e.at = e.stamp
	logged.applyStage(&e)
	for _, a := range []*App{live, logged} {
		s := a.stages[7]
		if got := s.newest(); s.name != "count" || !slices.Equal(s.rdds, []int{4, 5}) || s.status != "FAILED" || len(s.tries) != 2 ||
			got.tasks != 3 || got.failure != "x" || got.submitted != 1795361442878 {
			t.Errorf("%+v, %+v", s, s.newest())
		}
	}
	if live.stages[7].newest().completed.Known() {
		t.Error("a time that is none is known")
	}
}

// TestHollowAnswers checks that an answer without content, as a gateway may send one, changes nothing.
func TestHollowAnswers(t *testing.T) {
	t.Parallel()
	show := func(a *App) string {
		s, ok := a.Snapshot(1795366700000, false)
		if !ok {
			t.Fatal("no snapshot")
		}
		plan, bare := *s.Plan, *s
		bare.Plan = nil
		return fmt.Sprintf("%+v %+v", bare, plan)
	}
	want := show(few(t))
	for _, part := range []string{
		"", "jobs", "jobs/9", "stages?status=active", "stages/28", "stages/28/0/taskList?offset=0", "allexecutors", "sql",
		"sql?offset=0", "sql/0", "environment",
	} {
		for _, body := range []string{"{}", "null", "[]", `""`, "0", "[{}]"} {
			a := few(t)
			took(a, 0, part, body)
			if got := show(a); got != want || len(a.executions) > 0 {
				t.Errorf("%s of %q: %s", body, part, cmp.Diff(want, got))
			}
		}
	}
}
