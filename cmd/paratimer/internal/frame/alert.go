package frame

// An AlertState is the state of a query with respect to one bound.
type AlertState string

// The states of an alert.
const (
	OnTrack AlertState = "on_track"
	AtRisk  AlertState = "at_risk" // it will probably break the bound, for several ticks already
	Late    AlertState = "late"    // it has broken the bound and still runs
	Ended   AlertState = "ended"
	Blind   AlertState = "blind" // it cannot be observed: neither fires nor resolves
)

// An Outcome is whether an ended query met its bound.
type Outcome string

// The outcomes.
const (
	Met    Outcome = "met"
	Missed Outcome = "missed"
)

// An Alert is the state of one bound. Views and sinks only show it.
type Alert struct {
	Bound       string     `json:"bound"` // unique in the frame
	State       AlertState `json:"state"`
	Outcome     *Outcome   `json:"outcome"` // after the end
	Probability *Ratio     `json:"probability"`
	DeadlineAt  *Time      `json:"deadline_at"`
	Since       *Time      `json:"since"` // when the state began
	// BySeconds is how much later than the deadline the end is expected; negative: earlier.
	BySeconds *Seconds `json:"by_seconds"`
	// Text describes the alert: the delay, the probability, since when, what the query waits for, what changed.
	Text string `json:"text"`
	// Opened means that the bound was judged before the query ended.
	Opened bool `json:"-"`
}

// Firing reports whether the alert should reach people.
func (s AlertState) Firing() bool { return s == AtRisk || s == Late }

// A HeldUp is the workflow that blocks another one: it uses the most of what the other waits for.
type HeldUp struct {
	ID    *string `json:"id"` // of the blocking workflow
	Name  *string `json:"name"`
	User  *string `json:"user"`
	Queue *string `json:"queue"`
	// Scope is the limit that the two share: cluster, queue, user (the limit of one user in a queue), or masters
	// (of the queue).
	Scope string `json:"scope"`
	// Containers are the blocking workflow's part of OfContainers, the containers in use within the scope; in the
	// scope masters they are masters.
	Containers   int     `json:"containers"`
	OfContainers int     `json:"of_containers"`
	ForSeconds   Seconds `json:"for_seconds"` // how long this has lasted
	EndAt        *Time   `json:"end_at"`      // its predicted end
}
