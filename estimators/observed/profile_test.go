package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// finished is a run of the group whose reduces took 40 ms a record, 20 bytes each.
func finished(alpha float64) *dag.Snapshot {
	s := reducing(200_000)
	s.Jobs[0].Stages[dag.Map].Attempts = nil
	for i := range int32(10) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			mapAttempt(i, 5000+dag.Instant(i), 5000, alpha, 600, 200_000))
	}
	for i := range int32(4) {
		in := float64(100 * (i + 1))
		a := reduceAttempt(i, 20*in, 1, dag.Mark{At: 32_000, Done: in, Out: 5}, dag.Mark{At: 40_000, Done: in, Out: in})
		a.State, a.End = dag.AttemptSucceeded, a.CopyEnd+dag.Instant(40*in)
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
	}
	s.State, s.Jobs[0].State, s.Jobs[0].Finished = dag.Succeeded, dag.Succeeded, 70_000
	return s
}

// What was learned of a run is what it showed, and a profile is a valid plan.
func TestLearn(t *testing.T) {
	p := Learn(runOf(finished(25)))
	job := &p.Jobs[0]
	// reports are taken to be half a tick old
	near(t, "map alpha in µs", 1000*job.Stages[dag.Map].Pipelines[0].Alpha.At(0), 25_000, 1000)
	near(t, "reduce alpha in µs", 1000*job.Stages[dag.Reduce].Pipelines[dag.Work].Alpha.At(0), 40_000, 100)
	near(t, "bytes of the third reduce", job.Stages[dag.Reduce].Bytes.At(2), 6000, 0)
	if err := dag.ValidateProfile(p); err != nil {
		t.Error(err)
	}
}

// With a profile there is a number from the first tick on, at the profile's speed; once one phase of this run has shown
// that it is twice as slow, the reduces that nobody has seen yet are expected to be slower too, by less: one phase is
// little evidence.
func TestProfileAndSlowdown(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	at := func(now dag.Instant, alpha float64) *Model {
		return New(runOf(profiles.Attach(group(now-1000, alpha, 600), []*dag.Plan{profile}),
			profiles.Attach(group(now, alpha, 600), []*dag.Plan{profile})), Options{})
	}
	reduce := schedule.Task{Stage: dag.Reduce, Index: 3, Node: -1, Slot: -1, Together: 4}
	early := at(6000, 25).Left(reduce)
	near(t, "the largest reduce", taskcost.MS(early.Work), 16_000, 400)
	if early.Origin != schedule.Profiled {
		t.Errorf("origin %v", early.Origin)
	}
	near(t, "the same, beside maps that are twice as slow", taskcost.MS(at(30_000, 50).Left(reduce).Work), 25_400, 1500)
}

// More data in the same script: the reduces get more in proportion.
func TestProfileScalesWithInput(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	s := profiles.Attach(group(45_000, 25, 1200), []*dag.Plan{profile})
	m := New(runOf(profiles.Attach(group(44_000, 25, 1200), []*dag.Plan{profile}), s), Options{})
	reduce := schedule.Task{Stage: dag.Reduce, Index: 3, Node: -1, Slot: -1, Together: 4}
	near(t, "the largest reduce", taskcost.MS(m.Left(reduce).Work), 32_000, 2000)
}

// Until a job shows the DAG, a profile of the same script stands in for it; one of another script does not.
func TestAttachStandsInForTheDAG(t *testing.T) {
	profile := &dag.Plan{Name: "/jobs/report.pig", Jobs: []dag.Job{
		{Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: 3, Known: true}, dag.Stage{})},
		{Node: "b", After: []int{0}, Stages: dag.MapReduce(dag.Stage{Tasks: 2, Known: true}, dag.Stage{})},
	}}
	s := &dag.Snapshot{
		Plan: &dag.Plan{
			Name: "report.pig", Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 2048},
			Jobs: []dag.Job{{Node: "job_1_0001", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}},
		}, At: 1000, State: dag.Submitted, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			ID: "job_1_0001", State: dag.Submitted, Submitted: 500, Started: dag.NoInstant,
			Finished: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	if got := profiles.Attach(s, []*dag.Plan{profile}); len(got.Plan.Jobs) != 2 || got.Jobs[0].ID != "job_1_0001" ||
		got.Jobs[1].State != dag.Blocked {
		t.Errorf("got %d jobs: %+v", len(got.Plan.Jobs), got.Jobs)
	}
	if len(s.Plan.Jobs) != 1 || s.Profiles != nil {
		t.Error("the observed snapshot was changed")
	}
	s.Plan.Name = "other.pig"
	if got := profiles.Attach(s, []*dag.Plan{profile}); len(got.Plan.Jobs) != 1 {
		t.Error("a profile of another script stood in")
	}
}

// One job that looks alike does not make a profile of another script fit.
func TestForeignProfileIsNotUsed(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	profile.Name = "other.pig"
	profile.Jobs = append(profile.Jobs, dag.Job{
		Node: "scope-2", After: []int{0},
		Stages: dag.MapReduce(dag.Stage{Tasks: 1, Known: true}, dag.Stage{}),
	})
	m := New(runOf(profiles.Attach(group(6000, 25, 600), []*dag.Plan{profile})), Options{})
	if len(m.Warnings) != 1 || m.Warnings[0].Code != dag.WarnNoProfile {
		t.Errorf("warnings %v", m.Warnings)
	}
	if c := m.Left(schedule.Task{Stage: dag.Map, Index: 9, Node: -1, Slot: -1}); c.Origin != schedule.Assumed {
		t.Errorf("origin %v", c.Origin)
	}
}
