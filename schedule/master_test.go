package schedule

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"pgregory.net/rapid"
)

// growing is a job on executors of two cores each; tasks of its first stage are run before those of its second.
func growing(cores, first, second int, e dag.Elastic, coming ...dag.Capacity) *dag.Snapshot {
	s := blankSnapshot(&dag.Plan{
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: cores, Elastic: e},
		Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
			{Name: "a", Tasks: first, Known: true},
			{Name: "b", Tasks: second, Known: true, After: []dag.Edge{{}}},
		}}},
	})
	s.Coming, s.Jobs[0].State, s.Jobs[0].Submitted = coming, dag.Running, 0
	if cores > 0 {
		s.Nodes = []dag.NodeState{{Name: "executor 0 on h", Cores: cores, LostAt: dag.NoInstant}}
	}
	return s
}

// TestGrowth compares schedules with those that were made by hand.
func TestGrowth(t *testing.T) {
	t.Parallel()
	e := dag.Elastic{Max: 8, Each: 2, Backlog: second, Sustain: second, Start: 3 * second}
	slow, slower, three := e, e, e
	slow.Backlog, slower.Backlog = 11*second, 25*second
	three.Max = 7
	for _, c := range []struct {
		name string
		s    *dag.Snapshot
		want string
	}{
		{"none come", growing(2, 4, 0, dag.Elastic{}), "a0@0 a1@0 a2@10 a3@10"},
		// One is asked for at 1 s and two more at 2 s, which is all that there may be.
		{"all", growing(2, 10, 0, e), "a0@0 a1@0 a2@4 a3@4 a4@5 a5@5 a6@5 a7@5 a8@10 a9@10"},
		{"no part of an executor", growing(2, 10, 0, three), "a0@0 a1@0 a2@4 a3@4 a4@5 a5@5 a6@10 a7@10 a8@14 a9@14"},
		// At 2 s one more is enough for what waits.
		{"as many as needed", growing(2, 6, 0, e), "a0@0 a1@0 a2@4 a3@4 a4@5 a5@5"},
		{"a later stage", growing(2, 2, 6, e), "a0@0 a1@0 b0@10 b1@10 b2@14 b3@14 b4@15 b5@15"},
		// All have begun at 10 s: the backlog is over before its timeout.
		{"a short backlog", growing(2, 4, 0, slow), "a0@0 a1@0 a2@10 a3@10"},
		// The backlog began at 0 s, not with the last start.
		{"a long backlog", growing(2, 8, 0, slow), "a0@0 a1@0 a2@10 a3@10 a4@14 a5@14 a6@15 a7@15"},
		// Nothing waits from 10 s on. What waits from 20 s on has not waited for long enough at 25 s.
		{"two backlogs", growing(2, 3, 6, slower), "a0@0 a1@0 a2@10 b0@20 b1@20 b2@30 b3@30 b4@40 b5@40"},
		{
			"on their way", growing(2, 6, 0, dag.Elastic{}, dag.Capacity{At: 7000, Cores: 2}),
			"a0@0 a1@0 a2@7 a3@7 a4@10 a5@10",
		},
		{"none there yet", growing(0, 3, 0, dag.Elastic{}, dag.Capacity{At: 7000, Cores: 2}), "a0@7 a1@7 a2@17"},
		{"none there nor asked for", growing(0, 3, 0, e), "a0@4 a1@4 a2@5"},
		// What is on its way is not asked for again.
		{
			"both", growing(2, 8, 0, e, dag.Capacity{At: 2000, Cores: 2}, dag.Capacity{At: 9000, Cores: 2}),
			"a0@0 a1@0 a2@2 a3@2 a4@4 a5@4 a6@9 a7@9",
		},
	} {
		cold := map[int]int{} // first tasks of cores that came, by their cores
		left := func(task Task) Cost {
			if task.Cold {
				cold[task.Slot]++
			}
			return Cost{Work: 10 * second, Same: 1}
		}
		sch, err := Replay(c.s, left, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := startsOf(c.s.Plan, sch); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if n := len(c.s.Nodes); n > 0 && len(cold) != lanes(sch)-2 {
			t.Errorf("%s: %v tasks are the first on their cores, of %d cores", c.name, cold, lanes(sch))
		}
		for lane, n := range cold {
			if n != 1 || lane < 2 {
				t.Errorf("%s: core %d has %d first tasks", c.name, lane, n)
			}
		}
		only, err := Replay(c.s, left, Options{EndOnly: &EndOnly{}})
		if err != nil || only.End != sch.End {
			t.Errorf("%s: the end alone is %v, %v, want %v", c.name, only, err, sch.End)
		}
	}
}

// lanes is how many cores a schedule has tasks on.
func lanes(sch *Schedule) int {
	seen := map[int32]bool{}
	for i := range sch.Spans {
		for _, lane := range sch.Spans[i].Slots {
			seen[lane] = true
		}
	}
	return len(seen)
}

// TestMoreCoresNeverLater checks that executors that come, or come earlier, never make one stage longer, whose tasks
// are served in turn, and that a replay to the end alone ends at the same instant.
func TestMoreCoresNeverLater(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := dag.Elastic{
			Max: rapid.IntRange(0, 20).Draw(t, "most"), Each: rapid.IntRange(1, 4).Draw(t, "each"),
			Backlog: time.Duration(rapid.IntRange(0, 9).Draw(t, "backlog")) * second,
			Sustain: time.Duration(rapid.IntRange(0, 9).Draw(t, "sustain")) * second,
			Start:   time.Duration(rapid.IntRange(0, 30).Draw(t, "start")) * second,
		}
		cores, tasks := rapid.IntRange(1, 5).Draw(t, "cores"), rapid.IntRange(1, 60).Draw(t, "tasks")
		work := rapid.SliceOfN(rapid.IntRange(1, 20_000), tasks, tasks).Draw(t, "work")
		at := rapid.IntRange(0, 60_000).Draw(t, "at")
		end := func(e dag.Elastic, coming ...dag.Capacity) dag.Instant {
			left := func(task Task) Cost {
				return Cost{Work: time.Duration(work[task.Index]) * time.Millisecond, Same: 1}
			}
			s := growing(cores, tasks, 0, e, coming...)
			sch, err := Replay(s, left, Options{})
			if err != nil {
				t.Fatal(err)
			}
			only, err := Replay(s, left, Options{EndOnly: &EndOnly{}})
			if err != nil || only.End != sch.End {
				t.Fatalf("the end alone is %v, %v, want %v", only, err, sch.End)
			}
			return sch.End
		}
		alone, elastic := end(dag.Elastic{}), end(e)
		if elastic > alone {
			t.Fatalf("it ends at %d with executors that come, at %d without", elastic, alone)
		}
		late := end(dag.Elastic{}, dag.Capacity{At: dag.Instant(at), Cores: 2})
		if late > alone {
			t.Fatalf("it ends at %d with two more cores, at %d without", late, alone)
		}
		if early := end(dag.Elastic{}, dag.Capacity{At: dag.Instant(at / 2), Cores: 3}); early > late {
			t.Fatalf("it ends at %d with three cores earlier, at %d with two", early, late)
		}
	})
}

// TestGrowthOfAnyNumbers checks that a replay ends whatever numbers a tape gives.
func TestGrowthOfAnyNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edges := rapid.SampledFrom([]int{math.MinInt, -1e18, -1, 0, 1, 2, dag.MaxSlots, math.MaxInt})
		odd := rapid.OneOf(edges, rapid.Int())
		e := dag.Elastic{
			Max: odd.Draw(t, "max"), Each: odd.Draw(t, "each"), Backlog: time.Duration(odd.Draw(t, "backlog")),
			Sustain: time.Duration(odd.Draw(t, "sustain")), Start: time.Duration(odd.Draw(t, "start")),
		}
		s := growing(1, 50, 50, e, dag.Capacity{At: dag.Instant(odd.Draw(t, "at")), Cores: odd.Draw(t, "coming")})
		s.Nodes = nil
		s.Plan.Cluster.Cores = odd.Draw(t, "cores")
		sch, err := Replay(s, func(Task) Cost { return Cost{Work: second, Same: 1} }, Options{})
		if stuck := (*StuckError)(nil); err != nil && !errors.As(err, &stuck) || err == nil && sch.End < s.At {
			t.Fatalf("%v, %v", sch, err)
		}
	})
}

// afterLostMaps is a job whose early reduces hold all ten containers while the outputs of so many maps are lost. All
// are at hand to run.
func afterLostMaps(lost int) *dag.Snapshot {
	p := joinPlan()
	p.Jobs = []dag.Job{yarnJobOf("a", nil, 20, 12)}
	p.Jobs[0].MapReduce.RampUp = 1
	s := blankSnapshot(p)
	s.At = 60 * 1000
	js := &s.Jobs[0]
	js.State, js.Submitted, js.Started, js.HeldMB = dag.Running, 0, 1000, 512
	for i := range int32(20) {
		a := dag.Attempt{Task: i, State: dag.AttemptSucceeded, Start: 5000, End: 30 * 1000}
		if int(i) >= 20-lost {
			a.State = dag.AttemptKilled
		}
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts, a)
	}
	for i := range int32(10) {
		js.Stages[dag.Reduce].Attempts = append(js.Stages[dag.Reduce].Attempts,
			dag.Attempt{
				Task: i, State: dag.AttemptRunning, Node: -1, Slot: -1, Start: 10 * 1000, End: dag.NoInstant,
				CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
			})
	}
	return s
}

// The master makes room for all maps that hang at once, up to half of its memory (facts/hadoop.md F, reduce
// preemption; recording nodelost-1).
func TestYARNPreemptsForAllMapsThatHang(t *testing.T) {
	for _, c := range []struct{ lost, want int }{{1, 1}, {3, 3}, {5, 5}, {8, 5}} {
		s := afterLostMaps(c.lost)
		sch := mustReplay(t, s, func(Task) Cost { return Cost{Work: 20 * second, Same: 1} }, Options{})
		killed, started, again := 0, 0, 0
		for _, sp := range sch.Spans {
			switch soon := sp.Start >= s.At && sp.Start <= s.At.Add(10*time.Second); {
			case sp.Stage == dag.Reduce && sp.Outcome == Fails && sp.End <= s.At.Add(10*time.Second):
				killed += int(sp.Count)
			case sp.Stage == dag.Map && soon:
				started += int(sp.Count)
			case sp.Stage == dag.Reduce && soon:
				again += int(sp.Count)
			}
		}
		if killed != c.want || started != c.want || again > 0 {
			t.Errorf("%d lost maps: %d reduces are killed, %d maps and %d reduces start; want %d, %d and 0", c.lost,
				killed, started, again, c.want, c.want)
		}
	}
}

// A job whose maps hang takes room from its own reduces although another job goes on.
func TestYARNPreemptsBesideAnotherJob(t *testing.T) {
	s := afterLostMaps(2)
	other := yarnJobOf("b", nil, 1, 0)
	s.Plan.Jobs = append(s.Plan.Jobs, other)
	s.Plan.Cluster.MemoryMB += 768
	s.Jobs = append(s.Jobs, dag.JobState{
		ID: "job_1_0002", State: dag.Running, Submitted: 2000, Started: 3000,
		Finished: dag.NoInstant, HeldMB: 512, Stages: make([]dag.StageState, dag.MapReduceStages),
	})
	s.Jobs[1].Stages[dag.Map].Attempts = []dag.Attempt{{
		Task: 0, State: dag.AttemptRunning, Node: -1, Slot: -1,
		Start: 50 * 1000, End: dag.NoInstant, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
	}}
	left := func(task Task) Cost {
		if task.Job == 1 {
			return Cost{Work: 300 * second, Same: 1}
		}
		return Cost{Work: 20 * second, Same: 1}
	}
	sch := mustReplay(t, s, left, Options{})
	for _, sp := range spansOf(sch, 0, dag.Map) {
		if sp.Start > s.At.Add(10*second) {
			t.Errorf("map %d waits until %d for the other job's end", sp.First, sp.Start)
		}
	}
}

// More maps than an int can hold the memory of still make room: a replay with a master that reports that it made room
// and kills nothing never ends.
func TestYARNPreemptsForMapsWithoutMeasure(t *testing.T) {
	c := newScheduler(afterLostMaps(8), func(Task) Cost { return Cost{Work: 20 * second, Same: 1} }, Options{})
	if c.load() != nil {
		t.Fatal("it does not load")
	}
	job := &c.jobs[0]
	maps, reduces := &job.stages[dag.Map], &job.stages[dag.Reduce]
	if maps.size, maps.waiting = 1<<40, 1<<23; len(reduces.copying) == 0 || job.state != active {
		t.Fatalf("%d reduces wait, state %v", len(reduces.copying), job.state)
	}
	before := len(c.spans)
	if waiting := len(reduces.copying); !job.preempt(c) || len(reduces.copying) == waiting && len(c.spans) == before {
		t.Errorf("%d reduces wait after it, and %d before", len(reduces.copying), waiting)
	}
}
