// Package oneline makes what others have said fit into an error of one line.
package oneline

import (
	"strings"
	"unicode"
)

// Of returns the first line of s, printable and of most runes at most.
func Of(s string, most int) string {
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
