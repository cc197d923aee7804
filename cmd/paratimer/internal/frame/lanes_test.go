package frame

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// chain is a query of two jobs on two map slots and a reduce slot. The second job waits for the first: at 10 s of
// it map 0 of the first is done and map 1 failed once and runs again.
func chain() *dag.Snapshot {
	plan := &dag.Plan{
		Name:    "chain",
		Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 1},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: 3, Known: true}, dag.Stage{Tasks: 1, Known: true})},
			{Node: "b", After: []int{0}, Stages: dag.MapReduce(dag.Stage{Tasks: 2, Known: true},
				dag.Stage{Known: true})},
		},
	}
	first := dag.JobState{
		ID: "job_1_0001", State: dag.Running, Submitted: 1_000_000, Started: 1_000_000,
		Finished: dag.NoInstant, Attempt: 1, Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	first.Stages[dag.Map].Attempts = []dag.Attempt{
		{Task: 0, State: dag.AttemptSucceeded, Start: 1_001_000, End: 1_008_000, Slot: 0},
		{Task: 1, State: dag.AttemptFailed, Start: 1_002_000, End: 1_006_000, Slot: 1, Node: 1, Diagnosis: "no room"},
		{Task: 1, Number: 1, State: dag.AttemptRunning, Start: 1_006_000, End: dag.NoInstant, Slot: 1, Node: 1},
	}
	return &dag.Snapshot{
		Plan: plan, At: 1_010_000, State: dag.Running, Stale: dag.NoInstant,
		Nodes: []dag.NodeState{{Name: "n0", LostAt: dag.NoInstant}, {Name: "n1", LostAt: dag.NoInstant}},
		Jobs: []dag.JobState{first, {
			State: dag.Blocked, Submitted: dag.NoInstant, Started: dag.NoInstant,
			Finished: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
}

// standardOf replays a snapshot in which each map has 20 s left and each reduce 30 s.
func standardOf(t testing.TB, s *dag.Snapshot) estimators.Estimate {
	t.Helper()
	sch, err := schedule.Replay(s, func(task schedule.Task) schedule.Cost {
		if task.Stage == dag.Reduce {
			return schedule.Cost{Work: 30 * time.Second, Same: 1}
		}
		return schedule.Cost{Work: 20 * time.Second, Same: 1}
	}, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pathfrag.Find(s.Plan, sch, pathfrag.Params{})
	if err != nil {
		t.Fatal(err)
	}
	e := estimateOf("standard", sch.Remaining())
	e.Path = p
	return e
}

// stretchOf is the interval of a stage of chain, with its progress at 10 s.
func stretchOf(k dag.StageIndex, start, end *Seconds) Stretch {
	s := Stretch{Phase: Phase{Stage: k, Name: dag.MapReduceName(k)}, StartSeconds: start, EndSeconds: end}
	if start != nil && end != nil {
		s.ProgressRatio = RatioOf(float64(10-*start) / float64(*end-*start)) // limits it to 0 and 1
	}
	return s
}

// TestLanes checks where jobs and phases lie in time: observed times stay, later ones are planned, unknown ones
// are nil.
func TestLanes(t *testing.T) {
	type row struct {
		Critical   bool
		Begin, End *Seconds
		Stretches  []Stretch
	}
	// Maps 1 and 2 of a run from now to 30 s, its reduce to 60 s, then both maps of b to 80 s.
	for _, c := range []struct {
		name   string
		change func(*dag.Snapshot, *estimators.Estimate)
		want   []row
	}{
		{"it runs", func(*dag.Snapshot, *estimators.Estimate) {}, []row{
			{true, seconds(0), seconds(60), []Stretch{
				stretchOf(dag.Map, seconds(1), seconds(30)),
				stretchOf(dag.Reduce, seconds(30), seconds(60)),
			}},
			{true, seconds(60), seconds(80), []Stretch{stretchOf(dag.Map, seconds(60), seconds(80))}},
		}},
		{"too early to say", func(_ *dag.Snapshot, e *estimators.Estimate) { e.Remaining = nil }, []row{
			{true, seconds(0), nil, []Stretch{stretchOf(dag.Map, seconds(1), nil), stretchOf(dag.Reduce, nil, nil)}},
			{true, nil, nil, []Stretch{stretchOf(dag.Map, nil, nil)}},
		}},
		{"no path", func(_ *dag.Snapshot, e *estimators.Estimate) { e.Path = nil }, []row{
			{false, seconds(0), nil, []Stretch{stretchOf(dag.Map, seconds(1), nil), stretchOf(dag.Reduce, nil, nil)}},
			{false, nil, nil, []Stretch{stretchOf(dag.Map, nil, nil)}},
		}},
		{"it is not submitted", func(s *dag.Snapshot, _ *estimators.Estimate) {
			s.Jobs[0] = dag.BlockedJob(dag.MapReduceStages)
		}, []row{
			{true, nil, nil, []Stretch{stretchOf(dag.Map, nil, nil), stretchOf(dag.Reduce, nil, nil)}},
			{true, nil, nil, []Stretch{stretchOf(dag.Map, nil, nil)}},
		}},
		{"a job without a number of tasks", func(s *dag.Snapshot, e *estimators.Estimate) {
			e.Path = nil
			s.Plan.Jobs[1].SetStage(dag.Map, dag.Stage{})
		}, []row{
			{false, seconds(0), nil, []Stretch{stretchOf(dag.Map, seconds(1), nil), stretchOf(dag.Reduce, nil, nil)}},
			{false, nil, nil, []Stretch{}},
		}},
		{"it ended, and a job never came", func(s *dag.Snapshot, _ *estimators.Estimate) {
			s.State, s.Jobs[0].State, s.Jobs[0].Finished = dag.EndedUnconfirmed, dag.Succeeded, 1_010_000
		}, []row{
			{false, seconds(0), seconds(10), []Stretch{
				stretchOf(dag.Map, seconds(1), seconds(8)),
				stretchOf(dag.Reduce, nil, nil),
			}},
			{false, nil, nil, []Stretch{stretchOf(dag.Map, nil, nil)}},
		}},
		{"a job has ended, at an unknown time", func(s *dag.Snapshot, _ *estimators.Estimate) {
			s.Jobs[0].State = dag.Failed
		}, []row{
			{false, seconds(0), nil, []Stretch{
				stretchOf(dag.Map, seconds(1), seconds(8)),
				stretchOf(dag.Reduce, nil, nil),
			}},
			{true, seconds(60), seconds(80), []Stretch{stretchOf(dag.Map, seconds(60), seconds(80))}},
		}},
		{"the first job has failed", func(s *dag.Snapshot, e *estimators.Estimate) {
			s.State, s.Jobs[0].State, s.Jobs[0].Finished = dag.Failed, dag.Failed, 1_010_000
			s.Jobs[0].Stages[dag.Map].Attempts[2].State, s.Jobs[0].Stages[dag.Map].Attempts[2].End = dag.AttemptKilled,
				1_009_500
			s.Jobs[1].State = dag.Killed
		}, []row{
			{false, seconds(0), seconds(10), []Stretch{
				stretchOf(dag.Map, seconds(1), seconds(9.5)),
				stretchOf(dag.Reduce, nil, nil),
			}},
			{false, nil, nil, []Stretch{stretchOf(dag.Map, nil, nil)}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := chain()
			e := standardOf(t, s)
			c.change(s, &e)
			var got []row
			for _, j := range Of(s, Answers{Scenarios: []estimators.Estimate{e}}, nil).Jobs {
				got = append(got, row{j.Critical, j.SubmittedSeconds, j.EndSeconds, j.Stretches})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("lanes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLanesOfADonePhase checks that a phase with all tasks done ends with the last one, whatever the plan is.
func TestLanesOfADonePhase(t *testing.T) {
	s := chain()
	list := &s.Jobs[0].Stages[dag.Map].Attempts
	(*list)[2].State, (*list)[2].End = dag.AttemptSucceeded, 1_009_000
	*list = append(*list, dag.Attempt{Task: 2, State: dag.AttemptSucceeded, Start: 1_006_000, End: 1_007_000})
	f := Of(s, Answers{Scenarios: []estimators.Estimate{standardOf(t, s)}}, nil)
	if diff := cmp.Diff(stretchOf(dag.Map, seconds(1), seconds(9)), f.Jobs[0].Stretches[0]); diff != "" {
		t.Errorf("maps (-want +got):\n%s", diff)
	}
}

// TestLanesOfAnOpenPhase checks that a phase that may get more tasks has no end, though all known ones are done.
func TestLanesOfAnOpenPhase(t *testing.T) {
	s := chain()
	e := standardOf(t, s)
	s.Plan.Jobs[0].Stages[dag.Map].Known = false
	spans := &e.Path.Schedule.Spans
	*spans = slices.DeleteFunc(*spans, func(sp schedule.Span) bool {
		return sp.Job == 0 && sp.Stage == dag.Map &&
			!sp.Past
	})
	e.Path.Critical = nil
	f := Of(s, Answers{Scenarios: []estimators.Estimate{e}}, nil)
	if diff := cmp.Diff(stretchOf(dag.Map, seconds(1), nil), f.Jobs[0].Stretches[0]); diff != "" {
		t.Errorf("maps (-want +got):\n%s", diff)
	}
}

// TestCriticalByItsEnd checks that a job with all tasks done is critical while the path waits for its end alone.
func TestCriticalByItsEnd(t *testing.T) {
	p := &pathfrag.Path{
		Schedule: &schedule.Schedule{Spans: []schedule.Span{
			{Job: 0, Stage: dag.NoStage, Pause: dag.Finish, Outcome: schedule.Waits, Start: 0, End: 10},
			{Job: 1, Stage: dag.NoStage, Pause: dag.Launch, Outcome: schedule.Waits, Start: 10, End: 20},
			{Job: 2, Stage: dag.Map, Count: 1, Start: 20, End: 30},
		}},
		Rounds:    []pathfrag.Round{{Spans: []int{0}}, {Spans: []int{1}}, {Spans: []int{2}}},
		Fragments: []pathfrag.Fragment{{Rounds: []int{0}}, {Rounds: []int{1}}, {Rounds: []int{2}}},
		Critical: []pathfrag.Segment{
			{Fragment: 0, End: 10},
			{Fragment: 1, Start: 10, End: 20},
			{Fragment: 2, Start: 20, End: 30},
		},
	}
	all := make([]Job, 3)
	critical(p, all)
	got := []bool{all[0].Critical, all[1].Critical, all[2].Critical}
	if diff := cmp.Diff([]bool{true, false, true}, got); diff != "" {
		t.Errorf("critical (-want +got):\n%s", diff)
	}
}

// TestAgedKeepsLanes checks that a frame that repeats an older one keeps its observed and predicted intervals.
func TestAgedKeepsLanes(t *testing.T) {
	s := chain()
	f := Of(s, Answers{Scenarios: []estimators.Estimate{standardOf(t, s)}}, nil)
	old := f.Aged(20*time.Second, errors.New("no answer"))
	if diff := cmp.Diff(f.Jobs, old.Jobs); diff != "" {
		t.Errorf("jobs (-made +aged):\n%s", diff)
	}
	if diff := cmp.Diff(f.Failures, old.Failures); diff != "" || old.FailedAttempts != 1 {
		t.Errorf("failures (-made +aged):\n%s", diff)
	}
	one, n := f.Tasks(0, 10)
	two, m := old.Tasks(0, 10)
	if diff := cmp.Diff(one, two, cmpopts.IgnoreUnexported(Task{})); diff != "" || n != m {
		t.Errorf("tasks (-made +aged):\n%s", diff)
	}
}
