package story

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Course is what was predicted along the run.
type Course struct {
	Says    string   `json:"says"`
	Moments []Moment `json:"moments"` // at most MostMoments, the first and the last included
	Marks   []Mark   `json:"marks"`
	// TotalSeconds is how long the run took; null while it runs.
	TotalSeconds *frame.Seconds `json:"total_seconds"`
	// MeanError and Within are of the headline against what happened: mean error in percentage points of progress, and the share of ticks
	// whose 80 % range held; null while it runs or where no number was given. NumberRatio is the share of ticks with a number.
	MeanErrorPoints *float64     `json:"mean_error_points"`
	HeldRatio       *frame.Ratio `json:"held_ratio"`
	NumberRatio     *frame.Ratio `json:"number_ratio"`
	// SettledSeconds is from when on the 80 % range held what happened for good; null while it runs, and where the last range did not.
	SettledSeconds *frame.Seconds `json:"settled_seconds"`
	// AlertSeconds is when the first alert fired; null where none did.
	AlertSeconds *frame.Seconds `json:"alert_seconds"`
}

// MostMoments bounds a course.
const MostMoments = 1200

// A Moment is a tick: the total length of the run as it was predicted then.
type Moment struct {
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

// A Prediction is a total under a named scenario.
type Prediction struct {
	Scenario     string         `json:"scenario"`
	TotalSeconds *frame.Seconds `json:"total_seconds"`
}

// A Mark is something that happened: a failure, a lost node, an alert that changed its state.
type Mark struct {
	AtSeconds frame.Seconds `json:"at_seconds"`
	Kind      string        `json:"kind"` // failure, alert, node
	Text      string        `json:"text"`
}
