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

// withStartup is a profile of vertices whose run launched a container in two seconds and lost a second with the first
// task in each.
func withStartup(t *testing.T) *dag.Plan {
	t.Helper()
	before, _ := seenAt(t, 1, 1000*second)
	profile := observed.Learn(dag.Run{}.Append(before))
	profile.Overheads.SetupMin, profile.Overheads.Cold = 2*time.Second, time.Second
	return profile
}

// cold is the set-up of a task that a container is launched for at an instant.
func cold(s *dag.Snapshot, at dag.Instant) time.Duration {
	costs := staged.Costs(dag.Run{}.Append(s))
	return costs.Left(schedule.Task{Stage: 0, Index: 5, Slot: -1, Node: -1, Cold: true, Start: at}).Setup
}

// TestLaunchesScaleTogether: where launches take five times as long as in the profile's run, so do the first tasks of
// the containers. What is launched later has the node for itself.
func TestLaunchesScaleTogether(t *testing.T) {
	t.Parallel()
	profile := withStartup(t)
	for _, c := range []struct {
		at   dag.Instant
		want time.Duration
	}{
		{11 * second, 15 * time.Second},        // 10 s of launch and five times 1 s
		{14 * second, 9667 * time.Millisecond}, // no three at once: 3^-0.4 of it
	} {
		s, _ := seenAt(t, 1, c.at)
		plan := *s.Plan
		plan.Overheads.SetupMin = 10 * time.Second
		s.Plan = &plan
		s = profiles.Attach(s, []*dag.Plan{profile})
		if got := cold(s, s.At+1); (got - c.want).Abs() > 2*time.Millisecond {
			t.Errorf("at %d: set-up %v, want %v", c.at, got, c.want)
		}
	}
}

// TestMastersTellLaunches: before this run has launched a container, its master's own start-up tells how busy the
// machine is beside that of the profile's run. What a task does beyond its records takes as many times as long.
func TestMastersTellLaunches(t *testing.T) {
	t.Parallel()
	profile := withStartup(t)
	profile.Overheads.Boot = time.Second
	at := func(boot time.Duration) *dag.Snapshot {
		p := vertices()
		p.Overheads.Boot = boot
		s := &dag.Snapshot{Plan: p, At: 2 * second, Jobs: p.BlockedJobs(), Stale: dag.NoInstant, State: dag.Running}
		s.Jobs[0].Submitted, s.Jobs[0].State, s.Jobs[0].ID = 0, dag.Running, "application_1_1"
		return profiles.Attach(s, []*dag.Plan{profile})
	}
	work := func(s *dag.Snapshot) float64 {
		left := staged.Costs(dag.Run{}.Append(s)).Left
		return left(schedule.Task{Stage: 0, Index: 5, Slot: -1, Node: -1, Start: s.At}).Work.Seconds()
	}
	for _, c := range []struct {
		boot time.Duration
		as   float64 // times as long as in the profile's run launches take: the ratio of the masters' to the power 0.7
	}{{0, 1}, {time.Second, 1}, {10 * time.Second, math.Pow(10, 0.7)}, {time.Second / 10, math.Pow(10, -0.7)}} {
		s := at(c.boot)
		// A launch takes two seconds there, and the first task one more than others.
		if got, want := cold(s, s.At).Seconds(), 3*c.as; math.Abs(got-want) > 0.01 {
			t.Errorf("a master that took %v: set-up %.2f s, want %.2f s", c.boot, got, want)
		}
		// A task has 10 s of work, of which what goes by launches is a fourteenth of one of 2 s; the rest goes by a
		// tenth power.
		if got, want := work(s), (10+0.14*(c.as-1))*math.Pow(c.as, 0.1); math.Abs(got-want) > 0.02 {
			t.Errorf("a master that took %v: work %.2f s, want %.2f s", c.boot, got, want)
		}
	}
}

// TestLateLaunch: a launch that has not come for long is expected to take longer, but not from its beginning again.
func TestLateLaunch(t *testing.T) {
	t.Parallel()
	profile := withStartup(t)
	at := func(at dag.Instant) *dag.Snapshot {
		p := vertices()
		s := &dag.Snapshot{Plan: p, At: at, Jobs: p.BlockedJobs(), Stale: dag.NoInstant, State: dag.Running}
		s.Jobs[0].Submitted, s.Jobs[0].State, s.Jobs[0].ID = 0, dag.Running, "application_1_1"
		return profiles.Attach(s, []*dag.Plan{profile})
	}
	// A DAG takes two seconds to ask for containers where nothing tells.
	early, late := cold(at(3*second), 3*second), cold(at(22*second), 22*second)
	if early != 2*time.Second {
		t.Errorf("a second after they were asked for: %v, want 1 s of launch and 1 s of the first task", early)
	}
	if want := 25 * time.Second; late != want { // half of 20 s, and 15 times 1 s
		t.Errorf("20 s after they were asked for: %v, want %v", late, want)
	}
	if next := cold(at(22*second), 60*second); next != 17*time.Second {
		t.Errorf("a launch to come: %v, want 2 s and 15 times 1 s", next)
	}
}

// TestHeldContainers: a task that starts at once after the submission is in a container that an earlier DAG has left,
// and loads nothing.
func TestHeldContainers(t *testing.T) {
	t.Parallel()
	learned := func(start dag.Instant) time.Duration {
		s, _ := seenAt(t, 1, 1000*second)
		for i := range s.Jobs[0].Stages[0].Attempts {
			if a := &s.Jobs[0].Stages[0].Attempts[i]; a.Start == 2*second {
				a.Start, a.End = start, start+13*second // others take ten
			}
		}
		return observed.Learn(dag.Run{}.Append(s)).Overheads.Cold
	}
	if got := learned(2 * second); got < 2*time.Second || got > 3*time.Second {
		t.Errorf("the first task of a container takes %v more, want most of 3 s", got)
	}
	if got := learned(second / 2); got != 0 {
		t.Errorf("that of a held one takes %v more", got)
	}
}

// TestFirstTasksTellNoPoint holds that tasks to come count as assumed while only the first tasks of containers have
// ended, and no longer once another task has.
func TestFirstTasksTellNoPoint(t *testing.T) {
	t.Parallel()
	for at, assumed := range map[dag.Instant]bool{14 * second: true, 26 * second: false} {
		s, _ := seenAt(t, 1, at)
		plan := *s.Plan
		plan.Jobs = dag.CloneJobs(plan.Jobs)
		plan.Jobs[0].Stages = plan.Jobs[0].Stages[:1]
		plan.Jobs[0].Stages[0].Tasks = 20
		s.Plan, s.Jobs[0].Stages = &plan, s.Jobs[0].Stages[:1]
		costs := staged.Costs(dag.Run{}.Append(s))
		sch, err := schedule.Replay(s, costs.Left, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if ratio := costs.AssumedRatio(sch); ratio > 0.5 != assumed {
			t.Errorf("at %d: %.2f of the time that remains is assumed", at, ratio)
		}
	}
}

// TestUnreadAttempts holds that a task which has ended tells no cost before its container is known: until then its
// times are those of observations.
func TestUnreadAttempts(t *testing.T) {
	t.Parallel()
	s, _ := seenAt(t, 1, 26*second)
	last := &s.Jobs[0].Stages[0]
	work := func() float64 {
		return staged.Costs(dag.Run{}.Append(s)).Full(0, 0, 5)
	}
	before := work()
	for i := range last.Attempts {
		if a := &last.Attempts[i]; a.Task == 1 && a.State == dag.AttemptSucceeded {
			a.Slot, a.End = -1, a.End+300*second
		}
	}
	if after := work(); after != before {
		t.Errorf("with a task of unknown times another one costs %v, without %v", after, before)
	}
}
