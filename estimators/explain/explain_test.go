package explain

import (
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// TestReplanned checks how the difference of two plans of the same tasks is named: by the first stage that has moved,
// as a cliff of its last wave or as another start.
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

// TestAsHappenedIsOfTheTask checks that a task with failed later attempts takes its known time, and not the
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

// program is an application that runs eight tasks of 10 s on four cores, seen at an instant, with further stages of as
// many tasks.
func program(at dag.Instant, further ...int) *dag.Snapshot {
	s := shop(at)
	job := &s.Plan.Jobs[0]
	s.Plan.Engine, s.Plan.Open, s.Plan.Driver = "Spark", true, dag.Eager
	s.Plan.Whole = dag.Whole{Name: "application", Part: "stage", Parts: "stages"}
	s.Plan.Cluster = dag.Cluster{Policy: dag.Executors, Cores: 4}
	stage := func(name string, tasks int) dag.Stage {
		return dag.Stage{Name: name, Tasks: tasks, Known: true, Pipelines: job.Stages[dag.Map].Pipelines}
	}
	job.Stages = []dag.Stage{stage("scan", 8)}
	s.Jobs[0].Stages = s.Jobs[0].Stages[:1]
	for i, n := range further {
		next := stage("further "+string(rune('a'+i)), n)
		next.After = []dag.Edge{{From: dag.StageIndex(i), Kind: dag.Barrier}}
		job.Stages = append(job.Stages, next)
		s.Jobs[0].Stages = append(s.Jobs[0].Stages, dag.StageState{})
	}
	return s
}

// floorEnd is the end before which standard expects none: more work may come.
func floorEnd(t *testing.T, run dag.Run, model estimators.Model) dag.Instant {
	t.Helper()
	e, err := estimators.New(estimators.Scenarios()[0], model, estimators.Options{}).Estimate(run)
	if err != nil || e.Remaining != nil || e.Low == nil {
		t.Fatalf("standard = %+v, %v", e, err)
	}
	return run.Now().At.Add(*e.Low)
}

// TestChangesOfLostStages checks that costs are not requested for stages that their run does not have.
func TestChangesOfLostStages(t *testing.T) {
	t.Parallel()
	plain := slowed(1, 1<<40)
	careful := func(run dag.Run) estimators.Costs {
		costs := plain(run)
		left := costs.Left
		costs.Left = func(task schedule.Task) schedule.Cost {
			if task.Stage >= run.Now().Plan.Jobs[0].NumStages() {
				t.Errorf("got a request for the costs of stage %d, which the run does not have", task.Stage)
			}
			return left(task)
		}
		return costs
	}
	before := dag.Run{}.Append(program(4000, 4))
	later := program(5000)
	Changes(before, before.Append(later), -10*time.Second, careful)
}

func TestChangesNewWork(t *testing.T) {
	t.Parallel()
	tenSeconds := slowed(1, 1<<40)
	for _, c := range []struct {
		name    string
		further []int
		change  func(*dag.Snapshot)
		want    []Change
	}{
		{"a stage", []int{4}, func(*dag.Snapshot) {}, []Change{
			{Delta: 10 * time.Second, Reason: ReasonNewWork, Subject: "4 tasks of further a came", Event: true},
		}},
		{"two stages", []int{4, 5}, func(*dag.Snapshot) {}, []Change{
			{Delta: 30 * time.Second, Reason: ReasonNewWork, Subject: "2 stages with 9 tasks came", Event: true},
		}},
		{"a stage that is skipped", []int{0}, func(*dag.Snapshot) {}, nil},
		{"nothing", nil, func(*dag.Snapshot) {}, nil},
		{"another program", []int{4}, func(s *dag.Snapshot) { s.Plan.Jobs[0].Stages[0].Name = "other" }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			later := program(5000, c.further...)
			c.change(later)
			before := dag.Run{}.Append(program(4000))
			after := before.Append(later)
			delta := floorEnd(t, after, tenSeconds).Sub(floorEnd(t, before, tenSeconds))
			got := Changes(before, after, delta, tenSeconds)
			named := slices.DeleteFunc(slices.Clone(got), func(x Change) bool { return x.Reason != ReasonNewWork })
			if sum(got) != delta || !slices.Equal(named, c.want) {
				t.Errorf("changes %v of %v, want %v", got, delta, c.want)
			}
		})
	}
}

// TestChangesExpectedWorkGone checks that stages that a profile expected may be gone from the plan, and that those
// after them are listed by their names.
func TestChangesExpectedWorkGone(t *testing.T) {
	t.Parallel()
	before, later := program(4000, 4, 4, 4), program(5000, 4)
	before.Plan.Jobs[0].Stages[1], before.Plan.Jobs[0].Stages[3] = before.Plan.Jobs[0].Stages[3],
		before.Plan.Jobs[0].Stages[1]
	run := []dag.Attempt{{Start: 3000, End: dag.NoInstant, State: dag.AttemptRunning}}
	before.Jobs[0].Stages[3].Attempts = run
	failed := slices.Clone(run)
	failed[0].State, failed[0].End = dag.AttemptFailed, 4500
	later.Jobs[0].Stages[1].Attempts = failed
	s, subject := lostWork(before, later)
	if s == nil || subject != before.Plan.TaskWords(0, 3, 0)+" failed and starts again" {
		t.Errorf("the loss is reported as %q", subject)
	}
}
