package screen

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
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

// The signs of the drawing, each one cell wide. Maps are the upper half of a lane and reduces the lower one, so that
// both are visible if they overlap. The past is solid. The prediction is dotted, and dense if it is critical.
const (
	signWaits, signHolds, signSlack, signNow = "─", "━", "·", "│" // holds: a pause on the critical path
	signLimit, signFailed                    = "┊", "✗"
	signCritical, signPicked                 = "◆", "›"
	signTick, signHere, signMore             = "╷", "▼", "…"
	signFrom, signMid, signTo                = "├", "●", "┤" // of a range
	signFull, signEmpty                      = "━", "─"      // of a bar
)

var (
	signSeen   = [...]string{" ", "▀", "▄", "█"}                // by map (1) and reduce (2)
	signStates = [...]string{"○", "◌", "▸", "✓", "✗", "✗", "?"} // by dag.State
	signCurve  = [...]string{"⠉", "⠒", "⠤", "⣀"}                // of a curve in a cell, from its top
)

// expected returns the sign of predicted maps (1) and reduces (2); 4 and 8 mark them as critical.
func expected(what byte) string {
	return string([]rune(" ⠉⣀⣉⠛⠛⣛⣛⣤⣭⣤⣭⣿⣿⣿⣿")[what])
}

// inASCII replaces the program's signs, each by one cell. In ASCII the parts of a lane are letters: what is predicted
// is in small ones.
var inASCII = strings.NewReplacer("─", "-", "━", "=", "·", ".", "│", "|", "┊", "!", "✗", "X", "◆", "*", "›", ">",
	"╷", "'", "▼", "v", "…", "~", "├", "[", "●", "o", "┤", "]", "▀", "M", "▄", "R", "█", "B", "○", ".", "◌", ",", "▸", ">",
	"✓", "+", "⠉", "m", "⠛", "m", "⣀", "r", "⣤", "r", "⣉", "b", "⣛", "b", "⣭", "b", "⣿", "b", "–", "-", "×", "x", "⋈", "x", "±", "~",
	"↑", "^", "↓", "v", "←", "<", "→", ">")

// text returns a text in the look of a role.
func text(r role, s string) string {
	if r == plain || strings.Trim(s, " ") == "" {
		return s
	}
	return "\x1b[" + string(r) + "m" + s + "\x1b[m"
}

// render makes at most height lines fit for a terminal, without blanks at their ends.
func render(s Style, width, height int, lines []string) []string {
	lines = lines[:min(height, len(lines))]
	for i, l := range lines {
		l = cut(l, width)
		bare := strings.TrimRight(ansi.Strip(l), " ")
		if l = ansi.Truncate(l, cells(bare), ""); !s.Colour {
			l = bare
		}
		if s.Light {
			l = onLight.Replace(l)
		}
		if s.ASCII {
			l = inASCII.Replace(l)
		}
		lines[i] = l
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

// cut shortens a text to a width.
func cut(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, signMore)
}

// cutName shortens a name to a width, at its start: names often differ at their ends only. A stage's number is at the
// start of its name.
func cutName(s string, width int) string {
	if over := cells(s) - width; over > 0 && !dag.IsNumbered(s) {
		return signMore + ansi.TruncateLeft(s, over+1, "")
	}
	return cut(s, width)
}

// sideBySide puts two lists side by side; the right one begins at a column.
func sideBySide(left, right []string, column int) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = cut(left[i], column-2)
		}
		if i < len(right) {
			out[i] = pad(out[i], column) + right[i]
		}
	}
	return out
}

// first returns at most n lines.
func first(n int, lines []string) []string { return lines[:min(max(n, 0), len(lines))] }

// foreign makes a text from the cluster safe: escaped, and in ASCII if the style requires it, or if terminals do not
// agree on its width.
func (s Style) foreign(t string) string {
	if t = view.Escape(t); s.ASCII || cells(t) != ansi.StringWidthWc(t) {
		return view.ASCII(t)
	}
	return t
}

// attempts matches names of attempts and tasks. Within a query they all begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// longest is how many bytes of a text are processed: the screen shows less.
const longest = 4096

// shortened reduces names of attempts and tasks in a text to the part that differs within a job: m_000017_0.
func shortened(s string) string {
	return attempts.ReplaceAllString(s[:min(len(s), longest)], "$1")
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
func table(width int, columns []column, rows [][]string) []string {
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
			if s = cut(s, wide); c.right {
				s = right(s, wide)
			}
			out[r] = pad(out[r], used) + s
		}
		used += wide + 2
	}
	return out
}
