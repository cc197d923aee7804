package history

import (
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
)

// testJob is a job of n maps of 10 s and a reduce, submitted at so many seconds.
func testJob(id string, at int64, maps int) *Job {
	j := newJob(id)
	t := dag.Instant(at * 1000)
	j.Name, j.Submitted, j.Launched, j.Finished, j.State = "x", t, t+2000, t+30_000, dag.Succeeded
	j.Sized, j.Maps, j.Reduces = true, maps, 1
	j.Masters = []Master{{t + 1000, "n:1"}}
	for i := range maps {
		a := newAttempt(dag.Map, int32(i), 0)
		a.State, a.Start, a.End, a.Node = dag.AttemptSucceeded, t+3000, t+13_000, "n:1"
		a.Splits = []int32{3000, 1000, 1000, 1000, 1000, 1000, 1000, 960, 10, 10, 10, 10}
		a.Counts.MapIn, a.Counts.MapOut = 800, 80
		j.Attempts[dag.Map] = append(j.Attempts[dag.Map], a)
	}
	r := newAttempt(dag.Reduce, 0, 0)
	r.State, r.Start, r.End, r.CopyEnd, r.SortEnd, r.Node = dag.AttemptSucceeded, t+14_000, t+28_000, t+16_000,
		t+17_000, "n:1"
	r.Counts = mapreduce.Counts{
		Copied: float64(maps), ReduceIn: 80, ReduceOut: 100, Shuffled: 1000, MapIn: math.NaN(),
		MapOut: math.NaN(), Read: math.NaN(),
	}
	r.Splits = []int32{500, 500, 500, 500, 250, 250, 250, 250, 100, 100, 100, 10_700}
	j.Attempts[dag.Reduce] = append(j.Attempts[dag.Reduce], r)
	j.Last = j.Finished
	return j
}

func snapshotsOf(t *testing.T, jobs ...*Job) []*dag.Snapshot {
	t.Helper()
	w := Group(jobs)
	if len(w) != 1 {
		t.Fatalf("%d workflows", len(w))
	}
	src, err := NewSource(w[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []*dag.Snapshot
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
}

// TestStages shows a job second by second as its master would have reported it.
func TestStages(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 2)
	j.Settings.Overheads.Report = 0
	snaps := snapshotsOf(t, j)
	if len(snaps) != 31 {
		t.Fatalf("%d snapshots of 30 s", len(snaps))
	}
	at := func(sec int) *dag.JobState { return &snaps[sec].Jobs[0] }
	if s := at(1); s.State != dag.Submitted || s.Started.Known() || snaps[0].Plan.Jobs[0].Stages[dag.Map].Known ||
		!snaps[1].Plan.Jobs[0].Stages[dag.Map].Known {
		t.Errorf("after a second it is %+v", s)
	}
	if s := at(2); s.State != dag.Running || s.Started != 1_002_000 || len(s.Stages[dag.Map].Attempts) != 0 {
		t.Errorf("after two it is %+v", s)
	}
	// Two of the first three seconds are set-up: a twelfth takes one. Then 800 records in 8 s.
	for sec, want := range map[int]float64{4: 0, 5: 0, 6: 100, 9: 400, 12: 700} {
		if a := at(sec).Stages[dag.Map].Attempts[0]; a.State != dag.AttemptRunning || math.Abs(a.Done[0]-want) > 6 ||
			a.Done[0] > 0 && a.Total[0] != 800 || !math.IsNaN(a.Out) {
			t.Errorf("at %d s a map has read %v of %v, written %v, want %v", sec, a.Done[0], a.Total[0], a.Out, want)
		}
	}
	if a := at(13).Stages[dag.Map].Attempts[0]; a.State != dag.AttemptSucceeded || a.End != 1_013_000 || a.Out != 80 ||
		a.Ratio != 1 {
		t.Errorf("at its end a map is %+v", a)
	}
	r := func(sec int) dag.Attempt { return at(sec).Stages[dag.Reduce].Attempts[0] }
	if a := r(15); a.CopyEnd.Known() || a.Done[dag.Copy] != 1 || !math.IsNaN(a.Bytes) {
		t.Errorf("in its copy a reduce is %+v", a)
	}
	if a := r(16); a.CopyEnd != 1_016_000 || a.SortEnd.Known() || a.Bytes != 1000 {
		t.Errorf("at the end of its copy a reduce is %+v", a)
	}
	if a := r(23); a.SortEnd != 1_017_000 || a.Out != 54 || a.Done[dag.Work] < 60 || a.End.Known() {
		t.Errorf("at work a reduce is %+v", a)
	}
	if last := snaps[30]; last.State != dag.Succeeded || last.Jobs[0].Finished != 1_030_000 ||
		snaps[29].State != dag.Running {
		t.Errorf("at the end it is %+v", last)
	}
	if snaps[8].Plan != snaps[20].Plan {
		t.Error("the plan is another one though nothing has changed")
	}
}

// TestRestart shows the time of a master that died as that of a job that runs, of whose attempts nothing is known.
func TestRestart(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 1)
	j.Masters = []Master{{900_000 + 100_500, "n:1"}, {1_001_500, "n:1"}}
	snaps := snapshotsOf(t, j)
	if s := snaps[1].Jobs[0]; s.State != dag.Running || s.Attempt != 1 {
		t.Errorf("under its first master it is %+v", s)
	}
	s := snaps[3].Jobs[0]
	if s.State != dag.Running || s.Attempt != 2 || !warned(snaps[3], dag.WarnMasterRestarted) ||
		warned(snaps[1], dag.WarnMasterRestarted) {
		t.Errorf("under its second it is %+v, warned of %v", s, snaps[3].Warnings)
	}
}

func warned(s *dag.Snapshot, code string) bool {
	for _, w := range s.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// TestLost shows a result as long as it was there.
func TestLost(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 1)
	a := j.Attempts[dag.Map][0]
	a.Lost, a.LostAs, a.LostWhy = 1_020_000, dag.AttemptKilled, "node lost"
	snaps := snapshotsOf(t, j)
	if before, after := snaps[19].Jobs[0].Stages[dag.Map].Attempts[0],
		snaps[20].Jobs[0].Stages[dag.Map].Attempts[0]; before.State != dag.AttemptSucceeded ||
		after.State != dag.AttemptKilled || after.Diagnosis != "node lost" || after.End != 1_013_000 {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

// TestCutOff shows a job whose history breaks off: it runs to the end, which has a warning.
func TestCutOff(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 1)
	j.State, j.Finished, j.Last, j.Torn = dag.Running, dag.NoInstant, 1_014_000, true
	j.Attempts[dag.Reduce] = nil
	snaps := snapshotsOf(t, j)
	last := snaps[len(snaps)-1]
	if last.State != dag.Running || last.At != 1_014_000 || !warned(last, dag.WarnTornTape) ||
		warned(snaps[0], dag.WarnTornTape) {
		t.Errorf("it ends %v at %d with %v", last.State, last.At, last.Warnings)
	}
}

// TestPlain marks what is a straight line, and makes no counters of it.
func TestPlain(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 2)
	j.Attempts[dag.Map][0].Splits = nil
	// no report came
	j.Attempts[dag.Map][1].Splits = []int32{833, 833, 834, 833, 833, 833, 834, 833, 833, 833, 834, 833}
	j.Settings.Overheads.Report = 0
	s := snapshotsOf(t, j)[8]
	for _, a := range s.Jobs[0].Stages[dag.Map].Attempts {
		if math.Abs(a.Ratio-0.5) > 0.001 || !math.IsNaN(a.Done[0]) || a.First.At.Known() {
			t.Errorf("half way a map is %+v", a)
		}
	}
	if !warned(s, dag.WarnInterpolated) {
		t.Errorf("no warning reports it: %v", s.Warnings)
	}
}

// TestLongWait: a job that started long after its submission is played, with a warning.
func TestLongWait(t *testing.T) {
	for days, want := range map[int64]bool{0: false, 13: true} {
		j := testJob("job_1700000000000_0001", 13*86400, 1)
		j.Submitted = j.Submitted.Add(-time.Duration(days) * 24 * time.Hour)
		snaps := snapshotsOf(t, j)
		last := snaps[len(snaps)-1]
		hasWarning := slices.ContainsFunc(last.Warnings, func(w dag.Warning) bool {
			return strings.Contains(w.Text, "started 13d after its submission")
		})
		if hasWarning != want || last.State != dag.Succeeded {
			t.Errorf("%d days: %v, %v", days, last.State, last.Warnings)
		}
	}
}

// TestWorkflow joins jobs by their settings. A job that never came because one before it failed stays blocked;
// one whose history is not here is left out.
func TestWorkflow(t *testing.T) {
	a, b := testJob("job_1700000000000_0009", 1000, 1), testJob("job_1700000000000_0010", 1040, 1)
	for i, j := range []*Job{a, b} {
		j.Settings.Workflow, j.Settings.Node = "w", []string{"s1", "s3"}[i]
		j.Settings.After = map[string][]string{"s1": {"s2"}, "s2": {"s3"}, "s3": {"s4"}}
	}
	b.State, b.Diagnosis = dag.Failed, "why"
	snaps := snapshotsOf(t, b, a)
	last := snaps[len(snaps)-1]
	var nodes []string
	for _, j := range last.Plan.Jobs {
		nodes = append(nodes, j.Node)
	}
	if !reflect.DeepEqual(nodes, []string{"s1", "s3", "s4"}) || !reflect.DeepEqual(last.Plan.Jobs[1].After, []int{0}) {
		t.Fatalf("the jobs are %v, %+v", nodes, last.Plan.Jobs)
	}
	if last.State != dag.Failed || last.Jobs[1].Diagnosis != "why" || last.Jobs[2].State != dag.Blocked ||
		last.ID != "w" {
		t.Errorf("it ends %v: %+v", last.State, last.Jobs)
	}
	if s := snaps[35]; s.State != dag.Running || s.Jobs[0].State != dag.Succeeded || s.Jobs[1].State != dag.Blocked {
		t.Errorf("between its jobs it is %v: %+v", s.State, s.Jobs)
	}
	if snaps[0].ID != a.ID || len(snaps[0].Plan.Jobs) != 1 || len(snaps[1].Plan.Jobs) != 3 {
		t.Errorf("without a master it is %s with %d jobs, then %d", snaps[0].ID, len(snaps[0].Plan.Jobs),
			len(snaps[1].Plan.Jobs))
	}
}

// TestLaunches separates batches of a script without configurations.
func TestLaunches(t *testing.T) {
	a, b := testJob("job_1700000000000_0001", 1000, 1), testJob("job_1700000000000_0002", 1040, 1)
	for i, j := range []*Job{a, b} {
		j.Settings.Workflow, j.Settings.Node = "w", []string{"s1", "s2"}[i]
	}
	snaps := snapshotsOf(t, a, b)
	last := snaps[len(snaps)-1]
	if len(last.Plan.Jobs) != 2 || !reflect.DeepEqual(last.Plan.Jobs[1].After, []int{0}) ||
		!warned(last, dag.WarnSecondLaunch) {
		t.Errorf("the plan is %+v", last.Plan.Jobs)
	}
}

// TestTicks bounds the snapshots of a long run, and uses the interval that the caller sets.
func TestTicks(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 1)
	j.Finished = j.Submitted.Add(1000 * time.Hour)
	if n := len(snapshotsOf(t, j)); n < 1800 || n > 3602 {
		t.Errorf("%d snapshots of 1000 h", n)
	}
}

// TestReports shows progress as of a task's last report, as often as its job's configuration lets it report.
func TestReports(t *testing.T) {
	j := testJob("job_1700000000000_0001", 1000, 1)
	j.Settings.Overheads.Report = 4 * time.Second
	snaps := snapshotsOf(t, j)
	for sec, want := range map[int]float64{6: 0, 7: 200, 10: 200, 11: 600, 12: 600} {
		if a := snaps[sec].Jobs[0].Stages[dag.Map].Attempts[0]; math.Abs(a.Done[0]-want) > 6 {
			t.Errorf("at %d s it has read %v, want %v", sec, a.Done[0], want)
		}
	}
	if snaps[20].Plan.Overheads.Report != 4*time.Second {
		t.Error("the plan does not say how old reports are")
	}
}

// TestSubmittedLater checks that no second is negative if who submits a job has a clock that is ahead of its master's.
func TestSubmittedLater(t *testing.T) {
	t.Parallel()
	j := testJob("job_1_0001", 1000, 2)
	j.Submitted += 500_000
	all := snapshotsOf(t, j)
	s := all[len(all)-1]
	if took := s.Jobs[0].Finished.Sub(s.Origin()); took != 29*time.Second || !slices.ContainsFunc(s.Warnings,
		func(w dag.Warning) bool {
			return strings.Contains(w.Text, "8m19s later than its start, by another clock")
		}) {
		t.Errorf("%v, %+v", took, s.Warnings)
	}
}
