package alert

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // a machine without zones tests as well

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

func instant(t *testing.T, text string) dag.Instant {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return dag.InstantOf(v)
}

// TestParseDeadline reads each form, in the zone of New York where it names none, for a query that is submitted at a
// given time.
func TestParseDeadline(t *testing.T) {
	local, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, submitted, want string }{
		{"06:30", "2026-11-21T10:00:00Z", "2026-11-21T11:30:00Z"},
		{"6:30", "2026-11-21T11:29:59Z", "2026-11-21T11:30:00Z"},
		{"06:30", "2026-11-21T11:30:00Z", "2026-11-22T11:30:00Z"}, // strictly after
		{"6:30am", "2026-11-21T10:00:00Z", "2026-11-21T11:30:00Z"},
		{"6:30 PM", "2026-11-21T10:00:00Z", "2026-11-21T23:30:00Z"},
		{"6pm Europe/Berlin", "2026-11-21T10:00:00Z", "2026-11-21T17:00:00Z"},
		{"12:05 a.m. UTC", "2026-11-21T10:00:00Z", "2026-11-22T00:05:00Z"},
		{"2026-11-21 12:05pm", "2020-01-01T00:00:00Z", "2026-11-21T17:05:00Z"},
		{"06:30:15", "2026-11-21T11:30:00Z", "2026-11-21T11:30:15Z"},
		{"06:30 Europe/Berlin", "2026-11-21T10:00:00Z", "2026-11-22T05:30:00Z"},
		{"06:30 UTC", "2026-11-21T10:00:00Z", "2026-11-22T06:30:00Z"},
		{"06:30Z", "2026-11-21T06:00:00Z", "2026-11-21T06:30:00Z"},
		{"06:30+05:30", "2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z"},
		{"06:30 -0800", "2026-11-21T00:00:00Z", "2026-11-21T14:30:00Z"},
		{"00:00 Pacific/Kiritimati", "2026-11-21T09:59:59Z", "2026-11-21T10:00:00Z"}, // 14 hours ahead
		{"2026-11-21 06:30", "2020-01-01T00:00:00Z", "2026-11-21T11:30:00Z"},
		{"2026-11-21T06:30", "2026-12-01T00:00:00Z", "2026-11-21T11:30:00Z"}, // it may be past
		{"2026-11-21 06:30 Europe/Berlin", "2020-01-01T00:00:00Z", "2026-11-21T05:30:00Z"},
		{"2026-11-21T06:30:00+01:00", "2020-01-01T00:00:00Z", "2026-11-21T05:30:00Z"},
		{"2026-11-21t06:30:00z", "2020-01-01T00:00:00Z", "2026-11-21T06:30:00Z"},
		// Summer time ends on 2026-10-25 at 03:00 in Berlin: 02:30 comes twice, and the first counts.
		{"02:30 Europe/Berlin", "2026-10-24T20:00:00Z", "2026-10-25T00:30:00Z"},
		{"02:30 Europe/Berlin", "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z"},
		// It begins on 2026-03-29 at 02:00: 02:30 does not come, and an hour after 01:30 is 03:30.
		{"02:30 Europe/Berlin", "2026-03-28T20:00:00Z", "2026-03-29T01:30:00Z"},
		{"2026-03-29 02:30 Europe/Berlin", "2020-01-01T00:00:00Z", "2026-03-29T01:30:00Z"},
		{"03:30 Europe/Berlin", "2026-03-28T20:00:00Z", "2026-03-29T01:30:00Z"},
		// The other way around the world, and at midnight.
		{"02:30 Australia/Sydney", "2026-10-03T12:00:00Z", "2026-10-03T16:30:00Z"},
		{"00:30 America/Havana", "2026-03-07T12:00:00Z", "2026-03-08T05:30:00Z"},
	} {
		b, err := ParseDeadline(c.text, local)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		at := b.At
		if b.Daily != nil {
			at = b.Daily.Next(instant(t, c.submitted))
		}
		if want := instant(t, c.want); at != want {
			t.Errorf("%q after %s: %s, want %s", c.text, c.submitted, at.Time().Format(time.RFC3339), c.want)
		}
	}
}

func TestParseDeadlineRefuses(t *testing.T) {
	for text, hint := range map[string]string{
		"":                        "give 06:30",
		"6.30":                    "give 06:30",
		"6":                       "give 06:30",
		"13:30pm":                 "the hour is 1 to 12",
		"0:30am":                  "the hour is 1 to 12",
		"06:30 PST":               "zone PST is ambiguous: give a place such as America/Los_Angeles",
		"tomorrow":                "give 06:30",
		"24:00":                   "00:00 to 23:59:59",
		"06:60":                   "00:00 to 23:59:59",
		"2026-02-30 06:30":        "no day 2026-02-30",
		"06:30 Middle/Earth":      "zone Middle/Earth is unknown",
		"06:30 ../../etc/passwd":  "is unknown",
		"06:30+25:00":             "no zone is +25:00 from UTC",
		"2026-11-21":              "give 06:30",
		"06:30 Europe/Berlin now": "is unknown",
	} {
		if _, err := ParseDeadline(text, time.UTC); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v, want a hint of %q", text, err, hint)
		}
	}
}

// TestDailyNext checks, over two years in zones of all kinds, that the next occurrence is after, within a day and an
// hour, and shows the requested time, but on the day on which clocks skip it.
func TestDailyNext(t *testing.T) {
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu",
		"Africa/Casablanca",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		d := Daily{Hour: 2, Minute: 30, Zone: zone}
		skipped := 0
		for at := instant(t, "2025-01-01T00:00:00Z"); at < instant(t, "2027-01-01T00:00:00Z"); at = at.Add(7 * time.Hour) {
			next := d.Next(at)
			if wait := next.Sub(at); wait <= 0 || wait > 25*time.Hour {
				t.Fatalf("%s: %v after %v", name, wait, at.Time())
			}
			if shown := next.Time().In(zone); shown.Hour() != 2 || shown.Minute() != 30 {
				skipped++
			}
		}
		if skipped > 8 { // two days, each requested at most four times
			t.Errorf("%s: got another time than requested in %d cases", name, skipped)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		b    Bound
		want string
	}{
		{Bound{Kind: Within, For: time.Minute}, ""},
		{Bound{Kind: Within}, "not a length of time"},
		{Bound{Kind: NoProgress, For: -1}, "not a length of time"},
		{Bound{Kind: LongerThanUsual}, "times the usual"},
	} {
		err := c.b.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.b, err, c.want)
		}
	}
}

// TestAnotherTimeOfDay: the stored state of a bound does not survive a change of its time, and otherwise
// does.
func TestAnotherTimeOfDay(t *testing.T) {
	at := dag.InstantOf(time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC))
	var s State
	tick := func(minutes int, daily string) string {
		b, err := ParseDeadline(daily, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		b.Name = "deadline"
		next, alerts := Step([]Bound{b}, s, frame.Frame{
			At:       frame.TimeOf(at.Add(time.Duration(minutes) * time.Minute)),
			Workflow: frame.Workflow{State: dag.Submitted},
		})
		s = next
		return alerts[0].DeadlineAt.Time().UTC().Format("02 15:04") + " " + string(alerts[0].State)
	}
	for i, c := range []struct {
		minutes     int
		daily, want string
	}{
		{0, "06:30", "21 06:30 blind"},
		{1, "06:30", "21 06:30 blind"},
		{2, "08:00", "21 08:00 blind"},
		{3, "06:02", "22 06:02 blind"},
		{4, "06:05", "21 06:05 blind"},
		{6, "06:05", "21 06:05 late"}, // it was never submitted, and the deadline is still that of today
	} {
		if got := tick(c.minutes, c.daily); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
}
