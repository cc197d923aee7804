package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// A Fleet is the screen of many queries.
type Fleet struct {
	Queries       []view.Query // in the order in which they are shown
	First         int          // how many are scrolled past
	Width, Height int
	Style         Style
	Log           string // the newest log line; empty: none
}

// endsTitle is the title of the column that shows the time zone of all clocks.
const endsTitle = "ends"

// fleetColumns are the columns of a fleet. least is the width of the screen from which a column is shown.
var fleetColumns = [...]struct {
	title      string
	least, max int
	right      bool
	of         func(*view.Query, *time.Location) string
	role       func(*view.Query) role
}{
	{
		"query", 0, 36, false, func(q *view.Query, _ *time.Location) string { return view.Escape(q.Name) },
		func(*view.Query) role { return strong },
	},
	{"stands", 0, 14, false, standing, standingRole},
	{"left", 0, 22, true, func(q *view.Query, _ *time.Location) string {
		if q.State.Ended() {
			return "took " + units.Known(q.Elapsed, units.Seconds)
		}
		return q.Left
	}, nil},
	{endsTitle, 60, 16, true, func(q *view.Query, zone *time.Location) string {
		return fleetClock(q.EndAt, q.At, zone)
	}, nil},
	{
		"held up by", 72, 60, false, func(q *view.Query, _ *time.Location) string { return view.HeldUpText(q.HeldUpBy) },
		func(*view.Query) role { return warn },
	},
	{"deadline", 72, 16, true, func(q *view.Query, zone *time.Location) string {
		return fleetClock(q.DeadlineAt, q.At, zone)
	}, nil},
	{"against it", 90, 16, true, against, standingRole},
	{"holds up", 110, 8, true, func(q *view.Query, _ *time.Location) string {
		if q.HoldsUp == 0 {
			return ""
		}
		return fmt.Sprint(q.HoldsUp)
	}, func(*view.Query) role { return warn }},
	{"user", 130, 14, false, func(q *view.Query, _ *time.Location) string { return view.Escape(q.User) }, nil},
	{"queue", 140, 24, false, func(q *view.Query, _ *time.Location) string { return view.Escape(q.Queue) }, nil},
}

// narrowest is the least width that a column of texts is cut to. Columns of numbers are never cut, but left out.
const narrowest = 14

// DrawFleet draws the queries for a terminal: a summary, a heading, a line for each, and the keys.
func DrawFleet(f Fleet) []string {
	if f.Width < 1 || f.Height < 1 {
		return nil
	}
	g := glyphsOf(f.Style)
	tail := string(g.more)
	lines := []line{text(strong, view.FleetSummary(f.Queries)), nil}
	rows := max(f.Height-len(lines)-2, 0) // a heading above, the keys below
	if f.Log != "" && rows > 3 {
		rows--
	}
	first := min(max(f.First, 0), max(len(f.Queries)-rows, 0))
	shown := f.Queries[first:min(first+rows, len(f.Queries))]
	lines = append(lines, f.table(shown)...)
	for len(lines) < f.Height-1-btoi(f.Log != "" && rows > 3) {
		lines = append(lines, nil)
	}
	if f.Log != "" && rows > 3 {
		lines = append(lines, text(warn, view.Escape(f.Log)))
	}
	foot := "q leaves; what is watched ends with it"
	if len(shown) < len(f.Queries) {
		foot = fmt.Sprintf("%d to %d of %d; up and down scroll; %s", first+1, first+len(shown), len(f.Queries), foot)
	}
	lines = append(lines, text(dim, foot))
	for i := range lines {
		lines[i] = lines[i].cut(f.Width, tail)
	}
	return render(f.Style, lines[:min(len(lines), f.Height)])
}

// table returns the heading and the rows. Each column is as wide as its widest text.
func (f Fleet) table(shown []view.Query) []line {
	out := make([]line, len(shown)+1)
	used := 0
	tail := string(glyphsOf(f.Style).more)
	for i := range fleetColumns {
		c := &fleetColumns[i]
		if f.Width < c.least {
			continue
		}
		texts, wide := make([]string, len(shown)), 0
		for k := range shown {
			texts[k] = c.of(&shown[k], f.Style.zone())
			wide = max(wide, min(cells(texts[k]), c.max))
		}
		if wide == 0 && i > 2 {
			continue // no query has a value
		}
		title := c.title
		if title == endsTitle && len(shown) > 0 && shown[0].At != nil {
			title += " " + shown[0].At.Time().In(f.Style.zone()).Format("MST")
		}
		wide = max(wide, cells(title))
		if room := f.Width - used - 2; i > 2 && wide > room {
			if c.right || room < narrowest {
				continue
			}
			wide = room
		}
		put := func(row int, l line) {
			if c.right && l.cells() < wide {
				l = text(plain, strings.Repeat(" ", wide-l.cells())).and(l)
			}
			if used > 0 {
				out[row] = out[row].pad(used).and(text(plain, "  "))
			}
			out[row] = out[row].and(l.cut(wide, tail))
		}
		put(0, text(dim, title))
		for k := range shown {
			r := plain
			if c.role != nil {
				r = c.role(&shown[k])
			}
			put(k+1, text(r, texts[k]))
		}
		if used > 0 {
			used += 2
		}
		used += wide
	}
	return out
}

func standing(q *view.Query, _ *time.Location) string {
	if q.State.Ended() && q.Standing == view.HasEnded {
		return q.State.String()
	}
	return q.Standing.String()
}

func standingRole(q *view.Query) role {
	switch q.Standing {
	case view.IsLate, view.HasMissed:
		return bad
	case view.IsAtRisk:
		return warn
	case view.IsOnTrack:
		return good
	case view.IsUnseen, view.IsFree, view.HasEnded:
	}
	return plain
}

// against returns how far from its deadline a query ends.
func against(q *view.Query, _ *time.Location) string {
	d := q.LaterSeconds
	switch {
	case d == nil:
		return ""
	case *d > 0:
		return units.Short(d.Duration()) + " late"
	}
	return units.Short((-*d).Duration()) + " early"
}

func fleetClock(t, at *frame.Time, zone *time.Location) string {
	if t == nil {
		return ""
	}
	beside := time.Time{}
	if at != nil {
		beside = at.Time().In(zone)
	}
	return units.Clock(t.Time().In(zone), beside, time.Minute)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
