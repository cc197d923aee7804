package staged_test

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/observed"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/estimators/staged"
	"github.com/paratimer/paratimer/schedule"
)

const second = 1000

// vertices is a job of Tez: six tasks read 100 records each, at 100 ms a record, two others what these write, at 50 ms
// a record. It has a container for each of three tasks.
func vertices() *dag.Plan {
	return &dag.Plan{
		Name: "a.pig", Engine: "Tez", Whole: dag.Whole{Name: "DAG", Part: "vertex", Parts: "vertices"},
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 4 * 256},
		Jobs: []dag.Job{{
			Node: "dag", Rules: dag.AncestorsFirst, MasterMB: 256,
			Stages: []dag.Stage{
				{Name: "scan", Tasks: 6, Known: true, MemoryMB: 256},
				{
					Name: "group", Tasks: 2, Known: true, MemoryMB: 256,
					After: []dag.Edge{{From: 0, Kind: dag.SlowStart, Ratio: 1, Full: 1}},
				},
			},
		}},
	}
}

// truth is what the tasks of vertices take in a run that is so many times as slow.
func truth(slow float64) schedule.Left {
	return func(t schedule.Task) schedule.Cost {
		records, each := 100.0, 100.0
		if t.Stage == 1 {
			records, each = groupRecords(t.Index), 50
		}
		c := schedule.Cost{Work: time.Duration(records*each*slow) * time.Millisecond, Same: 1}
		if t.Cold {
			c.Setup = 2 * time.Second
		}
		return c
	}
}

// groupRecords are 300 records, 200 of them of one partition.
func groupRecords(task int) float64 { return []float64{200, 100}[task] }

// seenAt is what is seen at an instant of the run.
func seenAt(t *testing.T, slow float64, at dag.Instant) (*dag.Snapshot, dag.Instant) {
	t.Helper()
	p := vertices()
	s := &dag.Snapshot{Plan: p, At: 0, Jobs: p.BlockedJobs(), Stale: dag.NoInstant}
	s.Jobs[0].Submitted, s.Jobs[0].State, s.Jobs[0].ID = 0, dag.Running, "application_1_1"
	sch, err := schedule.Replay(s, truth(slow), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := *s
	out.At, out.Jobs = at, p.BlockedJobs()
	js := &out.Jobs[0]
	js.Submitted, js.State, js.ID = 0, dag.Running, "application_1_1"
	if at >= sch.End {
		out.State, js.State, js.Finished = dag.Succeeded, dag.Succeeded, sch.End
	}
	first := map[int32]bool{}
	for _, sp := range sch.Spans {
		for i := range sp.Count {
			cold := !first[sp.Slots[i]]
			first[sp.Slots[i]] = true
			start := sp.Start
			if cold {
				start += 2 * second // its JVM runs
			}
			if start > at {
				continue
			}
			a := dag.Attempt{
				Task: sp.First + i, Slot: sp.Slots[i], Node: -1, Start: start, End: dag.NoInstant,
				State: dag.AttemptRunning, Ratio: math.NaN(),
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, Bytes: math.NaN(),
			}
			a.Done[dag.Sort], a.Done[dag.Work] = math.NaN(), math.NaN()
			records := 100.0
			if sp.Stage == 1 {
				records = groupRecords(int(a.Task))
			}
			share := min(1, float64(at-start)/float64(sp.End-start))
			a.Done[0], a.Out = math.Floor(records*share), math.Floor(records*share/2)
			a.Last = dag.Mark{At: at, Done: a.Done[0], Out: a.Out}
			if sp.End <= at {
				a.State, a.End = dag.AttemptSucceeded, sp.End
			}
			js.Stages[sp.Stage].Attempts = append(js.Stages[sp.Stage].Attempts, a)
		}
	}
	for k := range js.Stages {
		js.HeldMB += 256 * js.Stages[k].Running()
	}
	js.HeldMB += 256
	return &out, sch.End
}

func remaining(t *testing.T, s *dag.Snapshot) time.Duration {
	t.Helper()
	costs := observed.Costs(dag.Run{}.Append(s))
	sch, err := schedule.Replay(costs.Completed, costs.Left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sch.Remaining()
}

// TestProfileOfEarlierRun: a run that is half as fast as the profile's is predicted from its middle on, the uneven
// partition included; without the profile the other stage is assumed.
func TestProfileOfEarlierRun(t *testing.T) {
	t.Parallel()
	before, _ := seenAt(t, 1, 1000*second)
	profile := observed.Learn(dag.Run{}.Append(before))
	group := profiles.Stage(&profile.Jobs[0], "group")
	if got := group.Pipelines[len(group.Pipelines)-1]; got.Tuples.At(0) != 200 || math.Abs(got.Alpha.At(0)-50) > 1 {
		t.Errorf("learned %v records at %v ms", got.Tuples.At(0), got.Alpha.At(0))
	}
	for _, at := range []dag.Instant{15 * second, 24 * second, 40 * second, 50 * second} {
		s, end := seenAt(t, 2, at)
		got := remaining(t, profiles.Attach(s, []*dag.Plan{profile}))
		if want := end.Sub(at); (got - want).Abs() > want/10+time.Second {
			t.Errorf("at %d: %v left, want %v", at/second, got, want)
		}
	}
	s, _ := seenAt(t, 2, 24*second)
	costs := staged.Costs(dag.Run{}.Append(s))
	if c := costs.Left(schedule.Task{Stage: 0, Index: 5, Slot: -1, Node: -1}); c.Origin != schedule.Observed ||
		(c.Work-20*time.Second).Abs() > time.Second {
		t.Errorf("a task to come: %+v", c)
	}
	if c := costs.Left(schedule.Task{Stage: 1, Index: 0, Slot: -1, Node: -1}); c.Origin != schedule.Assumed {
		t.Errorf("a task of a stage that nobody has seen: %+v", c)
	}
}

// TestContainersStartOnce: what a container takes to be launched is no part of later tasks.
func TestContainersStartOnce(t *testing.T) {
	t.Parallel()
	s, _ := seenAt(t, 1, 11*second)
	plan := *s.Plan
	plan.Overheads.SetupMin = 3 * time.Second
	s.Plan = &plan
	costs := staged.Costs(dag.Run{}.Append(s))
	for _, cold := range []bool{false, true} {
		c := costs.Left(schedule.Task{Stage: 0, Index: 5, Slot: -1, Node: -1, Cold: cold, Start: s.At + 1})
		if want := map[bool]time.Duration{true: 3 * time.Second}[cold]; c.Setup != want {
			t.Errorf("cold %v: set-up %v, want %v", cold, c.Setup, want)
		}
	}
}

// TestEdgesOfProfile: where the engine's logs are refused the profile tells which stage reads which.
func TestEdgesOfProfile(t *testing.T) {
	t.Parallel()
	before, _ := seenAt(t, 1, 1000*second)
	profile := observed.Learn(dag.Run{}.Append(before))
	s, end := seenAt(t, 1, 15*second)
	plan := *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	plan.Jobs[0].Stages[1].After = nil
	s.Plan = &plan
	if got, want := remaining(t, profiles.Attach(s, []*dag.Plan{profile})), end.Sub(s.At); (got - want).Abs() >
		want/10 {
		t.Errorf("%v left, want %v", got, want)
	}
}

// TestTaskSizes checks that tasks which have all of their input tell how skewed a stage is, in records.
func TestTaskSizes(t *testing.T) {
	t.Parallel()
	s, _ := seenAt(t, 1, 24*second)
	for i := range s.Jobs[0].Stages[1].Attempts {
		a := &s.Jobs[0].Stages[1].Attempts[i]
		if a.State != dag.AttemptRunning {
			t.Fatalf("%+v: none of the group runs", a)
		}
		a.Total[dag.Copy], a.Done[dag.Work] = groupRecords(int(a.Task)), 1
	}
	costs := staged.Costs(dag.Run{}.Append(s))
	if !costs.InRecords || costs.TaskSize(0, 1, 0) != 200 || costs.TaskSize(0, 1, 1) != 100 {
		t.Errorf("%v and %v records", costs.TaskSize(0, 1, 0), costs.TaskSize(0, 1, 1))
	}
	before := staged.Costs(dag.Run{}.Append(&dag.Snapshot{Plan: s.Plan, Jobs: s.Plan.BlockedJobs()}))
	if n := before.TaskSize(0, 1, 0); !math.IsNaN(n) {
		t.Errorf("%v records before anything ran", n)
	}
}
