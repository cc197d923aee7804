package planfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error is a fault of a plan file, with its position.
type Error struct {
	File         string
	Line, Column int    // from 1; columns count characters. 0: the file as a whole
	Field        string // such as jobs[0].map.cost; "" for syntax errors
	Message      string
	Excerpt      string // the previous line, the line, and a caret; "" without a position
	Err          error  // the fault of the plan, e.g. a *dag.CycleError; may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": " + e.Message)
	if e.Excerpt != "" {
		b.WriteString("\n" + e.Excerpt)
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// shownWidth is the length of a line's part in an excerpt.
const shownWidth = 100

// excerpt returns a line with a caret under a column. Lines end with \n, \r\n or \r.
func excerpt(src []byte, line, col int) string {
	var before, here []byte
	rest, last := src, false
	for i := 1; i <= line; i++ {
		if last {
			return ""
		}
		end := bytes.IndexAny(rest, "\r\n")
		before = here
		if end < 0 {
			here, last = rest, true
			continue
		}
		here = rest[:end]
		next := end + 1
		if rest[end] == '\r' && next < len(rest) && rest[next] == '\n' {
			next++
		}
		rest = rest[next:]
	}
	var b strings.Builder
	if line > 1 {
		shown, _ := window(before, 1)
		fmt.Fprintf(&b, "  %4d | %s\n", line-1, shown)
	}
	shown, caret := window(here, col)
	fmt.Fprintf(&b, "> %4d | %s\n       | %s^", line, shown, strings.Repeat(" ", caret))
	return b.String()
}

// window cuts a line to the part around a column and makes it printable. caret is the column's index in the part,
// from 0.
func window(line []byte, col int) (shown string, caret int) {
	from := 0
	if utf8.RuneCount(line) > shownWidth+20 {
		from = max(0, col-1-shownWidth/2)
	}
	var b strings.Builder
	at := 0
	if from > 0 {
		b.WriteString("… ")
		caret = 2
	}
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		line = line[n:]
		if at >= from+shownWidth+20 {
			b.WriteString(" …")
			break
		}
		if at >= from {
			if at < col-1 {
				caret++
			}
			b.WriteRune(safe(r))
		}
		at++
	}
	return strings.TrimRight(b.String(), " "), caret
}

func safe(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case !unicode.IsPrint(r):
		return '·'
	}
	return r
}

func printable(s string) string { return strings.Map(safe, strings.ReplaceAll(s, "\t", `\t`)) }

// quote quotes and shortens a text of a file, so that it cannot send commands to a terminal.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xC0 == 0x80 { // inside a rune
			cut--
		}
		return strconv.Quote(s[:cut]+"…") + fmt.Sprintf(" (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}
