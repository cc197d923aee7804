package runreport

import (
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A PredictionHistory has the predictions along the run.
type PredictionHistory struct {
	Summary string  `json:"says"`
	Points  []Point `json:"moments"` // at most MostPoints, the first and the last included
	Marks   []Mark  `json:"marks"`   // by time
	// TotalSeconds is how long the run took; null while it runs.
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	// MeanErrorPoints is the mean error of the headline's time, as the error of the progress that follows from it, in
	// percentage points. HeldRatio is the share of the ticks with an 80 % range that contained the actual end. Both
	// are null while the run is running and if nothing was predicted. NumberRatio is the share of the ticks during
	// the run that had a predicted time.
	MeanErrorPoints *float64     `json:"mean_error_points"`
	HeldRatio       *frame.Ratio `json:"held_ratio"`
	NumberRatio     *frame.Ratio `json:"number_ratio"`
	// SettledSeconds is from when on the 80 % range always contained the actual end, to a hundredth of the run. It is
	// null while the run is running, and if the last range missed the end.
	SettledSeconds *frame.Seconds `json:"settled_seconds"`
	// AlertSeconds is when the first alert fired; null if none did.
	AlertSeconds *frame.Seconds `json:"alert_seconds"`
	// Moves are the moves of the predicted end that lasted or came with an event; Replans counts the others.
	Moves   []Move        `json:"moves"`
	Replans frame.Replans `json:"replans"`
}

// MostPoints bounds a prediction history.
const MostPoints = 600

// A Point is the total length of the run as one tick predicted it.
type Point struct {
	AtSeconds    frame.Seconds  `json:"at_seconds"`
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	LowSeconds   *frame.Seconds `json:"low_seconds"` // of the total; without total_seconds a lower bound
	HighSeconds  *frame.Seconds `json:"high_seconds"`
	Stale        bool           `json:"stale"`
	Changes      []frame.Change `json:"changes"`
}

// A Move is a move of the predicted end that was shown, and when.
type Move struct {
	AtSeconds frame.Seconds `json:"at_seconds"`
	frame.Move
}

// mostMoves bounds the moves that are kept: the newest ones.
const mostMoves = 1000

// pointOf returns the prediction of a frame. ok is false before the first submission.
func pointOf(f *frame.Frame) (m Point, ok bool) {
	if f.ElapsedSeconds == nil {
		return m, false
	}
	m = Point{
		AtSeconds: *f.ElapsedSeconds, Stale: f.StaleSeconds > 0, Changes: f.Changes,
		TotalSeconds: sum(f.ElapsedSeconds, f.Headline.RemainingSeconds),
		LowSeconds:   sum(f.ElapsedSeconds, f.Headline.LowSeconds), HighSeconds: sum(f.ElapsedSeconds,
			f.Headline.HighSeconds),
	}
	if m.Changes == nil {
		m.Changes = []frame.Change{}
	}
	return m, true
}

// A tick is the part of a frame that is scored, in seconds; NaN if unknown. Without a time in the headline the user
// saw no range, so there is none.
type tick struct{ elapsed, remaining, low, high float64 }

func tickOf(f *frame.Frame) tick {
	t := tick{float64(*f.ElapsedSeconds), number(f.Headline.RemainingSeconds), math.NaN(), math.NaN()}
	if f.Headline.RemainingSeconds != nil {
		t.low, t.high = number(quantile(f, 0.1)), number(quantile(f, 0.9))
	}
	return t
}

// near is how far a range may miss the end and still count as settled, as a share of the run: ranges of the last
// seconds are narrower than the time between two ticks.
const near = 0.01

// score compares the predictions with the actual length.
func (c *PredictionHistory) score(ticks []tick, total frame.Seconds) {
	samples := make([]estimators.Sample, len(ticks))
	ranges, held := 0, 0
	for i, t := range ticks {
		samples[i] = estimators.Sample{Elapsed: t.elapsed, Remaining: t.remaining, Progress: math.NaN()}
		if !(t.elapsed > 0 && t.elapsed < float64(total)) || math.IsNaN(t.low) {
			continue
		}
		ranges++
		left := float64(total) - t.elapsed
		if t.low <= left && left <= t.high {
			held++
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
	c.HeldRatio = frame.RatioOf(float64(held) / float64(ranges)) // null if there are no ranges
}

// quantile returns a quantile of the remaining time; nil if the frame lacks it.
func quantile(f *frame.Frame, q float64) *frame.Seconds {
	for i := range f.Quantiles {
		if f.Quantiles[i].Q == q {
			return &f.Quantiles[i].RemainingSeconds
		}
	}
	return nil
}

// number returns NaN for unknown.
func number(s *frame.Seconds) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(*s)
}
