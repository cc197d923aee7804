package cost_test

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/schedule"
)

// TestLaunchesShowLoad checks that launches that take five times as long as in the profile's run are expected to go on
// so, and that the first tasks of the containers take longer too. What is launched later has the node for itself.
func TestLaunchesShowLoad(t *testing.T) {
	t.Parallel()
	at := func(at dag.Instant, launch time.Duration) float64 {
		s, _ := seenAt(t, 1, at)
		plan := *s.Plan
		plan.Overheads.SetupMin = launch
		s.Plan = &plan
		s = with(s, profileOf(t))
		return launched(s, s.At+1)
	}
	between(t, "as in the profile's run", at(11*second, 2*time.Second), 2.7, 3.3)
	slow := at(11*second, 10*time.Second)
	between(t, "10 s of launch and some of the first task", slow, 12, 16)
	between(t, "not one of three at once", at(14*second, 10*time.Second)/slow, 0.4, 0.9)
}

// TestMastersShowLaunches checks that before this run has launched a container, its master's own start-up shows how
// busy the machine is beside that of the profile's run.
func TestMastersShowLaunches(t *testing.T) {
	t.Parallel()
	profile := profileOf(t)
	profile.Overheads.Boot = time.Second
	last := 0.0
	for _, boot := range []time.Duration{time.Second / 10, time.Second, 10 * time.Second} {
		s := submitted(2 * second)
		s.Plan.Overheads.Boot = boot
		got := launched(with(s, profile), s.At)
		if boot == time.Second {
			between(t, "as in the profile's run", got, 2.7, 3.3)
		}
		if got < 1.5*last {
			t.Errorf("a master that took %v: %.2f s, after %.2f s of one that took a tenth", boot, got, last)
		}
		last = got
	}
}

// TestLateLaunch checks that a launch that has not come for long is expected to take longer, but not from its
// beginning again, and that work is not expected to take as many times as long.
func TestLateLaunch(t *testing.T) {
	t.Parallel()
	profile := profileOf(t)
	at := func(at dag.Instant) *dag.Snapshot { return with(submitted(at), profile) }
	// A DAG takes two seconds to ask for containers if nothing shows it.
	early, late := launched(at(3*second), 3*second), launched(at(22*second), 22*second)
	between(t, "a second after they were asked for", early, 1.5, 3)
	between(t, "20 s after they were asked for", late, 5, 25)
	between(t, "a launch to come", launched(at(22*second), 60*second), 10, 60)
	work := func(s *dag.Snapshot) float64 { return costsOf(s).Full(0, 0, 5) }
	between(t, "work", work(at(22*second))/work(at(3*second)), 1, 1.6)
}

// TestHeldContainers checks that a task that starts at once after the submission is in a container that an earlier DAG
// has left, and is not the first in it.
func TestHeldContainers(t *testing.T) {
	t.Parallel()
	learned := func(start dag.Instant) float64 {
		s, _ := seenAt(t, 1, 1000*second)
		for i := range s.Jobs[0].Stages[0].Attempts {
			if a := &s.Jobs[0].Stages[0].Attempts[i]; a.Start == 2*second {
				a.Start, a.End = start, start+13*second // others take ten
			}
		}
		return cost.Learn(dag.Run{}.Append(s)).Overheads.Cold.Seconds()
	}
	between(t, "the first task of a container takes more", learned(2*second), 2, 3)
	between(t, "that of a held one", learned(second/2), 0, 0)
}

// TestUnreadAttempts checks that a task that has ended shows no cost before its container is known: until then its
// times are those of observations.
func TestUnreadAttempts(t *testing.T) {
	t.Parallel()
	s, _ := seenAt(t, 1, 26*second)
	work := func() float64 { return costsOf(s).Full(0, 0, 5) }
	for i := range s.Jobs[0].Stages[0].Attempts {
		if a := &s.Jobs[0].Stages[0].Attempts[i]; a.Task == 1 && a.State == dag.AttemptSucceeded {
			a.Slot = -1
		}
	}
	before := work()
	for i := range s.Jobs[0].Stages[0].Attempts {
		if a := &s.Jobs[0].Stages[0].Attempts[i]; a.Slot == -1 {
			a.End += 300 * second
		}
	}
	if after := work(); after != before {
		t.Errorf("with a task of unknown times another one costs %v, without %v", after, before)
	}
}

// TestLaunchesAreDrawn checks that worlds differ in what launches take.
func TestLaunchesAreDrawn(t *testing.T) {
	t.Parallel()
	_, drawn := estimate(t, with(submitted(3*second), profileOf(t)))
	d := drawn.Distribution
	if len(d) == 0 || d.At(0.9)-d.At(0.1) < 2*time.Second {
		t.Errorf("%v to %v", d.At(0.1), d.At(0.9))
	}
	c := costsOf(submitted(3 * second)).Left(schedule.Task{Cold: true, Start: 3 * second})
	between(t, "a launch of a first run", c.Setup.Seconds(), 0.5, 4)
}
