package schedule_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// Slots that are unknown, taken or out of range: each running attempt gets one of its own, beyond the cluster's if need
// be.
func TestFIFOOddSlots(t *testing.T) {
	s := small([2]int{6, 0})
	s.At = 2000
	for task, slot := range []int32{1, 1, -1, 700, 0} {
		attempt(s, 0, dag.Map, int32(task), dag.AttemptRunning, slot, 0, dag.NoInstant)
	}
	check(t, s, mustReplay(t, s, tens, schedule.Options{}),
		"j1.m5 0-12 s0", "j1.m1 0-12 s1", "j1.m2 0-12 s2", "j1.m3 0-12 s3", "j1.m4 0-12 s4", "j1.m6 12-22 s0")
}

// Of two running attempts of a task the better one counts; the other is killed when it ends.
func TestFIFOTwins(t *testing.T) {
	s := small([2]int{2, 0})
	s.At = 2000
	attempt(s, 0, dag.Map, 0, dag.AttemptRunning, 0, 0, dag.NoInstant)
	attempt(s, 0, dag.Map, 0, dag.AttemptRunning, 1, 1000, dag.NoInstant)
	attempt(s, 0, dag.Map, 1, dag.AttemptRunning, 2, 1000, dag.NoInstant)
	sch := mustReplay(t, s, func(x schedule.Task) schedule.Cost {
		return schedule.Cost{Work: time.Duration(20-5*x.Attempt) * time.Second}
	}, schedule.Options{})
	check(t, s, sch, "j1.m1 0-17 s0 !", "j1.m1' 1-17 s1", "j1.m2 1-22 s2")
	if sch.Finished[0] != 22_000 {
		t.Errorf("ends at %d", sch.Finished[0])
	}
}

// A draining node gets no new tasks, also after the end of those that run there.
func TestFIFODraining(t *testing.T) {
	s := small([2]int{6, 0})
	s.Plan.Cluster.MapSlots, s.Plan.Cluster.SlotsPerNode = 4, 2
	s.Nodes = []dag.NodeState{{Draining: true}, {}}
	attempt(s, 0, dag.Map, 0, dag.AttemptRunning, 0, 0, dag.NoInstant)
	check(t, s, mustReplay(t, s, tens, schedule.Options{}),
		"j1.m1 0-10 s0", "j1.m2-3 0-10 s2,3", "j1.m4-5 10-20 s2,3", "j1.m6 20-30 s2")
}

// Instants that contradict now are brought into order; attempts may come in any order; tasks that the plan does not
// have count while they run.
func TestFIFOOddAttempts(t *testing.T) {
	s := small([2]int{3, 0})
	s.At = 5000
	attempt(s, 0, dag.Map, 7, dag.AttemptRunning, 2, 0, dag.NoInstant)
	attempt(s, 0, dag.Map, 2, dag.AttemptSucceeded, 1, 9000, 8000)
	attempt(s, 0, dag.Map, 1, dag.AttemptKilled, 1, 0, 1000)
	attempt(s, 0, dag.Map, 0, dag.AttemptRunning, 0, 9000, dag.NoInstant)
	attempt(s, 0, dag.Map, -4, dag.AttemptRunning, 0, 0, dag.NoInstant)
	check(t, s, mustReplay(t, s, tens, schedule.Options{}),
		"j1.m8 0-15 s2", "j1.m1 5-15 s0", "j1.m3 5-5 s1", "j1.m2' 5-15 s1")
}

// A slot skips what has failed on its node, and takes what comes first of the rest, tried before or not.
func TestFIFOSkips(t *testing.T) {
	s := small([2]int{4, 0})
	attempt(s, 0, dag.Map, 0, dag.AttemptSucceeded, 0, 0, 0)
	attempt(s, 0, dag.Map, 1, dag.AttemptFailed, 0, 0, 0)
	attempt(s, 0, dag.Map, 3, dag.AttemptFailed, 2, 0, 0)
	check(t, s, mustReplay(t, s, tens, schedule.Options{FutureOnly: true}), "j1.m3 0-10 s0", "j1.m4' 0-10 s1",
		"j1.m2' 0-10 s2")
}

// A snapshot of anything at all makes no panic, and what comes of it is a schedule: tasks that are not done succeed
// once, slots are used by one at a time.
func TestFIFOAnySnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := golden.Draw(t)
		s := golden.Start(c.Plan)
		s.At = 50
		instant := rapid.SampledFrom([]dag.Instant{dag.NoInstant, -7, 0, 20, 40, 50, 90})
		if rapid.Bool().Draw(t, "fewer jobs") {
			s.Jobs = s.Jobs[:len(s.Jobs)-1]
		}
		for j := range s.Jobs {
			s.Jobs[j].State = rapid.SampledFrom([]dag.State{
				dag.Blocked, dag.Submitted, dag.Running, dag.Running,
				dag.Succeeded, dag.Failed, 99,
			}).Draw(t, "state")
			s.Jobs[j].Submitted, s.Jobs[j].Finished = instant.Draw(t, "submitted"), instant.Draw(t, "finished")
			for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
				for range rapid.IntRange(0, 6).Draw(t, "attempts") {
					s.Jobs[j].Stages[k].Attempts = append(s.Jobs[j].Stages[k].Attempts, dag.Attempt{
						Task: rapid.Int32Range(-1, 8).Draw(t, "task"), Number: rapid.Int32Range(-1, 3).Draw(t,
							"number"),
						State: rapid.SampledFrom([]dag.AttemptState{0, 1, 1, 2, 3, 4, 77}).Draw(t, "attempt state"),
						Slot:  rapid.SampledFrom([]int32{-3, -1, 0, 1, 2, 5, 1 << 30}).Draw(t, "slot"),
						Node:  rapid.SampledFrom([]int32{-9, -1, 0, 1, 1 << 30}).Draw(t, "node"),
						Start: instant.Draw(t, "start"), End: instant.Draw(t, "end"),
					})
				}
			}
		}
		opt := schedule.Options{FutureOnly: rapid.Bool().Draw(t, "future only")}
		if rapid.Bool().Draw(t, "failures") {
			opt.Fault = golden.DrawFault(t)
		}
		if rapid.Bool().Draw(t, "until") {
			opt.Until = instant.Draw(t, "until when")
		}
		sch, err := schedule.Replay(s, c.Left(s, c.Slowdown), opt)
		var stuck *schedule.StuckError
		if errors.As(err, &stuck) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		sound(t, s, sch, !opt.Until.Known() || opt.Until == 0)
	})
}

func sound(t *rapid.T, s *dag.Snapshot, sch *schedule.Schedule, whole bool) {
	busy, succeeded := map[slotID]dag.Instant{}, map[taskID]int{}
	all := flat(sch)
	slices.SortStableFunc(all, func(a, b naiveAttempt) int {
		return cmp.Or(cmp.Compare(a.start, b.start),
			cmp.Compare(a.end, b.end))
	})
	for _, a := range all {
		if a.slot > 100 {
			t.Fatalf("%+v: slots beyond the cluster's are numbered from there", a)
		}
		if a.end < a.start || sch.End < a.end {
			t.Fatalf("%+v in a schedule that ends at %d", a, sch.End)
		}
		if !a.fails {
			succeeded[a.taskID]++
		}
		if a.end <= s.At {
			continue
		}
		slot := slotID{a.kind, a.slot}
		if busy[slot] > max(a.start, s.At) {
			t.Fatalf("%+v: its slot is busy until %d", a, busy[slot])
		}
		busy[slot] = a.end
	}
	for id, n := range succeeded {
		if n > 1 {
			t.Fatalf("%+v succeeds %d times", id, n)
		}
	}
	for j := range s.Plan.Jobs {
		if j < len(s.Jobs) && s.Jobs[j].State.Ended() || !sch.Finished[j].Known() {
			continue
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range s.Plan.Jobs[j].Stages[k].Count() {
				done := j < len(s.Jobs) && slices.ContainsFunc(s.Jobs[j].Stages[k].Attempts, func(a dag.Attempt) bool {
					return int(a.Task) == i && a.State == dag.AttemptSucceeded
				})
				if id := (taskID{j, k, i}); whole && !done && succeeded[id] != 1 {
					t.Fatalf("%+v succeeds %d times", id, succeeded[id])
				}
			}
		}
	}
}
