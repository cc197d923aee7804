package screen

import (
	"regexp"
	"strings"
)

// attempts are the names of attempts and tasks, of which all within a query begin alike.
var attempts = regexp.MustCompile(`\b(?:attempt|task)_[0-9]+_[0-9]+_([mr]_[0-9]+(?:_[0-9]+)?)\b`)

// shortened leaves of the names of attempts and tasks in a text what differs within a job: m_000017_0.
func shortened(s string) string {
	if !strings.Contains(s, "t_") && !strings.Contains(s, "k_") {
		return s
	}
	return attempts.ReplaceAllString(s, "$1")
}
