package screen

import "regexp"

// attempts are the names of attempts and tasks, of which all within a query begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// longest is how many bytes of a text are looked at: less reaches the screen.
const longest = 4096

// shortened leaves of the names of attempts and tasks in a text what differs within a job: m_000017_0.
func shortened(s string) string {
	s = s[:min(len(s), longest)]
	return attempts.ReplaceAllString(s, "$1")
}
