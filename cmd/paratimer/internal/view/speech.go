package view

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A speech is how lines are worded: briefly, for eyes, or spoken, for ears.
type speech interface {
	line(at *frame.Seconds, text string) string // a line and when it was
	last(at *frame.Seconds, text string) string // one that says itself when it was
	indent() string                             // of a line that goes on from the one before
	joint() string                              // between what remains, what it waits for, and how old that is
	remaining(s said) string
	moved(s frame.Seconds) string
	clock(d time.Duration) string
	length(s frame.Seconds) string
	seen(age time.Duration) string
	percent(r frame.Ratio) string
	prose(ours string) string // a text of ours that holds brief lengths of time
}

// brief words lines for eyes: the time in a column before, lengths with units of one letter.
type brief struct{}

func (brief) line(at *frame.Seconds, text string) string {
	when := "?"
	if at != nil {
		when = clock(at.Duration())
	}
	return fmt.Sprintf("%8s  %s", when, text)
}

func (b brief) last(at *frame.Seconds, text string) string { return b.line(at, text) }

func (brief) indent() string                { return "      " }
func (brief) joint() string                 { return "  " }
func (brief) remaining(s said) string       { return s.String() }
func (brief) moved(s frame.Seconds) string  { return Moved(s) }
func (brief) clock(d time.Duration) string  { return clock(d) }
func (brief) length(s frame.Seconds) string { return length(s) }
func (brief) seen(age time.Duration) string { return "(seen " + Short(age) + " ago)" }
func (brief) percent(r frame.Ratio) string  { return percent(r) }
func (brief) prose(ours string) string      { return ours }
