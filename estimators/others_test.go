package estimators_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// sharedRun is a job of 40 maps of 10 s that waits on a cluster of 2560 MB which others share, and seen for a minute.
func sharedRun(used ...int) dag.Run {
	plan := &dag.Plan{Name: "q", Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 2560}}
	job := dag.Job{
		Node: "a", MasterMB: 512, MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 1},
		Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
	}
	job.SetStage(dag.Map, dag.Stage{
		Tasks: 40, Known: true,
		Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}},
	})
	job.SetStage(dag.Reduce, dag.Stage{Known: true})
	plan.Jobs = []dag.Job{job}
	var run dag.Run
	for i, mb := range used {
		s := &dag.Snapshot{
			Plan: plan, At: dag.Instant(60_000 * (i + 1) / len(used)), State: dag.Running, Stale: dag.NoInstant,
			User: "ann", Queue: "a",
			Jobs: []dag.JobState{{
				ID: "job_1_0001", State: dag.Running, Submitted: 0, Started: 0,
				Finished: dag.NoInstant, HeldMB: 512, Stages: make([]dag.StageState, dag.MapReduceStages),
			}},
		}
		if mb > 0 {
			s.Load = []dag.Load{{
				ID: "application_1_0002", Name: "skew.pig", User: "bob", Queue: "a",
				Submitted: 5, HeldMB: mb, MasterMB: 512, Until: dag.NoInstant,
			}}
		}
		run = run.Append(s)
	}
	return run
}

func remains(t testing.TB, run dag.Run, name string) time.Duration {
	t.Helper()
	for _, s := range estimators.Scenarios() {
		if s.Name == name {
			e, err := estimators.New(s, plannedCosts, estimators.Options{}).Estimate(run)
			if err != nil {
				t.Fatal(err)
			}
			if e.Remaining == nil {
				return -1
			}
			return *e.Remaining
		}
	}
	t.Fatalf("no scenario %s", name)
	return 0
}

var ofOthers = []string{"slots_as_now", "slots_fair_share", "alone"}

// There is no other application: scenarios about others change nothing.
func TestScenariosOfOthersAreStandardWithoutOthers(t *testing.T) {
	run := sharedRun(0)
	for _, name := range ofOthers {
		if got, want := remains(t, run, name), remains(t, run, "standard"); got != want {
			t.Errorf("%s: %v, standard %v", name, got, want)
		}
	}
}

// TestMoot checks that scenarios about other applications show that there are none, also without an estimate.
func TestMoot(t *testing.T) {
	none, some := sharedRun(0), sharedRun(1024)
	over := *some.Now()
	over.State = dag.Succeeded
	stuck := *none.Now()
	plan := *stuck.Plan
	plan.Cluster.MemoryMB = 1
	stuck.Plan = &plan
	for _, c := range []struct {
		what          string
		run           dag.Run
		notApplicable bool
	}{
		{"no other application", none, true},
		{"bob", some, false},
		{"ended, with bob", dag.Run{}.Append(&over), false},
		{"no room", dag.Run{}.Append(&stuck), true},
	} {
		for _, s := range estimators.Scenarios() {
			e, err := estimators.New(s, plannedCosts, estimators.Options{}).Estimate(c.run)
			if (err != nil) != (c.what == "no room") {
				t.Fatalf("%s: %s: %v", c.what, s.Name, err)
			}
			if want := c.notApplicable && slices.Contains(ofOthers, s.Name); e.Moot != want {
				t.Errorf("%s: %s: got moot %v, want %v", c.what, s.Name, e.Moot, want)
			}
		}
	}
}

// Forty maps of ten seconds: eight containers beside our master are 50 s, four are 100 s.
func TestOthersKeepGoOrShare(t *testing.T) {
	about := func(name string, run dag.Run, want time.Duration) {
		t.Helper()
		if got := remains(t, run, name); got < want-2*time.Second || got > want+2*time.Second {
			t.Errorf("%s: %v, want about %v", name, got, want)
		}
	}
	steady := sharedRun(1024, 1024, 1024)
	about("alone", steady, 50*time.Second)
	about("slots_as_now", steady, 100*time.Second)
	// Half of 2560 MB is ours: three containers beside the master, once bob has given 256 MB more. He holds less, so
	// takes what comes free.
	if got := remains(t, steady, "slots_fair_share"); got < 105*time.Second || got > 140*time.Second {
		t.Errorf("slots_fair_share: %v", got)
	}
	// 1024 MB came free in the last 40 s, so the 1024 that are left come in the next 40.
	if got := remains(t, sharedRun(2048, 1536, 1024), "slots_as_now"); got < 60*time.Second || got > 80*time.Second {
		t.Errorf("slots_as_now while others free theirs: %v", got)
	}
}

// Others hold everything and free nothing: it is unknown when a container comes.
func TestSlotsAsNowIsAFloorWithoutSlots(t *testing.T) {
	if got := remains(t, sharedRun(2048, 2048), "slots_as_now"); got >= 0 {
		t.Errorf("%v, want none", got)
	}
}

// More of others never makes us earlier, and alone is the earliest.
func TestMoreOfOthersIsNeverEarlier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mb := 256 * rapid.IntRange(2, 6).Draw(t, "held")
		more := mb + 256*rapid.IntRange(0, 1).Draw(t, "more")
		less, with := sharedRunIn(mb), sharedRunIn(more)
		for _, name := range []string{"slots_as_now", "standard"} {
			a, b := remainsIn(t, less, name), remainsIn(t, with, name)
			if b < a {
				t.Fatalf("%s: %v beside %d MB, %v beside %d MB", name, a, mb, b, more)
			}
			if alone := remainsIn(t, with, "alone"); alone > b {
				t.Fatalf("alone takes %v, %s %v", alone, name, b)
			}
		}
	})
}

func sharedRunIn(mb int) dag.Run { return sharedRun(mb, mb) }

func remainsIn(t *rapid.T, run dag.Run, name string) time.Duration {
	for _, s := range estimators.Scenarios() {
		if s.Name == name {
			e, err := estimators.New(s, plannedCosts, estimators.Options{}).Estimate(run)
			if err != nil || e.Remaining == nil {
				t.Fatalf("%s: %v, %v", name, e.Remaining, err)
			}
			return *e.Remaining
		}
	}
	return 0
}
