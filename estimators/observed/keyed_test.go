package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// onSlots is the reducer on the paper's cluster, whose plan tells every task's cost by its records.
func onSlots(r reducer, now dag.Instant, origin dag.GroupOrigin) *dag.Snapshot {
	s := r.at(now, origin)
	s.Plan.Cluster = dag.Cluster{MapSlots: 10, ReduceSlots: 4, SlotsPerNode: 2}
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	job := &s.Plan.Jobs[0]
	job.Stages[dag.Map].Pipelines = []dag.Pipeline{pipe(600, 10)}
	job.Stages[dag.Reduce].Pipelines = []dag.Pipeline{pipe(0, 0), pipe(0, 0), pipe(60, 300)}
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		attempts := s.Jobs[0].Stages[k].Attempts
		for i := range attempts {
			a := &attempts[i]
			a.Slot, a.Node = a.Task, a.Task/2
			if k == dag.Reduce {
				a.Start = 30_000
			}
		}
	}
	if origin == dag.GroupsNone {
		s.Jobs[0].Groups = nil
	}
	return s
}

// What a plan tells of a reduce's records is a linear model too: where key groups tell more, the reduces go by these.
func TestKeyGroupsBeatThePlan(t *testing.T) {
	r := quadratic()
	truth := float64(r.end(2) - 60_000)
	blind := standardOf(t, runOf(onSlots(r, 60_000, dag.GroupsNone)))
	if float64(blind.Remaining.Milliseconds()) > truth/2 {
		t.Fatalf("by its plan %v are left", blind.Remaining)
	}
	seen := standardOf(t, runOf(onSlots(r, 60_000, dag.GroupsTapped)))
	near(t, "left", float64(seen.Remaining.Milliseconds()), truth, 3000)
	if len(seen.Warnings) != 1 || seen.Warnings[0].Code != dag.WarnKeyGroups {
		t.Errorf("warnings %v", seen.Warnings)
	}
	costs := Costs(runOf(onSlots(r, 60_000, dag.GroupsTapped)))
	near(t, "rest", costs.Rem(0, dag.Reduce, 2), truth, 3000)
	near(t, "whole", costs.Full(0, dag.Reduce, 2), float64(r.end(2)-30_000), 3000)
	if g := costs.Groups; !g.Used(0) || g.In(estimators.FormStream) == nil || g.In(estimators.FormTheory) != nil {
		t.Error("the stream form is the one that it is in")
	}
	e, err := estimators.New(estimators.Sampled(), Costs, estimators.Options{}).Estimate(
		runOf(onSlots(r, 60_000, dag.GroupsTapped)))
	if err != nil || float64(e.Distribution.At(0.05).Milliseconds()) > truth ||
		float64(e.Distribution.At(0.95).Milliseconds()) < truth {
		t.Errorf("from %v to %v (%v), truth %v", e.Distribution.At(0.05), e.Distribution.At(0.95), err, truth)
	}
}

// A plan may have other stages beside a job with key groups: its reduces keep the plan's costs, and a warning says so.
func TestKeyGroupsBesideOtherStages(t *testing.T) {
	s := onSlots(quadratic(), 60_000, dag.GroupsTapped)
	scan := dag.Stage{Name: "scan", Tasks: 3, Known: true, Pipelines: []dag.Pipeline{
		{Tuples: dag.Uniform(10), Alpha: dag.Uniform(100)},
	}}
	s.Plan.Cluster = dag.Cluster{Policy: dag.YARN, Nodes: []dag.Node{{Name: "a", MemoryMB: 10_240}}}
	s.Plan.Jobs = append(s.Plan.Jobs, dag.Job{Node: "other", Stages: []dag.Stage{scan}})
	s.Jobs = append(s.Jobs, dag.BlockedJob(1))
	got := Costs(runOf(s))
	if len(got.Warnings) != 1 || got.Warnings[0].Code != dag.WarnKeyGroups || got.Groups.Used != nil {
		t.Errorf("warnings %v", got.Warnings)
	}
	near(t, "a task of the scan", got.Full(1, 0, 0), 1000, 0)
}
