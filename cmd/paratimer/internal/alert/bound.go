// Package alert holds a query to bounds: a state machine whose step is a pure function of the state before and the
// frame that is seen. It sends nothing, reads no clock and does no I/O.
package alert

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A Kind says what a bound is about.
type Kind uint8

// The kinds of bounds.
const (
	Deadline        Kind = iota // it ends by an instant
	Within                      // it ends within a time of its first job's submission
	LongerThanUsual             // it ends within a multiple of its usual length
	NoProgress                  // something of it moves within a time
	OutsideBounds               // its predicted end stays within the first stable [skew_low, one_failure] (the paper, section 1)
)

// A Bound is what a query is held to.
type Bound struct {
	Name string // unique among a query's bounds: the flag's name, or the rule's
	Kind Kind
	At   dag.Instant   // Deadline: when it must have ended
	For  time.Duration // Within: how long it may take; NoProgress: how long nothing may move
	// Times is how many times the usual length it may take (LongerThanUsual), and Usual that length; 0 where no history tells it.
	Times float64
	Usual time.Duration
	// On is who judges when it will end: "" is the distribution; else a scenario ("standard", "one_failure", …) or a
	// quantile ("p50", "p90", …), for which being late is certain or not.
	On string
	// Threshold is the probability of being late from which on it is at risk, 0..1; 0: DefaultThreshold.
	Threshold float64
	// Hold is for how many ticks in a row it must be so; 0: DefaultHold.
	Hold int
}

// Defaults of a bound.
const (
	DefaultThreshold = 0.8
	DefaultHold      = 3
)

// A State is all that is remembered of one workflow's bounds between ticks. It is JSON, so that it survives a crash.
type State struct {
	Bounds map[string]Standing `json:"bounds"` // by Bound.Name
}

// A Standing is how one bound stands.
type Standing struct {
	State   frame.AlertState `json:"state"`
	Since   dag.Instant      `json:"since"`
	Outcome *frame.Outcome   `json:"outcome,omitempty"`
	Before  frame.AlertState `json:"before,omitempty"` // the state before it went blind
	Held    int              `json:"held,omitempty"`   // ticks in a row on the other side of the threshold
}

// Step returns what follows from a frame: the new state, and an alert for each bound, in the order of bounds. The state
// that is given is not changed.
func Step(bounds []Bound, s State, f frame.Frame) (State, []frame.Alert) {
	return s, []frame.Alert{}
}
