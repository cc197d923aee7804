package screen

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestUncertainTasks: where there is no number for the query, there is none for a task to come. The frame stays as it is.
func TestUncertainTasks(t *testing.T) {
	s := recorded(t, "failure", 108)
	if s.Frame.Headline.RemainingSeconds != nil {
		t.Fatal("this frame has a number")
	}
	s.Choice.Selected, s.Choice.Tasks = "scope-39", true
	all := []frame.Task{
		{Name: "attempt_1_r_000001_0", State: "waiting", StartSeconds: secondsOf(500), EndSeconds: secondsOf(600)},
		{Name: "attempt_1_r_000002_0", State: "running", Attempts: 1, StartSeconds: secondsOf(90), EndSeconds: secondsOf(500)},
		{Name: "attempt_1_r_000000_0", State: "succeeded", Attempts: 1, StartSeconds: secondsOf(10), EndSeconds: secondsOf(20)},
	}
	s.Frame.Tasks = func(int, int) ([]frame.Task, int) { return all, len(all) }
	golden(t, "uncertain-tasks", Draw(s))
	if all[0].EndSeconds == nil || s.Frame.CriticalPath == nil {
		t.Error("the frame has changed")
	}
}
