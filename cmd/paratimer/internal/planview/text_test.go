package planview

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

func textOf(t *testing.T, v *View) string {
	t.Helper()
	var b bytes.Buffer
	if err := v.Document().Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextExamples(t *testing.T) {
	for _, name := range []string{"paper-4.2GB", "fig3a", "skew"} {
		compare(t, name+".txt", []byte(textOf(t, example(t, name))))
	}
}

// Under YARN the path leads through pauses. Its length is the business of the cost model; the run that the example was
// made of took 112 s.
func TestTextOfPig(t *testing.T) {
	v := example(t, "pig-join")
	out := textOf(t, v)
	for _, want := range []string{
		"launch of scope-40", "pause between waves", "launch of scope-50",
		"scope-50 reduces, 6 at once", "end of scope-50", "on 3072 MB of containers",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "pause between waves"); n != 2 {
		t.Errorf("the pause is named %d times, once is in the path and once in the chart", n)
	}
	if total := v.Path.Length(); total < 80*time.Second || total > 150*time.Second {
		t.Errorf("it takes %v", total)
	}
	if strings.Contains(out, "warning") {
		t.Errorf("costs that the plan gives are doubted:\n%s", out)
	}
}

func TestTextIsBoundedAndSafe(t *testing.T) {
	p := uneven(5000, 40)
	p.Name, p.Jobs[0].Node, p.Jobs[1].Node = "x\x1b[31m\u202e", "a\x1b[2J\n"+strings.Repeat("long", 100), "b"
	out := textOf(t, of(t, p))
	lines := strings.Split(out, "\n")
	if len(lines) > 100 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if n := len([]rune(l)); n > 160 {
			t.Errorf("a line of %d letters: %s", n, l)
		}
		for _, r := range l {
			if unicode.IsControl(r) || r == '\u202e' {
				t.Fatalf("%q in %q", r, l)
			}
		}
	}
	if !strings.Contains(out, "\n  and ") {
		t.Error("fragments are left out in silence")
	}
}

func TestTextOfNothing(t *testing.T) {
	out := textOf(t, of(t, uniform(0, 1)))
	if !strings.HasPrefix(out, "uniform: 1 job, 0 maps, 0 reduces on 1 map slot and 0 reduce slots\n") ||
		strings.Contains(out, "Critical path,") {
		t.Errorf("got\n%s", out)
	}
}

// A job that waits for its first container is launched; one that has run tasks waits for the next.
func TestTitles(t *testing.T) {
	v := &View{Plan: uniform(1, 1), Path: &pathfrag.Path{Schedule: &schedule.Schedule{Spans: []schedule.Span{
		{Stage: dag.NoStage, Pause: dag.Launch, Start: 0, End: 5},
		{Stage: dag.Map, Count: 1, Start: 5, End: 7},
		{Stage: dag.NoStage, Pause: dag.Launch, Start: 7, End: 8},
		{Stage: dag.NoStage, Pause: dag.Finish, Start: 8, End: 9},
		{Stage: dag.Map, Count: 1, Start: 8, End: 9, Outcome: schedule.Fails},
	}}}}
	for i, s := range v.Path.Schedule.Spans {
		v.Path.Rounds = append(v.Path.Rounds, pathfrag.Round{ID: i, Stage: s.Stage, Pause: s.Pause, Spans: []int{i}})
		v.Path.Fragments = append(v.Path.Fragments, pathfrag.Fragment{
			ID: i, Stage: s.Stage, Pause: s.Pause,
			Start: s.Start, End: s.End, Rounds: []int{i},
		})
	}
	v.Path.Fragments[1].Width = 1
	for i, want := range []string{"launch of j", "j maps", "wait for j", "end of j", "failed attempt of j"} {
		if got := v.Title(i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	v.Plan.Whole = dag.Whole{Name: "DAG", Part: "vertex", Parts: "vertices"}
	if got := v.Title(0); got != "launch of the DAG" {
		t.Errorf("of a DAG: %q", got)
	}
}

// A total that rests on assumptions is a floor, and one that rests on nothing is none.
func TestTotal(t *testing.T) {
	minute, tenth := time.Minute, 100*time.Millisecond
	for _, c := range []struct {
		remaining, low *time.Duration
		assumed        float64
		want           string
	}{
		{&minute, nil, 0, "1m"},
		{&minute, &tenth, 0.3, "1m"},
		{&minute, nil, 0.5, "at least 30s"},
		{&minute, &minute, 0.9, "at least 1m"},
		{&minute, nil, 1, "?"},
		{nil, &minute, 0, "at least 1m"},
		{nil, &tenth, 0, "?"},
		{nil, nil, 0, "?"},
	} {
		if got := total(&estimators.Estimate{Remaining: c.remaining, Low: c.low, AssumedRatio: c.assumed}); got !=
			c.want {
			t.Errorf("%v, %v, %v: %s, want %s", c.remaining, c.low, c.assumed, got, c.want)
		}
	}
}

// A chart of the past counts back from now.
func TestTextFromASnapshot(t *testing.T) {
	c := golden.Named(t, "g04_join_4.2GB")
	in := c.Instants[len(c.Instants)/2]
	v := viewOf(t, c, in.Snapshot, noOptions)
	if out := textOf(t, v); !strings.Contains(out, "-14m") ||
		!strings.Contains(out, "Critical path, "+units.Exact(v.Path.Length())) {
		t.Errorf("got\n%s", out)
	}
	if v.Path.Length() != v.Path.Schedule.Remaining() || v.Path.Schedule.Now == dag.Instant(0) {
		t.Error("this is no snapshot of a run")
	}
}
