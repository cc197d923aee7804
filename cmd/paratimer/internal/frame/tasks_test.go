package frame

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// words formats a task in one line.
func words(t Task) string {
	at := func(s *Seconds) string {
		if s == nil {
			return "?"
		}
		return fmt.Sprint(*s)
	}
	node := "-"
	if t.Node != nil {
		node = *t.Node
	}
	return fmt.Sprintf("%s %s %s-%s tries=%d on %s critical=%v", t.Name, t.State, at(t.StartSeconds), at(t.EndSeconds),
		t.Attempts, node, t.Critical)
}

func TestTasks(t *testing.T) {
	const done = "attempt_1_0001_m_000000_0 succeeded 1-8 tries=1 on n0 critical=false"
	for _, c := range []struct {
		name   string
		most   int
		change func(*dag.Snapshot, *estimators.Estimate)
		want   []string
		all    int
	}{
		{"running ones first, those that are done last", 10, func(*dag.Snapshot, *estimators.Estimate) {}, []string{
			"attempt_1_0001_m_000001_1 running 6-30 tries=2 on n1 critical=true",
			"task_1_0001_r_000000 pending 30-60 tries=0 on - critical=true",
			"task_1_0001_m_000002 pending 10-30 tries=0 on - critical=false",
			done,
		}, 4},
		{
			"a limit", 1, func(*dag.Snapshot, *estimators.Estimate) {},
			[]string{"attempt_1_0001_m_000001_1 running 6-30 tries=2 on n1 critical=true"},
			4,
		},
		{"none", -1, func(*dag.Snapshot, *estimators.Estimate) {}, nil, 4},
		{"too early to say", 10, func(_ *dag.Snapshot, e *estimators.Estimate) { e.Remaining = nil }, []string{
			"attempt_1_0001_m_000001_1 running 6-? tries=2 on n1 critical=false",
			"task_1_0001_m_000002 pending ?-? tries=0 on - critical=false",
			"task_1_0001_r_000000 pending ?-? tries=0 on - critical=false",
			done,
		}, 4},
		{"a job that has ended", 10, func(s *dag.Snapshot, _ *estimators.Estimate) {
			s.Jobs[0].State = dag.Failed
			s.Jobs[0].Stages[dag.Map].Attempts[2].State, s.Jobs[0].Stages[dag.Map].Attempts[2].End = dag.AttemptKilled,
				1_009_500
		}, []string{
			"attempt_1_0001_m_000001_1 killed 6-9.5 tries=2 on n1 critical=false",
			"task_1_0001_m_000002 pending ?-? tries=0 on - critical=false",
			"task_1_0001_r_000000 pending ?-? tries=0 on - critical=false",
			done,
		}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := chain()
			e := standardOf(t, s)
			c.change(s, &e)
			list, all := Of(s, Answers{Scenarios: []estimators.Estimate{e}}, nil).Tasks(0, c.most)
			var got []string
			for _, task := range list {
				got = append(got, words(task))
			}
			if diff := cmp.Diff(c.want, got); diff != "" || all != c.all {
				t.Errorf("%d tasks (-want +got):\n%s", all, diff)
			}
		})
	}
}

// TestTasksOfOneThatFailed checks that a task that will run again is listed with its failed attempt, and its next
// start.
func TestTasksOfOneThatFailed(t *testing.T) {
	s := chain()
	s.Jobs[0].Stages[dag.Map].Attempts = s.Jobs[0].Stages[dag.Map].Attempts[:2]
	list, _ := Of(s, Answers{Scenarios: []estimators.Estimate{standardOf(t, s)}}, nil).Tasks(0, 2)
	if got, want := words(list[0]), "attempt_1_0001_m_000001_0 failed 10-30 tries=1 on n1 critical=true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTasksOfTwins checks that of two attempts at once the first to end counts, by its own start, that a task is listed
// once, and that pending tasks with one end are one.
func TestTasksOfTwins(t *testing.T) {
	s := chain()
	s.Plan.Jobs[0].Stages[dag.Map].Tasks = 5
	e := standardOf(t, s)
	e.Path.Schedule.Spans = []schedule.Span{
		{Stage: dag.Map, First: 1, Count: 1, Start: 1_007_000, End: 1_030_000},
		{Stage: dag.Map, First: 1, Count: 1, Start: 1_008_000, End: 1_040_000},
		{Stage: dag.Map, First: 2, Count: 2, Start: 1_020_000, End: 1_025_000},
	}
	e.Path.Critical = nil
	s.Plan.Jobs[0].SetStage(dag.Reduce, dag.Stage{})
	list, all := Of(s, Answers{Scenarios: []estimators.Estimate{e}}, nil).Tasks(0, 10)
	var got []string
	for _, task := range list {
		got = append(got, words(task))
	}
	want := []string{
		"attempt_1_0001_m_000001_1 running 6-30 tries=2 on n1 critical=false",
		"2 maps pending 20-25 tries=0 on - critical=false",
		"attempt_1_0001_m_000000_0 succeeded 1-8 tries=1 on n0 critical=false",
	}
	if diff := cmp.Diff(want, got); diff != "" || all != 3 {
		t.Errorf("%d tasks (-want +got):\n%s", all, diff)
	}
}

func TestTasksOfNoJob(t *testing.T) {
	s := chain()
	f := Of(s, Answers{}, nil)
	for _, job := range []int{-1, 2} {
		if list, all := f.Tasks(job, 10); list != nil || all != 0 {
			t.Errorf("job %d has %d tasks", job, all)
		}
	}
}
