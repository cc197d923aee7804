package explain

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// keyed is a cost model with the key groups of every job, which take the power of their bytes in milliseconds.
func keyed(groups *dag.Groups, power float64) estimators.Model {
	return func(run dag.Run) estimators.Costs {
		costs := paperModel(run)
		costs.Groups.Of = func(int) (*dag.Groups, estimators.GroupTime) {
			return groups, func(_ int, bytes float64) (float64, string) { return math.Pow(bytes, power), "own_fit" }
		}
		return costs
	}
}

// unevenPlan has one map of 10 s, then a reduce for each number of records, at 1 ms a record, on as many slots.
func unevenPlan(records ...float64) *dag.Plan {
	reduce := golden.PhaseOf(len(records), 0, 0, 0, 0, 0, 1)
	reduce.Pipelines[dag.Work].Tuples = dag.Each(records)
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: 1, ReduceSlots: len(records)}, Jobs: []dag.Job{
		{Node: "j1", Stages: dag.MapReduce(golden.PhaseOf(1, 1000, 10), reduce)},
	}}
}

func skewOf(t *testing.T, plan *dag.Plan, model estimators.Model, all bool) []estimators.Skew {
	t.Helper()
	out, err := SkewOf(
		estimators.NewReplayContext(dag.Run{}.Append(golden.Start(plan)), model, estimators.Options{}), all)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// paperModel has costs by the plan alone.
var paperModel = paper.Model(func(dag.Run) paper.Slowdown { return paper.Slowdown{} })

// One reduce of four has 60 of 90 s of work: the query ends 50 s later than with the median, 10 s.
func TestSkewOfOneReduce(t *testing.T) {
	got := skewOf(t, unevenPlan(10_000, 60_000, 10_000, 10_000), paperModel, false)
	if len(got) != 1 || len(got[0].Worst) != 1 {
		t.Fatalf("%+v", got)
	}
	s, r := got[0], got[0].Worst[0]
	if s.Skewed != 1 || s.Tasks != 4 || s.Sizes != estimators.SizesRecords || s.Median != 10*time.Second ||
		s.Delay != 50*time.Second || s.Keys != dag.GroupsNone {
		t.Errorf("%+v", s)
	}
	if r.Task != 1 || r.Work != 60*time.Second || *r.Delay != 50*time.Second || r.End != 70_000 ||
		math.Abs(r.Share-60./90) > 1e-9 || r.Done {
		t.Errorf("%+v", r)
	}
	if s.Split != nil || s.Double != nil {
		t.Error("no key is known, so the gain of another partitioning is unknown")
	}
}

// Tasks of any stage that reads others are measured. Those of a stage that reads none are not.
func TestSkewOfAStage(t *testing.T) {
	plan := unevenPlan(10_000, 60_000, 10_000, 10_000)
	scan, group := plan.Jobs[0].Stages[dag.Map], plan.Jobs[0].Stages[dag.Reduce]
	scan.Name, group.Name, group.Pipelines = "scan", "group", group.Pipelines[dag.Work:]
	scan.Tasks, scan.Pipelines = 2, []dag.Pipeline{{Tuples: dag.Each([]float64{100, 9000}), Alpha: dag.Uniform(1)}}
	end := group
	end.Name, end.After = "end", []dag.Edge{{From: 1, Kind: dag.Barrier}}
	end.Pipelines = []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(1)}}
	for name, kind := range map[string]dag.EdgeKind{"slow start": dag.SlowStart, "barrier": dag.Barrier} {
		group.After = []dag.Edge{{From: 0, Kind: kind}}
		plan.Cluster = dag.Cluster{Policy: dag.Executors, Cores: 8}
		plan.Jobs[0].Stages = []dag.Stage{scan, group, end}
		got := skewOf(t, plan, paperModel, false)
		if len(got) != 1 || got[0].Stage != 1 || got[0].Tasks != 4 || got[0].Skewed != 1 || got[0].Worst[0].Task != 1 ||
			got[0].Sizes != estimators.SizesRecords || got[0].Delay != 50*time.Second ||
			got[0].Median != 10*time.Second {
			t.Errorf("%s: %+v", name, got)
		}
		if got := skewOf(t, plan, paperModel, true); len(got) != 2 || got[1].Stage != 2 {
			t.Errorf("%s: of all stages: %+v", name, got)
		}
	}
}

// Two equally long reduces hold the end back together; neither does alone.
func TestSkewOfTwoReduces(t *testing.T) {
	got := skewOf(t, unevenPlan(10_000, 60_000, 10_000, 60_000, 10_000), paperModel, false)
	if len(got) != 1 || got[0].Skewed != 2 || got[0].Delay != 50*time.Second {
		t.Fatalf("%+v", got)
	}
	for _, r := range got[0].Worst {
		if *r.Delay != 0 {
			t.Errorf("reduce %d alone: %v", r.Task, *r.Delay)
		}
	}
}

// Two branches that end together hold the end back together: neither does alone, and both are reported.
func TestSkewOfTwoBranches(t *testing.T) {
	plan := unevenPlan(10_000, 60_000, 10_000)
	plan.Cluster.MapSlots, plan.Cluster.ReduceSlots = 3, 9
	for _, node := range []string{"j2", "even"} {
		j := unevenPlan(10_000, 60_000, 10_000).Jobs[0]
		if j.Node = node; node == "even" {
			j = unevenPlan(10_000, 10_000, 10_000).Jobs[0]
		}
		plan.Jobs = append(plan.Jobs, j)
	}
	got := skewOf(t, plan, paperModel, false)
	if len(got) != 2 || got[0].Job != 0 || got[1].Job != 1 || got[0].Delay != 50*time.Second ||
		got[1].Delay != 50*time.Second {
		t.Fatalf("%+v", got)
	}
	plan.Jobs[1].SetStage(dag.Reduce, unevenPlan(10_000, 40_000, 10_000).Jobs[0].Stages[dag.Reduce])
	if got := skewOf(t, plan, paperModel, false); len(got) != 1 || got[0].Job != 0 || got[0].Delay != 20*time.Second {
		t.Errorf("one ends later: %+v", got)
	}
}

// What is short, or hides behind another job, is not listed; unknown data is nil.
func TestNoSkew(t *testing.T) {
	for name, records := range map[string][]float64{
		"even":         {10_000, 10_000, 10_000, 10_000},
		"under 5 s":    {1000, 5000, 1000, 1000},
		"under 1.5":    {60_000, 80_000, 60_000, 60_000},
		"most are big": {10_000, 60_000, 60_000, 60_000},
		"one reduce":   {60_000},
	} {
		if got := skewOf(t, unevenPlan(records...), paperModel, false); got == nil || len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	hidden := unevenPlan(10_000, 60_000, 10_000, 10_000)
	hidden.Cluster.MapSlots, hidden.Cluster.ReduceSlots = 2, 8
	hidden.Jobs = append(hidden.Jobs, dag.Job{Node: "long", Stages: dag.MapReduce(golden.PhaseOf(1, 1000, 100),
		golden.PhaseOf(2, 0, 0, 0, 0, 10_000, 1))})
	if got := skewOf(t, hidden, paperModel, false); len(got) != 0 {
		t.Errorf("another job ends later: %+v", got)
	}
	if got := skewOf(t, hidden, paperModel, true); len(got) != 2 || got[0].Delay != 0 || len(got[0].Worst) != 4 {
		t.Errorf("all that is known: %+v", got)
	}
	unknown := unevenPlan(10_000, 60_000)
	unknown.Jobs[0].Stages[dag.Reduce].Pipelines[dag.Work].Tuples = dag.Series{}
	if got := skewOf(t, unknown, paperModel, false); got != nil {
		t.Errorf("unknown sizes: %+v", got)
	}
	unknown.Jobs[0].SetStage(dag.Reduce, dag.Stage{})
	if got := skewOf(t, unknown, paperModel, false); got != nil {
		t.Errorf("unknown number of reduces: %+v", got)
	}
}

// One slow reduce of many equal ones, on what all others have too, is a straggler, not skew.
func TestASlowReduceIsNotSkewed(t *testing.T) {
	plan := unevenPlan(10_000, 10_000, 10_000, 10_000)
	plan.Jobs[0].Stages[dag.Reduce].Pipelines[dag.Work].Alpha = dag.Each([]float64{1, 6, 1, 1})
	if got := skewOf(t, plan, paperModel, false); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// hugeKey is four reduces of 1,000 bytes each but for one, which has a key of 200 bytes beside small ones: at the
// square of the bytes, in ms, that key takes 40 s.
func hugeKey() (*dag.Plan, *dag.Groups) {
	g := &dag.Groups{Origin: dag.GroupsTapped, Maps: 1, Reduces: make([]dag.ReduceGroups, 4)}
	for i := range g.Reduces {
		r := dag.NoReduceGroups()
		r.Bytes, r.Implicit = 1000, 0
		r.Explicit = []dag.GroupSize{{Bytes: 10, Count: 100}}
		g.Reduces[i] = r
	}
	g.Reduces[2].Explicit = []dag.GroupSize{{Bytes: 10, Count: 80}, {Bytes: 200, Count: 1}}
	g.Reduces[2].Top = []dag.KeyGroup{{Key: "#9f3a", Bytes: 200}, {Key: "#0000", Bytes: 10}}
	return unevenPlan(10_000, 10_000, 48_000, 10_000), g
}

// A key that takes 40 of its reduce's 48 s is found although the reduce has no more bytes than others; without it the
// query ends 38 s sooner, when the others do. Split in four, each part takes 2.5 s: reduce 2 then works 8 + 2.5 s, the
// others 12.5 s.
func TestSkewOfAKey(t *testing.T) {
	plan, groups := hugeKey()
	model := keyed(groups, 2)
	got := skewOf(t, plan, model, false)
	if len(got) != 1 || len(got[0].Worst) != 1 || len(got[0].Worst[0].Keys) != 2 {
		t.Fatalf("%+v", got)
	}
	s, key := got[0], got[0].Worst[0].Keys[0]
	if s.Keys != dag.GroupsTapped || s.Sizes != estimators.SizesBytes || got[0].Worst[0].Share != 0.25 ||
		got[0].Worst[0].Size != 1000 {
		t.Errorf("%+v", s)
	}
	if key.Name != "#9f3a" || key.Took != 40*time.Second || key.Rule != "own_fit" || !key.Left ||
		key.TaskShare != 0.2 || key.JobShare != 0.05 || *key.Delay != 38*time.Second {
		t.Errorf("%+v", key)
	}
	if s.Split == nil || s.Split.Key != "#9f3a" || s.Split.Parts != 4 || s.Split.Task != 2 ||
		s.Split.Sooner != 48*time.Second-12500*time.Millisecond {
		t.Errorf("split: %+v", s.Split)
	}
	// Four slots: the new reduces wait until the old ones end. The key's keeps 40 + 4 s.
	if s.Double == nil || *s.Double != 4*time.Second {
		t.Errorf("double: %v", s.Double)
	}
	plan.Cluster.ReduceSlots = 8
	if got := skewOf(t, plan, model, false); *got[0].Double != 4*time.Second {
		t.Errorf("the largest key stays whole: %v", *got[0].Double)
	}
}

// Under a linear cost a key takes its share of the time, and splitting a key gains no more than what it takes.
func TestSkewOfALinearKey(t *testing.T) {
	plan, groups := hugeKey()
	groups.Reduces[2].Bytes, groups.Reduces[2].Top[0].Bytes = 4800, 4000
	plan.Jobs[0].Stages[dag.Reduce].Groups = groups
	got := skewOf(t, plan, paperModel, false)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	if key := got[0].Worst[0].Keys[0]; key.Took != 40*time.Second || key.Rule != estimators.RuleLinear ||
		*key.Delay != 38*time.Second {
		t.Errorf("%+v", key)
	}
	if s := got[0].Split; s == nil || s.Sooner != 48*time.Second-20*time.Second {
		t.Errorf("split: %+v", s)
	}
}

// The parts of a key are worked on beside what its reduce has else: 8 + 2.5 s, where the others have 5 + 2.5.
func TestSplitKeepsTheRest(t *testing.T) {
	_, groups := hugeKey()
	model := keyed(groups, 2)
	got := skewOf(t, unevenPlan(5000, 5000, 48_000, 5000), model, false)
	if len(got) != 1 || got[0].Split == nil || got[0].Split.Sooner != 37500*time.Millisecond {
		t.Errorf("%+v", got)
	}
}

// A change of one task ends the run of equal ones before it.
func TestChangedCosts(t *testing.T) {
	costs := paperModel(dag.Run{}.Append(golden.Start(golden.OneJob()))) // two equal reduces
	left := (&uneven{stage: dag.Reduce}).changed(costs.Left, []int{1}, func(task int) float64 {
		return -5000 * float64(task)
	})
	for task, want := range []schedule.Cost{{Work: 20 * time.Second, Same: 1}, {Work: 15 * time.Second, Same: 1}} {
		if got := left(schedule.Task{Stage: dag.Reduce, Index: task}); got.Work != want.Work || got.Same != want.Same {
			t.Errorf("task %d: %+v, want %+v", task, got, want)
		}
	}
	if got := left(schedule.Task{Stage: dag.Map}); got.Same != 4 || got.Work != 10*time.Second {
		t.Errorf("a map: %+v", got)
	}
}

// Only a few jobs are listed, the worst.
func TestSkewIsBounded(t *testing.T) {
	plan := unevenPlan(10_000, 60_000)
	plan.Cluster.MapSlots, plan.Cluster.ReduceSlots = 9, 90
	for i := range 5 {
		j := unevenPlan(append(make([]float64, 10), 20_000+1000*float64(i))...).Jobs[0]
		j.Node += string(rune('a' + i))
		plan.Jobs = append(plan.Jobs, j)
	}
	got := skewOf(t, plan, paperModel, true)
	if len(got) != MaxSkewed || got[0].Job != 0 || got[1].Job != 5 || got[2].Job != 4 ||
		len(got[1].Worst) != MaxSkewed {
		t.Errorf("%+v", got)
	}
}

// A key that is done holds nothing back; groups of another attempt do not count as done.
func TestDoneKeys(t *testing.T) {
	top := []dag.KeyGroup{
		{Key: "a", Bytes: 1000},
		{Key: "b", Bytes: 980},
		{Key: "c", Bytes: 500},
		{Key: "d", Bytes: 500},
	}
	g := &dag.ReduceGroups{Attempt: 1, Done: []dag.GroupPoint{
		{Bytes: 990, Count: 1},
		{Bytes: 500, Count: 1},
		{Bytes: 3, Count: 1e9},
	}}
	running := &dag.Attempt{Number: 1}
	// 990 is as near to one as to the other: the larger is taken.
	if got := notDone(top, g, running); !slices.Equal(got, []bool{false, true, false, true}) {
		t.Error(got)
	}
	for _, other := range []*dag.Attempt{nil, {Number: 0}, {Number: 2}} {
		if got := notDone(top, g, other); slices.Contains(got, false) {
			t.Error(other, got)
		}
	}
}

// A snapshot in mid-run: the long reduce has run for 30 s, the others are done. The remaining work is listed, not the
// lost work.
func TestSkewInMidRun(t *testing.T) {
	plan := unevenPlan(10_000, 60_000, 10_000, 10_000)
	s := golden.Start(plan)
	s.At = 40_000
	s.Jobs[0].State, s.Jobs[0].Submitted = dag.Running, 0
	at := func(k dag.StageIndex, task int32, state dag.AttemptState, start, end dag.Instant) {
		p := &s.Jobs[0].Stages[k]
		p.Attempts = append(p.Attempts, dag.Attempt{
			Task: task, State: state, Slot: task, Start: start, End: end,
			Done: [3]float64{30_000, 30_000, 30_000},
		})
	}
	at(dag.Map, 0, dag.AttemptSucceeded, 0, 10_000)
	at(dag.Reduce, 0, dag.AttemptSucceeded, 5000, 20_000) // it copies until the map ends
	at(dag.Reduce, 1, dag.AttemptRunning, 5000, dag.NoInstant)
	at(dag.Reduce, 2, dag.AttemptSucceeded, 5000, 20_000)
	at(dag.Reduce, 3, dag.AttemptSucceeded, 5000, 20_000)
	got, err := SkewOf(estimators.NewReplayContext(dag.Run{}.Append(s), paperModel, estimators.Options{}), false)
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v %v", got, err)
	}
	if r := got[0].Worst[0]; got[0].Delay != 30*time.Second || r.Work != 60*time.Second || r.Running == nil ||
		r.Running.Task != 1 {
		t.Errorf("%+v", got[0])
	}
	all, err := SkewOf(estimators.NewReplayContext(dag.Run{}.Append(s), paperModel, estimators.Options{}), true)
	if err != nil || len(all) != 1 || len(all[0].Worst) != 4 || !all[0].Worst[1].Done ||
		all[0].Worst[1].Work != 10*time.Second {
		t.Errorf("all: %+v %v", all, err)
	}
}
