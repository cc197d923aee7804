package runreport

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// reduced is a job whose reduces worked so many seconds each on so many bytes, its last map having ended at 10 s.
func reducedJob(work, bytes []float64) *dag.Snapshot {
	s := &dag.Snapshot{
		Plan: &dag.Plan{Jobs: []dag.Job{{Node: "j", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}, At: at(500),
		State: dag.Succeeded,
		Jobs: []dag.JobState{{
			Submitted: at(0), Finished: at(400), State: dag.Succeeded,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	j := &s.Jobs[0]
	j.Stages[dag.Map].Attempts = []dag.Attempt{{
		State: dag.AttemptSucceeded, Start: at(1), End: at(10), Bytes: 1,
		Done: [3]float64{5, 0, 0}, Out: 7,
	}}
	for i := range work {
		j.Stages[dag.Reduce].Attempts = append(j.Stages[dag.Reduce].Attempts, dag.Attempt{
			Task: int32(i), State: dag.AttemptSucceeded, Start: at(4), End: at(10 + work[i]), Bytes: bytes[i],
			Done: [3]float64{0, 0, 3}, Out: 2,
		})
	}
	return s
}

// TestSkewSummary holds whom the rule of estimators.Skew calls uneven, at its edges.
func TestSkewSummary(t *testing.T) {
	for _, c := range []struct {
		work, bytes []float64
		uneven      bool
		want        string
	}{
		{nil, nil, false, "No stage that reads others has two finished tasks to compare."},
		{[]float64{9}, []float64{9}, false, "No stage that reads others has two finished tasks to compare."},
		{
			[]float64{10, 30, 11, 12},
			[]float64{100, 300, 100, 100},
			true,
			"Reduce 1 of j worked 30s (median 11s) on 50% of the input of all 4.",
		},
		{
			[]float64{10, 30, 11, 12},
			[]float64{100, 109, 100, 100},
			false,
			"Reduce 1 of j worked 30s (median 11s) on 27% of the input of all 4: slow, but its input does not explain it.",
		},
		{ // a slow one alone is not skew, though it was given a little more
			[]float64{2.3, 2.2, 15.2, 2.3},
			[]float64{100, 100, 130, 100},
			false,
			"Reduce 2 of j worked 15.2s (median 2.3s) on 30% of the input of all 4: slow, but its input does not explain it.",
		},
		{ // nor does one that is slow hide another one that is skewed
			[]float64{10, 60, 11, 12, 31},
			[]float64{100, 100, 100, 100, 300},
			true,
			"Reduce 4 of j worked 31s (median 12s) on 43% of the input of all 5.",
		},
		{
			[]float64{1, 5.9, 1, 1},
			[]float64{100, 300, 100, 100},
			false,
			"Reduce 1 of j worked 5.9s (median 1s) on 50% of the input of all 4: no skew.",
		},
		{
			[]float64{40, 50, 40, 40},
			[]float64{100, 300, 100, 100},
			false,
			"Reduce 1 of j worked 50s (median 40s) on 50% of the input of all 4: no skew.",
		},
	} {
		got := skewOf(reducedJob(c.work, c.bytes))
		if got.Summary != c.want || len(got.Jobs) > 0 && got.Jobs[0].Uneven != c.uneven {
			t.Errorf("%v: %s\nwant %s", c.work, got.Summary, c.want)
		}
	}
}

// TestSkewOfStages holds that tasks of a vertex are compared by their records: bytes hide a key that has many.
func TestSkewOfStages(t *testing.T) {
	s := reducedJob([]float64{10, 30, 11, 12}, []float64{100, 100, 100, 100})
	s.Plan.Whole = dag.Whole{Name: "DAG", Part: "vertex", Parts: "vertices"}
	s.Plan.Jobs[0].Stages[dag.Map].Name, s.Plan.Jobs[0].Stages[dag.Reduce].Name = "Map 1", "Reducer 2"
	done := s.Jobs[0].Stages[dag.Reduce].Attempts
	for i := range done {
		done[i].Done = [3]float64{math.NaN(), math.NaN(), 100}
	}
	done[1].Done[dag.Work] = 300
	want := "Task 1 of Reducer 2 worked 30s (median 11s) on 50% of the input of all 4."
	if got := skewOf(s); got.Summary != want || got.Jobs[0].Stage != "Reducer 2" || got.Jobs[0].Reduces[0].Bytes != nil {
		t.Errorf("%+v\nwant %s", got, want)
	}
	s.Jobs[0].Stages[dag.Reduce].Attempts = done[:1]
	if got := skewOf(s).Summary; got != "No stage that reads others has two finished tasks to compare." {
		t.Error(got)
	}
}

// TestSkewIsBounded: of many reduces the longest are listed, and all are counted.
func TestSkewIsBounded(t *testing.T) {
	work, bytes := make([]float64, 1000), make([]float64, 1000)
	for i := range work {
		work[i], bytes[i] = float64(i%100), 1
	}
	j := skewOf(reducedJob(work, bytes)).Jobs[0]
	if len(j.Reduces) != MostSkewReduces || j.All != 1000 || j.Reduces[0].WorkSeconds != 99 || j.Median != 49 {
		t.Errorf("%d reduces of %d, the longest %v, the median %v", len(j.Reduces), j.All, j.Reduces[0].WorkSeconds,
			j.Median)
	}
}

// TestJobs holds a row of the table of jobs, and that amounts which one attempt does not tell are unknown.
func TestJobs(t *testing.T) {
	s := reducedJob([]float64{10, 20, 30}, []float64{100, 200, 300})
	f := &frame.Frame{Jobs: []frame.Job{{Node: "j"}}}
	node := "j"
	a := &TimeAttribution{Parts: make([]Part, 2), byNode: map[string]time.Duration{node: 36 * time.Second}}
	j := jobsOf(s, f, a)[0]
	if *j.WaitSeconds != 1 || *j.LengthSeconds != 400 || *j.OnPathSeconds != 36 || *j.InputBytes != 1 ||
		*j.InputRecords != 5 ||
		*j.ShuffleBytes != 600 || *j.OutputRecords != 6 || *j.MapSeconds != (Spread{1, 9, 9, 9, 9}) ||
		*j.ReduceSeconds != (Spread{3, 16, 26, 26, 36}) {
		t.Errorf("%+v", j)
	}
	s.Jobs[0].Stages[dag.Reduce].Attempts[1].State = dag.AttemptFailed
	s.Jobs[0].Stages[dag.Reduce].Attempts[2].Bytes = value(nil)
	j = jobsOf(s, f, &TimeAttribution{})[0]
	if j.ShuffleBytes != nil || j.OnPathSeconds != nil || j.FailedAttempts != 1 || *j.OutputRecords != 4 {
		t.Errorf("%+v", j)
	}
}

// TestDiagnosis holds what is named first: failures, then skew, then the largest cause.
func TestDiagnosis(t *testing.T) {
	waited := TimeAttribution{Causes: []Cause{
		{Cause: "work", Title: "work", Seconds: 80, Ratio: frame.RatioOf(.8)},
		{Cause: "queueing", Title: "queueing", Seconds: 20, Ratio: frame.RatioOf(.2)},
	}}
	skewed := Skew{Summary: "Task 5 of s worked long.", Jobs: []SkewJob{{Uneven: true}}}
	lost := PredictionHistory{Marks: []Mark{{9, MarkNode, "node n was lost"}, {9, MarkFailure, "job a failed"}}}
	for _, c := range []struct {
		report Report
		want   string
	}{
		{Report{}, "No feasible change would take 2% or more off."},
		{Report{TimeAttribution: waited}, "20s of the critical path, 20%, was queueing."},
		{Report{TimeAttribution: waited, Skew: skewed}, "Task 5 of s worked long."},
		{Report{Skew: skewed, PredictionHistory: lost}, "Lost 1 node."},
		{Report{PredictionHistory: lost, Jobs: []Job{{FailedAttempts: 2}}}, "2 attempts failed, lost 1 node."},
	} {
		r := c.report
		r.Limits.Summary = "No feasible change would take 2% or more off."
		if r.glance(&dag.Snapshot{}); r.Summary[0] != c.want || r.Summary[len(r.Summary)-1] != r.Limits.Summary {
			t.Errorf("%q\nwant %s", r.Summary, c.want)
		}
	}
}

// TestSize counts jobs and tasks, as far as they are known.
func TestSize(t *testing.T) {
	two := 2
	r := Report{Jobs: []Job{{Job: frame.Job{Maps: frame.Tasks{Total: &two}, Reduces: frame.Tasks{Total: &two}}}}}
	if got := r.size(); got != "1 job, 4 tasks" {
		t.Error(got)
	}
	if r.Jobs = []Job{{}, {}}; r.size() != "2 jobs, 0 tasks that are known" {
		t.Error(r.size())
	}
}

// TestGlance holds what a reader is told first: the failure of a job with its cause, the deadline before the first
// prediction.
func TestGlance(t *testing.T) {
	t.Parallel()
	s := reducedJob([]float64{10, 20, 30}, []float64{100, 200, 300})
	s.Jobs[0].State = dag.Failed
	s.Jobs[0].Stages[dag.Reduce].Attempts[1].State = dag.AttemptFailed
	s.Jobs[0].Stages[dag.Reduce].Attempts[1].Diagnosis = "Boom"
	r := Report{
		Workflow: frame.Workflow{State: dag.Failed}, ElapsedSeconds: sec(100), EndAt: &frame.Time{Instant: at(100)},
		PredictionHistory: PredictionHistory{
			TotalSeconds: sec(100),
			Points:       []Point{{AtSeconds: 5, TotalSeconds: sec(80)}},
		},
	}
	r.glance(s)
	if f := r.Glance.Failure; f == nil || f.Reason != "Boom" ||
		!strings.Contains(f.Title, "reduce 1 of j failed") {
		t.Errorf("failure %+v", f)
	}
	if a := r.Glance.Against; a == nil || a.Bound != nil || *a.ExpectedSeconds != 80 || a.LaterSeconds != nil {
		t.Errorf("against %+v", a)
	}
	r.PredictionHistory.Points[0].AtSeconds = 100
	if r.glance(s); r.Glance.Against != nil {
		t.Errorf("of what nobody saw: %+v", r.Glance)
	}
	r.Alerts = []frame.Alert{
		{Bound: "nobody's", Quiet: true, DeadlineAt: &frame.Time{Instant: at(1)}},
		{Bound: "met", DeadlineAt: &frame.Time{Instant: at(120)}},
		{Bound: "missed", DeadlineAt: &frame.Time{Instant: at(90)}},
	}
	r.glance(s)
	if a := r.Glance.Against; *a.Bound != "missed" || *a.LaterSeconds != 10 {
		t.Errorf("against %+v", a)
	}
}
