package screen

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
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
		{Name: "attempt_1_r_000001_0", State: "waiting", StartSeconds: secondsOf(500), EndSeconds: secondsOf(600)},
		{
			Name: "attempt_1_r_000002_0", State: "running", Attempts: 1, StartSeconds: secondsOf(90),
			EndSeconds: secondsOf(500),
		},
		{
			Name: "attempt_1_r_000000_0", State: "succeeded", Attempts: 1, StartSeconds: secondsOf(10),
			EndSeconds: secondsOf(20),
		},
	}
	s.Frame.Tasks = func(int, int) ([]frame.Task, int) { return all, len(all) }
	golden(t, "uncertain-tasks", Draw(s))
	if all[0].EndSeconds == nil || s.Frame.CriticalPath == nil {
		t.Error("the frame has changed")
	}
}

// TestCause: of a question that failed, the part that says why reaches the screen.
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
