package alert

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// deadlineForm is [DATE] TIME [am|pm] [ZONE].
var deadlineForm = regexp.MustCompile(
	`^(?:(\d{4}-\d{2}-\d{2})(?:[Tt]| +))?(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?(?: *([AaPp])\.?[Mm]\.?(?: |$))? *(\S.*)?$`)

// ParseDeadline parses a Deadline: "06:30", "06:30 Europe/Berlin", "06:30+01:00", "2026-11-21 06:30", RFC 3339.
// Without a date it is a time of day, without a zone it is in the local zone. The zone is looked up. The caller
// must set the bound's name.
func ParseDeadline(text string, local *time.Location) (Bound, error) {
	m := deadlineForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[3] == "" && m[5] == "" { // an hour alone may be a duration
		return Bound{}, fmt.Errorf(
			"cannot read %q as a time: give 06:30, 6:30pm, 06:30 Europe/Berlin, 2026-11-21 06:30 or 2026-11-21T06:30:00+01:00", text)
	}
	zone, err := parseZone(m[6], local)
	if err != nil {
		return Bound{}, fmt.Errorf("%q: %w", text, err)
	}
	d := Daily{Hour: atoi(m[2]), Minute: atoi(m[3]), Second: atoi(m[4]), Zone: zone}
	if m[5] != "" {
		if d.Hour < 1 || d.Hour > 12 {
			return Bound{}, fmt.Errorf("%q: before am or pm the hour is 1 to 12", text)
		}
		d.Hour %= 12
		if strings.EqualFold(m[5], "p") {
			d.Hour += 12
		}
	}
	if d.Hour > 23 || d.Minute > 59 || d.Second > 59 {
		return Bound{}, fmt.Errorf("%q: there is no such time of day; it is 00:00 to 23:59:59", text)
	}
	if m[1] == "" {
		return Bound{Kind: Deadline, Daily: &d, Zone: zone}, nil
	}
	day, err := time.Parse(time.DateOnly, m[1])
	if err != nil {
		return Bound{}, fmt.Errorf("%q: there is no day %s", text, m[1])
	}
	at := wall(day.Year(), day.Month(), day.Day(), d.Hour, d.Minute, d.Second, zone)
	return Bound{Kind: Deadline, At: dag.InstantOf(at), Zone: zone}, nil
}

// atoi converts digits; no digits are 0.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

var offsetForm = regexp.MustCompile(`^([+-])(\d{2}):?(\d{2})?$`)

// abbreviation matches zone names that are ambiguous, or that the tz database has without summer time.
var abbreviation = regexp.MustCompile(`^[A-Z]{2,4}$`)

// parseZone parses a name of the tz database or an offset.
func parseZone(text string, local *time.Location) (*time.Location, error) {
	switch {
	case text == "":
		return local, nil
	case strings.EqualFold(text, "Z"):
		return time.UTC, nil
	}
	if m := offsetForm.FindStringSubmatch(text); m != nil {
		minutes := 60*atoi(m[2]) + atoi(m[3])
		if minutes > 14*60 || atoi(m[3]) > 59 {
			return nil, fmt.Errorf("no zone is %s from UTC", text)
		}
		if m[1] == "-" {
			minutes = -minutes
		}
		return time.FixedZone(fmt.Sprintf("UTC%s%s:%02d", m[1], m[2], atoi(m[3])), 60*minutes), nil
	}
	if abbreviation.MatchString(text) && text != "UTC" && text != "GMT" {
		return nil, fmt.Errorf("zone %s is ambiguous: give a place such as America/Los_Angeles or Europe/Berlin, or an offset such as +01:00",
			text)
	}
	zone, err := time.LoadLocation(text)
	if err != nil {
		return nil, fmt.Errorf("zone %s is unknown: give one such as Europe/Berlin, UTC or +01:00", text)
	}
	return zone, nil
}

// Check returns an error if the bound's limit makes no sense.
func (b *Bound) Check() error {
	switch {
	case (b.Kind == Within || b.Kind == NoProgress) && b.For <= 0:
		return fmt.Errorf("%v is not a length of time: give one such as 45m", b.For)
	case b.Kind == LongerThanUsual && (!(b.Times > 0) || math.IsInf(b.Times, 0)):
		return fmt.Errorf("%v times the usual length is no limit: give a factor such as 1.5", b.Times)
	}
	return nil
}
