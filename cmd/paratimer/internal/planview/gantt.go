package planview

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// The chart's size in characters.
const (
	shownRows  = 30
	chartWidth = 64
)

// gantt draws a row for each path fragment: # on the critical path, = beside it, | where the next round begins.
func (v *View) gantt(w io.Writer) {
	rows, left := v.rows()
	if len(rows) == 0 {
		return
	}
	from, to := v.Path.Schedule.Now, v.Path.Schedule.End
	for _, f := range rows {
		from, to = min(from, v.Path.Fragments[f].Start), max(to, v.Path.Fragments[f].End)
	}
	scale := func(t dag.Instant) int { return int(float64(t-from) / float64(max(1, to-from)) * chartWidth) }
	wide := 0
	titles := make([]string, len(rows))
	for i, f := range rows {
		titles[i] = v.Title(f)
		wide = max(wide, len([]rune(titles[i])))
	}
	critical := v.critical()
	fmt.Fprintf(w, "\npath fragments (# on the critical path):\n  %-*s         %s\n", wide, "",
		axis(from.Sub(v.Path.Schedule.Now), to.Sub(from)))
	for i, f := range rows {
		bar := []byte(strings.Repeat(" ", chartWidth+1))
		mark := byte('=')
		if critical[f] {
			mark = '#'
		}
		for n, r := range v.Path.Fragments[f].Rounds {
			a, b := scale(v.Path.Rounds[r].Start), scale(v.Path.Rounds[r].End)
			for x := a; x < max(b, a+1) && x < len(bar); x++ {
				bar[x] = mark
			}
			if n > 0 && a > 0 && b > a+1 {
				bar[a] = '|'
			}
		}
		width := ""
		if n := v.Path.Fragments[f].Width; n > 0 {
			width = fmt.Sprintf("×%d", n)
		}
		fmt.Fprintf(w, "  %s%s %6s  %s\n", titles[i], strings.Repeat(" ", wide-len([]rune(titles[i]))), width,
			strings.TrimRight(string(bar), " "))
	}
	if left > 0 {
		fmt.Fprintf(w, "  and %s that are shorter and not critical\n", units.Count(left, "fragment"))
	}
}

// rows chooses the fragments to show, in order of start: as many of the critical path as fit, then the longest
// others. It leaves out pauses beside the path. left is how many others are not shown.
func (v *View) rows() (rows []int, left int) {
	critical := v.critical()
	for f := range v.Path.Fragments {
		if len(v.Path.Fragments[f].Rounds) > 0 && (v.Path.Fragments[f].Width > 0 || critical[f]) {
			rows = append(rows, f)
		}
	}
	length := func(f int) time.Duration { return v.Path.Fragments[f].End.Sub(v.Path.Fragments[f].Start) }
	if left = len(rows) - shownRows; left > 0 {
		slices.SortStableFunc(rows, func(a, b int) int {
			if critical[a] != critical[b] {
				if critical[a] {
					return -1
				}
				return 1
			}
			return cmp.Compare(length(b), length(a))
		})
		rows = rows[:shownRows]
		slices.Sort(rows)
	}
	return rows, max(0, left)
}

// axis writes round times at their positions.
func axis(from, length time.Duration) string {
	line := []byte(strings.Repeat(" ", chartWidth+12))
	free := 0
	for _, t := range chart.Times(from, length, 8) {
		at, label := int(float64(t-from)/float64(max(1, length))*chartWidth), units.Exact(t)
		if at >= free && at+len(label) < len(line) {
			copy(line[at:], label)
			free = at + len(label) + 1
		}
	}
	return strings.TrimRight(string(line), " ")
}
