package planview

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// curved is a view of a curve with the containers and seconds of each point.
func curved(points ...[2]int) *WhatIf {
	c := &whatif.Curve{Knee: -1}
	for _, p := range points {
		c.Points = append(c.Points, whatif.Point{
			Room:      whatif.Room{Policy: dag.YARN, N: [2]int{p[0]}},
			Remaining: time.Duration(p[1]) * time.Second,
		})
	}
	return &WhatIf{Slots: slotsOf(whatif.Room{Policy: dag.YARN}), Curve: curveOf(c)}
}

func shownCurve(t *testing.T, points ...[2]int) string {
	t.Helper()
	var b bytes.Buffer
	if err := curved(points...).Document().Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRises checks that a curve that rises with more slots is explained, and that one that falls has no remark.
func TestRises(t *testing.T) {
	t.Parallel()
	const want = "\nwhere more containers take longer, tasks fall into other waves, so that a long one can start last\n"
	for _, up := range [][][2]int{
		{{3, 600}, {4, 434}, {5, 516}, {6, 300}, {7, 310}}, {{3, 0}, {4, 0}, {5, 7}},
	} {
		if text := shownCurve(t, up...); !strings.Contains(text, want) {
			t.Errorf("%v: %s", up, text)
		}
	}
	if text := shownCurve(t, [2]int{3, 600}, [2]int{4, 400}, [2]int{5, 401}); strings.Contains(text, want) {
		t.Errorf("a curve that falls is explained: %s", text)
	}
}

// TestNothingLeft checks the answer while the output of a job with all tasks done is committed: two points of 0 s
// are no step upwards, and no bar, knee or step is shown.
func TestNothingLeft(t *testing.T) {
	t.Parallel()
	text := shownCurve(t, [2]int{3, 0}, [2]int{4, 0}, [2]int{5, 0})
	if !strings.HasSuffix(text, "\nnothing is left to do but the end of the job\n") {
		t.Errorf("%q", text)
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
	if len(v.Limits) != 4 || v.Curve == nil || v.TookSeconds != nil || v.MissRatio.Known() {
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

// TestLimits checks that a change that takes longer is no limit, and that the text has assumed times, as the curve has,
// if they were measured on other programs.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := uniform(1, 2)
	p.Cluster.ReduceSlots = 2
	none := dag.Pipeline{Tuples: dag.Uniform(0), Alpha: dag.Uniform(1)}
	// Spread evenly, these take two rounds of 27 s in place of 40 s.
	uneven := dag.Pipeline{Tuples: dag.Each([]float64{2000, 1000, 1000}), Alpha: dag.Uniform(20)}
	p.Jobs[0].Stages = dag.MapReduce(p.Jobs[0].Stages[dag.Map], dag.Stage{
		Tasks: 3, Known: true, Pipelines: []dag.Pipeline{none, none, uneven},
	})
	run := dag.Run{}.Append(Before(p, nil))
	for _, measured := range []bool{false, true} {
		v, err := Ask(run.Now(), whatif.NewReplay(run, func(run dag.Run) estimators.Costs {
			costs := cost.Costs(run)
			costs.AssumedRatio, costs.Measured = func(*schedule.Schedule) float64 { return 1 }, measured
			return costs
		}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if even := v.Limits[1]; *even.SavedSeconds != 0 || *even.RemainingSeconds != *v.Base.RemainingSeconds {
			t.Errorf("%+v", even)
		}
		var b strings.Builder
		if err := v.Document().Text(&b); err != nil {
			t.Fatal(err)
		}
		if base := "as it is  " + units.Seconds(*v.Base.RemainingSeconds); strings.Contains(b.String(), base) != measured {
			t.Errorf("measured %v: %s", measured, b.String())
		}
	}
}
