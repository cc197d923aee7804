package modelview

import (
	"bufio"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// textLimits keep a drawing within a screen.
var textLimits = limits{depth: 8, parts: 8, nodes: 40}

func tree(b *bufio.Writer, t *queueing.Tree) { branch(b, prune(t, textLimits), "  ", "  ") }

func branch(b *bufio.Writer, s *sprout, first, rest string) {
	fmt.Fprintf(b, "%s%s%s\n", first, s.label, s.length())
	for i, p := range s.parts {
		if i == len(s.parts)-1 {
			branch(b, p, rest+"└─ ", rest+"   ")
		} else {
			branch(b, p, rest+"├─ ", rest+"│  ")
		}
	}
}

// length formats a part's mean time and its standard deviation.
func (s *sprout) length() string {
	if s.cut {
		return ""
	}
	out := "  " + units.Seconds(s.mean)
	if s.sd > 0 {
		out += " ± " + units.Seconds(s.sd)
	}
	return out
}

const (
	columns  = 80
	textRows = 40
)

// letters are the letters of the classes: reduces shuffle (s) and merge (M).
var letters = [...]byte{queueing.Map: 'm', queueing.Shuffle: 's', queueing.Merge: 'M'}

// A line is the row of a thread, and the number of threads with the same row.
type line struct {
	name  string
	kind  queueing.Kind
	count int
	row   string
}

// timeline draws one line per thread; neighbors with the same row share a line.
func timeline(b *bufio.Writer, j *queueing.JobResult) {
	end := span(j)
	var lines []line
	more := 0
	for i := range j.Threads {
		t := &j.Threads[i]
		row := row(t, end)
		switch n := len(lines) - 1; {
		case n >= 0 && lines[n].row == row && lines[n].kind == t.Kind:
			lines[n].count += max(1, t.Count)
		case len(lines) < textRows:
			lines = append(lines, line{thread(t), t.Kind, max(1, t.Count), row})
		default:
			more += max(1, t.Count)
		}
	}
	wide := 0
	for i := range lines {
		if lines[i].count > 1 {
			lines[i].name += fmt.Sprintf(" ×%d", lines[i].count)
		}
		wide = max(wide, utf8.RuneCountInString(lines[i].name))
	}
	for _, l := range lines {
		fmt.Fprintf(b, "  %s%s  %s\n", l.name, strings.Repeat(" ", wide-utf8.RuneCountInString(l.name)), l.row)
	}
	if more > 0 {
		fmt.Fprintf(b, "  … and %s\n", units.Count(more, "more thread"))
	}
	fmt.Fprintf(b, "  a column is %s; m map, s shuffle, M merge, . nothing\n", units.Seconds(end/columns))
}

func row(t *queueing.Thread, end float64) string {
	row := []byte(strings.Repeat(".", columns))
	for _, p := range t.Pieces {
		from, to := column(p.Start, end), column(p.End, end)
		for c := from; c < max(to, from+1) && c < columns; c++ {
			if p.Waits && (c-from)%2 == 1 {
				continue
			}
			row[c] = letters[p.Kind]
		}
	}
	return string(row)
}

func column(t, end float64) int {
	if !(end > 0 && t > 0) {
		return 0
	}
	return int(columns*min(1, t/end) + 0.5)
}

// span returns the end of the last piece with a known end.
func span(j *queueing.JobResult) float64 {
	end := 0.0
	for i := range j.Threads {
		for _, p := range j.Threads[i].Pieces {
			if p.End > end && !math.IsInf(p.End, 0) {
				end = p.End
			}
		}
	}
	return end
}

// thread names a thread, or the first of several, counted from 1.
func thread(t *queueing.Thread) string {
	what := "map"
	if t.Kind != queueing.Map {
		what = "reduce"
	}
	return fmt.Sprintf("node %d %s %d", t.Node+1, what, t.Slot+1)
}
