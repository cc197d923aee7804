package command

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/units"
)

var errNoLength = errors.New("give a length of time such as 45m or 1h30m")

// Length parses a length of time such as 45m. The error for a number without a unit suggests one.
func Length(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return 0, fmt.Errorf("a unit is missing: %sm?", text)
	}
	if d, ok := inWords(text); ok {
		return 0, fmt.Errorf("give a length of time such as 45m or 1h30m: %s?", units.Short(d))
	}
	return 0, errNoLength
}

var lengthInWords = regexp.MustCompile(`(?i)^(\d+(?:\.\d+)?) ?(d|days?|h(?:ou)?rs?|hours?|mins?|minutes?|secs?|seconds?)$`)

// inWords parses an informal length: 1d, 5min, 2 hours.
func inWords(text string) (time.Duration, bool) {
	m := lengthInWords.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n > 1e4 {
		return 0, false
	}
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}
	return time.Duration(n * float64(unit[strings.ToLower(m[2])[0]])), true
}
