package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A speech formats lines: briefly, to be read, or spoken, for screen readers.
type speech interface {
	line(at *frame.Seconds, text string) string // a line with its time
	last(at *frame.Seconds, text string) string // a line with the time in its text
	indent() string                             // of a line that continues the one before
	joint() string                              // between the time left, what it waits for, and the frame's age
	remaining(s shown) string
	moved(s frame.Seconds) string
	replans(ours string) string
	seen(age time.Duration) string
	reasons(parts []string) string // a text and its reasons
	prose(ours string) string      // a text of the program with brief lengths of time
}

// brief formats lines to be read: the time in a column before, units of one letter.
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
