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

// text makes a name from the cluster safe to show: what cannot be seen or turns the direction is written as Go escapes.
func text(s string) string { return view.Escape(s) }

// longest is how many bytes of a sentence are shown.
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

// cut shortens a text to so many letters, its middle left out: names differ at their ends.
func cut(s string, letters int) string {
	r := []rune(s)
	if len(r) <= letters || letters < 3 {
		return s
	}
	head := (letters - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(letters-1-head):])
}

// between words a stretch of time.
func between(from, to frame.Seconds) string {
	return fmt.Sprintf("%s – %s (%s)", units.Seconds(from), units.Seconds(to), units.Seconds(to-from))
}

// stamp writes an instant for people; the zone is said beside it.
func stamp(t *frame.Time, layout string) string {
	if t == nil {
		return units.Unknown
	}
	return t.Instant.Time().UTC().Round(time.Second).Format(layout)
}

// clock writes a time of day, with its date where that is not the observation's.
func clock(t, at *frame.Time) string {
	beside := time.Time{}
	if at != nil {
		beside = at.Time()
	}
	return units.Clock(t.Time(), beside, time.Second) + " UTC"
}

func iso(t *frame.Time) string { return stamp(t, time.RFC3339) }

// capital begins a sentence.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
