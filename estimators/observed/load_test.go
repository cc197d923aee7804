package observed

import (
	"math"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestFreshNeed: the figures are of a real run in which a master was asked eleven seconds before.
func TestFreshNeed(t *testing.T) {
	l := dag.Load{HeldMB: 2560, MasterMB: 512, Progress: 0.79, Need: &dag.Need{
		Map:    dag.NeedPhase{Tasks: 10, Running: 8, Progress: 0.2286, LengthMS: math.NaN(), TaskMB: 256},
		Reduce: dag.NeedPhase{Tasks: 8, LengthMS: math.NaN(), TaskMB: 256},
	}}
	n := freshNeed(&l)
	if n.Map.Progress != 1 || n.Map.Done != 10 || n.Map.Running != 0 {
		t.Errorf("maps %+v, not all done", n.Map)
	}
	if math.Abs(n.Reduce.Progress-0.644) > 0.01 || n.Reduce.Running != 8 {
		t.Errorf("reduces %+v, not eight that run, 64 %% done", n.Reduce)
	}
	if l.Need.Map.Running != 8 || l.Need.Map.Progress != 0.2286 {
		t.Error("the snapshot's need was changed")
	}
	// Each reduce that runs copies a third of what the maps have come on: 0.3 = 0.225 + 0.225 / 3.
	l.Progress, l.Need.Map.Progress, l.Need.Reduce.Running, l.Need.Reduce.Progress = 0.05+0.9*0.4, 0.5, 8, 0
	if n := freshNeed(&l); math.Abs(n.Map.Progress-0.725) > 1e-9 || math.Abs(n.Reduce.Progress-0.075) > 1e-9 {
		t.Errorf("maps %v, reduces %v, want 0.725 and 0.075", n.Map.Progress, n.Reduce.Progress)
	}
	l.Need.Map.Progress, l.Need.Reduce.Running = 0.2286, 0
	l.Progress = 0.1
	if n := freshNeed(&l); n.Map.Running != 8 || n.Map.Progress != 0.2286 {
		t.Errorf("maps %+v: a figure that is older than the master's word counted", n.Map)
	}
}

func TestWarnOthers(t *testing.T) {
	s := &dag.Snapshot{
		Queue: "a", Plan: &dag.Plan{},
		Jobs:   []dag.JobState{{HeldMB: 2000, Stages: make([]dag.StageState, dag.MapReduceStages)}},
		Load:   []dag.Load{{ID: "x", User: "bob", Name: "etl", Queue: "b", HeldMB: 500, PendingMB: 300}},
		Queues: []dag.QueueState{{Name: "a", ShareMB: 1500, Preempted: true}, {Name: "b", ShareMB: 1500}},
	}
	said := func() string {
		var m Model
		m.warnOthers(s)
		var all []string
		for _, w := range m.Warnings {
			all = append(all, w.Text)
		}
		return strings.Join(all, "; ")
	}
	if got := said(); !strings.Contains(got, "guessed, their masters tell nothing: bob's etl") ||
		!strings.Contains(got, "holds 500 MB more than it is guaranteed") {
		t.Error(got)
	}
	s.Load[0].PendingMB = 0
	if got := said(); strings.Contains(got, "guaranteed") {
		t.Errorf("nobody asks for any: %s", got)
	}
	s.Load[0].PendingMB, s.Queues[0].Preempted = 300, false
	if got := said(); strings.Contains(got, "guaranteed") {
		t.Errorf("the scheduler takes nothing back: %s", got)
	}
	s.Queues[0].Preempted = true
	s.Load[0].Need, s.Load[0].HeldMB = &dag.Need{}, 1500
	if got := said(); strings.Contains(got, "guessed") || !strings.Contains(got, "known") ||
		strings.Contains(got, "guaranteed") {
		t.Error(got)
	}
	s.Load = nil
	if got := said(); got != "" {
		t.Error(got)
	}
}
