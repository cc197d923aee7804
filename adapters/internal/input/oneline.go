package input

import (
	"strings"
	"unicode"
)

// OneLine returns the first line of s in printable runes, at most most of them, so that it fits into an error message.
func OneLine(s string, most int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
