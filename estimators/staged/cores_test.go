package staged

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
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

// TestColdCores holds that the first task of each core is not in what a stage's tasks cost, and is learned beside it.
func TestColdCores(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000}, []float64{
		100, 100, 100, 100, 100, 100, 100,
		100,
	})
	m := New(dag.Run{}.Append(s))
	if got := m.stages[0][0].rate; math.Abs(got-10) > 0.1 {
		t.Errorf("a record takes %.1f ms, in tasks that are not the first on their core 10", got)
	}
	if got := m.start.extra; math.Abs(got-8000) > 1 {
		t.Errorf("a first task takes %.0f ms more, not 8000", got)
	}
	if got := Learn(dag.Run{}.Append(s)).Overheads.Cold.Seconds(); got != 8 {
		t.Errorf("the profile has %.1f s for it", got)
	}
}

// TestCoresToCome holds that the first task of a core that is to come takes longer, as those of other cores did, and
// not also as the first of its stage there.
func TestCoresToCome(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000, 0}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	s.Jobs[0].Stages[0].Attempts = s.Jobs[0].Stages[0].Attempts[:8]
	m := New(dag.Run{}.Append(s))
	m.stages[0][0].heads, m.stages[0][0].head = 9, 500
	for cold, want := range map[bool]time.Duration{false: 500 * time.Millisecond, true: 8 * time.Second} {
		if got := m.left(schedule.Task{Index: 8, Cold: cold, Start: s.At}).Setup; got != want {
			t.Errorf("cold %v: %v before its work, want %v", cold, got, want)
		}
	}
}

// TestLoadOfFirstTasks holds that the first tasks of the cores show this machine's load, while they run and when they
// have ended: start-up takes so many times as long as in the profile's run, work hardly longer.
func TestLoadOfFirstTasks(t *testing.T) {
	t.Parallel()
	eight := []float64{100, 100, 100, 100, 100, 100, 100, 100}
	profile := Learn(dag.Run{}.Append(onFour([]float64{9000, 9000, 9000, 9000, 1000, 1000, 1000, 1000}, eight)))
	const first = 81_000
	s := onFour([]float64{first, first, first, first, 1, 1, 1, 1}, eight)
	stage := &s.Jobs[0].Stages[0]
	stage.Attempts = stage.Attempts[:4]
	for _, running := range []bool{false, true} {
		if running {
			s.At = dag.Instant(first / (1 + launchWait))
			for i := range stage.Attempts {
				a := &stage.Attempts[i]
				a.State, a.End, a.Done[0] = dag.AttemptRunning, dag.NoInstant, math.NaN()
			}
		}
		s.Profiles = []*dag.Plan{profile}
		m := New(dag.Run{}.Append(s))
		if got := m.start.scale; math.Abs(got-10) > 1.5 {
			t.Errorf("running %v: the load is %.2f times that of the profile's run, not about 10", running, got)
		}
		if got := m.stages[0][0].work(5); got < 1000 || got > 3500 {
			t.Errorf("running %v: a task takes %.0f ms, which took 1000 where the machine had nothing to do", running, got)
		}
	}
	s.At = 1000 // a first task that has just begun shows nothing
	if got := New(dag.Run{}.Append(s)).start.scale; math.Abs(got-1) > 1e-6 {
		t.Errorf("after a second the load is %.2f, not 1", got)
	}
	profile.Overheads.Boot, s.Plan.Overheads.Boot = time.Second, 10*time.Second // but the start of its executor does
	if got, want := New(dag.Run{}.Append(s)).start.scale, math.Pow(10, bootPower); math.Abs(got-want) > 1e-9 {
		t.Errorf("where an executor takes ten times as long to start, the load is %.2f, not %.2f", got, want)
	}
}

// TestSplit holds that what the first tasks of a stage take more on each core is told from what records cost, and that
// a task that was much longer than its records tell is expected to be so again.
func TestSplit(t *testing.T) {
	t.Parallel()
	p := prior{n: 9, records: true, rate: 13, units: make([]float64, 9), took: make([]float64, 9)}
	for i := range p.units {
		p.units[i], p.took[i] = 1000, 10_000
		if i < 4 {
			p.took[i] = 16_000
		}
	}
	p.took[7] = 40_000
	p.total, p.rate = 9000, (4*16_000+4*10_000+40_000)/9000.0
	s := p.split(4, 20_000)
	if math.Abs(s.unit-9.5) > 0.6 || math.Abs(s.head-6000) > 600 || s.every > 700 {
		t.Errorf("%.2f ms a record, %.0f ms a task and %.0f ms more of first ones, not about 9.5, 500 and 6000", s.unit,
			s.every, s.head)
	}
	if math.Abs(s.slow[7]-(1+slowAgain*3)) > 0.01 || s.slow[6] != 1 {
		t.Errorf("tasks work %v times as long as their records tell; task 7 did four times", s.slow)
	}
	if s := p.split(4, 0); s.every != 0 || s.head != 0 {
		t.Errorf("overhead of %.0f and %.0f ms where no first task took longer", s.every, s.head)
	}
}

// TestShortTasksAreOverhead holds that a time that is not much longer than usual overhead is mostly that, and that such
// tasks, which take as many times as long as the machine is loaded, do not show the pace of work.
func TestShortTasksAreOverhead(t *testing.T) {
	t.Parallel()
	if got := within(1000, 1000); got != 800 {
		t.Errorf("%.0f ms of 1000 are overhead if 1000 are usual, not 800", got)
	}
	if got := within(30_000, 1000); math.Abs(got-968) > 1 {
		t.Errorf("%.0f ms of 30,000 are overhead if 1000 are usual, not 968", got)
	}
	eight := []float64{100, 100, 100, 100, 100, 100, 100, 100}
	profile := Learn(dag.Run{}.Append(onFour([]float64{42_000, 42_000, 42_000, 42_000, 2000, 2000, 2000, 2000}, eight)))
	s := onFour([]float64{840, 840, 840, 840, 40, 40, 40, 40}, eight)
	s.Profiles = []*dag.Plan{profile}
	if got := New(dag.Run{}.Append(s)).pace; got < 0.6 {
		t.Errorf("short tasks of a machine with a fiftieth of the load let work take %.2f times as long", got)
	}
}

// TestHeads holds that tasks that wait are the first of their stage on as many cores as have run none of it, that these
// take longer, and that the time which the driver has already taken is not counted again.
func TestHeads(t *testing.T) {
	t.Parallel()
	s := onFour([]float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, []float64{1, 1, 1, 1, 1, 1, 1, 1})
	s.Jobs[0].Stages[0].Attempts = s.Jobs[0].Stages[0].Attempts[:3]
	m := New(dag.Run{}.Append(s))
	l := &m.stages[0][0]
	if l.heads != 4 {
		t.Errorf("tasks before %d are first ones on a core: one core is left, and task 3 is the next", l.heads)
	}
	l.head, l.opens = 5000, s.At-2000
	for _, c := range []struct {
		task int
		at   dag.Instant
		want float64
	}{{3, s.At, 3000}, {3, s.At + 1, 5000}, {4, s.At, 0}} {
		if got := m.headOf(l, c.task, c.at); got != c.want {
			t.Errorf("task %d at %d takes %.0f ms more, not %.0f", c.task, c.at-s.At, got, c.want)
		}
	}
}

// TestRecentTasks holds that tasks to come cost what tasks took lately if a stage became faster, and what all took if
// too few have ended to tell.
func TestRecentTasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		slow, fast  int
		gap         dag.Instant // between two tasks of a core
		least, most float64
	}{
		{200, 200, 0, 300, 330},
		{200, 200, 100, 400, 430},
		{40, 8, 100, 850, 900},
	} {
		took, records := make([]float64, c.slow+c.fast+4), make([]float64, c.slow+c.fast+4)
		for i := range took {
			if took[i], records[i] = 300, 1; i < c.slow {
				took[i] = 1000
			}
		}
		s := onFour(took, records)
		last := &s.Jobs[0].Stages[0]
		last.Attempts = last.Attempts[:c.slow+c.fast]
		for i := range last.Attempts {
			a := &last.Attempts[i]
			a.Start, a.End = a.Start+dag.Instant(i/4)*c.gap, a.End+dag.Instant(i/4)*c.gap
		}
		if got := New(dag.Run{}.Append(s)).stages[0][0].work(len(took) - 1); got < c.least || got > c.most {
			t.Errorf("after %d tasks of 1000 ms and %d of 300 ms one is expected to take %.0f ms", c.slow, c.fast, got)
		}
	}
}

// TestDoubtOfFirstTasks holds that a stage whose first tasks on the cores are all that has ended is much less certain
// than one of which others have, and one whose tasks become faster is so towards less.
func TestDoubtOfFirstTasks(t *testing.T) {
	t.Parallel()
	spread := func(n int, took func(i int) float64) stageSampling {
		all, records := make([]float64, n), make([]float64, n)
		for i := range all {
			all[i], records[i] = took(i), 100
		}
		s := onFour(all, records)
		stage := &s.Jobs[0].Stages[0]
		stage.Attempts = stage.Attempts[:n/2]
		m := New(dag.Run{}.Append(s))
		return m.stages[0][0].spread()
	}
	steady := func(int) float64 { return 60_000 }
	if p := spread(8, steady); p.rate < firstsSigma || p.less != 1 {
		t.Errorf("of first tasks alone: %+v", p)
	}
	if p := spread(24, steady); p.rate > watchedSigma || p.less != 1 {
		t.Errorf("of others too: %+v", p)
	}
	if p := spread(400, steady); p.rate > watchedSigma || p.less != 1 {
		t.Errorf("of many that take as long: %+v", p)
	}
	// Twice as many tasks as have ended are 2 to the power of -0.5 as long: half of that is expected.
	faster := spread(400, func(i int) float64 { return 60_000 / math.Sqrt(float64(i+1)) })
	if gain := -2 * math.Log(faster.less); gain < 0.25 || gain > 0.4 || faster.rate < gain/2 {
		t.Errorf("of many that become faster: %+v", faster)
	}
}

// TestForeseenTasks holds that a stage which is not submitted is taken to have a task for each core, as few as it may
// have.
func TestForeseenTasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tasks int
		known bool
		want  int
	}{{200, true, 4}, {2, true, 2}, {0, false, 4}} {
		s := onFour([]float64{1000, 1000}, []float64{1, 1})
		s.Plan.Jobs[0].Stages = append(s.Plan.Jobs[0].Stages, dag.Stage{
			Name: "Sort", Foreseen: true, Tasks: c.tasks, Known: c.known, After: []dag.Edge{{}},
			Pipelines: make([]dag.Pipeline, 1),
		})
		s.Jobs[0].Stages = append(s.Jobs[0].Stages, dag.StageState{})
		m := New(dag.Run{}.Append(s))
		if got := m.snapshot.Plan.Jobs[0].Stages[1].Count(); got != c.want {
			t.Errorf("%d tasks at most, known %v: %d are expected, not %d", c.tasks, c.known, got, c.want)
		}
		if m.sampling() == nil {
			t.Error("nothing is drawn")
		}
	}
}
