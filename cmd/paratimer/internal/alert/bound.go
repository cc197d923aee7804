// Package alert holds a query to bounds: a state machine whose step is a pure function of the state before and the
// frame that is seen. It sends nothing, reads no clock and does no I/O.
//
//	on_track ── P(late) ≥ threshold, held ──► at_risk ── the deadline passes ──► late ── it ends ──► ended
//	    ◄── P(late) < clear, held ──
//
// A missed observation makes it blind, which neither fires nor resolves; sight gives back the state before.
package alert

import (
	"time"

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
	// its predicted end stays within the first stable [skew_low, one_failure] (the paper, section 1)
	OutsideBounds
)

// A Bound is what a query is held to.
type Bound struct {
	Name string // unique among a query's bounds: the flag's name, or the rule's
	Kind Kind
	At   dag.Instant   // Deadline: when it must have ended, unless Daily is set
	For  time.Duration // Within: how long it may take; NoProgress: how long nothing may move
	// Daily is a Deadline by the time of day: its first occurrence after the query's submission, so that the same bound
	// means the same in a watch, after a restart and in a replay.
	Daily *Daily
	// Zone is the zone in which the bound's times are told to people; nil: UTC.
	Zone *time.Location
	// Times is how many times the usual length it may take (LongerThanUsual), and Usual that length; 0 where no history
	// tells it.
	Times float64
	Usual time.Duration
	// On is who judges when it will end: "" is the distribution (OutsideBounds: its 10 % quantile); else a
	// scenario ("standard", "one_failure", …) or a quantile ("p50", "p90", …), for which being late is certain or not.
	On string
	// Threshold is the probability of being late from which on it is at risk, 0..1; 0: DefaultThreshold.
	Threshold float64
	// Hold is for how many ticks in a row it must be so; 0: DefaultHold.
	Hold int
	// Quiet is a bound that nobody asked for: it is told of only where it fires.
	Quiet bool
}

// Defaults of a bound, chosen by what they do on recordings and simulated runs (docs/alerts.md): lower ones warn hardly
// earlier, and falsely more often.
const (
	DefaultThreshold = 0.9
	DefaultHold      = 5
)

// clear is the share of the threshold below which a query that was at risk is on track again.
const clear = 0.75

func (b *Bound) threshold() float64 {
	if b.Threshold > 0 {
		return b.Threshold
	}
	return DefaultThreshold
}

func (b *Bound) hold() int {
	if b.Hold > 0 {
		return b.Hold
	}
	return DefaultHold
}
