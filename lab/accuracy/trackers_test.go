package main

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// Section 3.1.4: fewer tasks are asked for in the order of the trackers, the thread's one at a time, and none is much
// worse for noise of 2 %.
func TestTrackersAskLess(t *testing.T) {
	t.Parallel()
	for _, q := range sampledQueries {
		plan, err := q.plan(examples, dag.FIFO)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		for i, name := range trackers {
			got, err := followed(plan, name, 0.02, 1)
			if err != nil {
				t.Fatal(err)
			}
			asked := got.asked
			if i == 0 {
				asked = got.running
			} else if asked > before || asked < 0.5 {
				t.Errorf("%s: %s asks for %.1f tasks, the one before for %.1f", q.file, name, asked, before)
			}
			if before = asked; !(mean(got.errors.points) < 1) {
				t.Errorf("%s: %s: %s points", q.file, name, &got.errors)
			}
			if name == "standard_static_thread" && asked > 1.2 {
				t.Errorf("%s: a thread asks for %.1f tasks", q.file, asked)
			}
		}
	}
}
