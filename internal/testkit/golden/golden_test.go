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

func TestTaskNames(t *testing.T) {
	plan := &dag.Plan{Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
		{Node: "j2", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
	}}
	if got := TaskName(plan, 1, dag.Reduce, 2, 1); got != "j2.r3'" {
		t.Errorf("TaskName = %s", got)
	}
	job, k, i, err := ParseTask(plan, "j2.r3'")
	if job != 1 || k != dag.Reduce || i != 2 || err != nil {
		t.Errorf("ParseTask = %d %v %d %v", job, k, i, err)
	}
	if _, _, _, err := ParseTask(plan, "j9.m1"); err == nil {
		t.Error("a task of an unknown job was parsed")
	}
}
