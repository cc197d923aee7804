package screen

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A role is why a text looks as it does; the theme says how. No two things differ in their role alone.
type role uint8

const (
	plain role = iota
	strong
	dim
	good
	warn
	bad
	path // the critical path
	lane // what runs or ran
	pick // what the reader has selected
	roles
)

// A span is a text of one role. Its width in cells is known: measuring is what drawing would spend its time on.
type span struct {
	text  string
	cells int
	role  role
}

// A line is what stands on one line of the screen.
type line []span

// text makes a line of one text.
func text(r role, s string) line { return line{{s, cells(s), r}} }

// cells is the width of a text on a terminal.
func cells(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

func (l line) cells() int {
	n := 0
	for _, s := range l {
		n += s.cells
	}
	return n
}

// and is l followed by other texts.
func (l line) and(more ...line) line {
	for _, m := range more {
		l = append(l, m...)
	}
	return l
}

// pad fills l with blanks to a width.
func (l line) pad(width int) line {
	if n := width - l.cells(); n > 0 {
		return append(l, span{strings.Repeat(" ", n), n, plain})
	}
	return l
}

// cut shortens l to a width; tail, one cell wide, tells that something is missing.
func (l line) cut(width int, tail string) line {
	if l.cells() <= width {
		return l
	}
	var out line
	for _, s := range l {
		if left := width - out.cells(); s.cells >= left {
			// What fits exactly is cut too: something comes after it.
			t := ansi.Truncate(s.text, max(0, left-1), "") + tail
			if left <= 0 {
				break
			}
			return append(out, span{t, cells(t), s.role})
		}
		out = append(out, s)
	}
	return out
}

// spread puts left and right at the ends of a width; right is left out where both do not fit.
func spread(left, right line, width int) line {
	gap := width - left.cells() - right.cells()
	if gap < 2 {
		return left
	}
	return left.and(text(plain, strings.Repeat(" ", gap)), right)
}

// wrap breaks a text into lines of a width at blanks; words that are longer are broken.
func wrap(r role, s string, width int) []line {
	var out []line
	for l := range strings.SplitSeq(ansi.Wrap(s, max(1, width), ""), "\n") {
		out = append(out, text(r, strings.TrimRight(l, " ")))
	}
	return out
}
