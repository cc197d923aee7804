package whatif

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// stages is the plan of examples/stages.yaml, changed.
func stages(t *testing.T, change func(p *dag.Plan)) *dag.Plan {
	t.Helper()
	p, err := planfile.ReadFile("../../examples/stages.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(p)
	}
	return p
}

// simulated returns a simulated run of a plan, up to a length of time; all of it if that is 0.
func simulated(t *testing.T, p *dag.Plan, until time.Duration, o simulate.Options) dag.Run {
	t.Helper()
	o.Every, o.Seed = time.Second, 1
	src, err := simulate.New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var run dag.Run
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return run
		}
		if err != nil {
			t.Fatal(err)
		}
		if run = run.Append(s); until > 0 && s.At.Sub(s.Origin()) >= until {
			return run
		}
	}
}

// each changes the costs of every stage.
func each(p *dag.Plan, cost func(stage *dag.Stage, ms dag.Series) dag.Series) {
	for k := range p.Jobs[0].Stages {
		stage := &p.Jobs[0].Stages[k]
		stage.Pipelines[0].Alpha = cost(stage, stage.Pipelines[0].Alpha)
	}
}

func scaled(s dag.Series, by float64) dag.Series {
	if s.IsUniform() {
		return dag.Uniform(by * s.At(0))
	}
	var out []float64
	for _, v := range s.Values() {
		out = append(out, by*v)
	}
	return dag.Each(out)
}

// TestStagesAreAskedAbout checks that of a plan of nine stages, and of its finished run, each answer is what the replay
// of the changed plan takes.
func TestStagesAreAskedAbout(t *testing.T) {
	t.Parallel()
	past, ok := Again(simulated(t, stages(t, nil), 0, simulate.Options{}))
	if !ok {
		t.Fatal("no job has run")
	}
	again, err := NewReplayOf(past, cost.Costs)
	if err != nil || again.Miss() != 0 {
		t.Fatalf("the replay misses by %v, %v", again.Miss(), err)
	}
	cores := func(n int) func(p *dag.Plan) {
		return func(p *dag.Plan) { p.Cluster.Cores, p.Cluster.Nodes = n, nil }
	}
	twice := func(p *dag.Plan) {
		each(p, func(_ *dag.Stage, ms dag.Series) dag.Series { return scaled(ms, 2) })
	}
	even := func(p *dag.Plan) {
		each(p, func(s *dag.Stage, ms dag.Series) dag.Series { return dag.Uniform(ms.Sum(s.Tasks) / float64(s.Tasks)) })
	}
	for _, x := range []struct {
		change  Change
		changed func(p *dag.Plan)
		want    time.Duration // by hand, of some
	}{
		{Change{}, nil, 86 * time.Second},
		// All 60 tasks of scan orders run at once, and all of parse orders 20 s later: the path is 20 s, 5 s, 30 s, 8
		// s, 2 s, 1 s.
		{Change{Slots: []Slots{{Op: Times, N: 2}}}, cores(80), 66 * time.Second},
		{Change{Slots: []Slots{{N: 37}}}, cores(37), 0},
		{Change{Slots: []Slots{{Op: Add, N: -25}}}, cores(15), 0},
		{Change{Ideal: true}, cores(1000), 66 * time.Second},
		{Change{Scale: 2}, twice, 172 * time.Second},
		{Change{Pace: []Pace{{Factor: 2}}}, twice, 172 * time.Second},
		// by region takes 11 s a task and by product 15 s: 15 s less than 30 s.
		{Change{Even: true}, even, 71 * time.Second},
		{Change{Even: true, Slots: []Slots{{N: 20}}}, func(p *dag.Plan) { even(p); cores(20)(p) }, 0},
	} {
		want := endIn(t, planned(stages(t, x.changed)), Change{})
		if x.want != 0 && want != x.want {
			t.Fatalf("%s: the changed plan takes %v, by hand %v", x.change, want, x.want)
		}
		for name, r := range map[string]*Replay{"plan": planned(stages(t, nil)), "run": again} {
			if got := endIn(t, r, x.change); got != want {
				t.Errorf("%s of the %s: %v, the changed plan takes %v", x.change, name, got, want)
			}
		}
	}
	for what, c := range map[string]Change{
		"no job has maps and reduces": {Slots: []Slots{{Which: Maps, N: 4}}},
		"too few for a task":          {Slots: []Slots{{Op: Add, N: -40}}},
		`no stage "map"`:              {Failures: []Failure{{Job: "revenue", Stage: "map"}}},
		"there is no 4":               {Failures: []Failure{{Job: "revenue", Stage: "lookup", Task: 4}}},
	} {
		if _, err := again.Predict(c); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v, want %s", c, err, what)
		}
	}
}

// TestStagesFail checks what failures of stages cost, by hand.
func TestStagesFail(t *testing.T) {
	t.Parallel()
	r := planned(stages(t, nil))
	for text, want := range map[string]time.Duration{
		"task":                 116 * time.Second, // the task of by region that takes 30 s
		"revenue:by region:19": 116 * time.Second,
		// it ends at 60 s, and 15 s later again: at 75 s, when by region does
		"revenue:by product:19": 86 * time.Second,
		"revenue:lookup:3":      86 * time.Second, // 8 cores are idle
		"revenue:write:0":       87 * time.Second,
		"revenue":               2*86*time.Second - time.Millisecond,
	} {
		c, err := Parse("fail", text)
		if err != nil || "fail "+text != c.String() {
			t.Fatalf("%s is %s, %v", text, c, err)
		}
		f := c.Failures[0]
		if a := predicted(t, r, f); *a.Remaining != want {
			t.Errorf("%s: %v, want %v (%s)", text, *a.Remaining, want, a.Note)
		}
	}
}

// TestStagesGoOn checks that a failure in a run is replayed from its moment, in which stages have ended, run and wait.
func TestStagesGoOn(t *testing.T) {
	t.Parallel()
	for _, at := range []int{3, 22, 33, 52, 80} {
		r := NewReplay(simulated(t, stages(t, nil), time.Duration(at)*time.Second, simulate.Options{}), cost.Costs)
		w, err := r.clusterState(Change{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.course()
		if err != nil {
			t.Fatal(err)
		}
		for t1 := r.now.At; t1 < c.End; t1 += 500 {
			s, err := c.from(t1, func(*dag.Snapshot) {}).end(nil)
			if err != nil || s.End != c.End {
				t.Errorf("seen at %d s, going on from %d it ends at %d, the whole at %d (%v)", at, t1, s.End, c.End,
					err)
			}
		}
	}
}

// TestAskedCoresAreAll checks that "with four cores" means four, whatever executors are on their way or would be asked
// for.
func TestAskedCoresAreAll(t *testing.T) {
	t.Parallel()
	p := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
		Jobs: []dag.Job{{Node: "j", Stages: []dag.Stage{{
			Name: "a", Tasks: 12, Known: true,
			Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}},
		}}}},
	}
	r := planned(p)
	alone := endIn(t, r, Change{Slots: []Slots{{N: 4}}})
	p.Cluster.Elastic = dag.Elastic{Max: 20, Each: 2}
	r.now.Coming = []dag.Capacity{{At: r.now.At, Cores: 2}}
	if got := endIn(t, r, Change{}); got != 10*time.Second {
		t.Errorf("with as many executors as there are tasks it ends in %v", got)
	}
	if got := endIn(t, r, Change{Slots: []Slots{{N: 4}}}); got != alone || got != 30*time.Second {
		t.Errorf("with four cores it ends in %v, want 30s; without executors to come in %v", got, alone)
	}
}

// TestLostExecutor checks what an executor's loss costs, by hand. Two executors have two cores each; all tasks take 10
// s.
//
//	 0 s  a0 and a2 on one executor, a1 and a3 on the other
//	10 s  b0 to b3, each on the core of the task that it reads
//	20 s  c0 and c1, which read all of b, one on each
//
// The worst is a loss just before 30 s. What c reads is gone in part: c0 waits for b0 and b2, and these for a0 and a2,
// on two cores; c1 ends meanwhile. One that is lost just before 20 s costs 20 s: then c0 and c1 run beside each other.
func TestLostExecutor(t *testing.T) {
	t.Parallel()
	ten := []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}}
	p := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4, Nodes: []dag.Node{
			{Name: "one", Cores: 2},
			{Name: "two", Cores: 2},
		}},
		Jobs: []dag.Job{{Node: "j", Stages: []dag.Stage{
			{Name: "a", Tasks: 4, Known: true, Pipelines: ten},
			{Name: "b", After: []dag.Edge{{From: 0, Kind: dag.OneToOne}}, Tasks: 4, Known: true, Pipelines: ten},
			{Name: "c", After: []dag.Edge{{From: 1}}, Tasks: 2, Known: true, Pipelines: ten},
		}}},
	}
	for _, at := range []time.Duration{time.Second, 25 * time.Second} {
		r := NewReplay(simulated(t, p, at, simulate.Options{}), cost.Costs)
		if a := predicted(t, r, Failure{What: FailNode}); r.Elapsed()+*a.Remaining != time.Minute {
			t.Errorf("seen at %v: %v, want 1m (%s)", at, r.Elapsed()+*a.Remaining, a.Note)
		}
	}
	past, _ := Again(simulated(t, p, 0, simulate.Options{}))
	r, err := NewReplayOf(past, cost.Costs)
	if err != nil {
		t.Fatal(err)
	}
	if a := predicted(t, r, Failure{What: FailNode}); *a.Remaining != 60*time.Second {
		t.Errorf("the run, again: %v (%s)", *a.Remaining, a.Note)
	}
	// A task that runs has its input: where the executor without the only task of c is lost just before the end,
	// nothing is done again.
	p.Jobs[0].Stages[2].Tasks = 1
	w, err := planned(p).clusterState(Change{})
	if err != nil {
		t.Fatal(err)
	}
	w.s.Nodes = past.Before.Now().Nodes
	c, err := w.course()
	if err != nil {
		t.Fatal(err)
	}
	without := func(s *dag.Snapshot) { lose(s, 1-s.Jobs[0].Stages[2].Attempts[0].Node) }
	if s, err := c.from(c.End-1, without).end(nil); err != nil || s.End != c.End {
		t.Errorf("without the other executor it ends at %v, want %v (%v)", s.End, c.End, err)
	}
}

// A finished run's jobs are put in the order of their submission; their states go with them, though they have unlike
// numbers of stages.
func TestAgainOfUnlikeJobs(t *testing.T) {
	p, err := planfile.Read(strings.NewReader(`
version: 2
cluster:
  policy: yarn
  nodes: [{name: a, memory: 6GB}, {name: b, memory: 5GB}]
jobs:
  - name: first
    map: {tasks: 3, records: 1000, cost: 1ms}
  - name: second
    after: [first]
    map: {tasks: 2, records: 1000, cost: 1ms}
    reduce: {tasks: 4, records: 1000, cost: 1ms}
  - name: third
    stages:
      - {name: s0, tasks: 5, records: 2000, cost: 1ms}
      - {name: s1, tasks: 5, records: 2000, cost: 1ms}
      - {name: s2, after: [s1], tasks: 5, records: 1000, cost: 1ms}
`), planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	past, ok := Again(simulated(t, p, 0, simulate.Options{}))
	if !ok {
		t.Fatal("nothing is learned of the run")
	}
	r, err := NewReplayOf(past, cost.Costs)
	if err != nil || !(r.Miss() < 0.05) {
		t.Errorf("the replay misses the run by %v: %v", r.Miss(), err)
	}
}

// TestOpenPlanHasRange checks that the answer for an application that may submit more is a floor with a range, and that
// the floor is no more than the low end of that.
func TestOpenPlanHasRange(t *testing.T) {
	t.Parallel()
	run := simulated(t, stages(t, nil), 20*time.Second, simulate.Options{})
	run.Now().Plan.Open = true
	a, err := NewReplay(run, cost.Costs).PredictRange(Change{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Remaining != nil || a.Floor == nil || a.Low == nil || a.High == nil || *a.Floor > *a.Low {
		t.Errorf("%+v", a)
	}
}
