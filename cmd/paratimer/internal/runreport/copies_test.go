package runreport

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestCopyIsNoLoss checks that a copy of a slow task, or the task that its copy overtook, counts as no loss.
func TestCopyIsNoLoss(t *testing.T) {
	t.Parallel()
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "j", Stages: []dag.Stage{{Name: "s", Tasks: 1, Known: true}}}}}
	s := &dag.Snapshot{Plan: plan, State: dag.Succeeded, Jobs: []dag.JobState{{
		State: dag.Succeeded, Submitted: 0, Finished: 1000,
		Stages: []dag.StageState{{Attempts: []dag.Attempt{
			{State: dag.AttemptKilled, Start: 10, End: 901, Diagnosis: "another attempt succeeded"},
			{Number: 1, State: dag.AttemptSucceeded, Start: 500, End: 900},
		}}},
	}}}
	var job Job
	if job.measure(&plan.Jobs[0], &s.Jobs[0]); job.KilledAttempts != 0 || job.FailedAttempts != 0 {
		t.Errorf("%d killed, %d failed", job.KilledAttempts, job.FailedAttempts)
	}
	s.Jobs[0].Stages[0].Attempts[1].Start = 902 // it is no copy: its work was lost, and began again
	s.Jobs[0].Stages[0].Attempts[1].End = 950
	job = Job{}
	if job.measure(&plan.Jobs[0], &s.Jobs[0]); job.KilledAttempts != 1 {
		t.Errorf("%d killed, want 1", job.KilledAttempts)
	}
}
