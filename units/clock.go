package units

import "time"

// Clock words the time of day of t in its own zone, rounded to a unit: "15:04" from a minute on, else "15:04:05". If t
// is on another day than beside, or in another year, its date comes first: "2 Jan 15:04", "2 Jan 2006 15:04". A zero
// beside asks for no date.
func Clock(t, beside time.Time, unit time.Duration) string {
	t = t.Round(unit)
	layout := "15:04:05"
	if unit >= time.Minute {
		layout = "15:04"
	}
	if b := beside.In(t.Location()); !beside.IsZero() && b.Format(time.DateOnly) != t.Format(time.DateOnly) {
		date := "2 Jan "
		if b.Year() != t.Year() {
			date = "2 Jan 2006 "
		}
		layout = date + layout
	}
	return t.Format(layout)
}

// Day words an instant by its date and minute in its own zone, and names that: "2006-01-02 15:04 CET".
func Day(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }
