package screen

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A role is the meaning of a text's look; the theme defines the look. No two things differ in their role alone.
type role uint8

const (
	plain role = iota
	strong
	dim
	good
	warn
	bad
	path // the critical path
	lane // what is running or has run
	pick // what the user has selected
	roles
)

// A span is a text of one role. It stores its width in cells, because measuring is slow.
type span struct {
	text  string
	cells int
	role  role
}

// A line is one line of the screen.
type line []span

// text returns a line of one text.
func text(r role, s string) line { return line{{s, cells(s), r}} }

// cells returns the width of a text on a terminal.
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

// and appends other lines to l.
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

// cut shortens l to a width; tail, one cell wide, marks the cut.
func (l line) cut(width int, tail string) line {
	if l.cells() <= width {
		return l
	}
	var out line
	for _, s := range l {
		if left := width - out.cells(); s.cells >= left {
			// Cut a text that fits exactly, too: something comes after it.
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

// spread puts left and right at the ends of a width. It leaves out right if both do not fit.
func spread(left, right line, width int) line {
	gap := width - left.cells() - right.cells()
	if gap < 2 {
		return left
	}
	return left.and(text(plain, strings.Repeat(" ", gap)), right)
}

// wrap breaks a text at blanks into lines of a width. It breaks longer words.
func wrap(r role, s string, width int) []line {
	var out []line
	for l := range strings.SplitSeq(ansi.Wrap(s, max(1, width), ""), "\n") {
		out = append(out, text(r, strings.TrimRight(l, " ")))
	}
	return out
}

// attempts matches names of attempts and tasks. Within a query they all begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// longest is how many bytes of a text are processed: the screen shows less.
const longest = 4096

// shortened reduces names of attempts and tasks in a text to the part that differs within a job: m_000017_0.
func shortened(s string) string {
	s = s[:min(len(s), longest)]
	return attempts.ReplaceAllString(s, "$1")
}

// question matches the beginning of an error of an HTTP request: its first group is the host.
var question = regexp.MustCompile(`^[A-Z]+ \w+://([^/ ]+)\S*: `)

// cause reduces such an error to the host and the last error.
func cause(s string) string {
	m := question.FindStringSubmatchIndex(s[:min(len(s), longest)])
	if m == nil {
		return s
	}
	host, rest := s[m[2]:m[3]], s[m[1]:]
	words, hint, found := strings.Cut(rest, " (")
	words = words[strings.LastIndex(words, ": ")+1:]
	if found {
		words += " (" + hint
	}
	return host + ": " + strings.TrimSpace(words)
}
