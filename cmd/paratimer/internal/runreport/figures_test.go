package runreport

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// reduced is a job with the given seconds and bytes of its reduces. Its last map ended at 10 s.
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

// TestSkew checks that the report of a run that succeeded names the reduce that delayed its end, as `report --skew`.
func TestSkew(t *testing.T) {
	t.Parallel()
	plan, err := planfile.ReadFile("../../../../examples/skewed.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, _ := simulated(t, plan, simulate.Options{Every: 5 * time.Second}, 0)
	past, ok := whatif.Again(run)
	got, err := SkewOf(run, past, cost.Costs)
	if err != nil || !ok || len(got) == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if worst := got[0].Worst[0]; got[0].Skewed == 0 || worst.WorkSeconds <= got[0].MedianSeconds ||
		worst.DelaySeconds == nil || *worst.DelaySeconds < 1 || worst.ShareRatio == nil {
		t.Errorf("%+v", got[0])
	}
	r := Report{Skew: got}
	if r.glance(run.Now()); !strings.Contains(r.Glance.Diagnosis, "held the end back by") {
		t.Error(r.Glance.Diagnosis)
	}
}

// TestJobs checks a row of the table of jobs, and that amounts are unknown if one attempt does not report them.
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

// TestDiagnosis checks the order of the diagnosis: failures, then skew, then the largest cause.
func TestDiagnosis(t *testing.T) {
	waited := TimeAttribution{Causes: []Cause{
		{Cause: "work", Title: "work", Seconds: 80, Ratio: frame.RatioOf(.8)},
		{Cause: "queueing", Title: "queueing", Seconds: 20, Ratio: frame.RatioOf(.2)},
	}}
	skewed := []frame.Skew{{
		Job: "j", Stage: "s", Whole: true, Reduces: 9, Skewed: 1, DelaySeconds: 20,
		Worst: []frame.SkewedTask{{Task: 5, Done: true, WorkSeconds: 40, DelaySeconds: sec(20)}},
	}}
	lost := PredictionHistory{Marks: []Mark{{9, MarkNode, "node n was lost"}, {9, MarkFailure, "job a failed"}}}
	for _, c := range []struct {
		report Report
		want   string
	}{
		{Report{}, "No feasible change would take 2% or more off."},
		{Report{TimeAttribution: waited}, "20s of the critical path, 20%, was queueing."},
		{Report{TimeAttribution: waited, Skew: skewed}, "Task 5 of s held the end back by 20s."},
		{Report{Skew: skewed, PredictionHistory: lost}, "1 lost node."},
		{Report{PredictionHistory: lost, Jobs: []Job{{FailedAttempts: 2}}}, "2 failed attempts, 1 lost node."},
	} {
		r := c.report
		r.Limits.Summary = "No feasible change would take 2% or more off."
		if r.glance(&dag.Snapshot{}); r.Summary[0] != c.want || r.Summary[len(r.Summary)-1] != r.Limits.Summary {
			t.Errorf("%q\nwant %s", r.Summary, c.want)
		}
	}
	r := Report{TimeAttribution: waited}
	if r.glance(&dag.Snapshot{Jobs: []dag.JobState{{Attempt: 3}}}); r.Summary[0] != "2 restarted masters." {
		t.Error(r.Summary)
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

// TestGlance checks the first lines of a report: the failure of a job with its cause, the deadline before the first
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
		t.Errorf("of an unobserved run: %+v", r.Glance)
	}
	r.Alerts = []frame.Alert{
		{Bound: "met", DeadlineAt: &frame.Time{Instant: at(120)}},
		{Bound: "missed", DeadlineAt: &frame.Time{Instant: at(90)}},
	}
	r.glance(s)
	if a := r.Glance.Against; *a.Bound != "missed" || *a.LaterSeconds != 10 {
		t.Errorf("against %+v", a)
	}
}
