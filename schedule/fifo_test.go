package schedule_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// tens is a left that gives every map ten and every reduce five seconds, in whole phases.
func tens(t schedule.Task) schedule.Cost {
	c := schedule.Cost{Work: 10 * time.Second, Same: 1 << 30}
	if t.Stage == dag.Reduce {
		c.Work = 5 * time.Second
	}
	return c
}

// small is a snapshot at 0 of jobs with so many maps and reduces, on three map slots and two reduce slots of two nodes.
func small(jobs ...[2]int) *dag.Snapshot {
	plan := &dag.Plan{Cluster: dag.Cluster{MapSlots: 3, ReduceSlots: 2, SlotsPerNode: 2}}
	for i, n := range jobs {
		plan.Jobs = append(plan.Jobs, dag.Job{
			Node: fmt.Sprintf("j%d", i+1), Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: n[0]},
				dag.Stage{Known: true, Tasks: n[1]}),
		})
	}
	return golden.Start(plan)
}

func attempt(s *dag.Snapshot, job int, k dag.StageIndex, task int32, state dag.AttemptState, slot int32, start,
	end dag.Instant,
) {
	p := &s.Jobs[job].Stages[k]
	number := int32(0)
	for _, a := range p.Attempts {
		if a.Task == task {
			number = a.Number + 1
		}
	}
	p.Attempts = append(p.Attempts, dag.Attempt{
		Task: task, Number: number, State: state, Slot: slot, Node: slot / 2, Start: start, End: end,
	})
	s.Jobs[job].Submitted, s.Jobs[job].State = 0, dag.Running
}

func mustReplay(t *testing.T, s *dag.Snapshot, left schedule.Left, opt schedule.Options) *schedule.Schedule {
	t.Helper()
	sch, err := schedule.Replay(s, left, opt)
	if err != nil {
		t.Fatal(err)
	}
	return sch
}

// lines writes spans as "j1.m1-3 0-10 s0,1,2"; ! marks one that fails.
func lines(plan *dag.Plan, s *schedule.Schedule) []string {
	var out []string
	for _, sp := range s.Spans {
		name := schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First), int(sp.Attempt))
		if sp.Count > 1 {
			name += fmt.Sprintf("-%d", sp.First+sp.Count)
		}
		slots := strings.Trim(strings.ReplaceAll(fmt.Sprint(sp.Slots), " ", ","), "[]")
		line := fmt.Sprintf("%s %d-%d s%s", name, sp.Start/1000, sp.End/1000, slots)
		if sp.Outcome == schedule.Fails {
			line += " !"
		}
		out = append(out, line)
	}
	return out
}

func check(t *testing.T, s *dag.Snapshot, sch *schedule.Schedule, want ...string) {
	t.Helper()
	if got := lines(s.Plan, sch); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A uniform phase is replayed a round at a time.
func TestFIFORounds(t *testing.T) {
	s := small([2]int{7, 3})
	sch := mustReplay(t, s, tens, schedule.Options{})
	check(t, s, sch, "j1.m1-3 0-10 s0,1,2", "j1.m4-6 10-20 s0,1,2", "j1.m7 20-30 s0", "j1.r1-2 30-35 s0,1",
		"j1.r3 35-40 s0")
	if sch.End != 40_000 || sch.Finished[0] != 40_000 || sch.Remaining() != 40*time.Second {
		t.Errorf("ends at %d", sch.End)
	}
}

// Left gets where and when a task would start, and which attempt it is.
func TestFIFOAsksLeft(t *testing.T) {
	s := small([2]int{3, 0})
	s.At = 4000
	attempt(s, 0, dag.Map, 0, dag.AttemptRunning, 2, 1000, dag.NoInstant)
	attempt(s, 0, dag.Map, 1, dag.AttemptFailed, 0, 0, 3000)
	var got []string
	mustReplay(t, s, func(x schedule.Task) schedule.Cost {
		got = append(got, fmt.Sprintf("%d/%d slot %d node %d at %d running %v", x.Index, x.Attempt, x.Slot, x.Node,
			x.Start, x.Running != nil))
		return schedule.Cost{Work: 1500 * time.Microsecond}
	}, schedule.Options{})
	want := []string{
		"0/0 slot 2 node 1 at 1000 running true", "2/0 slot 0 node 0 at 4000 running false",
		"1/1 slot 2 node 1 at 4002 running false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Lengths are rounded half up to whole milliseconds, and are not negative.
func TestFIFORounding(t *testing.T) {
	for work, want := range map[time.Duration]dag.Instant{
		-time.Second: 0, 499 * time.Microsecond: 0, 500 * time.Microsecond: 1, 1499 * time.Microsecond: 1,
		2500 * time.Microsecond: 3,
	} {
		sch := mustReplay(t, small([2]int{1, 0}), func(schedule.Task) schedule.Cost {
			return schedule.Cost{Work: work}
		}, schedule.Options{})
		if sch.End != want {
			t.Errorf("%v lasts %d ms, want %d", work, sch.End, want)
		}
	}
}

func TestFIFOFutureOnly(t *testing.T) {
	s := small([2]int{2, 0})
	s.At = 12_000
	attempt(s, 0, dag.Map, 0, dag.AttemptSucceeded, 0, 0, 10_000)
	sch := mustReplay(t, s, tens, schedule.Options{})
	check(t, s, sch, "j1.m1 0-10 s0", "j1.m2 12-22 s0")
	if !sch.Spans[0].Past || sch.Spans[1].Past {
		t.Errorf("past is %v, %v", sch.Spans[0].Past, sch.Spans[1].Past)
	}
	check(t, s, mustReplay(t, s, tens, schedule.Options{FutureOnly: true}), "j1.m2 12-22 s0")
}

// Until keeps what has started by then, ends included that lie after it.
func TestFIFOUntil(t *testing.T) {
	s := small([2]int{7, 0})
	check(t, s, mustReplay(t, s, tens, schedule.Options{Until: 19_999}), "j1.m1-3 0-10 s0,1,2", "j1.m4-6 10-20 s0,1,2")
	check(t, s, mustReplay(t, s, tens, schedule.Options{Until: 20_000}), "j1.m1-3 0-10 s0,1,2", "j1.m4-6 10-20 s0,1,2",
		"j1.m7 20-30 s0")
	s.At = 30_000
	check(t, s, mustReplay(t, s, tens, schedule.Options{Until: 20_000}))
}

// facts/paratimer.md P6: a reduce that runs while maps are left keeps its slot, and its work begins when the last
// map ends.
func TestFIFOEarlyReduce(t *testing.T) {
	s := small([2]int{4, 2}, [2]int{0, 1})
	s.At = 2000
	attempt(s, 0, dag.Map, 0, dag.AttemptRunning, 0, 0, dag.NoInstant)
	attempt(s, 0, dag.Reduce, 0, dag.AttemptRunning, 0, 1000, dag.NoInstant)
	sch := mustReplay(t, s, tens, schedule.Options{})
	check(t, s, sch, "j1.m1 0-12 s0", "j1.r1 1-27 s0", "j1.m2-3 2-12 s1,2", "j2.r1 2-7 s1", "j1.m4 12-22 s0",
		"j1.r2 22-27 s1")
}

// Faults of attempts that run and of those to come: the slot is free at once, the task goes back to its place.
func TestFIFOFault(t *testing.T) {
	s := small([2]int{6, 0})
	s.At = 1000
	attempt(s, 0, dag.Map, 1, dag.AttemptRunning, 0, 0, dag.NoInstant)
	sch := mustReplay(t, s, tens, schedule.Options{Fault: func(x schedule.Task, start, end dag.Instant) (dag.Instant,
		bool,
	) {
		return start + 3000, x.Attempt == 0 && (x.Index == 1 || x.Index == 2)
	}})
	check(t, s, sch, "j1.m2 0-3 s0 !", "j1.m1 1-11 s1", "j1.m3 1-4 s2 !", "j1.m4 3-13 s0", "j1.m2' 4-14 s2",
		"j1.m3' 11-21 s1", "j1.m5 13-23 s0", "j1.m6 14-24 s2")
}

// A fault that lets nothing through is asked a hundred times, not forever.
func TestFIFOFaultForever(t *testing.T) {
	s := small([2]int{1, 0})
	sch := mustReplay(t, s, tens, schedule.Options{Fault: func(_ schedule.Task, start, _ dag.Instant) (dag.Instant,
		bool,
	) {
		return start, true
	}})
	if len(sch.Spans) != 101 || sch.Finished[0] != 10_000 {
		t.Errorf("%d attempts, ends at %d", len(sch.Spans), sch.End)
	}
}

func TestFIFOStuck(t *testing.T) {
	noReduce := small([2]int{1, 1})
	noReduce.Plan.Cluster.ReduceSlots = 0
	negative := small([2]int{1, 0})
	negative.Plan.Cluster.MapSlots = -3
	cycle := small([2]int{1, 0}, [2]int{1, 0})
	cycle.Plan.Jobs[0].After, cycle.Plan.Jobs[1].After = []int{1}, []int{0}
	nobody := small([2]int{0, 1})
	nobody.Plan.Jobs[0].After = []int{7}
	for _, x := range []struct {
		s    *dag.Snapshot
		want string
	}{
		{noReduce, "schedule: reduce tasks of job j1 can never run: the cluster has no reduce slots; give it at least one"},
		{negative, "schedule: map tasks of job j1 can never run: the cluster has no map slots; give it at least one"},
	} {
		_, err := schedule.Replay(x.s, tens, schedule.Options{})
		var stuck *schedule.StuckError
		if !errors.As(err, &stuck) || err.Error() != x.want {
			t.Errorf("got  %v\nwant %s", err, x.want)
		}
	}
	for _, x := range []*dag.Snapshot{cycle, nobody} {
		var loop *dag.CycleError
		var unknown *dag.PlanError
		_, err := schedule.Replay(x, tens, schedule.Options{})
		if !errors.As(err, &loop) && !errors.As(err, &unknown) {
			t.Errorf("got %v, want what is wrong with the plan", err)
		}
	}
	empty := small([2]int{0, 0}, [2]int{0, 0})
	empty.Plan.Cluster = dag.Cluster{}
	empty.Plan.Jobs[1].After = []int{0}
	if sch := mustReplay(t, empty, tens, schedule.Options{}); sch.End != 0 || sch.Finished[1] != 0 {
		t.Errorf("jobs without tasks: %+v", sch)
	}
}

// What waits for a failed job is left out; the rest goes on.
func TestFIFOFailedJob(t *testing.T) {
	s := small([2]int{2, 0}, [2]int{1, 0}, [2]int{1, 0}, [2]int{1, 0})
	s.Plan.Jobs[1].After, s.Plan.Jobs[2].After = []int{0}, []int{1}
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Finished = dag.Failed, 0, 0
	sch := mustReplay(t, s, tens, schedule.Options{})
	check(t, s, sch, "j4.m1 0-10 s0")
	if sch.Submitted[1].Known() || sch.Finished[2].Known() || sch.Finished[0] != 0 {
		t.Errorf("submitted %v, finished %v", sch.Submitted, sch.Finished)
	}
}
