package observed

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// waiting is the group before any of its maps has started: all that is known are the numbers of tasks, and what the file system says.
func waiting(bytes float64, profile *dag.Plan) *dag.Snapshot {
	s := *group(6000, 25, 600)
	plan := *s.Plan
	plan.Jobs = append([]dag.Job(nil), plan.Jobs...)
	plan.Jobs[0].InputBytes = bytes
	s.Plan = &plan
	s.Jobs = append([]dag.JobState(nil), s.Jobs...)
	s.Jobs[0].Map.Attempts = nil
	if profile == nil {
		return &s
	}
	return Attach(&s, []*dag.Plan{profile})
}

// The file system tells how large the input is before any map does: the profile of a sample is scaled at once, by its own files where they are
// known, else by what its maps read.
func TestFileSystemTellsTheSize(t *testing.T) {
	t.Parallel()
	sample := Learn(runOf(finished(25)))
	sample.Jobs[0].Map.Bytes = dag.Uniform(700)
	const read = 7000
	ofFiles := *sample
	ofFiles.Jobs = append([]dag.Job(nil), sample.Jobs...)
	ofFiles.Jobs[0].InputBytes = 5000 // its maps decompress
	one := schedule.Task{Kind: dag.Map, Index: 3, Node: -1, Slot: -1, Together: 1}
	reduce := schedule.Task{Kind: dag.Reduce, Index: 3, Node: -1, Slot: -1, Together: 4}
	of := func(bytes float64, p *dag.Plan, task schedule.Task) float64 {
		return ms(New(runOf(waiting(bytes, p)), Options{}).Left(task).Work)
	}
	same, sameReduce := of(0, sample, one), of(0, sample, reduce)
	near(t, "a map of twice the input", of(2*read, sample, one), 2*same, 0.02*same)
	near(t, "its reduce", of(2*read, sample, reduce), 2*sameReduce, 0.02*sameReduce)
	near(t, "a map of three times the files", of(15_000, &ofFiles, one), 3*same, 0.03*same)
	near(t, "a file system that tells nothing", of(0, &ofFiles, one), same, 0)
}

// Reports of this run's maps go before what the file system says: a job may read a part of its files.
func TestReportsGoBeforeFiles(t *testing.T) {
	t.Parallel()
	profile := Learn(runOf(finished(25)))
	s := *group(45_000, 25, 600)
	plan := *s.Plan
	plan.Jobs = append([]dag.Job(nil), plan.Jobs...)
	s.Plan = &plan
	work := func(bytes float64) time.Duration {
		plan.Jobs[0].InputBytes = bytes
		m := New(runOf(Attach(&s, []*dag.Plan{profile})), Options{})
		return m.Left(schedule.Task{Kind: dag.Map, Index: 9, Node: -1, Slot: -1, Together: 1}).Work
	}
	if without, with := work(0), work(1e12); with != without {
		t.Errorf("%v without, %v with a file system that tells another size", without, with)
	}
}
