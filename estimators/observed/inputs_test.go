package observed

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// waiting is the group before any of its maps has started: all that is known are the numbers of tasks, and what the
// file system says.
func waiting(bytes float64, profile *dag.Plan) *dag.Snapshot {
	s := *group(6000, 25, 600)
	plan := *s.Plan
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	plan.Jobs[0].InputBytes = bytes
	s.Plan = &plan
	s.Jobs = dag.CloneStates(s.Jobs)
	s.Jobs[0].Stages[dag.Map].Attempts = nil
	if profile == nil {
		return &s
	}
	return profiles.Attach(&s, []*dag.Plan{profile})
}

// The file system tells how large the input is before any map does: the profile of a sample is scaled at once, by its
// own files where they are known, else by what its maps read.
func TestFileSystemTellsTheSize(t *testing.T) {
	t.Parallel()
	sample := Learn(runOf(finished(25)))
	sample.Jobs[0].Stages[dag.Map].Bytes = dag.Uniform(700)
	const read = 7000
	ofFiles := *sample
	ofFiles.Jobs = dag.CloneJobs(sample.Jobs)
	ofFiles.Jobs[0].InputBytes = 5000 // its maps decompress
	one := schedule.Task{Stage: dag.Map, Index: 3, Node: -1, Slot: -1, Together: 1}
	reduce := schedule.Task{Stage: dag.Reduce, Index: 3, Node: -1, Slot: -1, Together: 4}
	of := func(bytes float64, p *dag.Plan, task schedule.Task) float64 {
		return taskcost.MS(New(runOf(waiting(bytes, p)), Options{}).Left(task).Work)
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
	plan.Jobs = dag.CloneJobs(plan.Jobs)
	s.Plan = &plan
	work := func(bytes float64) time.Duration {
		plan.Jobs[0].InputBytes = bytes
		m := New(runOf(profiles.Attach(&s, []*dag.Plan{profile})), Options{})
		return m.Left(schedule.Task{Stage: dag.Map, Index: 9, Node: -1, Slot: -1, Together: 1}).Work
	}
	if without, with := work(0), work(1e12); with != without {
		t.Errorf("%v without, %v with a file system that tells another size", without, with)
	}
}

// Until anything of this run's input is told, the profile may be of a sample or of a larger run: the range holds if the
// input is three times as large or a third. Runs of one size narrow it, and so does what the file system or a map says.
func TestUnknownSizeIsWide(t *testing.T) {
	t.Parallel()
	one := Learn(runOf(finished(25)))
	one.Jobs[0].Stages[dag.Map].Bytes = dag.Uniform(700)
	merged := func(sizes ...float64) *dag.Plan {
		var runs []*dag.Plan
		for _, size := range sizes {
			run := *one
			run.Jobs = dag.CloneJobs(one.Jobs)
			phase := &run.Jobs[0].Stages[dag.Map]
			phase.Pipelines = []dag.Pipeline{{Tuples: dag.Uniform(size), Alpha: phase.Pipelines[0].Alpha}}
			runs = append(runs, &run)
		}
		p, ok := profiles.Merge(runs, nil)
		if !ok {
			t.Fatal("the runs do not fit")
		}
		return p
	}
	// Most of the sampled ends is start-up that no size changes: what is beyond is work.
	work := func(s *dag.Snapshot, q float64) float64 { return ranged(t, s).At(q).Seconds() }
	// uncounted is the same before the number of maps is told.
	uncounted := func(profile *dag.Plan) *dag.Snapshot {
		s := waiting(0, profile)
		s.Jobs[0].ID = ""
		return s
	}
	unknown, reported := uncounted(one), waiting(7000, one)
	known := ranged(t, reported)
	if least := 2 * work(reported, 0.5); work(unknown, 0.9) < least {
		t.Errorf("of an unknown size at most %.0f s, want %.0f s", work(unknown, 0.9), least)
	}
	if known.At(0.9) > 5*known.At(0.5)/2 {
		t.Errorf("of a known size %v to %v", known.At(0.5), known.At(0.9))
	}
	threefold := waiting(21_000, one)
	if truth := work(threefold, 0.5); work(unknown, 0.9) < 0.9*truth || work(threefold, 0.1) > truth {
		t.Errorf("three times the input takes %.0f s, and the range ends at %.0f s", truth, work(unknown, 0.9))
	}
	if got := work(waiting(0, one), 0.9); got > 0.8*work(unknown, 0.9) {
		t.Errorf("of a number of maps %.0f s, without it %.0f s", got, work(unknown, 0.9))
	}
	same, others := uncounted(merged(600, 600, 600, 600)), uncounted(merged(600, 1000, 500, 600))
	if !(work(same, 0.9) < 0.9*work(others, 0.9) && work(others, 0.9) < work(unknown, 0.9)) {
		t.Errorf("after runs of one size up to %.0f s, of other sizes %.0f s, after one run %.0f s", work(same, 0.9),
			work(others, 0.9), work(unknown, 0.9))
	}
	started := *group(45_000, 25, 600)
	bare := *one
	bare.Jobs = dag.CloneJobs(one.Jobs)
	bare.Jobs[0].Stages[dag.Map].Pipelines = nil // it knows no sizes
	if m := New(runOf(profiles.Attach(&started, []*dag.Plan{&bare})), Options{}); m.inputSigma != 0 {
		t.Error("maps have reported, and the input is of an unknown size")
	}
	if got := merged(600, 2400).InputSizes; len(got) != 2 || got[0] != 600 || got[1] != 2400 {
		t.Errorf("sizes %v", got)
	}
}
