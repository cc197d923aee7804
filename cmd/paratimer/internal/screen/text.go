package screen

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A role is the meaning of a text's look: the parameters of its escape sequence (SGR) on a dark background. No two
// things differ in their role alone. The colours are among the 16 of ANSI, which the terminal's colour scheme defines;
// these are legible in the usual schemes (TestContrast). dim has no colour: bright black is invisible in some schemes.
type role string

const (
	plain  role = ""
	strong role = "1"
	dim    role = "2"
	good   role = "92"
	warn   role = "93"
	bad    role = "1;91"
	path   role = "1;95" // the critical path
	lane   role = "96"   // what is running or has run
	pick   role = "1;7"  // what the user has selected
)

// onLight replaces the looks that are illegible on a light background.
var onLight = strings.NewReplacer("\x1b[92m", "\x1b[1m", "\x1b[93m", "\x1b[31m", "\x1b[1;91m", "\x1b[1;31m",
	"\x1b[1;95m", "\x1b[1;35m", "\x1b[96m", "\x1b[34m")

// text returns a text in the look of a role.
func text(r role, s string) string {
	if r == plain || strings.Trim(s, " ") == "" {
		return s
	}
	return "\x1b[" + string(r) + "m" + s + "\x1b[m"
}

// render formats lines for a terminal, without blanks at their ends.
func render(s Style, lines []string) []string {
	for i, l := range lines {
		bare := strings.TrimRight(ansi.Strip(l), " ")
		switch {
		case !s.Colour:
			lines[i] = bare
		case s.Light:
			lines[i] = onLight.Replace(ansi.Truncate(l, cells(bare), ""))
		default:
			lines[i] = ansi.Truncate(l, cells(bare), "")
		}
	}
	return lines
}

// cells returns the width of a text on a terminal.
func cells(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// pad fills a text with blanks to a width.
func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-cells(s))) }

// right aligns a text to the right of a width.
func right(s string, width int) string { return strings.Repeat(" ", max(0, width-cells(s))) + s }

// cut shortens a text to a width; tail, one cell wide, marks the cut.
func cut(s string, width int, tail string) string {
	if cells(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, tail)
}

// sideBySide puts two lists side by side; the right one begins at a column.
func sideBySide(left, right []string, column int, tail string) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = cut(left[i], column-2, tail)
		}
		if i < len(right) {
			out[i] = pad(out[i], column) + right[i]
		}
	}
	return out
}

// first returns at most n lines.
func first(n int, lines []string) []string { return lines[:min(max(n, 0), len(lines))] }

// attempts matches names of attempts and tasks. Within a query they all begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// longest is how many bytes of a text are processed: the screen shows less.
const longest = 4096

// shortened reduces names of attempts and tasks in a text to the part that differs within a job: m_000017_0.
func shortened(s string) string {
	return attempts.ReplaceAllString(s[:min(len(s), longest)], "$1")
}

// question matches the beginning of an error of an HTTP request: its first group is the host, its second one wraps the
// last error.
var question = regexp.MustCompile(`^[A-Z]+ \w+://([^/ ]+)\S*: (?:[^(]*: )?`)

// cause reduces such an error to the host and the last error.
func cause(s string) string {
	m := question.FindStringSubmatchIndex(s[:min(len(s), longest)])
	if m == nil {
		return s
	}
	return s[m[2]:m[3]] + ": " + strings.TrimSpace(s[m[1]:])
}

// A column is a column of a table.
type column struct {
	title string
	most  int  // its greatest width
	right bool // texts are at the right
	whole bool // it is left out rather than cut if there is no room
}

// narrowest is the least width that a column of texts is cut to.
const narrowest = 10

// table returns a heading and a line for each row. A column is as wide as its widest text; columns without texts are
// left out, and the last ones are cut if there is no room.
func table(width int, columns []column, rows [][]string, tail string) []string {
	out := make([]string, len(rows)+1)
	used := 0
	for i, c := range columns {
		wide := 0
		for _, row := range rows {
			wide = max(wide, min(cells(row[i]), c.most))
		}
		if wide == 0 && len(rows) > 0 {
			continue
		}
		wide = max(wide, cells(c.title))
		if room := width - used; wide > room {
			if used > 0 && (c.whole || room < narrowest) {
				continue
			}
			wide = room
		}
		for r := range out {
			s := text(dim, c.title)
			if r > 0 {
				s = rows[r-1][i]
			}
			if s = cut(s, wide, tail); c.right {
				s = right(s, wide)
			}
			out[r] = pad(out[r], used) + s
		}
		used += wide + 2
	}
	return out
}
