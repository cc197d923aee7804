package explain

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// TestReplanned holds how the difference of two plans of the same tasks is named: by the first stage that has moved, as
// a cliff of its last wave or as another start.
func TestReplanned(t *testing.T) {
	t.Parallel()
	plan := &dag.Plan{Jobs: []dag.Job{
		{Node: "a", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
		{Node: "b", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})},
	}}
	maps := func(job int32, start, end dag.Instant, n int32) schedule.Span {
		return schedule.Span{Job: job, Stage: dag.Map, Start: start * 1000, End: end * 1000, Count: n}
	}
	launch := func(job int32, start, end dag.Instant) schedule.Span {
		return schedule.Span{Job: job, Stage: dag.NoStage, Pause: dag.Launch, Start: start * 1000, End: end * 1000}
	}
	of := func(spans ...schedule.Span) *schedule.Schedule {
		s := &schedule.Schedule{Spans: spans}
		for _, x := range spans {
			s.End = max(s.End, x.End)
		}
		return s
	}
	for _, c := range []struct {
		was, is *schedule.Schedule
		want    Change
	}{
		{
			of(maps(0, 0, 10, 8), maps(1, 10, 20, 8)), of(maps(0, 0, 10, 8), maps(0, 10, 20, 1), maps(1, 20, 30, 8)),
			Change{Delta: 10 * time.Second, Reason: ReasonWave, Subject: "1 map of job a more in the last wave"},
		},
		{
			of(maps(0, 0, 10, 8), maps(0, 10, 20, 2)), of(maps(0, 0, 10, 8)),
			Change{Delta: -10 * time.Second, Reason: ReasonWave, Subject: "2 maps of job a fewer in the last wave"},
		},
		{
			of(maps(0, 0, 10, 8)), of(maps(0, 7, 17, 8)),
			Change{Delta: 7 * time.Second, Reason: ReasonStart, Subject: "map tasks of job a start later than planned"},
		},
		{
			of(launch(1, 0, 5), maps(1, 5, 10, 8)), of(launch(1, 0, 12), maps(1, 12, 17, 8)),
			Change{
				Delta: 7 * time.Second, Reason: ReasonStart,
				Subject: "the launch of job b takes longer than planned",
			},
		},
		{of(maps(0, 0, 10, 8)), of(maps(1, 0, 20, 8)), Change{}}, // nothing to compare
	} {
		if got := replanned(plan, c.was, c.is); got != c.want {
			t.Errorf("replanned = %+v, want %+v", got, c.want)
		}
	}
}

// TestExplainKnowsWhatHappened: a map that started after the first observation and took longer than planned is speed,
// with hindsight.
func TestExplainKnowsWhatHappened(t *testing.T) {
	t.Parallel()
	before := dag.Run{}.Append(shop(4000))
	later := shop(9000)
	list := &later.Jobs[0].Stages[dag.Map].Attempts
	for i := range *list {
		(*list)[i].State, (*list)[i].End = dag.AttemptSucceeded, 5000
	}
	*list = append(*list, dag.Attempt{Task: 4, State: dag.AttemptSucceeded, Start: 5000, End: 8500, Node: 0})
	model := slowed(1, 0)
	after := before.Append(later)
	delta := standardEnd(t, after, model).Sub(standardEnd(t, before, model))
	got := WithHindsight(before, after, delta, model)
	if sum(got) != delta {
		t.Errorf("the parts of %v make %v: %v", delta, sum(got), got)
	}
	for _, c := range got {
		if c.Reason == ReasonOther && 3*c.Delta.Abs() > delta.Abs() {
			t.Errorf("%v of %v is other: %v", c.Delta, delta, got)
		}
	}
}

// TestAsHappenedIsOfTheTask checks that a task whose later attempts have failed takes what is known of it, and not the
// time of the next task.
func TestAsHappenedIsOfTheTask(t *testing.T) {
	t.Parallel()
	s, later := shop(4000), shop(9000)
	list := &later.Jobs[0].Stages[dag.Map].Attempts
	*list = append(*list,
		dag.Attempt{Task: 4, State: dag.AttemptFailed, Start: 5000, End: 5500, Node: 0},
		dag.Attempt{Task: 5, State: dag.AttemptSucceeded, Start: 5000, End: 8500, Node: 0})
	costs := slowed(1, 0)(dag.Run{}.Append(s))
	left := asHappened(s, later, costs)
	for i, want := range map[int]time.Duration{
		4: asKnownLater(s, later, costs)(schedule.Task{Job: 0, Stage: dag.Map, Index: 4}).Work,
		5: 3500 * time.Millisecond,
	} {
		if got := left(schedule.Task{Job: 0, Stage: dag.Map, Index: i}).Work; got != want {
			t.Errorf("map %d takes %v, want %v", i, got, want)
		}
	}
}
