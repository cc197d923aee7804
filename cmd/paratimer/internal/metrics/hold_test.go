package metrics

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestNothingLargeIsHeld checks that a run's last frame does not keep the snapshot that it was made of, for as long as
// it is shown.
func TestNothingLargeIsHeld(t *testing.T) {
	m := New(Options{})
	id := "wf-1"
	f := frame.Frame{
		Workflow: frame.Workflow{ID: &id}, Left: make([]time.Duration, 1000),
		Tasks: func(int, int) ([]frame.Task, int) { return nil, 0 },
	}
	if err := m.Show(frame.Tick{Frame: f}); err != nil {
		t.Fatal(err)
	}
	for _, r := range m.runs {
		if r.frame.Tasks != nil || r.frame.Left != nil {
			t.Errorf("%s: its frame holds what no series shows", r.id)
		}
	}
	if len(m.runs) != 1 {
		t.Errorf("%d runs", len(m.runs))
	}
}
