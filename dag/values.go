package dag

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// An Instant is a point in time by the cluster's clock, in milliseconds since the Unix epoch. Integer milliseconds
// make simultaneous events exactly equal; the batches of the replay depend on this.
type Instant int64

// NoInstant is an instant that is not known.
const NoInstant Instant = math.MinInt64

// InstantOf converts t; sub-millisecond parts are cut off.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Known reports whether the instant is known.
func (i Instant) Known() bool { return i != NoInstant }

// FirstKnown returns the first instant that is known, NoInstant if there is none.
func FirstKnown(at ...Instant) Instant {
	for _, i := range at {
		if i.Known() {
			return i
		}
	}
	return NoInstant
}

// Earlier returns the earlier of two instants; if one is unknown, the other one.
func (i Instant) Earlier(j Instant) Instant {
	if !i.Known() || j.Known() && j < i {
		return j
	}
	return i
}

// Time converts to a UTC time. It panics on NoInstant: check Known first.
func (i Instant) Time() time.Time {
	if !i.Known() {
		panic("dag: Time of an unknown instant")
	}
	return time.UnixMilli(int64(i)).UTC()
}

// Add returns i moved by d, cut to whole milliseconds. An unknown instant stays unknown.
func (i Instant) Add(d time.Duration) Instant {
	if !i.Known() {
		return i
	}
	return i + Instant(d/time.Millisecond)
}

// Sub returns i - j. Both must be known.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i-j) * time.Millisecond }

// Seconds returns i - j in seconds. Both must be known.
func (i Instant) Seconds(j Instant) float64 { return float64(i-j) / 1000 }

// A Series is one value a task: the same for all tasks, or one each. The zero Series is unknown. A uniform series
// for a million tasks takes a few bytes.
type Series struct {
	all   float64
	known bool
	each  []float64
}

// Uniform returns a series of one value for all tasks.
func Uniform(v float64) Series {
	if math.IsNaN(v) {
		return Series{}
	}
	return Series{all: v, known: true}
}

// Each returns a series of one value a task; NaN marks an unknown one. The slice is kept, not copied.
func Each(v []float64) Series { return Series{each: v} }

// At returns the value of task i, NaN if it is unknown or i is out of range.
func (s Series) At(i int) float64 {
	switch {
	case s.known:
		return s.all
	case i >= 0 && i < len(s.each):
		return s.each[i]
	}
	return math.NaN()
}

// Known reports whether the series has any value.
func (s Series) Known() bool { return s.known || len(s.each) > 0 }

// IsUniform reports whether every task has the same value (or none has one).
func (s Series) IsUniform() bool { return len(s.each) == 0 }

// Values returns the per-task values, nil for a uniform series. Do not modify it.
func (s Series) Values() []float64 { return s.each }

// Same returns the number of tasks from i on, i included, that are known to share i's value, out of n tasks.
func (s Series) Same(i, n int) int {
	if len(s.each) == 0 {
		return n - i
	}
	return 1
}

// Sum returns the sum over n tasks, NaN if any is unknown.
func (s Series) Sum(n int) float64 {
	if s.known {
		return s.all * float64(n)
	}
	sum := 0.0
	for i := range n {
		sum += s.At(i)
	}
	return sum
}

// MaxText bounds a text from outside, in bytes: the maximum length of a path.
const MaxText = 4096

// Clean returns a text from outside (a name, a queue, a diagnosis) as plans and snapshots store it: on one line,
// valid UTF-8, at most MaxText bytes, and without characters that affect the display. Those are control characters,
// line and paragraph separators, the controls of writing direction and invisible characters. Clean writes them as
// Go escapes, so that names that differ in them stay different. It keeps the joiners of Persian, Hindi and Khmer.
// Clean(Clean(s)) is Clean(s).
//
// Clean does not keep all names apart: a name that itself contains such an escape as text, or two that differ only
// beyond MaxText bytes, may become equal. Names are keys too, so adapters call Clean as they read, before anything is
// looked up by a name.
func Clean(s string) string {
	if len(s) <= MaxText && plain(s) {
		return s
	}
	const more = "…"
	var b strings.Builder
	keep := 0 // bytes of b that leave room for more
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		piece := s[:n]
		switch {
		case r == utf8.RuneError && n == 1:
			piece = `\x` + strconv.FormatUint(uint64(s[0]), 16)
		case acts(r):
			q := strconv.QuoteRuneToASCII(r)
			piece = q[1 : len(q)-1]
		}
		if b.Len()+len(piece) > MaxText {
			return b.String()[:keep] + more
		}
		b.WriteString(piece)
		if b.Len() <= MaxText-len(more) {
			keep = b.Len()
		}
		s = s[n:]
	}
	return b.String()
}

// plain reports whether a text needs no cleaning. Most texts are ASCII, which it checks byte by byte.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf {
			return utf8.ValidString(s[i:]) && !strings.ContainsFunc(s[i:], acts)
		} else if c < ' ' || c == 0x7F {
			return false
		}
	}
	return true
}

// acts reports whether a character affects the text around it, or is invisible.
func acts(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	switch r {
	case '\u200B', '\u200C', '\u200D':
		// zero-width space, non-joiner and joiner: scripts without spaces or with ligatures need them
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
