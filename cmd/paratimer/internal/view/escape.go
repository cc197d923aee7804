package view

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/units"
)

// longest is the greatest number of bytes of a foreign text in a line.
const longest = 400

// unquoted are the escapes of a Go string that a text without quotes around it needs not.
var unquoted = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// Escape makes a text from the cluster safe for a terminal and keeps it on one line: control characters, invisible
// and direction-changing ones and broken UTF-8 become Go escapes. A text longer than longest bytes is cut.
func Escape(s string) string { return EscapeCut(s, longest) }

// EscapeCut is Escape for a text that may have another number of bytes.
func EscapeCut(s string, most int) string {
	cut := ""
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s, cut = s[:most], "…"
	}
	q := strconv.Quote(s)
	return unquoted.Replace(q[1:len(q)-1]) + cut
}

// EscapeLines is Escape for a text that may have several lines, such as an error with an excerpt of a file.
func EscapeLines(s string) string {
	return strings.Join(units.Each(strings.Split(s, "\n"), Escape), "\n")
}

// signs replaces the program's own signs that ASCII lacks.
var signs = strings.NewReplacer("–", "-", "…", "~", "·", "-", "×", "x", "⋈", "x", "±", "+-", "↑↓", "up/down", "←→", "left/right",
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
