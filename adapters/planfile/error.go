package planfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xrash/smetrics"
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

// excerpt returns a line with a caret under a column, and the line before it. Lines end with \n, \r\n or \r.
func excerpt(src []byte, at place) string {
	if at.line < 1 {
		return ""
	}
	var before, here []byte
	rest := src
	for range at.line {
		end := bytes.IndexAny(rest, "\r\n")
		if end < 0 {
			end = len(rest)
		}
		before, here = here, rest[:end]
		rest = bytes.TrimPrefix(bytes.TrimPrefix(rest[end:], []byte("\r")), []byte("\n"))
	}
	var b strings.Builder
	if at.line > 1 {
		shown, _ := window(before, 1)
		fmt.Fprintf(&b, "  %4d | %s\n", at.line-1, shown)
	}
	shown, caret := window(here, at.col)
	fmt.Fprintf(&b, "> %4d | %s\n       | %s^", at.line, shown, strings.Repeat(" ", caret))
	return b.String()
}

// window cuts a line to the part around a column and makes it printable. caret is the column's index in the part,
// from 0.
func window(line []byte, col int) (shown string, caret int) {
	const most = shownWidth + 20
	before, after := "", ""
	caret = col - 1
	runes := []rune(string(line[:min(len(line), (col+most)*utf8.UTFMax)]))
	if from := col - 1 - shownWidth/2; len(line) > most && from > 0 {
		before, caret = "… ", shownWidth/2+2
		runes = runes[min(from, len(runes)):]
	}
	if len(runes) > most {
		runes, after = runes[:most], " …"
	}
	shown = strings.TrimRight(before+strings.Map(safe, string(runes))+after, " ")
	return shown, min(caret, len(runes)+len(before))
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
		return strconv.Quote(strings.ToValidUTF8(s[:most], "")+"…") + fmt.Sprintf(" (%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// unknownField returns the message for an unknown field at a path, and the field that it probably stands for.
func unknownField(name string, path, known []string) (why, meant string) {
	slices.Sort(known)
	why = "unknown field " + quote(name)
	if len(path) > 0 {
		why += " in " + pathString(path)
	}
	if meant = Nearest(name, known); meant != "" {
		return fmt.Sprintf("%s; did you mean %s?", why, quote(meant)), meant
	}
	return fmt.Sprintf("%s; known here: %s", why, strings.Join(known, ", ")), ""
}

// similar is the least similarity of a name to what it may stand for.
const similar = 0.8

// Nearest returns the most similar candidate for a misspelt name, or "" if none is similar.
func Nearest(name string, candidates []string) string {
	best, most := "", similar
	plain := func(s string) string { return strings.ToLower(s[:min(len(s), 100)]) }
	for _, c := range candidates {
		// The measure of Jaro and Winkler for names: at most 4 equal letters at the beginning raise it.
		if s := smetrics.JaroWinkler(plain(name), plain(c), 0.7, 4); s > most {
			best, most = c, s
		}
	}
	return best
}
