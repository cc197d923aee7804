package planview

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// curved is a view of a curve of so many containers each, and seconds.
func curved(points ...[2]int) *WhatIf {
	c := &whatif.Curve{Knee: -1}
	for _, p := range points {
		c.Points = append(c.Points, whatif.Point{
			Room:      whatif.Room{Policy: dag.YARN, Containers: p[0]},
			Remaining: time.Duration(p[1]) * time.Second,
		})
	}
	return &WhatIf{Slots: slotsOf(whatif.Room{Policy: dag.YARN}), Curve: curveOf(c)}
}

// TestSteps holds that more slots which take longer are explained, in text and drawing, and that a curve without such a
// step says nothing.
func TestSteps(t *testing.T) {
	t.Parallel()
	up := curved([2]int{3, 600}, [2]int{4, 434}, [2]int{5, 516}, [2]int{6, 300}, [2]int{7, 310})
	const want = "5 containers take 1m22s longer than 4: tasks fall into other waves, so that a long one can start last; " +
		"smaller steps upwards: 1"
	if got := up.steps(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := curved([2]int{3, 600}, [2]int{4, 400}, [2]int{5, 401}).steps(); got != "" {
		t.Errorf("a curve that falls is explained: %s", got)
	}
	var text, drawn bytes.Buffer
	if err := up.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := up.SVG(&drawn); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), want) ||
		!strings.Contains(drawn.String(), "5 containers take 1m22s longer than 4") {
		t.Errorf("%s\n%s", text.String(), drawn.String())
	}
	if !strings.Contains(drawn.String(), "prefers-color-scheme: dark") {
		t.Error("the drawing has no dark variant")
	}
}

// TestNothingLeft holds the answer while the output of a job whose tasks are all done is committed: two points of 0 s
// are no step upwards, and no bar, knee or step is shown.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	v := curved([2]int{3, 0}, [2]int{4, 0}, [2]int{5, 0})
	var text, drawn bytes.Buffer
	if err := v.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := v.SVG(&drawn); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.HasSuffix(got, "\nnothing is left to do but the end of the job\n") {
		t.Errorf("%q", got)
	}
	if !strings.Contains(drawn.String(), "Nothing is left to do but the end of the job") ||
		strings.Contains(drawn.String(), "NaN") {
		t.Error(drawn.String())
	}
	if got := curved([2]int{3, 0}, [2]int{4, 0}, [2]int{5, 7}).steps(); !strings.HasPrefix(got, "5 containers take 7s longer than 4") {
		t.Errorf("after points of 0 s: %s", got)
	}
}

// TestAsk holds the parts of an answer: each change alone and all together, or that they exclude each other, the
// limits, a slot more, and the curve. A change that fails is named; one that does not apply has no time.
func TestAsk(t *testing.T) {
	t.Parallel()
	run := dag.Run{}.Append(Before(uniform(4, 2), nil))
	replay := whatif.NewReplay(run, cost.Costs)
	v, err := Ask(run.Now(), replay, []whatif.Change{{Scale: 2}, {Even: true}})
	if err != nil {
		t.Fatal(err)
	}
	base, twice := *v.Base.RemainingSeconds, &v.Changes[0]
	if !(base > 0) || len(v.Changes) != 2 || *twice.RemainingSeconds != 2*base || *twice.SavedSeconds != -base ||
		twice.SavedRatio != -1 || v.Together == nil || v.Together.Name != "scale 2, skew none" {
		t.Errorf("%+v", v)
	}
	if len(v.Limits) != 4 || len(v.Marginal) != 3 || v.Curve == nil || v.TookSeconds != nil || v.MissRatio.Known() {
		t.Errorf("%+v", v)
	}
	run = dag.Run{}.Append(Before(uniform(4, 1), nil))
	replay = whatif.NewReplay(run, cost.Costs)
	v, err = Ask(run.Now(), replay, []whatif.Change{
		{Scale: 2}, {Scale: 3}, {Failures: []whatif.Failure{{What: whatif.FailNode}}},
	})
	if err != nil || v.Together != nil || v.Warnings[0].Code != whatif.WarnAlternatives {
		t.Fatalf("%v: %+v", err, v)
	}
	if node := v.Changes[2]; node.RemainingSeconds != nil || node.Warnings[0].Code != whatif.WarnUnsupported {
		t.Errorf("%+v", node)
	}
	_, err = Ask(run.Now(), replay, []whatif.Change{{Slots: []whatif.Slots{{Op: whatif.Add, N: -9}}}})
	if err == nil || !strings.HasPrefix(err.Error(), "slots -9: ") {
		t.Error(err)
	}
}
