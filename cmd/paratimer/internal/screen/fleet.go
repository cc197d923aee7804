package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// A Fleet is the screen of many queries.
type Fleet struct {
	Queries       []view.Query // all of them, in the order in which they are shown
	Selected      int          // index among the shown ones
	Filter        string       // show only queries with it in their name or owner
	Typing        bool         // the user types the filter
	Width, Height int
	Style         Style
	Log           string // the newest log line; empty: none
}

// Shown returns the queries that the filter leaves.
func (f *Fleet) Shown() []view.Query {
	return slices.DeleteFunc(slices.Clone(f.Queries), func(q view.Query) bool { return !q.Matches(f.Filter) })
}

// Rows returns how many queries fit on the screen: without the summary, a blank line, the heading, the selected query
// and the keys.
func (f *Fleet) Rows() int { return max(f.Height-5, 0) }

// DrawFleet draws the queries for a terminal: a summary, a heading, a line for each, the selected one and the keys.
func DrawFleet(f Fleet) []string {
	if f.Width < 1 || f.Height < 1 {
		return nil
	}
	all, rows := f.Shown(), f.Rows()
	foot := []string{f.selected(all), f.foot(len(all))}
	if f.Log != "" && rows > 3 {
		foot = append([]string{text(warn, f.Style.foreign(f.Log))}, foot...)
		rows--
	}
	from := min(max(f.Selected-rows/2, 0), max(len(all)-rows, 0))
	table := f.table(all[from:min(from+rows, len(all))], from)
	lines := append([]string{text(strong, view.FleetSummary(f.Queries)), ""}, table...)
	blank := make([]string, max(0, f.Height-len(lines)-len(foot)))
	return render(f.Style, f.Width, f.Height, slices.Concat(lines, blank, foot))
}

// selected describes the selected query: a narrow table lacks some of its columns.
func (f *Fleet) selected(all []view.Query) string {
	if f.Selected >= len(all) {
		return ""
	}
	q := &all[f.Selected]
	parts := []string{f.Style.foreign(q.ID)}
	add := func(before, s string) {
		if s != "" {
			parts = append(parts, before+s)
		}
	}
	add("blocked by ", view.HeldUpText(q.HeldUpBy))
	add("deadline ", strings.Trim(f.clock(q.DeadlineAt, q.At)+", "+margin(q), ", "))
	add("owner ", f.Style.foreign(q.User))
	add("queue ", f.Style.foreign(q.Queue))
	add("waits for ", f.Style.foreign(q.WaitsFor))
	return text(strong, signPicked+" ") + strings.Join(parts, "; ")
}

// foot returns the filter, how many queries it leaves, and the keys.
func (f *Fleet) foot(shown int) string {
	keys := []string{"↑↓ select", "enter open", "/ filter", "q quit and stop watching"}
	filter := fmt.Sprintf("/%s: %d of %d", f.Style.foreign(f.Filter), shown, len(f.Queries))
	switch {
	case f.Typing:
		keys = []string{filter, "enter keep", "esc clear"}
	case f.Filter != "":
		keys = slices.Insert(keys[:2], 0, filter, "esc clear")
	}
	return fitting(keysOf(keys), f.Width)
}

// table returns the heading and the rows. The first row has the index from. The columns are in order of
// importance: a narrow terminal lacks the last ones. A wide one has bars of the progress.
func (f *Fleet) table(shown []view.Query, from int) []string {
	lines := f.columns(shown, from, 0)
	if spare := f.Width - slices.Max(units.Each(lines, cells)) - 1; spare >= 8 {
		return f.columns(shown, from, min(spare, longestBar))
	}
	return lines
}

// longestBar is the greatest width of a bar in the table: longer ones move the columns apart.
const longestBar = 40

// columns is table with bars of a width.
func (f *Fleet) columns(shown []view.Query, from, wide int) []string {
	zone := ""
	rows := make([][]string, len(shown))
	for i, q := range shown {
		if q.At != nil {
			zone = " " + f.Style.in(q.At.Time()).Format("MST")
		}
		left, status, blocks, progress := q.Left, q.Standing.String(), "", ""
		if q.State.Ended() {
			left = "took " + units.Known(q.Elapsed, units.Seconds)
			if q.Standing == view.HasEnded {
				status = strings.TrimPrefix(q.State.String(), "ended_")
			}
		}
		if q.HoldsUp > 0 {
			blocks = strconv.Itoa(q.HoldsUp)
		}
		if q.Progress != nil {
			progress = units.Percent(*q.Progress)
			if wide > 0 {
				progress = bar(float64(*q.Progress), wide) + right(progress, 5)
			}
		}
		name, look := "  "+text(strong, f.Style.foreign(q.Name)), looks[q.Standing]
		if from+i == f.Selected {
			name = text(strong, signPicked+" ") + text(pick, f.Style.foreign(q.Name))
		}
		rows[i] = []string{
			name, text(look, status), left, f.clock(q.EndAt, q.At), progress, f.clock(q.DeadlineAt, q.At),
			text(look, margin(&q)), units.Known(q.Elapsed, runs), f.Style.foreign(q.User), f.Style.foreign(q.Queue),
			text(warn, blocks), text(warn, view.HeldUpText(q.HeldUpBy)),
		}
	}
	return table(f.Width, []column{
		{"  query", min(max(f.Width/3, 12), 38), false, false},
		{"status", 11, false, false},
		{"left", 36, true, false},
		{"ends" + zone, 16, true, true},
		{"progress", f.Width, true, true},
		{"deadline", 16, true, true},
		{"margin", 16, true, true},
		{"runs", 10, true, true},
		{"owner", 14, false, false},
		{"queue", 24, false, false},
		{"blocks", 8, true, true},
		{"blocked by", 60, false, false},
	}, rows)
}

// runs formats how long a query has run.
func runs(s frame.Seconds) string { return units.Short(s.Duration()) }

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
func (f *Fleet) clock(t, at *frame.Time) string {
	if t == nil {
		return ""
	}
	return f.Style.clock(t.Time(), at, time.Minute)
}
