package observed

import (
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// branches are two jobs beside each other, and one after both: the reduces of the first are r's, the other's maps take
// 40 s more.
func branches(r reducer, now dag.Instant, origin dag.GroupOrigin) *dag.Snapshot {
	s := r.at(now, origin)
	s.Plan.Cluster.MemoryMB = 10_240
	other := dag.Job{
		Node: "scope-2", MasterMB: 512, MapReduce: limits(),
		Stages: dag.MapReduce(dag.Stage{Tasks: 4, Known: true}, dag.Stage{Known: true}),
	}
	last := dag.Job{
		Node: "scope-3", After: []int{0, 1}, MasterMB: 512, MapReduce: limits(),
		Stages: dag.MapReduce(dag.Stage{Tasks: 1, Known: true}, dag.Stage{Known: true}),
	}
	s.Plan.Jobs = append(s.Plan.Jobs, other, last)
	js := dag.JobState{
		ID: "job_1_0002", State: dag.Running, Submitted: 0, Started: 3000, Finished: dag.NoInstant,
		Attempt: 1, Stages: make([]dag.StageState, dag.MapReduceStages),
	}
	for i := range int32(4) {
		js.Stages[dag.Map].Attempts = append(js.Stages[dag.Map].Attempts,
			mapAttempt(i, 5000, 2000, float64(now+40_000-7000)/1000, 1000, now))
	}
	s.Jobs = append(s.Jobs, js, dag.BlockedJob(dag.MapReduceStages))
	if origin == dag.GroupsNone {
		s.Jobs[0].Groups = nil
	}
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

// The branch with the skewed reducer is the critical one, and only its key groups tell so.
func TestSkewedReducerIsCritical(t *testing.T) {
	r := quadratic()
	// Counters of the large keys' reduce say that most of its records are done.
	of := func(origin dag.GroupOrigin) estimators.Estimate {
		s := branches(r, 50_000, origin)
		a := &s.Jobs[0].Stages[dag.Reduce].Attempts[2]
		a.First, a.Last = dag.Mark{At: 31_000, Done: 10, Out: 10}, dag.Mark{At: 50_000, Done: 900, Out: 900}
		a.Ratio = 0.97
		return standardOf(t, runOf(s))
	}
	critical := func(e estimators.Estimate) (nodes []int32) {
		for _, seg := range e.Path.Critical {
			for _, i := range e.Path.Rounds[e.Path.Fragments[seg.Fragment].Rounds[0]].Spans {
				if sp := &e.Path.Schedule.Spans[i]; sp.Count > 0 && !sp.Past {
					nodes = append(nodes, sp.Job)
				}
			}
		}
		return nodes
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
	truth := r.end(2).Sub(50_000)
	if late := *seen.Remaining - truth; late < 0 || late > 30*time.Second {
		t.Errorf("%v left, the skewed reduce has %v", *seen.Remaining, truth)
	}
}

// An alert for an end in two minutes is judged by the skewed reducer.
func TestAlertsKnowOfTheSkewedReducer(t *testing.T) {
	r := quadratic()
	of := func(origin dag.GroupOrigin) float64 {
		s := branches(r, 50_000, origin)
		a := &s.Jobs[0].Stages[dag.Reduce].Attempts[2]
		a.First, a.Last, a.Ratio = dag.Mark{At: 31_000, Done: 10, Out: 10}, dag.Mark{At: 50_000, Done: 900, Out: 900},
			0.97
		return ranged(t, s).Above(2 * time.Minute)
	}
	if blind, seen := of(dag.GroupsNone), of(dag.GroupsTapped); blind > 0.5 || seen < 0.95 {
		t.Errorf("it is late with probability %v without key groups, %v with them", blind, seen)
	}
}

// When a job goes over to its key groups, that is told as the cause.
func TestChangeToKeyGroupsIsTold(t *testing.T) {
	r := quadratic()
	before := runOf(r.at(29_500, dag.GroupsTapped), r.at(30_500, dag.GroupsTapped))
	after := before.Append(r.at(40_000, dag.GroupsTapped))
	was, is := standardOf(t, before), standardOf(t, after)
	delta := 9500*time.Millisecond + *is.Remaining - *was.Remaining
	changes := estimators.Changes(before, after, delta, Costs)
	var sum time.Duration
	reported := map[estimators.Reason]estimators.Change{}
	for _, c := range changes {
		sum += c.Delta
		reported[c.Reason] = c
	}
	model := reported[estimators.ReasonModel]
	if sum != delta || model.Delta < delta/2 ||
		model.Subject != "reduce tasks of job scope-1 go by their key groups now" {
		t.Errorf("a move of %v: %+v", delta, changes)
	}
	// Once it does, what its groups tell next is no other model.
	for _, c := range estimators.Changes(after, after.Append(r.at(50_000, dag.GroupsTapped)), time.Minute, Costs) {
		if c.Reason == estimators.ReasonModel {
			t.Errorf("told again: %+v", c)
		}
	}
}
