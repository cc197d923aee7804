package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// unknown stands for a number that nobody knows.
const unknown = "?"

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

func exact(s frame.Seconds) string { return view.Exact(s.Duration()) }

func exactOf(s *frame.Seconds) string {
	if s == nil {
		return unknown
	}
	return exact(*s)
}

// between words a stretch of time.
func between(from, to frame.Seconds) string {
	return fmt.Sprintf("%s – %s (%s)", exact(from), exact(to), exact(to-from))
}

func percent(r frame.Ratio) string {
	return strconv.FormatFloat(math.Round(float64(r)*100), 'f', 0, 64) + " %"
}

// amount writes a number with three digits and a prefix: 999, 1.2 k, 34 M.
func amount(v *float64, unit string) string {
	if v == nil {
		return unknown
	}
	x, prefix := *v, ""
	for _, p := range []string{"k", "M", "G", "T", "P"} {
		if math.Abs(x) < 999.5 {
			break
		}
		x, prefix = x/1000, p
	}
	digits := 0
	if math.Abs(x) < 9.95 && prefix != "" {
		digits = 1
	}
	return strings.TrimSpace(strconv.FormatFloat(x, 'f', digits, 64) + " " + prefix + unit)
}

// count words a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// stamp writes an instant for people; the zone is said beside it.
func stamp(t *frame.Time, layout string) string {
	if t == nil {
		return unknown
	}
	return t.Instant.Time().UTC().Format(layout)
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
