package cost_test

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

const second = 1000

// vertices is a DAG of Tez: six tasks read 100 records each, at 100 ms a record, two others read what these write, at
// 50 ms a record. It has a container for each of three tasks.
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

// truth is the time of the tasks of vertices in a run that is so many times as slow.
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

// submitted is the run when its DAG has been submitted and nothing runs.
func submitted(at dag.Instant) *dag.Snapshot {
	p := vertices()
	s := &dag.Snapshot{Plan: p, At: at, Jobs: p.BlockedJobs(), Stale: dag.NoInstant, State: dag.Running}
	s.Jobs[0].Submitted, s.Jobs[0].State, s.Jobs[0].ID = 0, dag.Running, "application_1_1"
	return s
}

// seenAt returns the snapshot at an instant of the run, and its end.
func seenAt(t *testing.T, slow float64, at dag.Instant) (*dag.Snapshot, dag.Instant) {
	t.Helper()
	sch, err := schedule.Replay(submitted(0), truth(slow), schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := submitted(at)
	js := &out.Jobs[0]
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
			a.First.At = dag.NoInstant
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
	if at >= 2*second {
		out.Plan.Overheads.SetupMin = 2 * time.Second
	}
	js.HeldMB = 256
	for k := range js.Stages {
		js.HeldMB += 256 * js.Stages[k].Running()
	}
	return out, sch.End
}

// profileOf is that of a whole run in which a launch took two seconds and the first task of each container one more
// than others.
func profileOf(t *testing.T) *dag.Plan {
	t.Helper()
	before, _ := seenAt(t, 1, 1000*second)
	profile := cost.Learn(dag.Run{}.Append(before))
	profile.Overheads.SetupMin, profile.Overheads.Cold = 2*time.Second, time.Second
	return profile
}

func with(s *dag.Snapshot, profile *dag.Plan) *dag.Snapshot {
	return profiles.Attach(s, []*dag.Plan{profile})
}

func costsOf(s *dag.Snapshot) estimators.Costs { return cost.Costs(dag.Run{}.Append(s)) }

func remaining(t *testing.T, s *dag.Snapshot) time.Duration {
	t.Helper()
	costs := costsOf(s)
	sch, err := schedule.Replay(costs.Completed, costs.Left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sch.Remaining()
}

// launched is the time of a scan before its work if a container is launched for it at an instant, in seconds.
func launched(s *dag.Snapshot, at dag.Instant) float64 {
	return costsOf(s).Left(schedule.Task{Index: 5, Slot: -1, Node: -1, Cold: true, Start: at}).Setup.Seconds()
}

func between(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if !(got >= least && got <= most) {
		t.Errorf("%s: %.4g, want %.4g to %.4g", what, got, least, most)
	}
}

// TestProfileOfEarlierRun checks that a run that is half as fast as the profile's is predicted from its middle on, the
// uneven partition included; without the profile the second stage is assumed.
func TestProfileOfEarlierRun(t *testing.T) {
	t.Parallel()
	profile := profileOf(t)
	group := profiles.Stage(&profile.Jobs[0], "group")
	if n := len(group.Pipelines); n != dag.Pipelines {
		t.Fatalf("a stage that copies has %d pipelines", n)
	}
	if got := group.Pipelines[dag.Work]; got.Tuples.At(0) != 200 || math.Abs(got.Alpha.At(0)-50) > 1 {
		t.Errorf("learned %v records at %v ms", got.Tuples.At(0), got.Alpha.At(0))
	}
	for _, at := range []dag.Instant{24 * second, 40 * second, 50 * second} {
		s, end := seenAt(t, 2, at)
		want := end.Sub(at).Seconds()
		between(t, time.Duration(at*1e6).String(), remaining(t, with(s, profile)).Seconds(), 0.8*want-1, 1.2*want+1)
	}
	s, _ := seenAt(t, 2, 24*second)
	costs := costsOf(s)
	c := costs.Left(schedule.Task{Stage: 0, Index: 5, Slot: -1, Node: -1})
	between(t, "a task to come", c.Work.Seconds(), 10, 21)
	if c.Origin != schedule.Observed {
		t.Errorf("it is %v", c.Origin)
	}
	if c := costs.Left(schedule.Task{Stage: 1, Index: 0, Slot: -1, Node: -1}); c.Origin != schedule.Assumed {
		t.Errorf("a task of a stage that nothing has shown: %+v", c)
	}
}

// TestFirstRun checks that a first run has no time before its first task has ended, and one with a range after that,
// although another stage has not begun.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	s, _ := seenAt(t, 1, 11*second)
	if point, drawn := estimate(t, s); point.Remaining != nil || len(drawn.Distribution) > 0 {
		t.Errorf("before a task has ended: %v, %v", point.Remaining, drawn.Distribution)
	}
	s, end := seenAt(t, 1, 15*second)
	point, drawn := estimate(t, s)
	if point.Remaining == nil {
		t.Fatal("no time after the first tasks have ended")
	}
	left := end.Sub(s.At).Seconds()
	between(t, "left", point.Remaining.Seconds(), left/2, left*2)
	if d := drawn.Distribution; d.At(0.1).Seconds() > left || d.At(0.9).Seconds() < left {
		t.Errorf("%v to %v, %v s are left", d.At(0.1), d.At(0.9), left)
	}
}

// TestContainersStartOnce checks that what a container takes to be launched is no part of later tasks.
func TestContainersStartOnce(t *testing.T) {
	t.Parallel()
	s, _ := seenAt(t, 1, 11*second)
	plan := *s.Plan
	plan.Overheads.SetupMin = 3 * time.Second
	s.Plan = &plan
	between(t, "of a new container", launched(s, s.At+1), 2.9, 3.1)
	c := costsOf(s).Left(schedule.Task{Index: 5, Slot: -1, Node: -1, Start: s.At + 1})
	between(t, "of one that is kept", c.Setup.Seconds(), 0, 0)
}

// TestEdgesOfProfile checks that the profile gives the edges if the engine's logs are refused.
func TestEdgesOfProfile(t *testing.T) {
	t.Parallel()
	s, end := seenAt(t, 1, 15*second)
	plan := *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	plan.Jobs[0].Stages[1].After = nil
	s.Plan = &plan
	want := end.Sub(s.At).Seconds()
	between(t, "left", remaining(t, with(s, profileOf(t))).Seconds(), 0.85*want, 1.15*want)
}

// TestTaskSizes checks that tasks which have all of their input show how skewed a stage is, in records.
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
	costs := costsOf(s)
	if !costs.InRecords || costs.TaskSize(0, 1, 0) != 200 || costs.TaskSize(0, 1, 1) != 100 {
		t.Errorf("%v and %v records", costs.TaskSize(0, 1, 0), costs.TaskSize(0, 1, 1))
	}
	if n := costsOf(submitted(0)).TaskSize(0, 1, 0); !math.IsNaN(n) {
		t.Errorf("%v records before anything ran", n)
	}
}

// TestTasksShareTheirInput checks that the tasks of a stage that are left read what the others have left of what was
// written for it: the profile's partitions may be of other keys.
func TestTasksShareTheirInput(t *testing.T) {
	t.Parallel()
	for _, profile := range []*dag.Plan{nil, profileOf(t)} {
		s, _ := seenAt(t, 1, 30*second) // the smaller task of the group has ended
		for i := range s.Jobs[0].Stages[1].Attempts {
			if a := &s.Jobs[0].Stages[1].Attempts[i]; a.Task == 1 {
				a.Done[0] = 160
			} else {
				a.Done[0] = 10
			}
		}
		if profile != nil {
			s = with(s, profile)
		}
		between(t, "records of the other", costsOf(s).TaskSize(0, 1, 0), 135, 145)
	}
}

// TestOwnRecords checks that a running task that reads its records slowly is expected to go on so.
func TestOwnRecords(t *testing.T) {
	t.Parallel()
	left := func(records float64) float64 {
		s, _ := seenAt(t, 1, 28*second)
		a := &s.Jobs[0].Stages[1].Attempts[0]
		a.First = dag.Mark{At: 25 * second}
		a.Done[0], a.Out = records, math.NaN()
		a.Last = dag.Mark{At: s.At, Done: records}
		return costsOf(with(s, profileOf(t))).Left(schedule.Task{Stage: 1, Running: a}).Work.Seconds()
	}
	slow, usual := left(10), left(70)
	between(t, "a slow task against a usual one", slow/usual, 1.3, 4)
}

// TestProgress checks that the engine's own progress of a task counts. Its first half is the copy.
func TestProgress(t *testing.T) {
	t.Parallel()
	left := func(ratio float64) float64 {
		s, _ := seenAt(t, 1, 28*second)
		a := &s.Jobs[0].Stages[1].Attempts[0]
		a.Ratio, a.Done[0], a.Last.At = ratio, 0, dag.NoInstant
		return costsOf(with(s, profileOf(t))).Left(schedule.Task{Stage: 1, Running: a}).Work.Seconds()
	}
	if early, late := left(0.55), left(0.95); late > early/2 {
		t.Errorf("%.1f s left at a share of 0.1, %.1f s at 0.9", early, late)
	}
}
