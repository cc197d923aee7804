package dag

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
