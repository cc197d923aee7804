package screen

import (
	"regexp"
	"strings"
)

// attempts are the names of attempts and tasks, of which all within a query begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// longest is how many bytes of a text are looked at: less reaches the screen.
const longest = 4096

// shortened leaves of the names of attempts and tasks in a text what differs within a job: m_000017_0.
func shortened(s string) string {
	s = s[:min(len(s), longest)]
	return attempts.ReplaceAllString(s, "$1")
}

// question is the beginning of an error of asking over HTTP: its first group is the host.
var question = regexp.MustCompile(`^[A-Z]+ \w+://([^/ ]+)\S*: `)

// cause leaves of such an error who was asked, and what came of it in the end.
func cause(s string) string {
	m := question.FindStringSubmatchIndex(s[:min(len(s), longest)])
	if m == nil {
		return s
	}
	host, rest := s[m[2]:m[3]], s[m[1]:]
	words, hint, found := strings.Cut(rest, " (")
	words = words[strings.LastIndex(words, ": ")+1:]
	if found {
		words += " (" + hint
	}
	return host + ": " + strings.TrimSpace(words)
}
