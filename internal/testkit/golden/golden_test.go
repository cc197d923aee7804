package golden

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func TestLoad(t *testing.T) {
	cases := Load(t)
	instants, running := 0, 0
	for _, c := range cases {
		if c.Initial.CriticalPathMS == nil || len(c.Instants) == 0 {
			t.Errorf("%s: no expectations", c.Name)
		}
		for _, in := range c.Instants {
			instants++
			if in.Snapshot.At != in.At {
				t.Errorf("%s: snapshot of %d at %d", c.Name, in.At, in.Snapshot.At)
			}
			for j := range in.Snapshot.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					for _, a := range in.Snapshot.Jobs[j].Stages[k].Attempts {
						if a.State == dag.AttemptRunning {
							running++
						}
					}
				}
			}
		}
	}
	t.Logf("%d cases, %d instants, %d running attempts", len(cases), instants, running)
	if running == 0 {
		t.Error("no attempt runs at any instant")
	}
}

func TestTasks(t *testing.T) {
	plan := &dag.Plan{Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(PhaseOf(1), PhaseOf(0))},
		{Node: "j2", Stages: dag.MapReduce(PhaseOf(2), PhaseOf(3))},
	}}
	all := Tasks(plan)
	if got := all["j2.r3"]; len(all) != 6 || got.Job != 1 || got.Stage != dag.Reduce || got.Index != 2 {
		t.Errorf("%+v", all)
	}
}
