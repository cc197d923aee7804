package cost

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
)

// onFour is an application on four cores with one stage; the first four tasks are the first on their cores.
func onFour(took, records []float64) *dag.Snapshot {
	p := &dag.Plan{
		Name: "app", Engine: "Spark", Whole: dag.Whole{Name: "application", Part: "stage", Parts: "stages"},
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4},
		Driver:  dag.Eager, Jobs: []dag.Job{{
			Node: "application", Stages: []dag.Stage{{
				Name: "map", Tasks: len(took), Known: true,
				Pipelines: make([]dag.Pipeline, 1),
			}},
		}},
	}
	s := &dag.Snapshot{Plan: p, At: 1_000_000, State: dag.Running, Stale: dag.NoInstant, Jobs: p.BlockedJobs()}
	s.Jobs[0].Submitted, s.Jobs[0].State = 0, dag.Running
	free := [4]dag.Instant{}
	for i, ms := range took {
		slot := i % 4
		nan := math.NaN()
		a := dag.Attempt{
			Task: int32(i), State: dag.AttemptSucceeded, Slot: int32(slot), Node: -1, Start: free[slot],
			End:  free[slot] + dag.Instant(ms),
			Done: [dag.Pipelines]float64{records[i], nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan,
			Bytes: nan, Ratio: nan,
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant,
		}
		a.First.At, a.Last.At = dag.NoInstant, dag.NoInstant
		free[slot] = a.End
		s.Jobs[0].Stages[0].Attempts = append(s.Jobs[0].Stages[0].Attempts, a)
	}
	return s
}

func of(s *dag.Snapshot) *Model { return newModel(dag.Run{}.Append(s), Options{}) }

// with is a snapshot with the profile of another run.
func with(s, other *dag.Snapshot) *dag.Snapshot {
	out := *s
	out.Profiles = []*dag.Plan{Learn(dag.Run{}.Append(other))}
	return &out
}

func within(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if !(got >= least && got <= most) {
		t.Errorf("%s: %.4g, want %.4g to %.4g", what, got, least, most)
	}
}

// TestFirstTasksOfCores checks that what the first task of each core takes longer is not in what tasks are expected to
// take, and is learned beside it.
func TestFirstTasksOfCores(t *testing.T) {
	t.Parallel()
	hundred := []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	s := onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, hundred)
	profile := Learn(dag.Run{}.Append(s))
	within(t, "more of a first task, s", profile.Overheads.Cold.Seconds(), 8, 8)
	for _, m := range []*Model{of(s), of(with(s, s))} {
		within(t, "a task", m.full(0, 0, 11), 900, 1100)
	}
	m := of(with(s, s))
	cold := schedule.Task{Index: 11, Node: -1, Cold: true, Start: s.At}
	within(t, "of a core to come", m.left(cold).Setup.Seconds(), 7, 9)
}

// TestOneTaskOnACore checks that a stage of no more tasks than cores is mostly work: overhead is not a part of what
// takes a minute.
func TestOneTaskOnACore(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{60_000, 60_000}, []float64{100, 100})
	p := prior{Tasks: profiles.TasksIn(&Learn(dag.Run{}.Append(s)).Jobs[0].Stages[0], false, false)}
	p.cores = 4
	m := of(s)
	m.cold = 1000
	every, head, work := m.split(&p)
	within(t, "overhead", every+head, 1, 3000)
	within(t, "work", work[0], 26_000, 30_000) // half of the first task of a core counts as start-up
}

// TestPaces checks that the first tasks of the cores show a loaded machine, while they run and when they have ended:
// what overhead takes grows by far more than what work does.
func TestPaces(t *testing.T) {
	t.Parallel()
	eight := []float64{100, 100, 100, 100, 100, 100, 100, 100}
	quiet := onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000}, eight)
	const first = 81_000
	for _, running := range []bool{false, true} {
		s := onFour([]float64{first, first, first, first, 1, 1, 1, 1}, eight)
		stage := &s.Jobs[0].Stages[0]
		stage.Attempts = stage.Attempts[:4]
		if running {
			s.At = first
			for i := range stage.Attempts {
				a := &stage.Attempts[i]
				a.State, a.End, a.Done[0] = dag.AttemptRunning, dag.NoInstant, math.NaN()
			}
		}
		m := of(with(s, quiet))
		within(t, "pace of overhead", m.pace.loaded, 1.1, 15)
		within(t, "pace of work", m.pace.factor, 1, 2)
	}
	s := onFour([]float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, eight)
	s.Jobs[0].Stages[0].Attempts = s.Jobs[0].Stages[0].Attempts[:1]
	a := &s.Jobs[0].Stages[0].Attempts[0]
	a.State, a.End = dag.AttemptRunning, dag.NoInstant
	s.At = 500
	within(t, "a task that has just begun shows", of(with(s, quiet)).pace.loaded, 0.9, 1.1)
	booted := with(s, quiet)
	booted.Profiles[0].Overheads.Boot = time.Second
	plan := *booted.Plan
	plan.Overheads.Boot = 10 * time.Second
	booted.Plan = &plan
	within(t, "an executor that starts ten times as slowly", of(booted).pace.loaded, 3, 20)
}

// TestGrowth checks that a stage whose tasks have read twice as many records as the profile's is expected to do so to
// its end, and that scans to come have as many more tasks as those that were submitted.
func TestGrowth(t *testing.T) {
	t.Parallel()
	took := []float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}
	was := onFour(took, []float64{100, 100, 100, 100, 100, 100, 100, 100})
	twice := []float64{200, 200, 200, 200, 200, 200, 200, 200}
	s := onFour([]float64{2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000}, twice)
	s.Jobs[0].Stages[0].Attempts = s.Jobs[0].Stages[0].Attempts[:6]
	m := of(with(s, was))
	within(t, "a task of twice the records", m.full(0, 0, 7), 1500, 2500)
	within(t, "its records", m.taskSize(0, 0, 7), 180, 220)

	both := *was.Plan
	both.Jobs = []dag.Job{{Node: "application", Stages: []dag.Stage{
		was.Plan.Jobs[0].Stages[0], {Name: "scan", Tasks: 8, Known: true, Extent: dag.Uniform(1000)},
	}}}
	both.Jobs[0].Stages[0].Extent = dag.Uniform(1000)
	run := both
	run.Jobs = dag.CloneJobs(both.Jobs)
	run.Jobs[0].Stages[0].Tasks = 24
	run.Jobs[0].Stages[0].Extent, run.Jobs[0].Stages[1].Extent = dag.Series{}, dag.Series{}
	started := &dag.Snapshot{
		Plan: &run, At: 10, State: dag.Running, Stale: dag.NoInstant, Jobs: run.BlockedJobs(),
		Profiles: []*dag.Plan{&both},
	}
	started.Jobs[0].Stages[0].Submitted = 5
	within(t, "tasks of the scan to come", float64(of(started).s.Plan.Jobs[0].Stages[1].Count()), 24, 24)
}

// TestCopiesOfSlowTasks checks that a task that runs for long is expected to end with its copy.
func TestCopiesOfSlowTasks(t *testing.T) {
	t.Parallel()
	speculation := dag.Copies{Ratio: 0.75, Times: 1.5}
	for _, c := range []struct {
		name        string
		copies      dag.Copies
		succeeded   int
		cores       int
		age         dag.Instant
		twin        bool
		least, most float64
	}{
		{"none is copied", dag.Copies{}, 7, 4, 60_000, false, 5000, 100_000},
		{"at once", speculation, 7, 4, 60_000, false, 700, 1100},
		{"before the multiple", dag.Copies{Ratio: 0.75, Times: 61}, 7, 4, 60_000, false, 1700, 2100},
		{"no core is free", speculation, 7, 1, 60_000, false, 1200, 1600},
		{"it has a copy", speculation, 7, 4, 60_000, true, 5000, 100_000},
	} {
		s := onFour([]float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, []float64{
			100, 100, 100, 100, 100, 100, 100, 100,
		})
		s.Plan.Cluster.Copies, s.Plan.Cluster.Cores = c.copies, c.cores
		stage := &s.Jobs[0].Stages[0]
		slow := stage.Attempts[7]
		slow.State, slow.Start, slow.End, slow.Done[0] = dag.AttemptRunning, s.At-c.age, dag.NoInstant, math.NaN()
		stage.Attempts = append(stage.Attempts[:c.succeeded:c.succeeded], slow)
		if c.twin {
			slow.Number = 1
			stage.Attempts = append(stage.Attempts, slow)
		}
		m := of(s)
		a := m.stages[0][0].running[0].attempt
		got := m.left(schedule.Task{Index: 7, Running: a}).Work
		within(t, c.name, float64(got.Milliseconds()), c.least, c.most)
	}
}

// TestHeads checks that tasks that wait are the first of their stage on as many cores as have run none of it, and that
// the time which the driver has already taken is not counted again.
func TestHeads(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, []float64{1, 1, 1, 1, 1, 1, 1, 1})
	s.Jobs[0].Stages[0].Attempts = s.Jobs[0].Stages[0].Attempts[:3]
	m := of(s)
	st := &m.stages[0][0]
	if st.heads != 4 {
		t.Errorf("tasks before %d are first ones on a core: one core is left, and task 3 is the next", st.heads)
	}
	st.head, st.opens = 5000, s.At-2000
	m.cores.quiet = s.At - 2000
	for _, c := range []struct {
		task int
		at   dag.Instant
		want float64
	}{{3, s.At, 3000}, {3, s.At + 1, 5000}, {4, s.At, 0}} {
		within(t, "more", m.more(st, schedule.Task{Index: c.task, Start: c.at}), c.want, c.want)
	}
}

// TestInformation checks that a running task moves the expectation once it is late, and further the later it is.
func TestInformation(t *testing.T) {
	t.Parallel()
	before := 0.0
	for _, age := range []float64{100, 500, 1000, 2000, 8000, 1e9} {
		g := group{took: age, n: 1, running: true}
		r, w := g.information(1000, 0.25)
		if shift := r * w; shift < before || math.IsNaN(shift) {
			t.Errorf("at %v ms: residual %v, weight %v", age, r, w)
		} else {
			before = shift
		}
	}
	g := group{took: 10, n: 1, running: true}
	if r, w := g.information(1000, 0.25); r*w > 1e-3 {
		t.Errorf("a task that has just begun moves the expectation by %v", r*w)
	}
}

// TestLater checks that less is expected of a program's future the more stages it has had.
func TestLater(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{1000, 1000}, []float64{1, 1})
	m := of(s)
	few, p := m.expectLater(time.Minute)
	m.stages[0] = append(m.stages[0], make([]stage, 9)...)
	many, _ := m.expectLater(time.Minute)
	if !(few > many && many > 0) || !(p > 0 && p < 1) {
		t.Errorf("after one stage %v, after ten %v; more comes with %v", few, many, p)
	}
}

// TestLag checks that the age of counters is that of the observations, also of a run that keeps few of them.
func TestLag(t *testing.T) {
	t.Parallel()
	for _, attempts := range []int{1, 30_000} {
		plan := &dag.Plan{Overheads: dag.Overheads{Report: 10 * time.Second}}
		run := dag.Run{}
		for at := dag.Instant(0); at <= 120_000; at += 3000 {
			run = run.Append(&dag.Snapshot{At: at, Plan: plan, Jobs: []dag.JobState{
				{Stages: []dag.StageState{{Attempts: make([]dag.Attempt, attempts)}}},
			}})
		}
		if got := observationLag(run); got != 1500 {
			t.Errorf("%d attempts: %v ms, want 1500", attempts, got)
		}
	}
}
