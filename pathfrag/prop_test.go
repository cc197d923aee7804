package pathfrag_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// drawn is a random case: what is seen at a random instant of its run under random failures, and a schedule from there.
type drawn struct {
	*golden.Case
	seen *dag.Snapshot
	sch  *schedule.Schedule
}

func draw(t *rapid.T, failing bool) drawn {
	d := drawn{Case: golden.Draw(t)}
	fault := golden.DrawFault(t)
	start := golden.Start(d.Plan)
	run, err := schedule.Replay(start, d.Left(start, d.Slowdown), schedule.Options{Fault: fault})
	if err != nil {
		t.Fatal(err)
	}
	at := dag.Instant(rapid.Int64Range(0, int64(run.End)).Draw(t, "at"))
	d.seen = golden.Cut(d.Plan, run, at)
	left := d.Left(d.seen, d.Slowdown)
	if rapid.Bool().Draw(t, "task by task") {
		left = func(x schedule.Task) schedule.Cost { c := d.Left(d.seen, d.Slowdown)(x); c.Same = 1; return c }
	}
	if !failing {
		fault = nil
	}
	if d.sch, err = schedule.Replay(d.seen, left, schedule.Options{Fault: fault}); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d drawn) params() pathfrag.Params { return pathfrag.Params{Delta1: d.Delta1, Delta2: d.Delta2} }

func (d drawn) find(t *rapid.T) *pathfrag.Path {
	p, err := pathfrag.Find(d.Plan, d.sch, d.params())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestInvariant: the path is as long as the schedule from now on, whatever delta1 and delta2 are
// (facts/paratimer.md A3), and covers it without a gap. Fragments alone cover it if no failure is to come.
func TestInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		failing := rapid.Bool().Draw(t, "failures to come")
		d := draw(t, failing)
		p := d.find(t)
		if p.Length() != d.sch.Remaining() {
			t.Fatalf("the path is %v long, the schedule %v", p.Length(), d.sch.Remaining())
		}
		at := d.sch.Now
		for _, s := range p.Critical {
			if s.Start != at || s.End <= s.Start {
				t.Fatalf("segment %+v begins at %d", s, at)
			}
			at = s.End
		}
		for _, f := range p.Fragments {
			if f.Width == 0 && !failing {
				t.Fatalf("fragment %+v fills a gap, though nothing fails", f)
			}
		}
	})
}

// TestPartition: every task that does not fail is in one round, every round in one fragment, all of their kind.
func TestPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, true)
		p := d.find(t)
		inRounds, inFragments := make([]int, len(p.Schedule.Spans)), make([]int, len(p.Rounds))
		for id, r := range p.Rounds {
			width := 0
			for _, i := range r.Spans {
				inRounds[i]++
				width += int(p.Schedule.Spans[i].Count)
			}
			if r.ID != id || r.Width != 0 && r.Width != width {
				t.Fatalf("round %d: %+v of %d tasks", id, r, width)
			}
		}
		tasks := 0
		for i, sp := range p.Schedule.Spans {
			if sp.Outcome == schedule.OK {
				tasks += int(sp.Count)
				if inRounds[i] != 1 {
					t.Fatalf("span %+v is in %d rounds", sp, inRounds[i])
				}
			}
		}
		for j := range d.Plan.Jobs {
			tasks -= d.Plan.Jobs[j].Stages[dag.Map].Tasks + d.Plan.Jobs[j].Stages[dag.Reduce].Tasks
		}
		if tasks != 0 {
			t.Fatalf("%d tasks too many", tasks)
		}
		for id, f := range p.Fragments {
			for _, r := range f.Rounds {
				inFragments[r]++
				if f.ID != id || p.Rounds[r].Stage != f.Stage || p.Rounds[r].Width > f.Width {
					t.Fatalf("fragment %d: %+v has round %+v", id, f, p.Rounds[r])
				}
			}
		}
		for r, n := range inFragments {
			if n != 1 {
				t.Fatalf("round %d is in %d fragments", r, n)
			}
		}
	})
}

// TestEqualsNaive compares with an implementation of the definitions task by task.
func TestEqualsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, false)
		p := d.find(t)
		n := newNaive(d.Plan, d.sch, d.params())
		same := func(what string, got, want any) {
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s:\ngot  %+v\nwant %+v", what, got, want)
			}
		}
		same("rounds", rounds(d.Plan, p), n.goldenRounds())
		same("fragments", fragments(d.Plan, p), n.goldenFragments())
		path := n.path(int64(d.sch.Now))
		same("path", segments(p), path)
		same("length", p.Length(), total(path))
	})
}

// TestSlack: it is not negative, no job that ends with the query has any, and a job that ends as much later as
// its slack still leaves the job graph time to end with the query.
func TestSlack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, false)
		p := d.find(t)
		for j, slack := range p.Slack {
			end := d.sch.Finished[j]
			if slack < 0 || end.Add(slack) > d.sch.End {
				t.Fatalf("job %d ends at %d and has %v of %d", j, end, slack, d.sch.End)
			}
			if d.sch.Now < end && longestAfter(d, j, end.Add(slack)) > d.sch.End {
				t.Fatalf("job %d may end %v later, but then the query ends later too", j, slack)
			}
		}
	})
}

// longestAfter is when the last job ends if job j ends at t and every other lasts as long as planned once it may begin.
func longestAfter(d drawn, j int, t dag.Instant) dag.Instant {
	last := t
	for k := range d.Plan.Jobs {
		for _, a := range d.Plan.Jobs[k].After {
			if a == j {
				begin := max(t, d.sch.Submitted[k])
				last = max(last, longestAfter(d, k, begin+d.sch.Finished[k]-d.sch.Submitted[k]))
			}
		}
	}
	return last
}
