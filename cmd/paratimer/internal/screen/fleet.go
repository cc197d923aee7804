package screen

import (
	"fmt"
	"slices"
	"strconv"
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

// DrawFleet draws the queries for a terminal: a summary, a heading, a line for each, and the keys.
func DrawFleet(f Fleet) []string {
	if f.Width < 1 || f.Height < 1 {
		return nil
	}
	rows := max(f.Height-4, 0) // without the summary, a blank line, the heading and the keys
	foot := []string{""}
	if f.Log != "" && rows > 3 {
		foot = []string{text(warn, f.Style.foreign(f.Log)), ""}
		rows--
	}
	from := min(max(f.First, 0), max(len(f.Queries)-rows, 0))
	shown := f.Queries[from:min(from+rows, len(f.Queries))]
	keys := "q quits and stops watching"
	if len(shown) < len(f.Queries) {
		keys = fmt.Sprintf("%d to %d of %d; up and down scroll; %s", from+1, from+len(shown), len(f.Queries), keys)
	}
	foot[len(foot)-1] = text(dim, keys)
	lines := append([]string{text(strong, view.FleetSummary(f.Queries)), ""}, f.table(shown)...)
	blank := make([]string, max(0, f.Height-len(lines)-len(foot)))
	return render(f.Style, f.Width, f.Height, slices.Concat(lines, blank, foot))
}

// table returns the heading and the rows. The columns are in order of importance: a narrow terminal lacks the last
// ones.
func (f Fleet) table(shown []view.Query) []string {
	zone := ""
	rows := make([][]string, len(shown))
	for i := range shown {
		q := &shown[i]
		if q.At != nil {
			zone = " " + f.Style.in(q.At.Time()).Format("MST")
		}
		left, status, blocks := q.Left, q.Standing.String(), ""
		if q.State.Ended() {
			left = "took " + units.Known(q.Elapsed, units.Seconds)
			if q.Standing == view.HasEnded {
				status = q.State.String()
			}
		}
		if q.HoldsUp > 0 {
			blocks = strconv.Itoa(q.HoldsUp)
		}
		look := looks[q.Standing]
		rows[i] = []string{
			text(strong, f.Style.foreign(q.Name)), text(look, status), left, f.clock(q.EndAt, q.At),
			text(warn, view.HeldUpText(q.HeldUpBy)), f.clock(q.DeadlineAt, q.At), text(look, margin(q)),
			text(warn, blocks), f.Style.foreign(q.User), f.Style.foreign(q.Queue),
		}
	}
	return table(f.Width, []column{
		{"query", 36, false, false},
		{"status", 14, false, false},
		{"left", 26, true, false},
		{"ends" + zone, 16, true, true},
		{"blocked by", 60, false, false},
		{"deadline", 16, true, true},
		{"margin", 16, true, true},
		{"blocks", 8, true, true},
		{"owner", 14, false, false},
		{"queue", 24, false, false},
	}, rows)
}

// looks are the roles of standings.
var looks = map[view.Standing]role{
	view.IsLate: bad, view.HasMissed: bad, view.IsAtRisk: warn, view.IsUnseen: warn, view.IsOnTrack: good,
}

// margin returns how far from its deadline a query ends.
func margin(q *view.Query) string {
	switch d := q.LaterSeconds; {
	case d == nil:
		return ""
	case *d > 0:
		return units.Short(d.Duration()) + " late"
	default:
		return units.Short((-*d).Duration()) + " early"
	}
}

// clock formats an instant to the minute; "" if it is unknown.
func (f Fleet) clock(t, at *frame.Time) string {
	if t == nil {
		return ""
	}
	return f.Style.clock(t.Time(), at, time.Minute)
}
