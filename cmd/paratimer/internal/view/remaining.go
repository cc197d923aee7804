package view

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// Remaining formats a headline: "~11m (10m – 14m)", "~11m (10m – 14m, rough)", "~40s (up to 5m)", "6m – 24m (rough)",
// "at least 4m", "up to 2m", "?". The text depends on the headline alone, so every view shows the same number.
func Remaining(h frame.Headline) string { return shownOf(h).String() }

// Left formats the remaining time of a scenario, rounded like the headline beside it: "~11m". The headline's own
// remaining time looks as in Remaining.
func Left(s frame.Seconds, h frame.Headline) string {
	h.RemainingSeconds = &s
	shown := shownOf(h)
	if shown.form == ranged || shown.form == below {
		shown.form, shown.doubt = point, ""
	}
	return shown.String()
}

// Unit returns the unit that a headline is rounded to: the coarsest one that keeps its precision.
func Unit(h frame.Headline) time.Duration {
	spread := frame.Seconds(0)
	if h.LowSeconds != nil && h.HighSeconds != nil {
		spread = *h.HighSeconds - *h.LowSeconds
	}
	if s := cmp.Or(h.RemainingSeconds, h.HighSeconds, h.LowSeconds); s != nil {
		return units.Step(s.Duration(), spread.Duration())
	}
	return 0
}

// shown is the part of a headline that is shown, rounded.
type shown struct {
	form
	mid, low, high time.Duration
	doubt          string // what makes the range less sure: "rough", "first run", or nothing
}

// A form is the text of a headline: for people, and for screen readers, which read symbols aloud by their names or not
// at all.
type form struct{ text, spoken string }

var (
	nothing = form{"?", "remaining time unknown yet"}
	floor   = form{"at least MID", "at least MID left"}
	ceiling = form{"up to MID", "up to MID left"}
	anyTime = form{"MID", "MID left"} // less than a second is left
	point   = form{"~MID", "about MID left"}
	ranged  = form{"~MID (LOW – HIGH)", "about MID left, between LOW and HIGH"}
	below   = form{"~MID (up to HIGH)", "about MID left, up to HIGH"}
	between = form{"LOW – HIGH", "between LOW and HIGH left"}
)

// overdue is the upper end from which "any second now" would be wrong.
const overdue = 5 * time.Second

// shownOf returns the part of a headline that is shown.
func shownOf(h frame.Headline) shown {
	unit := Unit(h)
	up := func(s frame.Seconds) time.Duration { return (s.Duration() + unit - 1).Truncate(unit) }
	switch {
	case h.RemainingSeconds == nil && (h.LowSeconds == nil || *h.LowSeconds < 1 && h.HighSeconds == nil):
		return shown{form: nothing}
	case h.RemainingSeconds == nil && h.HighSeconds == nil:
		return shown{form: floor, mid: h.LowSeconds.Duration().Truncate(unit)}
	case h.RemainingSeconds == nil && *h.LowSeconds < 1: // a range that starts now
		return shown{form: ceiling, mid: up(*h.HighSeconds), doubt: doubtOf(h)}
	case h.RemainingSeconds == nil:
		return shown{
			form: between, low: h.LowSeconds.Duration().Truncate(unit), high: up(*h.HighSeconds),
			doubt: doubtOf(h),
		}
	}
	d := h.RemainingSeconds.Duration()
	s := shown{form: point, mid: d.Round(unit)}
	if h.LowSeconds == nil || h.HighSeconds == nil {
		return s
	}
	low, high := h.LowSeconds.Duration(), h.HighSeconds.Duration()
	switch {
	case d < time.Second && high >= overdue: // the estimate has passed, and the query still runs: show no estimate
		unit = units.Step(high, high)
		return shown{form: ceiling, mid: up(*h.HighSeconds)}
	case d < time.Second: // any second now
		return shown{form: anyTime}
	case high-low < unit:
		return s
	}
	s.form, s.doubt = ranged, doubtOf(h)
	s.low, s.high = min(low.Truncate(unit), s.mid), max(up(*h.HighSeconds), s.mid)
	if s.low == 0 {
		s.form = below
	}
	return s
}

// firstRun marks the time of an application with an unknown program.
const firstRun = "first run"

// doubtOf returns what makes a headline's range less sure.
func doubtOf(h frame.Headline) string {
	switch {
	case h.MoreRatio != nil:
		return fmt.Sprintf("%s, %.0f%% that more work comes", firstRun, 100*float64(*h.MoreRatio))
	case h.Rough:
		return "rough"
	}
	return ""
}

func (s shown) String() string {
	text := s.fill(s.text)
	bracketed, inBrackets := strings.CutSuffix(text, ")")
	switch {
	case s.doubt == "":
		return text
	case inBrackets:
		return bracketed + ", " + s.doubt + ")"
	}
	return text + " (" + s.doubt + ")"
}

// spoken formats for screen readers.
func (s shown) spoken() string {
	text := spellOut(s.fill(s.form.spoken))
	switch s.doubt {
	case "":
		return text
	case "rough":
		return text + ", roughly"
	}
	return text + ", in a " + s.doubt
}

func (s shown) fill(form string) string {
	return strings.NewReplacer("MID", units.Short(s.mid), "LOW", units.Short(s.low), "HIGH", units.Short(s.high)).
		Replace(form)
}

// clearly reports whether a headline differs from the one shown before by more than half of its rounding unit. So a
// value that moves across an edge of the rounding is no difference.
func clearly(h, before frame.Headline) bool {
	differ := func(a, b *frame.Seconds) bool {
		return (a == nil) != (b == nil) || a != nil && (*a-*b).Duration().Abs() > Unit(h)/2
	}
	return differ(h.RemainingSeconds, before.RemainingSeconds) || differ(h.LowSeconds, before.LowSeconds) ||
		differ(h.HighSeconds, before.HighSeconds)
}

// amount matches a length of time or a difference of lengths: a sign, and hours, minutes and seconds.
var amount = regexp.MustCompile(`(^|[ (])([+-]?)(?:(<)1s|(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?)\b`)

// spellOut writes the lengths of time and percentages of a line in words: "1m30s" is "1 minute 30 seconds", "+5s" is
// "5 seconds later".
func spellOut(text string) string {
	text = amount.ReplaceAllStringFunc(text, func(found string) string {
		m := amount.FindStringSubmatch(found)
		if m == nil { // no number, only what may precede one
			return found
		}
		var out []string
		for i, unit := range []string{"hour", "minute", "second"} {
			if n, err := strconv.Atoi(m[4+i]); err == nil {
				out = append(out, units.Count(n, unit))
			}
		}
		if m[3] != "" {
			out = append(out, "less than a second")
		}
		return m[1] + strings.Join(out, " ") + map[string]string{"+": " later", "-": " sooner"}[m[2]]
	})
	return strings.NewReplacer("%", " percent", "±", "by at most ").Replace(text)
}

// A Case is a scenario and its remaining time as text.
type Case struct {
	Scenario, Left string
	Estimate       int // index of its estimate
}

// Cases returns the scenarios with a known time. It leaves out those about other applications if there are none.
func Cases(estimates []frame.Estimate, h frame.Headline) []Case {
	var out []Case
	for i := range estimates {
		if e := &estimates[i]; e.RemainingSeconds != nil && !e.Moot {
			out = append(out, Case{e.Scenario, Left(*e.RemainingSeconds, h), i})
		}
	}
	return out
}

// MergeCases groups the indices of cases with the same text, in the order of the first of each group. Unknown ones have
// groups of their own.
func MergeCases(cases []Case) [][]int {
	var rows [][]int
	for i, c := range cases {
		at := slices.IndexFunc(rows, func(row []int) bool { return cases[row[0]].Left == c.Left })
		if at < 0 || c.Left == units.Unknown {
			rows = append(rows, []int{i})
			continue
		}
		rows[at] = append(rows[at], i)
	}
	return rows
}
