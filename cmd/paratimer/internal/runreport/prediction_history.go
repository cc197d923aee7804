package runreport

import (
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A PredictionHistory is what was predicted along the run.
type PredictionHistory struct {
	Summary string  `json:"says"`
	Points  []Point `json:"moments"` // at most MostPoints, the first and the last included
	Marks   []Mark  `json:"marks"`   // by time
	// TotalSeconds is how long the run took; null while it runs.
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	// MeanErrorPoints is how far the headline's time was from what happened: the mean error of the progress that
	// follows from it, in percentage points. HeldRatio is the share of the ticks with an 80 % range whose range held
	// what happened. Both are null while it runs and where nothing was said. NumberRatio is the share of the ticks with
	// a number, inside the run.
	MeanErrorPoints *float64     `json:"mean_error_points"`
	HeldRatio       *frame.Ratio `json:"held_ratio"`
	NumberRatio     *frame.Ratio `json:"number_ratio"`
	// FirstHeldSeconds is when the 80 % range first held what happened, HeldSinceRatio the share of the ticks from then
	// on whose range did.
	FirstHeldSeconds *frame.Seconds `json:"first_held_seconds"`
	HeldSinceRatio   *frame.Ratio   `json:"held_since_ratio"`
	// SettledSeconds is from when on the 80 % range held what happened for good, to a hundredth of the run; null while
	// it runs, and where the last range did not.
	SettledSeconds *frame.Seconds `json:"settled_seconds"`
	// AlertSeconds is when the first alert fired; null where none did.
	AlertSeconds *frame.Seconds `json:"alert_seconds"`
	// Moves are those of the predicted end that lasted, or came with an event; Replans counts the others.
	Moves   []Move        `json:"moves"`
	Replans frame.Replans `json:"replans"`
}

// MostPoints bounds a prediction history.
const MostPoints = 600

// A Point is a tick: the total length of the run as it was predicted then.
type Point struct {
	AtSeconds     frame.Seconds  `json:"at_seconds"`
	TotalSeconds  *frame.Seconds `json:"total_seconds"`
	LowSeconds    *frame.Seconds `json:"low_seconds"` // of the total; without total_seconds a floor
	HighSeconds   *frame.Seconds `json:"high_seconds"`
	Low50Seconds  *frame.Seconds `json:"low50_seconds"` // the 50 % range
	High50Seconds *frame.Seconds `json:"high50_seconds"`
	// Scenarios are the totals under the other scenarios, in the order of the frame's estimates.
	Scenarios []Prediction   `json:"scenarios"`
	Stale     bool           `json:"stale"`
	Changes   []frame.Change `json:"changes"`
}

// A Move is a move of the predicted end that people were told of, and when.
type Move struct {
	AtSeconds frame.Seconds `json:"at_seconds"`
	frame.Move
}

// mostMoves bounds the moves that are remembered: of more, the newest.
const mostMoves = 1000

// A Prediction is a total under a named scenario.
type Prediction struct {
	Scenario     string         `json:"scenario"`
	TotalSeconds *frame.Seconds `json:"total_seconds"`
}

// pointOf is what a frame said of the total. ok is false before the first submission.
func pointOf(f *frame.Frame) (m Point, ok bool) {
	if f.ElapsedSeconds == nil {
		return m, false
	}
	m = Point{
		AtSeconds: *f.ElapsedSeconds, Scenarios: []Prediction{}, Stale: f.StaleSeconds > 0, Changes: f.Changes,
		TotalSeconds: sum(f.ElapsedSeconds, f.Headline.RemainingSeconds),
		LowSeconds:   sum(f.ElapsedSeconds, f.Headline.LowSeconds), HighSeconds: sum(f.ElapsedSeconds,
			f.Headline.HighSeconds),
	}
	if m.Changes == nil {
		m.Changes = []frame.Change{}
	}
	m.Low50Seconds, m.High50Seconds = sum(f.ElapsedSeconds, quantile(f, 0.25)), sum(f.ElapsedSeconds, quantile(f, 0.75))
	if f.Workflow.State.Ended() {
		return m, true
	}
	for i := 1; i < len(f.Estimates); i++ {
		m.Scenarios = append(m.Scenarios, Prediction{
			f.Estimates[i].Scenario,
			sum(f.ElapsedSeconds, f.Estimates[i].RemainingSeconds),
		})
	}
	return m, true
}

// A tick is what is scored of a frame, in seconds; NaN where it said nothing. Where the headline gives no time, or a
// floor, nobody was told a range.
type tick struct{ elapsed, remaining, low, high float64 }

func tickOf(f *frame.Frame) tick {
	t := tick{float64(*f.ElapsedSeconds), number(f.Headline.RemainingSeconds), math.NaN(), math.NaN()}
	if f.Headline.RemainingSeconds != nil {
		t.low, t.high = number(quantile(f, 0.1)), number(quantile(f, 0.9))
	}
	return t
}

// near is the share of the run by which a range may miss the end and still be said to have known it: ranges of the last
// seconds are narrower than the time between two ticks.
const near = 0.01

// score holds what was said against what the run took.
func (c *PredictionHistory) score(ticks []tick, total frame.Seconds) {
	samples := make([]estimators.Sample, len(ticks))
	ranges, held, before := 0, 0, 0
	for i, t := range ticks {
		samples[i] = estimators.Sample{Elapsed: t.elapsed, Remaining: t.remaining, Progress: math.NaN()}
		if !(t.elapsed > 0 && t.elapsed < float64(total)) || math.IsNaN(t.low) {
			continue
		}
		ranges++
		left := float64(total) - t.elapsed
		if t.low <= left && left <= t.high {
			if held++; held == 1 {
				at := frame.Seconds(t.elapsed)
				c.FirstHeldSeconds, before = &at, ranges-1
			}
		}
		if slack := near * float64(total); !(t.low-slack <= left && left <= t.high+slack) {
			c.SettledSeconds = nil
		} else if c.SettledSeconds == nil {
			at := frame.Seconds(t.elapsed)
			c.SettledSeconds = &at
		}
	}
	g := estimators.Grade(float64(total), samples)
	c.MeanErrorPoints = units.Rounded(g.MeanPoints)
	c.NumberRatio = frame.RatioOf(1 - g.NoEstimate)
	c.HeldRatio = frame.RatioOf(float64(held) / float64(ranges)) // null of none
	if held > 0 {
		c.HeldSinceRatio = frame.RatioOf(float64(held) / float64(ranges-before))
	}
}
