// Package view shows frames: lines for people and NDJSON for programs. It computes nothing; it rounds, formats and
// escapes the content of a frame.
package view

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
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

// FirstOfKinds returns the first warning of each code, with how many others have it.
func FirstOfKinds(all []dag.Warning) (out []dag.Warning) {
	count := map[string]int{}
	for _, w := range all {
		if count[w.Code]++; count[w.Code] == 1 {
			out = append(out, w)
		}
	}
	for i := range out {
		if n := count[out[i].Code] - 1; n > 0 {
			out[i].Text += fmt.Sprintf(" (and %d more like this)", n)
		}
	}
	return out
}

// Some returns the first names of a list, and how many more there are.
func Some(names []string, most int) []string {
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", more))
	}
	return names
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

// longest is the greatest number of bytes of a foreign text in a line.
const longest = 400

// unquoted are the escapes of a Go string that a text without quotes around it needs not.
var unquoted = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// Escape makes a text from the cluster safe for a terminal and keeps it on one line: control characters, invisible
// and direction-changing ones and broken UTF-8 become Go escapes. A text longer than longest bytes is cut.
func Escape(s string) string { return EscapeCut(s, longest) }

// EscapeCut is Escape for a text that may have another number of bytes.
func EscapeCut(s string, most int) string {
	cut := ""
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s, cut = s[:most], "…"
	}
	q := strconv.Quote(s)
	return unquoted.Replace(q[1:len(q)-1]) + cut
}

// EscapeLines is Escape for a text that may have several lines, such as an error with an excerpt of a file.
func EscapeLines(s string) string {
	return strings.Join(units.Each(strings.Split(s, "\n"), Escape), "\n")
}

// signs replaces the program's own signs that ASCII lacks.
var signs = strings.NewReplacer("–", "-", "…", "~", "·", "-", "×", "x", "⋈", "x", "±", "+-", "↑↓", "up/down", "←→", "left/right",
	"↑", "up", "↓", "down", "←", "left", "→", "right")

// ASCII replaces the program's own signs, and writes everything else that is not ASCII as Go escapes.
func ASCII(s string) string {
	var b strings.Builder
	for _, r := range signs.Replace(s) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
