package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// hostile has names that a cluster may use.
const hostile = "</script><script>alert(1)</script>\x1b[31m\u202e"

// run is one of a script of one job. Its maps take the given time for 100 records each.
func run(from string, start dag.Instant, state dag.State, ms float64) *Run {
	plan := &dag.Plan{
		Name: hostile,
		Jobs: []dag.Job{{Node: hostile, Alias: hostile, Stages: dag.MapReduce(dag.Stage{Tasks: 8, Known: true},
			dag.Stage{})}},
	}
	maps := Phase{Stage: Stage{Name: "map", Tasks: new(8), FailedAttempts: 1}}
	for i := range 8 {
		took := ms + float64(i)
		maps.Took = append(maps.Took, Took{
			Task: i, Length: took + 1000, Work: took, Records: 100,
			Bytes: math.NaN(),
		})
	}
	length := ms + 2007.3
	return &Run{
		From: from, Plan: plan, State: state, Start: start, Length: length,
		Jobs: []Job{{
			WaitSeconds: unknown, LengthSeconds: seconds(length),
			Phases: []Phase{maps, {Stage: Stage{Name: "reduce", Tasks: new(0)}}},
		}},
		Path: []Part{
			{Job: -1, Task: -1, Effect: Waiting, Length: 999.6},
			{Job: 0, Task: -1, Effect: Startup, Length: 1000.7},
			{Job: 0, Task: 7, Effect: Work, Length: ms + 7},
		},
	}
}

// TestNothingFromTheClusterIsCode checks that names neither end a script nor move a cursor.
func TestNothingFromTheClusterIsCode(t *testing.T) {
	d := compared(t, run(hostile, 0, dag.Succeeded, 10_000), run("b", 1, dag.Succeeded, 16_000))
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return d.Document().Text(b) },
		"html": func(b *bytes.Buffer) error { return d.Document().HTML(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "alert(1)") || strings.ContainsAny(b.String(), "\x1b\u202e") {
			t.Errorf("%s: names are missing, or not escaped:\n%s", name, &b)
		}
		if name == "html" && strings.Contains(b.String(), "<script>alert") {
			t.Errorf("a name is code:\n%s", &b)
		}
	}
}

// TestFiguresAddUp checks that effects add up as they are shown, and that unknown is null.
func TestFiguresAddUp(t *testing.T) {
	d := compared(t, run("a", 0, dag.Succeeded, 10_000.4), run("b", 1, dag.Failed, 1),
		run("c", 2, dag.Succeeded, 16_000.3))
	sum := 0.0
	for _, e := range d.Difference.Effects {
		sum += math.Round(float64(e.Seconds) * 1000)
	}
	if want := math.Round(float64(d.Difference.Seconds) * 1000); sum != want || want != 6000 {
		t.Errorf("effects add up to %.0f ms of %.0f", sum, want)
	}
	if len(d.Findings) != 1 || !d.Findings[0].Slower || *d.BaseRun != 1 || *d.Runs[1].Excluded != "it failed" {
		t.Errorf("%+v", d)
	}
	var b bytes.Buffer
	if err := view.JSON(&b, d, "  "); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"wait_seconds": null`, `"input_bytes": null`, `"chance_ratio": null`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, &b)
		}
	}
}

// TestAFailedRunIsNotMeasured checks that how long a run would have taken is not made up.
func TestAFailedRunIsNotMeasured(t *testing.T) {
	d := compared(t, run("a", 0, dag.Succeeded, 10_000), run("b", 1, dag.Failed, 5000))
	if d.Difference.Seconds.Known() || len(d.Difference.Effects) > 0 ||
		!strings.Contains(d.Difference.Says, "This run has failed") {
		t.Errorf("%+v", d.Difference)
	}
}
