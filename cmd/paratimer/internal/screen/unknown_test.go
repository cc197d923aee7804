package screen

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestUncertainTasks: where there is no number for the query, there is none for a task to come. The frame stays as it
// is.
func TestUncertainTasks(t *testing.T) {
	s := recorded(t, "failure", 108)
	if s.Frame.Headline.RemainingSeconds != nil {
		t.Fatal("this frame has a number")
	}
	s.Choice.Selected, s.Choice.Tasks = "scope-39", true
	all := []frame.Task{
		{Name: "attempt_1_1_r_000001_0", State: "waiting", StartSeconds: secondsOf(500), EndSeconds: secondsOf(600)},
		{
			Name: "attempt_1_1_r_000002_0", State: "running", Attempts: 1, StartSeconds: secondsOf(90),
			EndSeconds: secondsOf(500),
		},
		{
			Name: "attempt_1_1_r_000000_0", State: "succeeded", Attempts: 1, StartSeconds: secondsOf(10),
			EndSeconds: secondsOf(20),
		},
	}
	s.Frame.Tasks = func(int, int) ([]frame.Task, int) { return all, len(all) }
	golden(t, "uncertain-tasks", Draw(s))
	if all[0].EndSeconds == nil || s.Frame.CriticalPath == nil {
		t.Error("the frame has changed")
	}
}

// TestCause checks that the cause of a failed request reaches the screen.
func TestCause(t *testing.T) {
	for words, want := range map[string]string{
		"GET http://rm:8088/ws/v1/cluster/apps?deSelects=x: dial tcp 10.0.0.1:8088: connect: connection refused (nothing listens there: is the port right?)": "rm:8088: connection refused (nothing listens there: is the port right?)",
		"GET https://jhs:19890/ws/v1/history: 503 Service Unavailable":                                                                                       "jhs:19890: 503 Service Unavailable",
		"GET http://[::1]:8088/ws: EOF":          "[::1]:8088: EOF",
		"the answer is not JSON: unexpected end": "the answer is not JSON: unexpected end",
		"GET http://rm":                          "GET http://rm",
		"":                                       "",
	} {
		if got := cause(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

// TestStagesHaveNoMaps: a query without maps and reduces has tasks, and a range alone ends after one blank.
func TestStagesHaveNoMaps(t *testing.T) {
	t.Parallel()
	at, low, high := frame.Seconds(53), frame.Seconds(0.5), frame.Seconds(240)
	all := 37
	f := frame.Frame{
		Workflow: frame.Workflow{State: dag.Running}, ElapsedSeconds: &at, FailedAttempts: 1,
		Headline: frame.Headline{LowSeconds: &low, HighSeconds: &high},
		Jobs: []frame.Job{{
			Node: "dag", State: dag.Running, Stages: []frame.Stage{{Name: "scope-37", Tasks: frame.Tasks{Total: &all}}},
		}},
		Failures: []frame.Failure{{Job: "dag", Task: "task 7 of map_at Lab [RDD 2]"}},
	}
	drawn := strings.Join(Draw(State{Frame: &f, Width: 100, Height: 24}), "\n")
	for _, want := range []string{" tasks ", "Ends in up to 4m", "task 7 of map_at Lab [RDD 2]"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("there is no %q in\n%s", want, drawn)
		}
	}
	if strings.Contains(drawn, "maps") || strings.Contains(drawn, "reduces") {
		t.Errorf("there are maps or reduces in\n%s", drawn)
	}
}
