// Package view shows frames: lines for people and NDJSON for programs. It computes nothing; it rounds, formats and
// escapes the content of a frame.
package view

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// NDJSON writes each frame as one line of JSON, one write a frame.
type NDJSON struct{ io.Writer }

// Show writes the frame.
func (n NDJSON) Show(tick frame.Tick) error { return JSON(n, tick.Frame, "") }

// JSON writes v, with <, > and & as they are. Each level is indented by indent; if it is empty, v is one line.
func JSON(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

// Table writes rows of cells in columns that are aligned on the left, or by tabwriter.AlignRight on the right. The
// first row is the header.
func Table(w io.Writer, align uint, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', align)
	for _, cells := range rows {
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	return t.Flush()
}

// List returns all, or an empty list for nil: JSON then has [] and not null.
func List[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// The colours in use, as SGR parameters.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (t *Text) paint(colour, s string) string {
	if !t.colour || t.Plain {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// Colour reports whether to write colour to w: it is a terminal, TERM is not "dumb", NO_COLOR is empty or not set.
func Colour(w io.Writer, env func(string) string) bool {
	return env("NO_COLOR") == "" && env("TERM") != "dumb" && Terminal(w)
}

// Terminal reports whether w is a terminal.
func Terminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}
