package cost

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/paper"
)

// at is the job at an instant. Its largest keys are known by name.
func (r reducer) at(now dag.Instant, origin dag.GroupOrigin) *dag.Snapshot {
	s := reducing(now)
	s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = len(r.Sizes)
	g := r.At(now, origin)
	for i := range g.Reduces {
		a := reduceOf(int32(i), 0, 0.9, dag.Mark{At: 31_000, Done: 1}, dag.Mark{At: 31_000, Done: 1})
		red := &g.Reduces[i]
		for _, e := range slices.Backward(red.Explicit) {
			if n := len(red.Top); n < dag.MaxTopGroups {
				red.Top = append(red.Top, dag.KeyGroup{Key: "#" + string(rune('a'+n)), Bytes: e.Bytes})
			}
		}
		a.Bytes = red.Bytes
		if k := float64(len(red.Done)); k > 1 {
			a.Last = dag.Mark{At: now, Done: k, Out: k}
			a.Done[dag.Work], a.Out = k, k
		}
		if end := r.End(i); now >= end {
			a.State, a.End = dag.AttemptSucceeded, end
		}
		s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
	}
	if s.Jobs[0].Groups = g; origin == dag.GroupsNone {
		s.Jobs[0].Groups = nil
	}
	return s
}

// branches are two jobs beside each other and one after both: the first has r's reduces, the second's maps take 40 s
// more. Counters of the reduce with the large keys show that most of its records are done.
func branches(r reducer, now dag.Instant, origin dag.GroupOrigin) *dag.Snapshot {
	s := r.at(now, origin)
	s.Plan.Cluster.MemoryMB = 10_240
	other := dag.Job{
		Node: "scope-2", MasterMB: 512, MapReduce: limits,
		Stages: dag.MapReduce(dag.Stage{Tasks: 4, Known: true}, dag.Stage{Known: true}),
	}
	last := other
	last.Node, last.After = "scope-3", []int{0, 1}
	last.Stages = dag.MapReduce(dag.Stage{Tasks: 1, Known: true}, dag.Stage{Known: true})
	s.Plan.Jobs = append(s.Plan.Jobs, other, last)
	js := s.Jobs[0]
	js.ID, js.Groups, js.Stages = "job_1_0002", nil, make([]dag.StageState, dag.MapReduceStages)
	for i := range int32(4) {
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts,
			mapOf(i, 5000, 2000, float64(now+40_000-7000)/1000, 1000, now))
	}
	s.Jobs = append(s.Jobs, js, dag.BlockedJob(dag.MapReduceStages))
	a := &s.Jobs[0].Stages[dag.Reduce].Attempts[2]
	a.First, a.Last = dag.Mark{At: 31_000, Done: 10, Out: 10}, dag.Mark{At: 50_000, Done: 900, Out: 900}
	a.Ratio = 0.97
	return s
}

func standardOf(t *testing.T, run dag.Run) estimators.Estimate {
	t.Helper()
	e, err := estimators.New(estimators.Scenarios()[0], Costs, estimators.Options{}).Estimate(run)
	if err != nil || e.Remaining == nil {
		t.Fatalf("%+v, %v", e, err)
	}
	return e
}

// TestSkewedReducerIsCritical checks that the branch with the skewed reduce is the critical one, and that only its key
// groups show it, to alerts as well.
func TestSkewedReducerIsCritical(t *testing.T) {
	t.Parallel()
	r := quadratic()
	of := func(origin dag.GroupOrigin) estimators.Estimate {
		return standardOf(t, runOf(branches(r, 50_000, origin)))
	}
	critical := func(e estimators.Estimate) (jobs []int32) {
		for _, seg := range e.Path.Critical {
			for _, i := range e.Path.Rounds[e.Path.Fragments[seg.Fragment].Rounds[0]].Spans {
				if sp := &e.Path.Schedule.Spans[i]; sp.Count > 0 && !sp.Past {
					jobs = append(jobs, sp.Job)
				}
			}
		}
		return jobs
	}
	blind, seen := of(dag.GroupsNone), of(dag.GroupsTapped)
	if jobs := critical(blind); slices.Contains(jobs, 0) || !slices.Contains(jobs, 1) {
		t.Errorf("without key groups jobs %v are critical, %v left", jobs, *blind.Remaining)
	}
	if jobs := critical(seen); !slices.Contains(jobs, 0) || slices.Contains(jobs, 1) {
		t.Errorf("with key groups jobs %v are critical, %v left", jobs, *seen.Remaining)
	}
	if blind.Path.Slack[0] == 0 || seen.Path.Slack[0] != 0 || seen.Path.Slack[1] < time.Minute {
		t.Errorf("slack without key groups %v, with them %v", blind.Path.Slack, seen.Path.Slack)
	}
	truth := r.End(2).Sub(50_000)
	if late := *seen.Remaining - truth; late < 0 || late > 30*time.Second {
		t.Errorf("%v left, the skewed reduce has %v", *seen.Remaining, truth)
	}
	late := func(origin dag.GroupOrigin) float64 {
		return drawn(t, branches(r, 50_000, origin)).Above(2 * time.Minute)
	}
	if blind, seen := late(dag.GroupsNone), late(dag.GroupsTapped); blind > 0.5 || seen < 0.95 {
		t.Errorf("late with probability %v without key groups, %v with them", blind, seen)
	}
}

// TestChangeToKeyGroups checks that a move is explained by key groups in the tick in which these begin to predict the
// reduces of a job, and not again.
func TestChangeToKeyGroups(t *testing.T) {
	t.Parallel()
	r := quadratic()
	before := runOf(r.at(29_500, dag.GroupsTapped), r.at(30_500, dag.GroupsTapped))
	after := before.Append(r.at(40_000, dag.GroupsTapped))
	delta := 9500*time.Millisecond + *standardOf(t, after).Remaining - *standardOf(t, before).Remaining
	var sum time.Duration
	reported := map[explain.Reason]explain.Change{}
	for _, c := range explain.Changes(before, after, delta, Costs) {
		sum, reported[c.Reason] = sum+c.Delta, c
	}
	if model := reported[explain.ReasonModel]; sum != delta || model.Delta < delta/2 || model.Subject == "" {
		t.Errorf("a move of %v: %+v", delta, reported)
	}
	for _, c := range explain.Changes(after, after.Append(r.at(50_000, dag.GroupsTapped)), time.Minute, Costs) {
		if c.Reason == explain.ReasonModel {
			t.Errorf("a second time: %+v", c)
		}
	}
}

// onSlots is the reducer on the paper's cluster, whose plan has the costs of all tasks by their records.
func onSlots(r reducer, now dag.Instant, origin dag.GroupOrigin) *dag.Snapshot {
	s := r.at(now, origin)
	s.Plan.Cluster = dag.Cluster{MapSlots: 10, ReduceSlots: 4, SlotsPerNode: 2}
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	job := &s.Plan.Jobs[0]
	job.Stages[dag.Map].Pipelines = []dag.Pipeline{pipe(600, 10)}
	job.Stages[dag.Reduce].Pipelines = []dag.Pipeline{pipe(0, 0), pipe(0, 0), pipe(60, 300)}
	for k := range s.Jobs[0].Stages {
		attempts := s.Jobs[0].Stages[k].Attempts
		for i := range attempts {
			a := &attempts[i]
			if a.Slot, a.Node = a.Task, a.Task/2; k == int(dag.Reduce) {
				a.Start = 30_000
			}
		}
	}
	return s
}

// TestKeyGroupsBeatThePlan checks that key groups predict reduces better than a plan does by their records, and
// that a plan with other stages keeps its own costs, with a warning.
func TestKeyGroupsBeatThePlan(t *testing.T) {
	t.Parallel()
	r := quadratic()
	truth := float64(r.End(2) - 60_000)
	blind := standardOf(t, runOf(onSlots(r, 60_000, dag.GroupsNone)))
	if float64(blind.Remaining.Milliseconds()) > truth/2 {
		t.Fatalf("by its plan %v are left", blind.Remaining)
	}
	run := runOf(onSlots(r, 60_000, dag.GroupsTapped))
	seen := standardOf(t, run)
	near(t, "left", float64(seen.Remaining.Milliseconds()), truth, 3000)
	if len(seen.Warnings) != 1 || seen.Warnings[0].Code != dag.WarnKeyGroups {
		t.Errorf("warnings %v", seen.Warnings)
	}
	costs := Costs(run)
	near(t, "rest", costs.Rem(0, dag.Reduce, 2), truth, 3000)
	near(t, "whole", costs.Full(0, dag.Reduce, 2), float64(r.End(2)-30_000), 3000)
	if g := costs.Groups; !g.Used(0) || g.In(estimators.FormStream) == nil || g.In(estimators.FormTheory) != nil {
		t.Error("the stream form is the one that it is in")
	}
	d, err := estimators.New(estimators.Sampled(), Costs, estimators.Options{}).Estimate(run)
	if err != nil || float64(d.Distribution.At(0.05).Milliseconds()) > truth ||
		float64(d.Distribution.At(0.95).Milliseconds()) < truth {
		t.Errorf("%v, truth %v: %v", d.Distribution, truth, err)
	}

	s := onSlots(r, 60_000, dag.GroupsTapped)
	s.Plan.Cluster = dag.Cluster{Policy: dag.YARN, Nodes: []dag.Node{{Name: "a", MemoryMB: 10_240}}}
	s.Plan.Jobs = append(s.Plan.Jobs, dag.Job{Node: "other", Stages: []dag.Stage{{
		Name: "scan", Tasks: 3, Known: true,
		Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(10), Alpha: dag.Uniform(100)}},
	}}})
	s.Jobs = append(s.Jobs, dag.BlockedJob(1))
	beside := Costs(runOf(s))
	if len(beside.Warnings) != 1 || beside.Warnings[0].Code != dag.WarnKeyGroups || beside.Groups.Used != nil {
		t.Errorf("beside other stages: warnings %v", beside.Warnings)
	}
	near(t, "a task of the scan", beside.Full(1, 0, 0), 1000, 0)
}

// TestForms checks that each form has a time for the groups that it is named after alone.
func TestForms(t *testing.T) {
	t.Parallel()
	r := quadratic()
	truth := r.End(2).Sub(60_000)
	byName := map[string]estimators.Scenario{}
	for _, c := range paper.Others() {
		byName[c.Name] = c
	}
	left := func(s *dag.Snapshot, name string) *time.Duration {
		e, err := estimators.New(byName[name], Costs, estimators.Options{}).Estimate(runOf(s))
		if err != nil {
			t.Fatal(err)
		}
		return e.Remaining
	}
	for _, c := range []struct {
		name   string
		origin dag.GroupOrigin // GroupsNone: any
		right  bool
	}{
		{"nearestfit", dag.GroupsComplete, true},
		{"nearestfit_stream", dag.GroupsTapped, true},
		{"nearestfit_fit_only", dag.GroupsNone, true},
		{"nearestfit_neighbours_only", dag.GroupsNone, false},
		{"job_ratio", dag.GroupsNone, false},
		{"task_ratio", dag.GroupsNone, false},
	} {
		for _, origin := range []dag.GroupOrigin{dag.GroupsComplete, dag.GroupsTapped} {
			got := left(r.at(60_000, origin), c.name)
			if some := c.origin == dag.GroupsNone || c.origin == origin; some != (got != nil) {
				t.Errorf("%s of %v groups: %v", c.name, origin, got)
			} else if some && (*got-truth).Abs() < 5*time.Second != c.right {
				t.Errorf("%s of %v groups: %v, the truth is %v", c.name, origin, got, truth)
			}
		}
		for what, s := range map[string]*dag.Snapshot{
			"no groups": reducing(60_000), "no group has ended": r.at(30_001, dag.GroupsTapped),
		} {
			if got := left(s, c.name); got != nil {
				t.Errorf("%s if there are %s: %v", c.name, what, got)
			}
		}
	}
	s := r.at(60_000, dag.GroupsTapped)
	for _, name := range []string{"job_ratio", "task_ratio"} {
		if plain, smoothed := left(s, name), left(s, name+"_ewma"); *plain == *smoothed {
			t.Errorf("%s: %v, smoothed as well, although groups grow", name, *plain)
		}
	}
}

// TestSkewByKeyGroups checks what each key of a reduce with quadratic cost takes, and what splitting it would save.
func TestSkewByKeyGroups(t *testing.T) {
	t.Parallel()
	r := quadratic()
	at := func(now dag.Instant) estimators.Skew {
		run := runOf(r.at(now-1000, dag.GroupsTapped), r.at(now, dag.GroupsTapped))
		got, err := explain.SkewOf(estimators.NewReplayContext(run, Costs, estimators.Options{}), false)
		if err != nil || len(got) != 1 || len(got[0].Worst) != 1 {
			t.Fatalf("at %d: %+v %v", now, got, err)
		}
		return got[0]
	}
	s := at(60_000)
	if s.Keys != dag.GroupsTapped || s.Sizes != estimators.SizesBytes || s.Worst[0].Task != 2 {
		t.Fatalf("%+v", s)
	}
	keys := s.Worst[0].Keys
	if keys[0].Name != "#a" || keys[0].Rule == estimators.RuleLinear || !keys[0].Left || !keys[2].Left {
		t.Errorf("%+v", keys)
	}
	rest := float64(r.End(2)-60_000)/1000 - 100
	for _, c := range []struct {
		what string
		got  time.Duration
		want float64
	}{
		{"10 kB", keys[0].Took, 100},
		{"9 kB", keys[1].Took, 81},
		{"without 10 kB", *keys[0].Delay, 100},
		{"split", s.Split.Sooner, 100 - 100./16}, // reduce 2 keeps one part: the others end long before it
		{"twice the reduces", *s.Double, rest / 2},
	} {
		near(t, c.what, c.got.Seconds(), c.want, 0.05*c.want)
	}
	for _, k := range at(120_000).Worst[0].Keys[:3] {
		if k.Left == (k.Bytes == 7000) {
			t.Errorf("at 120 s: %+v", k)
		}
	}
}

// TestSizesOfGroups checks that the sizes of groups are known before there is evidence of their time, and grow with the
// maps that are left.
func TestSizesOfGroups(t *testing.T) {
	t.Parallel()
	s := quadratic().at(30_200, dag.GroupsTapped)
	m := modelOf(s)
	if groups, took := m.groupsOf(0); groups == nil || took != nil || m.usesGroups(0) {
		t.Errorf("%v %v", groups, m.usesGroups(0))
	}
	s.Jobs[0].Groups.Maps = 5
	groups, _ := modelOf(s).groupsOf(0)
	near(t, "the largest, when half of the maps have reported", groups.Reduces[2].Top[0].Bytes, 20_000, 0)
	near(t, "in the snapshot", s.Jobs[0].Groups.Reduces[2].Top[0].Bytes, 10_000, 0)
	if groups, took := modelOf(reducing(40_000)).groupsOf(0); groups != nil || took != nil {
		t.Errorf("%v", groups)
	}
}

// TestOddGroups checks that hostile groups give no error and no endless time.
func TestOddGroups(t *testing.T) {
	t.Parallel()
	r := quadratic()
	for name, change := range map[string]func(g *dag.Groups){
		"none":  func(g *dag.Groups) { g.Reduces = nil },
		"fewer": func(g *dag.Groups) { g.Reduces = g.Reduces[:1] },
		"more":  func(g *dag.Groups) { g.Reduces = append(g.Reduces, g.Reduces...) },
		"no numbers": func(g *dag.Groups) {
			for i := range g.Reduces {
				r := &g.Reduces[i]
				r.Bytes, r.Implicit, r.Explicit = math.NaN(), math.NaN(), nil
				for k := range r.Done {
					r.Done[k] = dag.GroupPoint{
						At: dag.NoInstant, Bytes: math.Inf(1), Count: math.NaN(), Took: math.MinInt64,
					}
				}
			}
		},
		"for ever, in the future": func(g *dag.Groups) {
			for i := range g.Reduces {
				for k := range g.Reduces[i].Done {
					d := &g.Reduces[i].Done[k]
					d.At, d.Took, d.Count = d.At+1_000_000, math.MaxInt64, 1e15
				}
			}
		},
	} {
		s := r.at(60_000, dag.GroupsTapped)
		change(s.Jobs[0].Groups)
		for _, c := range append([]estimators.Scenario{estimators.Sampled()},
			append(estimators.Scenarios(), paper.Others()...)...) {
			if _, err := c.Of(estimators.NewReplayContext(runOf(s), Costs, estimators.Options{})); err != nil {
				t.Errorf("%s: %s: %v", name, c.Name, err)
			}
		}
		m := modelOf(s)
		for i := range r.Sizes {
			if full := m.full(0, dag.Reduce, i); !(full >= 0) || math.IsInf(full, 0) {
				t.Errorf("%s: reduce %d takes %v", name, i, full)
			}
		}
	}
}
