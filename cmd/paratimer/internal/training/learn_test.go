package training

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// attempt is one that succeeded, on a node, from and to in seconds.
func attempt(task, node int32, from, to int) dag.Attempt {
	a := dag.BlankAttempt(task, 0)
	a.Node, a.Start, a.End, a.State, a.Bytes = node, dag.Instant(1000*from), dag.Instant(1000*to), dag.AttemptSucceeded,
		math.NaN()
	return a
}

// run has one job of three maps on two nodes and one reduce, which had all map outputs 2 s before its end.
func run() JobRun {
	reduce := attempt(0, 0, 5, 14)
	reduce.CopyEnd = 12_000
	failed := attempt(2, 0, 1, 2)
	failed.State = dag.AttemptFailed
	s := &dag.Snapshot{
		Plan: &dag.Plan{
			Name: "a script\x07",
			Jobs: []dag.Job{{Node: "s1", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}},
		}, State: dag.Succeeded,
		Nodes: []dag.NodeState{{Name: "a"}, {Name: "b"}},
		Jobs: []dag.JobState{{
			ID: "job_1_1", State: dag.Succeeded, Submitted: 1, Finished: 15_001,
			Stages: []dag.StageState{
				{Attempts: []dag.Attempt{attempt(0, 0, 1, 5), attempt(1, 0, 1, 5), attempt(2, 1, 5, 9), failed}},
				{Attempts: []dag.Attempt{reduce}},
			},
		}},
	}
	counters := mapreduce.Used{}
	for task := range int32(3) {
		u := mapreduce.UsageOf(nil)
		u.CPU, u.Read, u.FileWritten = float64(task+1), 200e6, 100e6 // 1, 2, 3 s
		counters[mapreduce.TaskID{Job: s.Jobs[0].ID, Kind: dag.Map, Index: task}] = u
	}
	u := mapreduce.UsageOf(nil)
	u.CPU, u.FileRead, u.FileWritten, u.Written, u.Shuffled = 1.5, 60e6, 60e6, 30e6, 75e6
	counters[mapreduce.TaskID{Job: s.Jobs[0].ID, Kind: dag.Reduce}] = u
	return JobRun{File: "x.jhist", End: s, Used: counters}
}

func options(t *testing.T) JobOptions {
	t.Helper()
	disk, err1 := ParseRate("100MB/s")
	network, err2 := ParseRate("1Gbit/s")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return JobOptions{Disk: disk, Network: network}
}

func TestLearn(t *testing.T) {
	f, warnings, err := LearnJobs([]JobRun{run()}, options(t))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	var b bytes.Buffer
	if err := WriteJobs(&b, f); err != nil {
		t.Fatal(err)
	}
	want := `# Learned from the counters of
#   x.jhist
# Disk is assumed to move 100MB/s, the network 1Gbit/s; bytes over these rates are the demands.
# CPUs are assumed: no recording has them. As many as a node ran maps at once.
# Map and reduce slots are the most that a node ran at once; that a reduce takes 5 map outputs at once is assumed.
# A reduce's CPU is counted in merge: its counters do not separate shuffle and merge.
version: 1
name: "a script"
cluster:
  nodes: 2
  cpus: 3
  disks: 1
  map_slots: 3
  reduce_slots: 1
  shuffle_threads: 5
jobs:
- name: s1
  copies: 1
  maps: 3
  reduces: 1
  map: {cpu: 2s, disk: 3s}
  shuffle: {disk: 0.25s, network: 0.2s}
  merge: {cpu: 1.5s, disk: 1.5s}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestTape: without counters the time that bytes do not explain counts as CPU.
func TestTape(t *testing.T) {
	r := run()
	r.Used = nil
	for i := range r.End.Jobs[0].Stages[dag.Map].Attempts {
		r.End.Jobs[0].Stages[dag.Map].Attempts[i].Bytes = 100e6
	}
	r.End.Jobs[0].Stages[dag.Reduce].Attempts[0].Bytes = 75e6
	f, _, err := LearnJobs([]JobRun{r}, options(t))
	if err != nil {
		t.Fatal(err)
	}
	want := queueing.Job{
		Name: "s1", Copies: 1, Maps: 3, Reduces: 1, Map: queueing.Demand{CPU: 3, Disk: 1},
		Shuffle: queueing.Demand{Disk: 0.25, Network: 0.2}, Merge: queueing.Demand{CPU: 1.25, Disk: 0.75},
	}
	if diff := cmp.Diff(want, f.Jobs[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWaiting: what counters do not explain is CPU on request, and there are CPUs for it.
func TestWaiting(t *testing.T) {
	r := run()
	for i := range r.End.Jobs[0].Stages[dag.Map].Attempts {
		r.End.Jobs[0].Stages[dag.Map].Attempts[i].End += 6_000
	}
	o := options(t)
	o.Waiting = true
	f, warnings, err := LearnJobs([]JobRun{r}, o)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	// A map takes 10 s, 3 of them on the disk; the reduce's counters add up to more than its time.
	if j := f.Jobs[0]; j.Map != (queueing.Demand{CPU: 7, Disk: 3}) || j.Merge.CPU != 1.5 ||
		f.CPUs != f.MapSlots+f.ReduceSlots {
		t.Errorf("%+v of %+v", j, f.Spec)
	}
}

func TestDoubts(t *testing.T) {
	slow := run()
	slow.End.Jobs[0].Stages[dag.Map].Attempts[0].End = 100_000
	_, warnings, err := LearnJobs([]JobRun{slow}, options(t))
	if want := "s1: its maps took 35.7s in the mean, their counters account for 5s: the file lacks their waits"; err != nil ||
		len(warnings) != 1 || !strings.HasPrefix(warnings[0], want) {
		t.Errorf("%v, %v", err, warnings)
	}
	later := run()
	later.End.Plan.Jobs[0].Node = "s2"
	later.End.Jobs[0].Submitted, later.End.Jobs[0].Finished = 20_000, 30_000
	_, warnings, err = LearnJobs([]JobRun{run(), later}, options(t))
	if want := "s1 and s2 did not run at once"; err != nil || len(warnings) != 1 ||
		!strings.HasPrefix(warnings[0], want) {
		t.Errorf("%v, %v", err, warnings)
	}
	if _, _, err := LearnJobs([]JobRun{run(), run()}, options(t)); err == nil ||
		!strings.Contains(err.Error(), `x.jhist and x.jhist both have a job "s1"`) {
		t.Errorf("one job twice: %v", err)
	}
	none := run()
	none.End.Jobs[0].Stages[dag.Map].Attempts = nil
	if _, _, err := LearnJobs([]JobRun{none}, options(t)); !errors.Is(err, ErrNothing) {
		t.Errorf("no map: %v", err)
	}
}

func TestParseRate(t *testing.T) {
	for s, want := range map[string]float64{
		"100MB/s": 1e8, "1Gbit/s": 1.25e8, "1GiB/s": 1 << 30, "0.5 kB/s": 500, "1e3B/s": 1000, "8bit/s": 1,
		"2KB/s": 2000,
	} {
		if r, err := ParseRate(s); err != nil || r.Bytes != want || r.Text != s {
			t.Errorf("%s is %v, %v", s, r.Bytes, err)
		}
	}
	for _, s := range []string{
		"", "100", "MB/s", "100MB", "-1MB/s", "0MB/s", "nanMB/s", "infMB/s", "1e308GB/s",
		"100mb/s", "1bit/s", "1 x",
	} {
		if r, err := ParseRate(s); err == nil {
			t.Errorf("%q is %v", s, r.Bytes)
		}
	}
}

// TestOtherEngine holds that a run without maps and reduces is refused, whatever its number of stages.
func TestOtherEngine(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		s := &dag.Snapshot{
			Plan: &dag.Plan{Jobs: []dag.Job{{Stages: make([]dag.Stage, n)}}},
			Jobs: []dag.JobState{{Stages: make([]dag.StageState, n)}}, State: dag.Succeeded,
		}
		if _, _, err := LearnJobs([]JobRun{{End: s}}, JobOptions{}); !errors.Is(err, ErrEngine) {
			t.Errorf("%d stages: %v", n, err)
		}
	}
}
