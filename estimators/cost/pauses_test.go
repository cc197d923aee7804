package cost_test

import (
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// program is an application whose driver pauses for 20 s, 300 s and 2 s between its jobs of 10 s, and for last after
// them, from its first job on.
func program(last time.Duration) *fixtures.SparkLog {
	l := fixtures.NewSparkLog(4)
	end := time.Duration(0)
	for _, pause := range []int{5, 20, 300, 2} {
		end = l.Job(end+time.Duration(pause)*time.Second, 10*time.Second, 4, -1)
	}
	l.End(end + last)
	return l
}

func snapshotOf(t *testing.T, l *fixtures.SparkLog, at time.Duration) *dag.Snapshot {
	t.Helper()
	files, err := spark.FindLogs(t.Context(), fstest.MapFS{"app-1": {Data: l.Bytes()}}, "app-1")
	if err != nil || len(files) != 1 {
		t.Fatalf("%d logs, %v", len(files), err)
	}
	log, err := files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := log.Reader("").At(dag.Instant(fixtures.SparkBegin).Add(at))
	if !ok {
		t.Fatal("no job")
	}
	return s
}

// TestPausesOfTheDriver checks that a profile has the pauses of the driver, and that a run of the same program is
// predicted with them: 362 s of jobs and pauses, and 1,200 s after the last job.
func TestPausesOfTheDriver(t *testing.T) {
	t.Parallel()
	const last = 1200 * time.Second
	ended := snapshotOf(t, program(last), time.Hour)
	profile := cost.Learn(dag.Run{}.Append(ended))
	stages := profile.Jobs[0].Stages
	for k, want := range []time.Duration{0, 20 * time.Second, 300 * time.Second, 0} {
		if got := stages[k].Pause.Round(time.Second); got != want {
			t.Errorf("before stage %d: %v, want %v", k, got, want)
		}
	}
	if got := profile.Overheads.Finish.Round(time.Second); got != last {
		t.Errorf("after the last: %v, want %v", got, last)
	}
	end := ended.Jobs[0].Finished
	for _, at := range []int{6, 14, 25, 40, 100, 200, 340, 355, 360, 370, 600, 1000, 1500} {
		now := time.Duration(at) * time.Second
		s := profiles.Attach(snapshotOf(t, program(last), now), []*dag.Plan{profile})
		left := end.Sub(s.At).Seconds()
		point, drawn := estimate(t, s)
		if point.Remaining == nil || point.Remaining.Seconds() < left-10 || point.Remaining.Seconds() > left+10 {
			t.Errorf("at %d s: %v, %.0f s are left", at, point.Remaining, left)
		}
		d := drawn.Distribution
		if len(d) == 0 || d.At(0.05).Seconds() > left || d.At(0.95).Seconds() < left {
			t.Errorf("at %d s: %.0f s are left, out of the range", at, left)
		}
	}
}

// TestTitlesOfStagesToCome checks that stages to come have the titles of the earlier run without their numbers, and
// that no two titles of a profile are equal.
func TestTitlesOfStagesToCome(t *testing.T) {
	t.Parallel()
	ended := snapshotOf(t, program(time.Second), time.Hour)
	ended.Plan.Jobs[0].Stages[3].Title = dag.StageTitle(3, "count at job.py:1")
	profile := cost.Learn(dag.Run{}.Append(ended))
	s := profiles.Attach(snapshotOf(t, program(time.Second), 6*time.Second), []*dag.Plan{profile})
	var got []string
	for i := range s.Plan.Jobs[0].Stages {
		got = append(got, s.Plan.StageName(0, dag.StageIndex(i)))
	}
	want := []string{"Stage 0 · count at job.py:0", "count at job.py:1", "count at job.py:2", "count at job.py:1 #2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLateDriver checks that a driver that works for longer than in a profile is expected to work on, and that
// without a profile nothing is expected.
func TestLateDriver(t *testing.T) {
	t.Parallel()
	profile := cost.Learn(dag.Run{}.Append(snapshotOf(t, program(time.Second), time.Hour)))
	bare := snapshotOf(t, program(time.Hour), 977*time.Second) // 600 s after the last job
	point, drawn := estimate(t, profiles.Attach(bare, []*dag.Plan{profile}))
	if point.Remaining == nil || point.Remaining.Seconds() < 200 || point.Remaining.Seconds() > 400 {
		t.Errorf("%v left, want half of 600 s", point.Remaining)
	}
	if d := drawn.Distribution; len(d) == 0 || d.At(0.9) < 30*time.Minute || d.At(0.1) > 2*time.Minute {
		t.Errorf("%v to %v", d.At(0.1), d.At(0.9))
	}
	if point, drawn = estimate(t, bare); point.Remaining != nil || len(drawn.Distribution) > 0 {
		t.Errorf("without a profile: %v, %v", point.Remaining, drawn.Distribution)
	}
}

// estimate returns the standard estimate and the drawn one.
func estimate(t *testing.T, s *dag.Snapshot) (point, drawn estimators.Estimate) {
	t.Helper()
	run := dag.Run{}.Append(s)
	of := func(s estimators.Scenario) estimators.Estimate {
		e, err := estimators.New(s, cost.Costs, estimators.Options{}).Estimate(run)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return of(estimators.Scenarios()[0]), of(estimators.Sampled())
}
