package view

import (
	"strings"
	"unicode/utf8"
)

// columns is the width of a line for people.
const columns = 100

// wrapped breaks lines that are wider than a number of columns, at spaces, and puts indent before the rest. It breaks
// wider words. Escape sequences of colours take no columns.
func wrapped(text string, most int, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if width(line) > most {
			lines[i] = wrapLine(line, most, indent)
		}
	}
	return strings.Join(lines, "\n")
}

func wrapLine(line string, most int, indent string) string {
	body := strings.TrimLeft(line, " ")
	var b strings.Builder
	start := line[:len(line)-len(body)]
	at := width(start)
	b.WriteString(start)
	first := true
	for _, word := range strings.SplitAfter(body, " ") {
		n := width(strings.TrimRight(word, " "))
		if !first && at+n > most {
			s := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(s + "\n" + indent)
			at = width(indent)
		}
		for at+n > most {
			cut := runes(word, most-at)
			b.WriteString(word[:cut] + "\n" + indent)
			word, at = word[cut:], width(indent)
			n = width(strings.TrimRight(word, " "))
		}
		b.WriteString(word)
		at += width(word)
		first = false
	}
	return b.String()
}

// runes returns how many bytes the first n columns of s take.
func runes(s string, n int) int {
	sequence := false
	for i, r := range s {
		switch {
		case r == '\x1b':
			sequence = true
		case sequence:
			sequence = r != 'm'
		default:
			if n--; n < 0 {
				return i
			}
		}
	}
	return len(s)
}

// width counts the runes of s that take a column.
func width(s string) int {
	if !strings.ContainsRune(s, '\x1b') {
		return utf8.RuneCountInString(s)
	}
	n, sequence := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			sequence = true
		case sequence:
			sequence = r != 'm'
		default:
			n++
		}
	}
	return n
}
