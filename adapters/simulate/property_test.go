package simulate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// checkRuns runs f on drawn runs.
func checkRuns(t *testing.T, f func(t *rapid.T, p *dag.Plan, o Options, run []*dag.Snapshot)) {
	t.Run("fifo", func(t *testing.T) { checkPlans(t, drawPlan, f) })
	t.Run("yarn", func(t *testing.T) { checkPlans(t, drawYARN, f) })
}

func checkPlans(t *testing.T, draw func(*rapid.T) *dag.Plan, f func(t *rapid.T, p *dag.Plan, o Options,
	run []*dag.Snapshot),
) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		o := drawOptions(t, p)
		src, err := New(p, o)
		if err != nil {
			t.Fatal(err)
		}
		var run []*dag.Snapshot
		for {
			s, err := src.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if run = append(run, s); len(run) > 20_000 {
				t.Fatal("the run does not end")
			}
		}
		f(t, p, o, run)
	})
}

// Snapshots come every Every from the start on, the last one when the last job ends, and only it is final.
func TestInstants(t *testing.T) {
	checkRuns(t, func(t *rapid.T, _ *dag.Plan, o Options, run []*dag.Snapshot) {
		for i, s := range run {
			last := i == len(run)-1
			if want := o.Start + dag.Instant(i)*dag.InstantOf(dag.Instant(0).Time().Add(o.Every)); s.At > want ||
				s.At < want && !last {
				t.Fatalf("snapshot %d is of %d, want %d", i, s.At, want)
			}
			if s.State.Ended() != last {
				t.Fatalf("snapshot %d of %d: state %v", i, len(run), s.State)
			}
		}
	})
}

// Every task succeeds once more than it is undone, unless its job fails or comes after one that has; then the run
// fails.
func TestConservation(t *testing.T) {
	checkRuns(t, func(t *rapid.T, p *dag.Plan, _ Options, run []*dag.Snapshot) {
		s := run[len(run)-1]
		broken := make([]bool, len(p.Jobs))
		for j := range p.Jobs {
			broken[j] = s.Jobs[j].State == dag.Failed
			for _, a := range p.Jobs[j].After {
				broken[j] = broken[j] || broken[a]
			}
			if broken[j] {
				continue
			}
			if s.Jobs[j].State != dag.Succeeded {
				t.Fatalf("job %d is %v at the end", j, s.Jobs[j].State)
			}
			for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
				done := make([]int, p.Jobs[j].Stages[k].Tasks)
				for _, a := range s.Jobs[j].Stages[k].Attempts {
					switch a.State {
					case dag.AttemptSucceeded:
						done[a.Task]++
					case dag.AttemptRunning:
						t.Fatalf("job %d, %v task %d runs at the end", j, k, a.Task)
					}
				}
				if slices.ContainsFunc(done, func(n int) bool { return n != 1 }) {
					t.Fatalf("job %d, %v tasks have succeeded %v times", j, k, done)
				}
			}
		}
		if want := slices.Contains(broken, true); want != (s.State == dag.Failed) {
			t.Fatalf("the run is %v, a job has failed: %v", s.State, want)
		}
	})
}

// A slot runs one attempt at a time, and none after its node is known to be lost.
func TestSlots(t *testing.T) {
	checkPlans(t, drawPlan, func(t *rapid.T, p *dag.Plan, o Options, run []*dag.Snapshot) {
		s := run[len(run)-1]
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			slots := map[int32][]dag.Attempt{}
			for j := range s.Jobs {
				for _, a := range s.Jobs[j].Stages[k].Attempts {
					slots[a.Slot] = append(slots[a.Slot], a)
				}
			}
			for slot, as := range slots {
				if n := [...]int{p.Cluster.MapSlots, p.Cluster.ReduceSlots}[k]; int(slot) >= n {
					t.Fatalf("slot %d of %d", slot, n)
				}
				slices.SortFunc(as, func(a, b dag.Attempt) int {
					if a.Start != b.Start {
						return int(a.Start - b.Start)
					}
					return int(a.End - b.End)
				})
				for i := 1; i < len(as); i++ {
					if as[i-1].End > as[i].Start {
						t.Fatalf("%v slot %d runs two attempts at once: %+v and %+v", k, slot, as[i-1], as[i])
					}
				}
				for _, l := range o.Lose {
					for _, a := range as {
						if int(a.Node) == l.Node && a.Start >= o.Start.Add(l.At) {
							t.Fatalf("%v slot %d: node %d is dead since %v, and an attempt starts at %d", k, slot,
								l.Node, l.At, a.Start)
						}
					}
				}
			}
		}
	})
}

// Time goes one way: what has ended stays so but for maps whose node was lost, counters and marks do not fall, and no
// counter is above its task's size.
func TestMonotony(t *testing.T) {
	checkRuns(t, func(t *rapid.T, p *dag.Plan, o Options, run []*dag.Snapshot) {
		truth := newSimulation(p, &o)
		for i, s := range run {
			for j := range s.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					as := s.Jobs[j].Stages[k].Attempts
					if !slices.IsSortedFunc(as, func(a, b dag.Attempt) int {
						return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
					}) {
						t.Fatalf("the attempts are not ordered: %+v", as)
					}
					for n := range as {
						plausible(t, s, &as[n], &truth.plan.Jobs[j].Stages[k])
					}
					if i > 0 {
						follows(t, run[i-1].Jobs[j].Stages[k].Attempts, as, k)
					}
				}
			}
		}
	})
}

func plausible(t *rapid.T, s *dag.Snapshot, a *dag.Attempt, p *dag.Stage) {
	if a.Start > s.At || a.End.Known() && (a.End > s.At || a.End < a.Start) ||
		a.End.Known() == (a.State == dag.AttemptRunning) {
		t.Fatalf("at %d: %+v", s.At, *a)
	}
	for i, pipe := range p.Pipelines {
		n := pipe.Tuples.At(int(a.Task))
		if !(a.Done[i] >= 0 && a.Done[i] <= n) || a.Done[i] != math.Trunc(a.Done[i]) ||
			a.State == dag.AttemptSucceeded && a.Done[i] != n {
			t.Fatalf("at %d: pipeline %d has %v of %v tuples: %+v", s.At, i, a.Done[i], n, *a)
		}
	}
	if !(a.Ratio >= 0 && a.Ratio <= 1) {
		t.Fatalf("at %d: ratio %v: %+v", s.At, a.Ratio, *a)
	}
}

// follows checks that the attempts of a phase follow from those of the snapshot before.
func follows(t *rapid.T, old, as []dag.Attempt, k dag.StageIndex) {
	for _, was := range old {
		i := slices.IndexFunc(as, func(a dag.Attempt) bool { return a.Task == was.Task && a.Number == was.Number })
		if i < 0 {
			t.Fatalf("an attempt is gone: %+v", was)
		}
		is := as[i]
		if was.State != dag.AttemptRunning {
			undone := k == dag.Map && was.State == dag.AttemptSucceeded && is.State == dag.AttemptKilled
			was.State, was.Diagnosis, is.Diagnosis = is.State, "", ""
			if was.Ratio != is.Ratio && undone {
				was.Ratio = is.Ratio
			}
			if !equal(was, is) {
				t.Fatalf("an attempt that has ended changes from %+v to %+v", was, is)
			}
			continue
		}
		for p := range is.Done {
			if is.Done[p] < was.Done[p] || is.Total[p] != was.Total[p] && !math.IsNaN(was.Total[p]) {
				t.Fatalf("counters or totals fall from %+v to %+v", was, is)
			}
		}
		if is.Start != was.Start || is.Slot != was.Slot || is.Ratio < was.Ratio || was.First.At.Known() &&
			!equal(was.First, is.First) ||
			was.FirstReport.Known() && was.FirstReport != is.FirstReport || was.CopyEnd.Known() &&
			was.CopyEnd != is.CopyEnd {
			t.Fatalf("%+v\nbecomes\n%+v", was, is)
		}
	}
}

// equal compares bit for bit, so that NaN equals NaN.
func equal(a, b any) bool { return same(reflect.ValueOf(a), reflect.ValueOf(b)) }

func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// Marks are the differences between each snapshot and the one before.
func TestMarks(t *testing.T) {
	checkRuns(t, func(t *rapid.T, p *dag.Plan, _ Options, run []*dag.Snapshot) {
		type key struct {
			job  int
			kind dag.StageIndex
			task int32
			num  int32
		}
		type noted struct {
			First, Last dag.Mark
			Report      dag.Instant
		}
		unseen := dag.Mark{At: dag.NoInstant, Done: math.NaN(), Out: math.NaN()}
		notes := map[key]*noted{}
		for _, s := range run {
			for j := range s.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					last := len(p.Jobs[j].Stages[k].Pipelines) - 1
					for _, a := range s.Jobs[j].Stages[k].Attempts {
						n := notes[key{j, k, a.Task, a.Number}]
						if n == nil {
							n = &noted{unseen, unseen, dag.NoInstant}
							notes[key{j, k, a.Task, a.Number}] = n
						}
						if !n.Report.Known() && slices.ContainsFunc(a.Done[:], func(k float64) bool { return k > 0 }) {
							n.Report = s.At
						}
						if now := (dag.Mark{At: s.At, Done: a.Done[last], Out: a.Out}); a.Done[last] > 0 {
							if !n.First.At.Known() {
								n.First = now
							}
							if now.Done != n.Last.Done {
								n.Last = now
							}
						}
						if !equal(*n, noted{a.First, a.Last, a.FirstReport}) {
							t.Fatalf("at %d %v task %d.%d of job %d:\nnoted %+v\ngot   %+v %+v %d", s.At, k, a.Task,
								a.Number, j, *n, a.First, a.Last, a.FirstReport)
						}
					}
				}
			}
		}
	})
}
