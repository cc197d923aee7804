package view

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the greatest number of bytes of a foreign text in a line.
const longest = 400

// Escape makes a text from the cluster safe for a terminal and keeps it on one line: control characters, invisible
// and direction-changing ones and broken UTF-8 become Go escapes. A text longer than longest bytes is cut.
func Escape(s string) string {
	cut := len(s) > longest
	if cut {
		s = s[:longest]
		for !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && len(s) > longest-utf8.UTFMax {
			s = s[:len(s)-1]
		}
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
		case r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += n
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

// EscapeLines is Escape for a text that may have several lines, such as an error with an excerpt of a file.
func EscapeLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Escape(lines[i])
	}
	return strings.Join(lines, "\n")
}

// signs replaces the program's own signs that ASCII lacks.
var signs = strings.NewReplacer("–", "-", "…", "~", "·", "-", "×", "x", "±", "+-", "↑↓", "up/down", "←→", "left/right",
	"↑", "up", "↓", "down", "←", "left", "→", "right")

// ASCII replaces the program's own signs, and writes everything else that is not ASCII as Go escapes.
func ASCII(s string) string {
	var b strings.Builder
	for _, r := range signs.Replace(s) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
