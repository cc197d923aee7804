package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A speech is how lines are worded: briefly, for eyes, or spoken, for ears.
type speech interface {
	line(at *frame.Seconds, text string) string // a line and when it was
	last(at *frame.Seconds, text string) string // one that says itself when it was
	indent() string                             // of a line that goes on from the one before
	joint() string                              // between what remains, what it waits for, and how old that is
	remaining(s shown) string
	moved(s frame.Seconds) string
	replans(ours string) string
	seen(age time.Duration) string
	reasons(parts []string) string // a text and its reasons
	prose(ours string) string      // a text of ours that holds brief lengths of time
}

// brief words lines for eyes: the time in a column before, lengths with units of one letter.
type brief struct{}

func (brief) line(at *frame.Seconds, text string) string {
	when := "?"
	if at != nil {
		when = units.Elapsed(at.Duration())
	}
	return wrapped(fmt.Sprintf("%8s  %s", when, text), columns, "          ")
}

func (b brief) last(at *frame.Seconds, text string) string { return b.line(at, text) }

func (brief) indent() string                { return "      " }
func (brief) joint() string                 { return "  " }
func (brief) remaining(s shown) string      { return s.String() }
func (brief) moved(s frame.Seconds) string  { return units.Moved(s.Duration()) }
func (brief) replans(ours string) string    { return ours }
func (brief) seen(age time.Duration) string { return "(seen " + units.Ago(age) + ")" }
func (brief) reasons(parts []string) string { return strings.Join(parts, "\n            ") }
func (brief) prose(ours string) string      { return ours }
