package schedule_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// drawn is a random case, its run under random failures, and what is seen of it at a random instant.
type drawn struct {
	*golden.Case
	fault schedule.Fault
	run   *schedule.Schedule
	seen  *dag.Snapshot
}

func draw(t *rapid.T) drawn {
	d := drawn{Case: golden.Draw(t), fault: golden.DrawFault(t)}
	start := golden.Start(d.Plan)
	run, err := schedule.Replay(start, d.left(start), schedule.Options{Fault: d.fault})
	if err != nil {
		t.Fatal(err)
	}
	d.run = run
	at := dag.Instant(rapid.Int64Range(0, int64(run.End)).Draw(t, "at"))
	if rapid.Bool().Draw(t, "at an end") && len(run.Spans) > 0 {
		at = rapid.SampledFrom(run.Spans).Draw(t, "span").End
	}
	d.seen = golden.Cut(d.Plan, run, at)
	return d
}

func (d drawn) left(s *dag.Snapshot) schedule.Left { return d.Left(s, d.Slowdown) }

func single(left schedule.Left) schedule.Left {
	return func(t schedule.Task) schedule.Cost { c := left(t); c.Same = 1; return c }
}

// TestFIFOEqualsNaive compares the engine with an implementation of the rules attempt by attempt: from the start with
// failures, and from any instant of that run, with failures still to come.
func TestFIFOEqualsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		for _, s := range []*dag.Snapshot{golden.Start(d.Plan), d.seen} {
			for _, fault := range []schedule.Fault{nil, d.fault} {
				for _, left := range []schedule.Left{d.left(s), single(d.left(s))} {
					sch, err := schedule.Replay(s, left, schedule.Options{Fault: fault})
					if err != nil {
						t.Fatal(err)
					}
					n := newNaive(s, left, fault)
					want := n.replay(s.At)
					if got := flat(sch); !slices.Equal(got, want) {
						t.Fatalf("at %d, fault %v:\ngot  %v\nwant %v", s.At, fault != nil, got, want)
					}
					for j := range d.Plan.Jobs {
						if sch.Submitted[j] != n.submitted[j] || sch.Finished[j] != n.finished[j] {
							t.Fatalf("job %d: submitted %d finished %d, want %d %d", j, sch.Submitted[j],
								sch.Finished[j], n.submitted[j], n.finished[j])
						}
					}
				}
			}
		}
	})
}

func flat(s *schedule.Schedule) []naiveAttempt {
	var out []naiveAttempt
	for _, sp := range s.Spans {
		for i := range sp.Count {
			out = append(out, naiveAttempt{
				taskID{int(sp.Job), sp.Stage, int(sp.First + i)},
				int(sp.Attempt), int(sp.Slots[i]), sp.Start, sp.End,
				sp.Outcome == schedule.Fails,
			})
		}
	}
	slices.SortFunc(out, inOrder)
	return out
}

// TestFIFOConserves: every task succeeds once, after as many failures as in its attempt's number, and no slot is used
// twice at once.
func TestFIFOConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		if !slices.IsSortedFunc(d.run.Spans, func(a, b schedule.Span) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Stage, b.Stage),
				cmp.Compare(a.Slots[0], b.Slots[0]), cmp.Compare(a.Attempt, b.Attempt))
		}) {
			t.Fatalf("out of order: %+v", d.run.Spans)
		}
		runs, fails := map[taskID]int{}, map[taskID]int{}
		busy := map[slotID]dag.Instant{}
		attempts := flat(d.run)
		// What has no length may end before what starts in the same slot at the same time.
		slices.SortStableFunc(attempts, func(a, b naiveAttempt) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.attempt, b.attempt))
		})
		for _, a := range attempts {
			if a.attempt != runs[a.taskID] {
				t.Fatalf("%v: attempt %d after %d", a.taskID, a.attempt, runs[a.taskID])
			}
			runs[a.taskID]++
			if a.fails {
				fails[a.taskID]++
			}
			slot := slotID{a.kind, a.slot}
			if busy[slot] > a.start {
				t.Fatalf("%v starts at %d in slot %d, which is busy until %d", a.taskID, a.start, a.slot, busy[slot])
			}
			busy[slot] = a.end
		}
		for j := range d.Plan.Jobs {
			for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
				for i := range d.Plan.Jobs[j].Stages[k].Count() {
					id := taskID{j, k, i}
					if runs[id] != fails[id]+1 {
						t.Fatalf("%v ran %d times and failed %d times", id, runs[id], fails[id])
					}
				}
			}
		}
	})
}

// TestFIFOForesees: with exact remaining times a re-plan at any instant is the rest of the run.
func TestFIFOForesees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		ends := map[naiveAttempt]dag.Instant{}
		for _, a := range flat(d.run) {
			full := a.end
			if a.fails { // it would have gone on
				full = a.start +
					dag.Instant(d.left(d.seen)(schedule.Task{
						Job: a.job, Stage: a.kind,
						Index: a.index,
					}).Work.Milliseconds()) +
					dag.Instant(d.Plan.Cluster.Setup.Milliseconds())
			}
			ends[naiveAttempt{taskID: a.taskID, attempt: a.attempt}] = full
		}
		left := func(x schedule.Task) schedule.Cost {
			c := d.left(d.seen)(x)
			if x.Running != nil {
				end := ends[naiveAttempt{taskID: taskID{x.Job, x.Stage, x.Index}, attempt: x.Attempt}]
				c = schedule.Cost{Work: end.Sub(d.seen.At), Same: 1}
			}
			return c
		}
		sch, err := schedule.Replay(d.seen, left, schedule.Options{Fault: d.fault, FutureOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(flat(d.run), func(a naiveAttempt) bool { return a.end <= d.seen.At })
		if got := flat(sch); !slices.Equal(got, want) || len(want) > 0 && sch.End != d.run.End {
			t.Fatalf("at %d:\ngot  %v\nwant %v", d.seen.At, got, want)
		}
	})
}

// TestFIFOMonotone: more slots never hurt a job of independent equal tasks.
func TestFIFOMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := rapid.IntRange(1, 100).Draw(t, "tasks")
		length := time.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * time.Millisecond
		last := dag.Instant(1 << 60)
		for slots := 1; slots < 30; slots++ {
			sch, err := schedule.Replay(independent(1, tasks, slots), func(x schedule.Task) schedule.Cost {
				return schedule.Cost{Work: length, Same: tasks - x.Index}
			}, schedule.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if sch.End > last {
				t.Fatalf("%d slots take %d ms, one less %d ms", slots, sch.End, last)
			}
			if want := dag.Instant((tasks+slots-1)/slots) * dag.Instant(length.Milliseconds()); sch.End != want {
				t.Fatalf("%d slots take %d ms, want %d", slots, sch.End, want)
			}
			last = sch.End
		}
	})
}

// A lean replay ends when the full one does, also with memory that another world has used.
func TestEndOnlyFIFOEndsTheSame(t *testing.T) {
	var used schedule.EndOnly
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		opt := schedule.Options{Fault: d.fault}
		full, err := schedule.Replay(d.seen, d.left(d.seen), opt)
		opt.EndOnly = &used
		lean, leanErr := schedule.Replay(d.seen, d.left(d.seen), opt)
		if (err == nil) != (leanErr == nil) {
			t.Fatalf("full: %v; lean: %v", err, leanErr)
		}
		if err == nil && (full.Now != lean.Now || full.End != lean.End) {
			t.Fatalf("full ends at %d, lean at %d", full.End, lean.End)
		}
	})
}
