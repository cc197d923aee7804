package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// text makes a name from the cluster safe to show: invisible characters and direction marks become Go escapes.
func text(s string) string { return view.Escape(s) }

// longest is the greatest number of bytes of a sentence that is shown.
const longest = 4000

// prose is text for sentences, which may be longer than names.
func prose(s string) string {
	const piece = 300
	var b strings.Builder
	for len(s) > 0 && b.Len() < longest {
		n := min(piece, len(s))
		for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		b.WriteString(view.Escape(s[:max(n, 1)]))
		s = s[max(n, 1):]
	}
	if len(s) > 0 {
		b.WriteString("…")
	}
	return b.String()
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return text(*s)
}

// cut shortens a text to `letters` characters. It leaves out the middle: names differ at their ends.
func cut(s string, letters int) string {
	r := []rune(s)
	if len(r) <= letters || letters < 3 {
		return s
	}
	head := (letters - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(letters-1-head):])
}

// between formats two times and the time between them.
func between(from, to frame.Seconds) string {
	return fmt.Sprintf("%s – %s (%s)", units.Seconds(from), units.Seconds(to), units.Seconds(to-from))
}

// clock formats a time of day and its zone, with the date if that is not the observation's.
func clock(t, at *frame.Time, zone *time.Location) string {
	in := t.Time().In(zone)
	return units.Clock(in, besides(at), time.Second) + in.Format(" MST")
}

// besides returns the instant of the observation; zero if unknown.
func besides(t *frame.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time()
}

// capital makes the first letter upper case.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
