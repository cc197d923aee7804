package runreport

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
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
	// percentage points. HeldRatio is the share of the ticks with an 80% range that contained the actual end. Both
	// are null while the run is running and if nothing was predicted. NumberRatio is the share of the ticks during
	// the run that had a predicted time.
	MeanErrorPoints *float64     `json:"mean_error_points"`
	HeldRatio       *frame.Ratio `json:"held_ratio"`
	NumberRatio     *frame.Ratio `json:"number_ratio"`
	// SettledSeconds is from when on the 80% range always contained the actual end, to a hundredth of the run. It is
	// null while the run is running, and if the last range missed the end.
	SettledSeconds *frame.Seconds `json:"settled_seconds"`
	// AlertSeconds is when the first alert fired; null if none did.
	AlertSeconds *frame.Seconds `json:"alert_seconds"`
	// Moves are the moves of the predicted end that lasted or came with an event; Replans counts the others.
	Moves   []Move        `json:"moves"`
	Replans frame.Replans `json:"replans"`
}

// MostPoints bounds a prediction history, mostKept the points that are kept and scored.
const (
	MostPoints = 600
	mostKept   = 20_000
)

// A Point is the total length of the run as one tick predicted it.
type Point struct {
	AtSeconds    frame.Seconds  `json:"at_seconds"`
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	LowSeconds   *frame.Seconds `json:"low_seconds"` // of the total; without total_seconds a lower bound
	HighSeconds  *frame.Seconds `json:"high_seconds"`
	Stale        bool           `json:"stale"`
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
	return Point{
		AtSeconds: *f.ElapsedSeconds, Stale: f.StaleSeconds > 0,
		TotalSeconds: sum(f.ElapsedSeconds, f.Headline.RemainingSeconds),
		LowSeconds:   sum(f.ElapsedSeconds, f.Headline.LowSeconds),
		HighSeconds:  sum(f.ElapsedSeconds, f.Headline.HighSeconds),
	}, true
}

// near is how far a range may miss the end and still count as settled, as a share of the run: ranges of the last
// seconds are narrower than the time between two ticks.
const near = 0.01

// score compares the predictions during the run with its actual length.
func (c *PredictionHistory) score(points []Point, total frame.Seconds) {
	var samples []estimators.Sample
	ranges, held := 0, 0
	for i := range points {
		p := &points[i]
		if p.Stale || p.AtSeconds >= total {
			continue
		}
		sample := estimators.Sample{Elapsed: float64(p.AtSeconds), Remaining: math.NaN(), Progress: math.NaN()}
		if p.TotalSeconds != nil {
			sample.Remaining = float64(*p.TotalSeconds - p.AtSeconds)
		}
		samples = append(samples, sample)
		if p.AtSeconds <= 0 || p.TotalSeconds == nil || p.LowSeconds == nil || p.HighSeconds == nil {
			continue
		}
		ranges++
		if *p.LowSeconds <= total && total <= *p.HighSeconds {
			held++
		}
		if slack := near * total; !(*p.LowSeconds-slack <= total && total <= *p.HighSeconds+slack) {
			c.SettledSeconds = nil
		} else if c.SettledSeconds == nil {
			c.SettledSeconds = &p.AtSeconds
		}
	}
	g := estimators.Grade(float64(total), samples)
	c.MeanErrorPoints = units.Rounded(g.MeanPoints)
	c.NumberRatio = frame.RatioOf(1 - g.NoEstimate)
	c.HeldRatio = frame.RatioOf(float64(held) / float64(ranges)) // null if there are no ranges
}

// A memory is the bounded record of a watch of any length.
type memory struct {
	points []Point
	moves  []Move
	// replans counts the moves that are not in moves.
	replans frame.Replans
}

// take records a frame.
func (m *memory) take(f *frame.Frame) {
	point, ok := pointOf(f)
	if !ok {
		return
	}
	if n := len(m.points); n > 0 && point.AtSeconds < m.points[n-1].AtSeconds {
		// The end was observed late: drop the predictions made after it.
		m.points = slices.DeleteFunc(m.points, func(o Point) bool { return o.AtSeconds > point.AtSeconds })
	}
	if m.points = append(m.points, point); len(m.points) >= mostKept {
		m.points = thin(m.points, mostKept/2)
	}
	if f.StaleSeconds > 0 || f.Workflow.State.Ended() {
		return
	}
	for _, move := range f.Moves {
		m.moves = append(m.moves, Move{*f.ElapsedSeconds, move})
	}
	m.moves, m.replans = m.moves[max(0, len(m.moves)-mostMoves):], f.Replans
}

// thin keeps at most `most` points, evenly over time, the first and the last included.
func thin(all []Point, most int) []Point {
	if len(all) <= most {
		return all
	}
	last := all[len(all)-1]
	step := max((last.AtSeconds-all[0].AtSeconds)/frame.Seconds(most-2), 0.001)
	out := []Point{all[0]}
	for _, p := range all[1 : len(all)-1] {
		if p.AtSeconds >= out[len(out)-1].AtSeconds+step {
			out = append(out, p)
		}
	}
	return append(out, last)
}

// summary returns how good the predictions of a finished run were.
func (c *PredictionHistory) summary(state dag.State) string {
	switch {
	case !state.Ended():
		return "The run goes on: its predictions are not scored yet."
	case c.MeanErrorPoints == nil:
		return "Nothing is scored: no time was predicted before the end, or the query did not succeed."
	}
	text := fmt.Sprintf("The predicted time was %.1f points of progress off on average.", *c.MeanErrorPoints)
	if c.HeldRatio != nil {
		text += fmt.Sprintf(" Its 80%% range contained the end at %s of the observations with a range.",
			units.Percent(*c.HeldRatio))
	}
	return text
}

// sum adds two lengths of time; nil if one is unknown.
func sum(a, b *frame.Seconds) *frame.Seconds {
	if a == nil || b == nil {
		return nil
	}
	s := frame.SecondsOf(a.Duration() + b.Duration())
	return &s
}
