package frame

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

func estimateOf(name string, d time.Duration) estimators.Estimate {
	return estimators.Estimate{Scenario: name, Meaning: name + " holds", Remaining: &d}
}

// path is the critical path of query(at): the map that runs on node1 until end.
func path(at, end dag.Instant) *pathfrag.Path {
	return &pathfrag.Path{
		Schedule: &schedule.Schedule{Now: at, End: end, Spans: []schedule.Span{
			{Stage: dag.Map, First: 0, Count: 1, Start: 1_002_000, End: 1_003_000, Past: true},
			{Stage: dag.Map, First: 1, Count: 1, Start: 1_002_000, End: end},
		}},
		Rounds:    []pathfrag.Round{{Spans: []int{0, 1}, Start: 1_002_000, End: end, Width: 2}},
		Fragments: []pathfrag.Fragment{{Width: 2, Rounds: []int{0}, Start: 1_002_000, End: end}},
		Critical:  []pathfrag.Segment{{Fragment: 0, Start: at, End: end}},
		Slack:     []time.Duration{0},
	}
}

func TestFrameJSON(t *testing.T) {
	std := estimateOf("standard", 90*time.Second)
	std.Path = path(1_010_000, 1_100_000)
	likely := 0.9
	std.Probability = &likely
	f := Of(query(1_010_000, dag.Running), Answers{
		Scenarios: []estimators.Estimate{std, estimateOf("one_failure", 120*time.Second)},
		Others:    []estimators.Estimate{{Scenario: "pig", Progress: 0.25}},
	}, nil)
	got, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
 "schema_version": 3,
 "at": "1970-01-01T00:16:50.000Z",
 "workflow": {
  "id": "wf-1",
  "name": "query",
  "state": "running"
 },
 "elapsed_seconds": 10,
 "progress_ratio": 0.1,
 "stale_seconds": 0,
 "headline": {
  "remaining_seconds": 90,
  "low_seconds": 90,
  "high_seconds": 120,
  "end_at": "1970-01-01T00:18:20.000Z",
  "from": "standard",
  "rough": false
 },
 "quantiles": [],
 "estimates": [
  {
   "scenario": "standard",
   "remaining_seconds": 90,
   "total_seconds": 100,
   "end_at": "1970-01-01T00:18:20.000Z",
   "origin": "observed",
   "meaning": "standard holds",
   "probability": 0.9,
   "by_probability": null
  },
  {
   "scenario": "one_failure",
   "remaining_seconds": 120,
   "total_seconds": 130,
   "end_at": "1970-01-01T00:18:50.000Z",
   "origin": "observed",
   "meaning": "one_failure holds",
   "probability": null,
   "by_probability": null
  }
 ],
 "critical_path": [
  {
   "jobs": [
    "j1"
   ],
   "phase": "map",
   "start_seconds": 10,
   "end_seconds": 100,
   "slots": 2
  }
 ],
 "jobs": [
  {
   "node": "j1",
   "id": "job_1_0001",
   "name": "first",
   "after": [],
   "state": "running",
   "slack_seconds": 0,
   "maps": {
    "total": 2,
    "done": 1,
    "running": 1
   },
   "reduces": {
    "total": 0,
    "done": 0,
    "running": 0
   },
   "stages": [
    {
     "name": "map",
     "after": [],
     "total": 2,
     "done": 1,
     "running": 1
    },
    {
     "name": "reduce",
     "after": [
      "map"
     ],
     "total": 0,
     "done": 0,
     "running": 0
    }
   ],
   "critical": true,
   "submitted_seconds": 0,
   "end_seconds": null,
   "stretches": [
    {
     "phase": "map",
     "start_seconds": 2,
     "end_seconds": 100,
     "progress_ratio": 0.081633
    }
   ]
  }
 ],
 "waiting_on": "map 1 of j1 on node1",
 "changes": [],
 "moves": [],
 "replans": {
  "count": 0,
  "most_seconds": 0
 },
 "warnings": [],
 "alerts": [],
 "skew": null,
 "others": [
  {
   "name": "pig",
   "remaining_seconds": null,
   "progress_ratio": 0.25
  }
 ],
 "failures": [],
 "failed_attempts": 0
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("frame (-want +got):\n%s", diff)
	}
	var back Frame
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatalf("a frame does not read back: %v", err)
	}
	f.Digest, f.Tasks = 0, nil // they are in no JSON
	if diff := cmp.Diff(f, back); diff != "" {
		t.Errorf("read back (-made +read):\n%s", diff)
	}
}

func TestUnknownIsNull(t *testing.T) {
	s := query(1_010_000, dag.Running)
	s.ID, s.Plan.Name, s.Jobs[0].ID, s.Plan.Jobs[0].Name = "", "", "", ""
	s.Plan.Jobs[0].SetStage(dag.Map, dag.Stage{})
	s.Jobs[0].Submitted = dag.NoInstant
	b, err := json.Marshal(Of(s, Answers{Scenarios: []estimators.Estimate{{Scenario: "standard"}}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	job := f["jobs"].([]any)[0].(map[string]any)
	for name, v := range map[string]any{
		"elapsed_seconds": f["elapsed_seconds"], "progress_ratio": f["progress_ratio"], "waiting_on": f["waiting_on"],
		"workflow.id": f["workflow"].(map[string]any)["id"], "workflow.name": f["workflow"].(map[string]any)["name"],
		"headline.remaining_seconds": f["headline"].(map[string]any)["remaining_seconds"],
		"headline.end_at":            f["headline"].(map[string]any)["end_at"],
		"estimates.total_seconds":    f["estimates"].([]any)[0].(map[string]any)["total_seconds"],
		"jobs.id":                    job["id"], "jobs.name": job["name"], "jobs.slack_seconds": job["slack_seconds"],
		"jobs.maps.total":        job["maps"].(map[string]any)["total"],
		"jobs.submitted_seconds": job["submitted_seconds"], "jobs.end_seconds": job["end_seconds"],
		"jobs.stretches.end_seconds": job["stretches"].([]any)[0].(map[string]any)["end_seconds"],
	} {
		if v != nil {
			t.Errorf("%s = %v, want null", name, v)
		}
	}
}

func TestHeadlineIsAFloorWhereMuchIsAssumed(t *testing.T) {
	for _, c := range []struct {
		name    string
		assumed float64
		low     *time.Duration
		want    Headline
	}{
		{"a third is still a number", 1.0 / 3, nil, Headline{
			RemainingSeconds: seconds(90), LowSeconds: seconds(90),
			HighSeconds: seconds(90), EndAt: &Time{Instant: 1_100_000},
		}},
		{"half assumed", 0.5, nil, Headline{LowSeconds: seconds(45)}},
		{"the estimator gives the floor", 0.5, new(20 * time.Second), Headline{LowSeconds: seconds(20)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := estimateOf("standard", 90*time.Second)
			e.AssumedRatio, e.Low = c.assumed, c.low
			c.want.From = Text("standard")
			if c.low != nil && c.want.RemainingSeconds != nil {
				t.Fatal("bad case")
			}
			if diff := cmp.Diff(c.want, headline(1_010_000, []estimators.Estimate{e})); diff != "" {
				t.Errorf("headline (-want +got):\n%s", diff)
			}
		})
	}
}

// Too much is assumed for a point, but how far costs may be off is known: the range is shown without one. If something
// runs that gives no sign of its pace, what is left stays open upwards, and the floor is no higher than the range's low
// end.
func TestRangeWithoutAPoint(t *testing.T) {
	var d estimators.Distribution
	for i := range 101 {
		d = append(d, time.Duration(20+i)*time.Second)
	}
	point := Headline{RemainingSeconds: seconds(60), LowSeconds: seconds(60), HighSeconds: seconds(60)}
	for _, c := range []struct {
		name   string
		was    Headline
		origin schedule.Origin
		want   Headline
	}{
		{"a point", point, schedule.Observed, Headline{
			RemainingSeconds: seconds(60), LowSeconds: seconds(30),
			HighSeconds: seconds(110),
		}},
		{"assumed", Headline{LowSeconds: seconds(45)}, schedule.Assumed, Headline{
			LowSeconds:  seconds(30),
			HighSeconds: seconds(110),
		}},
		{"unknown", Headline{LowSeconds: seconds(45)}, schedule.Unknown, Headline{LowSeconds: seconds(25)}},
		{
			"unknown, with a lower floor",
			Headline{LowSeconds: seconds(5)},
			schedule.Unknown,
			Headline{LowSeconds: seconds(5)},
		},
		{"nothing", Headline{}, schedule.Assumed, Headline{}},
	} {
		f := Frame{Headline: c.was, Estimates: []Estimate{{RemainingSeconds: seconds(60)}, {}}}
		spread(&f, c.origin, estimators.Estimate{Distribution: d})
		f.Headline.Rough = false
		// 41 of the 101 values are 60 s or less.
		if by := f.Estimates[0].ByProbability; by == nil || *by != 0.405941 || f.Estimates[1].ByProbability != nil {
			t.Errorf("%s: ends by then with probability %v, %v", c.name, by, f.Estimates[1].ByProbability)
		}
		if diff := cmp.Diff(c.want, f.Headline); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestCountCountsTasks(t *testing.T) {
	phase := dag.Stage{Tasks: 5, Known: true}
	state := dag.StageState{Attempts: []dag.Attempt{
		{Task: 0, Number: 0, State: dag.AttemptFailed},
		{Task: 0, Number: 1, State: dag.AttemptRunning},
		{Task: 1, Number: 0, State: dag.AttemptRunning}, // speculation: both run
		{Task: 1, Number: 1, State: dag.AttemptRunning},
		{Task: 2, Number: 0, State: dag.AttemptSucceeded},
		{Task: 2, Number: 1, State: dag.AttemptKilled},
		{Task: 3, Number: 0, State: dag.AttemptWaiting},
	}}
	five := 5
	if diff := cmp.Diff(Tasks{Total: &five, Done: 1, Running: 2}, count(&phase, state.Attempts)); diff != "" {
		t.Errorf("count (-want +got):\n%s", diff)
	}
}

func TestWaitingOnASilentAttemptFirst(t *testing.T) {
	const name = "map 1 of j1 on node1, which stopped reporting at "
	for _, c := range []struct {
		what   string
		change func(*dag.Snapshot, *dag.Attempt)
		want   string
	}{
		{"it reports", func(s *dag.Snapshot, a *dag.Attempt) { a.Last.At = s.At - 29_000 }, ""},
		{"it never reported", func(_ *dag.Snapshot, a *dag.Attempt) {
			a.First.At, a.Last.At = dag.NoInstant,
				dag.NoInstant
		}, ""},
		{"it reported once", func(_ *dag.Snapshot, a *dag.Attempt) { a.Last.At = a.First.At }, ""},
		{"it has stopped", func(s *dag.Snapshot, a *dag.Attempt) { a.Last.At = s.At - 31_000 }, name + "00:17:39 UTC"},
		{
			"its node is lost", func(s *dag.Snapshot, _ *dag.Attempt) { s.Nodes[1].Lost = true },
			name + "00:18:10 UTC: its node is lost",
		},
		{"its node is lost and it counts as killed", func(s *dag.Snapshot, a *dag.Attempt) {
			s.Nodes[1].Lost, a.State = true, dag.AttemptKilled
		}, name + "00:18:10 UTC: its node is lost"},
		{"its node is lost and its task runs elsewhere", func(s *dag.Snapshot, a *dag.Attempt) {
			s.Nodes[1].Lost, a.State = true, dag.AttemptKilled
			s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
				dag.Attempt{Task: 1, Number: 1, State: dag.AttemptRunning})
		}, ""},
		{"its node is lost and it never reported", func(s *dag.Snapshot, a *dag.Attempt) {
			s.Nodes[1].Lost = true
			a.First.At, a.Last.At = dag.NoInstant, dag.NoInstant
		}, name + "00:16:42 UTC: its node is lost"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := query(1_090_000, dag.Running)
			a := &s.Jobs[0].Stages[dag.Map].Attempts[1]
			a.First.At, a.Last.At = 1_005_000, 1_090_000
			c.change(s, a)
			if got := waits(s); got != c.want {
				t.Errorf("waitingOn = %q, want %q", got, c.want)
			}
			warned := warnings(s, Answers{})
			if c.want == "" && len(warned) > 0 || c.want != "" &&
				(len(warned) != 1 || warned[0] != dag.Warning{Code: dag.WarnNotReporting, Text: c.want}) {
				t.Errorf("warnings %v, want one of %q", warned, c.want)
			}
		})
	}
}

func seconds(s float64) *Seconds { v := Seconds(s); return &v }

// query returns a snapshot of a query of one job of two maps, submitted at 1000 s, one map done and one running.
func query(at dag.Instant, state dag.State) *dag.Snapshot {
	plan := &dag.Plan{Name: "query", Jobs: []dag.Job{{
		Node: "j1", Name: "first", Stages: dag.MapReduce(dag.Stage{Tasks: 2, Known: true}, dag.Stage{Known: true}),
	}}}
	job := plan.BlockedJobs()[0]
	job.ID, job.State, job.Submitted, job.Started = "job_1_0001", state, 1_000_000, 1_001_000
	attempts := []dag.Attempt{
		{Task: 0, State: dag.AttemptSucceeded, Start: 1_002_000, End: 1_003_000, Node: 0},
		{Task: 1, State: dag.AttemptRunning, Start: 1_002_000, End: dag.NoInstant, Node: 1},
	}
	if state.Ended() {
		job.Finished, attempts[1].State, attempts[1].End = at, dag.AttemptSucceeded, at
	}
	job.Stages[dag.Map].Attempts = attempts
	return &dag.Snapshot{
		Plan: plan, At: at, ID: "wf-1", State: state, Stale: dag.NoInstant, Jobs: []dag.JobState{job},
		Nodes: []dag.NodeState{{Name: "node0"}, {Name: "node1"}},
	}
}
