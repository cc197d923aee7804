package pathfrag_test

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

func task(job, first int, k dag.StageIndex, start, end dag.Instant, slots ...int32) schedule.Span {
	return schedule.Span{
		Job: int32(job), Stage: k, First: int32(first), Count: int32(len(slots)), Start: start,
		End: end, Slots: slots,
	}
}

func pause(job int, p dag.Pause, start, end dag.Instant) schedule.Span {
	return schedule.Span{Job: int32(job), Stage: dag.NoStage, Pause: p, Outcome: schedule.Waits, Start: start, End: end}
}

func jobs(p dag.Policy, after ...[]int) *dag.Plan {
	plan := &dag.Plan{Cluster: dag.Cluster{Policy: p}}
	for i, a := range after {
		plan.Jobs = append(plan.Jobs, dag.Job{Node: string(rune('a' + i)), After: a, Stages: dag.MapReduce(dag.Stage{},
			dag.Stage{})})
	}
	return plan
}

// A YARN schedule: a launch, reduces that start before the maps' end and wait in copy, the job's end, the next wave.
// Pauses are fragments of width 0, and the path covers them.
func TestPauses(t *testing.T) {
	plan := jobs(dag.YARN, nil, nil, []int{0})
	s := &schedule.Schedule{
		Now: 1000, End: 20_000,
		Spans: []schedule.Span{
			pause(0, dag.Launch, 1000, 3000),
			task(0, 0, dag.Map, 3000, 6000, 0, 1),
			task(1, 0, dag.Map, 3000, 9000, 2),
			task(0, 0, dag.Reduce, 4000, 8000, 3),
			task(1, 0, dag.Reduce, 8000, 10_000, 3),
			pause(1, dag.Finish, 10_000, 11_000),
			pause(2, dag.Wave, 11_000, 14_000),
			pause(2, dag.Launch, 14_000, 15_000),
			task(2, 0, dag.Map, 15_000, 19_000, 0, 1, 2),
			pause(2, dag.Finish, 19_000, 20_000),
		},
		Submitted: []dag.Instant{0, 0, 14_000}, Finished: []dag.Instant{9000, 11_000, 20_000},
	}
	p, err := pathfrag.Find(plan, s, pathfrag.Params{Delta1: time.Second, Delta2: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if p.Length() != 19*time.Second {
		t.Errorf("the path is %v long", p.Length())
	}
	var kinds []string
	for _, seg := range p.Critical {
		f := p.Fragments[seg.Fragment]
		kinds = append(kinds, schedule.What(plan, max(0, p.JobOf(&f)), f.Stage, f.Pause))
		if pause := f.Pause != dag.NoPause; pause != (f.Width == 0) || len(f.Rounds) == 0 {
			t.Errorf("fragment %+v", f)
		}
	}
	want := []string{"launch", "map", "reduce", "finish", "wave", "launch", "map", "finish"}
	if !slices.Equal(kinds, want) {
		t.Errorf("path of %v, want %v", kinds, want)
	}
	// Job a ends 2 s before its wave does, and has nothing on the path.
	if want := []time.Duration{2 * time.Second, 0, 0}; !slices.Equal(p.Slack, want) {
		t.Errorf("slack %v, want %v", p.Slack, want)
	}
}

// Where only a failing attempt runs, the path leads through it; where nothing runs, through a wait.
func TestBridges(t *testing.T) {
	failing := task(0, 1, dag.Map, 2000, 9000, 1)
	failing.Outcome = schedule.Fails
	short := task(0, 2, dag.Map, 1500, 6000, 2) // ends before the other
	short.Outcome = schedule.Fails
	s := &schedule.Schedule{Now: 0, End: 15_000, Spans: []schedule.Span{
		task(0, 0, dag.Map, 0, 5000, 0), short, failing, task(0, 1, dag.Map, 10_000, 14_000, 0),
	}}
	p, err := pathfrag.Find(jobs(dag.FIFO, nil), s, pathfrag.Params{})
	if err != nil {
		t.Fatal(err)
	}
	var got []pathfrag.Fragment
	for _, seg := range p.Critical {
		got = append(got, p.Fragments[seg.Fragment])
	}
	want := []pathfrag.Fragment{
		{ID: 0, Stage: dag.Map, Width: 1, Rounds: []int{0}, Start: 0, End: 5000},
		{ID: 2, Stage: dag.Map, Rounds: []int{2}, Start: 5000, End: 9000},
		{ID: 3, Stage: dag.NoStage, Pause: dag.Wave, Start: 9000, End: 10_000},
		{ID: 1, Stage: dag.Map, Width: 1, Rounds: []int{1}, Start: 10_000, End: 14_000},
		{ID: 4, Stage: dag.NoStage, Pause: dag.Wave, Start: 14_000, End: 15_000},
	}
	if !reflect.DeepEqual(got, want) || p.Length() != 15*time.Second {
		t.Errorf("path of %+v\nwant %+v", got, want)
	}
	if r := p.Rounds[2]; r.Width != 0 || !slices.Equal(r.Spans, []int{2}) {
		t.Errorf("round of the failing attempt: %+v", r)
	}
}

func TestNothingLeft(t *testing.T) {
	s := &schedule.Schedule{
		Now: 7000, End: 7000, Spans: []schedule.Span{task(0, 0, dag.Map, 0, 7000, 0)},
		Finished: []dag.Instant{7000},
	}
	p, err := pathfrag.Find(jobs(dag.FIFO, nil), s, pathfrag.Params{})
	if err != nil || len(p.Critical) != 0 || p.Length() != 0 || len(p.Fragments) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

// The short branch a, b of a diamond may be late by what the long one takes longer; all of it can be used only once.
func TestSlackOfBranch(t *testing.T) {
	plan := jobs(dag.FIFO, nil, []int{0}, nil, []int{1, 2})
	s := &schedule.Schedule{
		End: 30,
		Spans: []schedule.Span{
			task(0, 0, dag.Map, 0, 4, 0), task(2, 0, dag.Map, 0, 20, 1), task(1, 0, dag.Map, 4, 9, 0),
			task(3, 0, dag.Map, 20, 30, 0),
		},
		Submitted: []dag.Instant{0, 4, 0, 20}, Finished: []dag.Instant{4, 9, 20, 30},
	}
	p, err := pathfrag.Find(plan, s, pathfrag.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{11 * time.Millisecond, 11 * time.Millisecond, 0, 0}; !slices.Equal(p.Slack, want) {
		t.Errorf("slack %v, want %v", p.Slack, want)
	}
}

func TestNoOrder(t *testing.T) {
	_, err := pathfrag.Find(jobs(dag.FIFO, []int{1}, []int{0}), &schedule.Schedule{}, pathfrag.Params{})
	var cycle *dag.CycleError
	if !errors.As(err, &cycle) {
		t.Errorf("a cycle gives %v", err)
	}
}

// A job on the critical path has no slack, though the job graph alone would give it some: job b's maps take over a's
// slots.
func TestSlackOfSlots(t *testing.T) {
	s := &schedule.Schedule{
		End:       20,
		Spans:     []schedule.Span{task(0, 0, dag.Map, 0, 10, 0), task(1, 0, dag.Map, 10, 20, 0)},
		Submitted: []dag.Instant{0, 0}, Finished: []dag.Instant{10, 20},
	}
	p, err := pathfrag.Find(jobs(dag.FIFO, nil, nil), s, pathfrag.Params{})
	if err != nil || !slices.Equal(p.Slack, []time.Duration{0, 0}) {
		t.Errorf("slack %v, %v", p.Slack, err)
	}
}

// A span whose tasks are in two rounds is cut; what was given stays as it was.
func TestSplit(t *testing.T) {
	s := &schedule.Schedule{End: 3000, Spans: []schedule.Span{
		task(0, 0, dag.Map, 0, 1000, 0, 2),
		task(0, 2, dag.Map, 1000, 2000, 0, 1, 2, 3),
	}}
	before := slices.Clone(s.Spans)
	p, err := pathfrag.Find(jobs(dag.FIFO, nil), s, pathfrag.Params{Delta1: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for i := range p.Rounds {
		got = append(got, tasksOf(p, jobs(dag.FIFO, nil), i))
	}
	if want := [][]string{{"a.m1", "a.m2", "a.m4", "a.m6"}, {"a.m3", "a.m5"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("rounds %v, want %v", got, want)
	}
	if !reflect.DeepEqual(s.Spans, before) || len(p.Schedule.Spans) != 5 {
		t.Errorf("given %+v\ncut   %+v", s.Spans, p.Schedule.Spans)
	}
}

// A uniform round stays one span, however wide.
func TestUniformStaysWhole(t *testing.T) {
	plan := jobs(dag.FIFO, nil)
	plan.Cluster = dag.Cluster{MapSlots: 1000}
	plan.Jobs[0].SetStage(dag.Map, dag.Stage{Tasks: 10_000, Known: true})
	s := &dag.Snapshot{Plan: plan}
	sch, err := schedule.Replay(s, func(schedule.Task) schedule.Cost {
		return schedule.Cost{Work: time.Minute, Same: 1 << 30}
	}, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pathfrag.Find(plan, sch, pathfrag.Params{Delta1: time.Second})
	if err != nil || len(sch.Spans) != 10 || len(p.Schedule.Spans) != 10 || len(p.Rounds) != 10 ||
		len(p.Fragments) != 1 {
		t.Errorf("%d spans, %v", len(sch.Spans), err)
	}
}

// TestEqualsNaiveAnywhere compares on spans that no scheduler made: slots used twice at a time, any lengths.
func TestEqualsNaiveAnywhere(t *testing.T) {
	all := []int32{0, 1, 2, 3, 4, 5}
	rapid.Check(t, func(t *rapid.T) {
		plan := jobs(dag.FIFO, nil, nil, []int{0})
		next := [3]int{}
		s := &schedule.Schedule{}
		for range rapid.IntRange(0, 12).Draw(t, "spans") {
			job := rapid.IntRange(0, 2).Draw(t, "job")
			slots := rapid.SliceOfNDistinct(rapid.Int32Range(0, 5), 1, 3, rapid.ID).Draw(t, "slots")
			slices.Sort(slots)
			// consecutive slots are views, as a replay makes them
			if n := int32(len(slots)); slots[n-1]-slots[0] == n-1 {
				slots = all[slots[0] : slots[0]+n]
			}
			start := dag.Instant(rapid.IntRange(0, 8).Draw(t, "start"))
			end := start + dag.Instant(rapid.IntRange(0, 6).Draw(t, "length"))
			s.Spans = append(s.Spans, task(job, next[job], dag.Map, start, end, slots...))
			next[job] += len(slots)
			s.End = max(s.End, end)
		}
		slices.SortStableFunc(s.Spans, func(a, b schedule.Span) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Slots[0], b.Slots[0]))
		})
		par := pathfrag.Params{
			Delta1: time.Duration(rapid.IntRange(0, 5).Draw(t, "delta1")) * time.Millisecond,
			Delta2: time.Duration(rapid.IntRange(0, 5).Draw(t, "delta2")) * time.Millisecond,
		}
		p, err := pathfrag.Find(plan, s, par)
		if err != nil {
			t.Fatal(err)
		}
		n := newNaive(plan, s, par)
		if got, want := rounds(plan, p), n.goldenRounds(); !reflect.DeepEqual(got, want) {
			t.Fatalf("rounds\ngot  %+v\nwant %+v", got, want)
		}
		if p.Length() != s.Remaining() {
			t.Fatalf("the path is %v long, the schedule %v", p.Length(), s.Remaining())
		}
		// Bridges come last and are not in the naive list.
		var got []any
		for _, f := range fragments(plan, p) {
			if f.Width > 0 {
				got = append(got, f)
			}
		}
		var want []any
		for _, f := range n.goldenFragments() {
			want = append(want, f)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("fragments\ngot  %+v\nwant %+v", got, want)
		}
	})
}

// TestPauseBeforeWave checks that an end without tasks is that of the job that ends before the next wave.
func TestPauseBeforeWave(t *testing.T) {
	t.Parallel()
	s := &schedule.Schedule{Now: 1000, End: 9000, Finished: []dag.Instant{900, 2000, 9000}}
	wave := pause(2, dag.Wave, 2000, 9000)
	want := []schedule.Span{pause(1, dag.Finish, 1000, 2000), wave}
	if got := schedule.Pauses(s, []schedule.Span{wave}); !slices.EqualFunc(got, want, func(a, b schedule.Span) bool {
		return a.Job == b.Job && a.Pause == b.Pause && a.Start == b.Start && a.End == b.End
	}) {
		t.Errorf("pauses %+v, want %+v", got, want)
	}
}
