package command

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

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
	if m := lengthInWords.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64) // these digits are a number
		unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
		return 0, fmt.Errorf("%w: %s?", errNoLength, units.Short(time.Duration(n*float64(unit[strings.ToLower(m[2])]))))
	}
	return 0, errNoLength
}

// lengthInWords matches an informal length: 1d, 5min, 2 hours.
var lengthInWords = regexp.MustCompile(`(?i)^(\d{1,4}(?:\.\d{1,3})?) ?([dhms])[a-z]*$`)

// Zone returns the reader's time zone: UTC with --utc, else that of TZ, else the machine's.
func Zone(c *cli.Context) *time.Location {
	if c.Bool("utc") {
		return time.UTC
	}
	if name := strings.TrimPrefix(Getenv(c)("TZ"), ":"); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	return time.Local
}
