package runreport

import (
	"fmt"
	"math"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// sec is a length of time that may be unknown.
func sec(v float64) *frame.Seconds {
	if math.IsNaN(v) {
		return nil
	}
	s := frame.Seconds(v)
	return &s
}

// predicted returns a frame with a remaining time and its range; NaN: none.
func predicted(elapsed, remaining, low, high float64) *frame.Frame {
	f := &frame.Frame{
		ElapsedSeconds: sec(elapsed), Headline: frame.Headline{
			RemainingSeconds: sec(remaining), LowSeconds: sec(low),
			HighSeconds: sec(high),
		},
		Workflow: frame.Workflow{State: dag.Running},
	}
	if !math.IsNaN(low) {
		f.Quantiles = []frame.Quantile{
			{Q: 0.1, RemainingSeconds: frame.Seconds(low)},
			{Q: 0.9, RemainingSeconds: frame.Seconds(high)},
		}
	}
	return f
}

// TestPredictionHistoryIsBounded simulates a long watch: the history stays bounded, begins and ends with it, and has no
// long gap.
func TestPredictionHistoryIsBounded(t *testing.T) {
	var m PredictionHistory
	const frames = 300_000
	for i := range frames {
		f := predicted(float64(i), 100, 90, 120)
		m.take(f)
		if len(m.Points) > mostKept {
			t.Fatalf("after %d frames %d points are kept", i, len(m.Points))
		}
	}
	kept := thin(m.Points, MostPoints)
	if n := len(kept); n > MostPoints || n < MostPoints/2 || kept[0].AtSeconds != 0 || kept[n-1].AtSeconds != frames-1 {
		t.Fatalf("%d points, from %v to %v", n, kept[0].AtSeconds, kept[n-1].AtSeconds)
	}
	for i := 1; i < len(kept); i++ {
		if kept[i].AtSeconds <= kept[i-1].AtSeconds || kept[i].AtSeconds-kept[i-1].AtSeconds > frames/100 {
			t.Fatalf("point %d comes at %v, the one before at %v", i, kept[i].AtSeconds, kept[i-1].AtSeconds)
		}
	}
}

// TestScore checks the scores of a run that took 100 s, worked out by hand.
func TestScore(t *testing.T) {
	nan := math.NaN()
	for i, c := range []struct {
		ticks                  [][4]float64
		points, within, number float64
		settled                float64
	}{
		// At 50 s, 50 s are left: 0 points. At 60 s, 60 s were predicted: 50% instead of 60%.
		{[][4]float64{{50, 50, 40, 60}, {60, 60, 50, 70}}, 5, 0.5, 1, nan},
		{[][4]float64{{60, 60, 50, 70}, {80, 20, 19, 21}}, 5, 0.5, 1, 80},
		// A miss by less than a hundredth of the run is one, but the end was known.
		{[][4]float64{{50, 50, 50.5, 60}, {80, 20, 19, 21}}, 0, 0.5, 1, 50},
		{[][4]float64{{10, nan, nan, nan}, {50, 50, 45, 55}}, 0, 1, 0.5, 50},
		{[][4]float64{{10, nan, nan, nan}}, nan, nan, 0, nan},
		// The range is right at first, and wrong at last.
		{
			[][4]float64{{20, 10, 5, 15}, {50, 50, 45, 55}, {60, 40, 35, 45}, {80, 10, 5, 15}},
			13.889, 0.5, 1, nan,
		},
		// Ticks at the beginning and at the end have no prediction.
		{[][4]float64{{0, 1, 1, 1}, {100, 1, 1, 1}}, nan, nan, nan, nan},
	} {
		var m PredictionHistory
		for _, x := range c.ticks {
			m.take(predicted(x[0], x[1], x[2], x[3]))
		}
		var got PredictionHistory
		got.score(m.Points, 100)
		is := []float64{
			value(got.MeanErrorPoints), value((*float64)(got.HeldRatio)),
			value((*float64)(got.NumberRatio)), value((*float64)(got.SettledSeconds)),
		}
		for k, want := range []float64{c.points, c.within, c.number, c.settled} {
			if !(math.Abs(is[k]-want) < 1e-9) && !(math.IsNaN(is[k]) && math.IsNaN(want)) {
				t.Errorf("%d: figure %d is %v, want %v", i, k, is[k], want)
			}
		}
	}
}

func value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// TestPredictionHistorySummary checks the sentence in every case.
func TestPredictionHistorySummary(t *testing.T) {
	nan := math.NaN()
	const nothing = "Nothing is scored: no time was predicted before the end, or the query did not succeed."
	sooner := predicted(20, 80, 70, 90)
	sooner.Moves = []frame.Move{{Cause: frame.Cause{DeltaSeconds: -30, Reason: "speed"}}}
	for _, c := range []struct {
		frames []*frame.Frame
		state  dag.State
		want   string
	}{
		{nil, dag.Running, "The run goes on: its predictions are not scored yet."},
		{[]*frame.Frame{predicted(5, nan, nan, nan)}, dag.Running, "The run goes on: its predictions are not scored yet."},
		{
			[]*frame.Frame{predicted(5, nan, 60, nan)},
			dag.Running,
			"The run goes on: its predictions are not scored yet.",
		},
		{
			[]*frame.Frame{predicted(5, 70, 60, 90)},
			dag.Running,
			"The run goes on: its predictions are not scored yet.",
		},
		{
			[]*frame.Frame{predicted(5, 70, 60, 90)},
			dag.Failed,
			nothing,
		},
		{
			[]*frame.Frame{predicted(100, nan, nan, nan)},
			dag.Succeeded,
			nothing,
		},
		{
			[]*frame.Frame{predicted(100, nan, nan, nan)},
			dag.Failed,
			nothing,
		},
		{[]*frame.Frame{predicted(5, nan, nan, nan)}, dag.Succeeded, nothing},
		{
			[]*frame.Frame{predicted(5, nan, nan, nan), predicted(10, 120, 110, 130), sooner},
			dag.Succeeded,
			"The predicted time was 1.2 points of progress off on average. Its 80% range contained the end at 50% " +
				"of the observations with a range.",
		},
		{
			[]*frame.Frame{predicted(10, 90, nan, nan)},
			dag.Succeeded,
			"The predicted time was 0.0 points of progress off on average.",
		},
	} {
		var m PredictionHistory
		for _, f := range c.frames {
			m.take(f)
		}
		over := &frame.Frame{Workflow: frame.Workflow{State: c.state}, ElapsedSeconds: sec(100)}
		if got := m.scored(over, &marks{}).Summary; got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestMomentsAreInOrder checks that the end, which is seen after it was, comes last: a prediction in between is
// about nothing.
func TestMomentsAreInOrder(t *testing.T) {
	var m PredictionHistory
	for i := range 5 {
		m.take(predicted(float64(10*i), 5, 4, 6))
	}
	over := predicted(35.5, 0, 0, 0)
	over.Workflow.State = dag.Succeeded
	m.take(over)
	if got := fmt.Sprint(len(m.Points), m.Points[len(m.Points)-2].AtSeconds,
		m.Points[len(m.Points)-1].AtSeconds); got != "5 30 35.5" {
		t.Errorf("points: %s", got)
	}
}
