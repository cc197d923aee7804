package frame

// An AlertState is how a query stands to one of its bounds.
type AlertState string

// The states of an alert.
const (
	OnTrack AlertState = "on_track"
	AtRisk  AlertState = "at_risk" // it will probably break the bound, and has for some ticks
	Late    AlertState = "late"    // it has broken the bound and runs on
	Ended   AlertState = "ended"
	Blind   AlertState = "blind" // it cannot be observed: neither fires nor resolves
)

// An Outcome is how an ended query stood to its bound.
type Outcome string

// The outcomes.
const (
	Met    Outcome = "met"
	Missed Outcome = "missed"
)

// An Alert is how the query stands to one bound. Views and sinks show it, and compute nothing of it.
type Alert struct {
	Bound       string     `json:"bound"` // unique in the frame
	State       AlertState `json:"state"`
	Outcome     *Outcome   `json:"outcome"` // once it has ended
	Probability *Ratio     `json:"probability"`
	DeadlineAt  *Time      `json:"deadline_at"`
	Since       *Time      `json:"since"` // when the state began
	// BySeconds is how much later than the deadline the judge expects the end; negative: earlier.
	BySeconds *Seconds `json:"by_seconds"`
	// Text says for people: by how much, how likely, since when, what it waits on, what changed.
	Text string `json:"text"`
	// Quiet is a bound that nobody asked for: views tell of it only where it fires.
	Quiet bool `json:"-"`
}

// Firing says whether somebody should hear of it.
func (s AlertState) Firing() bool { return s == AtRisk || s == Late }
