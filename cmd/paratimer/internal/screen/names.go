package screen

import (
	"regexp"
	"strings"
)

// attempts matches names of attempts and tasks. Within a query they all begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// longest is how many bytes of a text are processed: the screen shows less.
const longest = 4096

// shortened reduces names of attempts and tasks in a text to the part that differs within a job: m_000017_0.
func shortened(s string) string {
	s = s[:min(len(s), longest)]
	return attempts.ReplaceAllString(s, "$1")
}

// question matches the beginning of an error of an HTTP request: its first group is the host.
var question = regexp.MustCompile(`^[A-Z]+ \w+://([^/ ]+)\S*: `)

// cause reduces such an error to the host and the last error.
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
