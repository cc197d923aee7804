package runreport

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// simulated returns a run up to a time, 0 for all of it, and its marks.
func simulated(t testing.TB, plan *dag.Plan, opt simulate.Options, until time.Duration) (dag.Run, *pathfrag.Marks) {
	t.Helper()
	src, err := simulate.New(plan, opt)
	if err != nil {
		t.Fatal(err)
	}
	var run dag.Run
	var marks pathfrag.Marks
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return run, &marks
		}
		if err != nil {
			t.Fatal(err)
		}
		run = run.Append(s)
		if marks.See(s); until > 0 && s.At >= opt.Start.Add(until) {
			return run, &marks
		}
	}
}

func chartFor(t testing.TB, run dag.Run) chart.Gantt {
	t.Helper()
	c, _, err := ChartOf(run, cost.Costs)
	if err != nil {
		t.Fatal(err)
	}
	at := c.FromSeconds
	for _, s := range c.Critical {
		if s.StartSeconds != at || s.Fragment < 0 || s.Fragment >= len(c.Fragments) {
			t.Errorf("segment %+v where the last ended at %v", s, at)
		} else if f := &c.Fragments[s.Fragment]; !f.Critical || s.StartSeconds < f.StartSeconds ||
			s.StartSeconds > f.EndSeconds {
			t.Errorf("segment %+v of fragment %+v", s, *f)
		}
		at = s.EndSeconds
	}
	if at != c.ToSeconds {
		t.Errorf("the critical path ends at %v of %v", at, c.ToSeconds)
	}
	return c
}

func tasksOf(c *chart.Gantt, outcomes ...chart.Outcome) int {
	n := 0
	for _, p := range c.Panels {
		for _, b := range p.Bars {
			for _, o := range outcomes {
				if b.Outcome == o {
					n += b.Tasks
				}
			}
		}
	}
	return n
}

// paper is the run of the paper's Fig. 4 with 4.2 GB: 4 + 17 maps on 16 slots.
func paper(t testing.TB) *dag.Plan {
	t.Helper()
	return golden.Named(t, "g04_join_4.2GB").Plan
}

// TestChartOfPaper is the paper's Fig. 4 once it has happened: "{m201-212, m217}, r2, m3, r3" is the critical path of
// 28.0 minutes (facts/paratimer.md A2).
func TestChartOfPaper(t *testing.T) {
	run, marks := simulated(t, paper(t), simulate.Options{}, 0)
	c := chartFor(t, run)
	if c.FromSeconds != 0 || c.ToSeconds != 1679.813 || c.NowSeconds != nil || c.Merged {
		t.Errorf("from %v to %v, now %v", c.FromSeconds, c.ToSeconds, c.NowSeconds)
	}
	if len(c.Panels) != 2 || c.Panels[0].Title != "map slots" || len(c.Panels[0].Rows) != 16 ||
		c.Panels[1].Title != "reduce slots" || len(c.Panels[1].Rows) != 16 {
		t.Fatalf("panels %+v", c.Panels)
	}
	if n := tasksOf(&c, chart.OK); n != 4+17+32+16+16+16 {
		t.Errorf("%d tasks", n)
	}
	var titles []string
	for _, s := range c.Critical {
		titles = append(titles, s.Title)
	}
	if got := strings.Join(titles, ", "); got != "j2 maps, j2 reduces, j3 maps, j3 reduces" {
		t.Errorf("the path goes over %s", got)
	}
	first := c.Panels[0].Bars[0]
	if first.Row != 0 || first.Rows != 4 || first.Tasks != 4 || first.Name != "4 maps" || first.Job != 0 ||
		first.Critical || *first.Round != 0 {
		t.Errorf("the first bar is %+v", first)
	}
	if want := "Critical path: j2 maps, then j2 reduces, then j3 maps, then j3 reduces."; c.Summary != want {
		t.Errorf("the summary is %q", c.Summary)
	}
	a, err := attributionOf(run.Now(), marks, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Of 1679.8 s set-up is 6 times 2 s, shuffle 34 + 21 s, sort 17 + 10.5 s.
	sums := map[string]frame.Seconds{}
	for _, c := range a.Causes {
		sums[c.Cause] = c.Seconds
	}
	if sums["setup"] != 12 || sums["shuffle"] != 55 || sums["sort"] != 27.5 {
		t.Errorf("the causes are %v", sums)
	}
}

// TestChartOfRunning is the same run after ten minutes: what has happened, what runs, and what is to come.
func TestChartOfRunning(t *testing.T) {
	fail := []simulate.Failure{{Job: "j2", Stage: dag.Map, Task: 3, After: 60 * time.Second}}
	run, _ := simulated(t, paper(t), simulate.Options{Fail: fail}, 10*time.Minute)
	c := chartFor(t, run)
	if c.NowSeconds == nil || *c.NowSeconds != 600 || c.ToSeconds <= 1200 {
		t.Errorf("to %v, now %v", c.ToSeconds, c.NowSeconds)
	}
	failed, expected, running := tasksOf(&c, chart.Failed), tasksOf(&c, chart.Expected), tasksOf(&c, chart.Running)
	if failed != 1 || running != 16 || tasksOf(&c, chart.OK)+running+expected != 4+17+32+16+16+16 {
		t.Errorf("%d failed, %d run, %d to come, %d done", failed, running, expected, tasksOf(&c, chart.OK))
	}
	for _, p := range c.Panels {
		for _, b := range p.Bars {
			if b.Outcome == chart.Running && (b.StartSeconds > 600 || b.EndSeconds <= 600) ||
				b.Outcome == chart.Expected && b.StartSeconds < 600 {
				t.Errorf("bar %+v", b)
			}
		}
	}
}

// TestChartBeforeSubmission is of a query that has not begun, and of one that nothing is known of.
func TestChartBeforeSubmission(t *testing.T) {
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}
	s := &dag.Snapshot{
		Plan: plan, At: 5, State: dag.Running, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			Submitted: dag.NoInstant, Started: dag.NoInstant, Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	c := chartFor(t, dag.Run{}.Append(s))
	if len(c.Panels) != 0 || c.FromSeconds != c.ToSeconds {
		t.Errorf("%+v", c)
	}
	a, err := attributionOf(s, nil, nil)
	if err != nil || len(a.Parts) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// wide is a job of very many tasks of unlike length.
func wide(maps int) *dag.Plan {
	tuples := make([]float64, maps)
	for i := range tuples {
		tuples[i] = float64(1000 + (i*7919)%997)
	}
	return &dag.Plan{Name: "wide", Cluster: dag.Cluster{MapSlots: maps / 100, ReduceSlots: 10}, Jobs: []dag.Job{{
		Node: "a", Stages: dag.MapReduce(dag.Stage{
			Known: true, Tasks: maps,
			Pipelines: []dag.Pipeline{{Tuples: dag.Each(tuples), Alpha: dag.Uniform(10)}},
		}, dag.Stage{Known: true}),
	}}}
}

// TestManyTasks checks that a chart and an attribution have a bounded size and cover all tasks.
func TestManyTasks(t *testing.T) {
	run, marks := simulated(t, wide(30_000), simulate.Options{Every: time.Hour}, 0)
	run = dag.Run{}.Append(run.Now()) // without ticks the rounds have sharp limits
	c := chartFor(t, run)
	sch, err := schedule.History(run.Now())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := pathfrag.Find(run.Now().Plan, sch, estimators.Tolerances(sch, run.Now().Plan, run)); err != nil ||
		len(p.Fragments) <= MostFragments {
		t.Errorf("there are only %d fragments, %v", len(p.Fragments), err)
	}
	if n := len(c.Panels[0].Bars); !c.Merged || n > MostBars || tasksOf(&c, chart.OK) != 30_000 ||
		len(c.Fragments) > MostFragments+MostSegments || len(c.Critical) > MostSegments {
		t.Errorf("%d bars of %d tasks, %d fragments, %d segments", n, tasksOf(&c, chart.OK), len(c.Fragments),
			len(c.Critical))
	}
	a, err := attributionOf(run.Now(), marks, nil)
	if err != nil || len(a.Parts) == 0 || len(a.Parts) > 3000 {
		t.Errorf("%d parts, %v", len(a.Parts), err)
	}
}

// TestManyRows checks that a slot of any number has a row, and that there are not as many rows.
func TestManyRows(t *testing.T) {
	plan := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 1},
		Jobs:    []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 2}, dag.Stage{Known: true})}},
	}
	attempt := func(task, slot int32) dag.Attempt {
		return dag.Attempt{
			Task: task, Slot: slot, State: dag.AttemptSucceeded, Start: 0, End: 10,
			CopyEnd: dag.NoInstant,
		}
	}
	s := &dag.Snapshot{Plan: plan, At: 10, State: dag.Succeeded, Stale: dag.NoInstant, Jobs: []dag.JobState{{
		State: dag.Succeeded, Finished: 10,
		Stages: []dag.StageState{{Attempts: []dag.Attempt{attempt(0, 0), attempt(1, 1<<31-2)}}, {}},
	}}}
	c := chartFor(t, dag.Run{}.Append(s))
	if p := &c.Panels[0]; !c.Merged || len(p.Rows) > MostRows || len(p.Bars) != 2 || p.Bars[1].Row != len(p.Rows)-1 ||
		!strings.HasSuffix(p.Rows[len(p.Rows)-1], " – 2147483646") {
		t.Errorf("%d rows, bars %+v", len(p.Rows), p.Bars)
	}
}
