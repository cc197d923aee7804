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

// The limits of a tree, so that it stays within a screen: levels, parts of a node, and nodes in all.
const (
	treeDepth = 8
	treeParts = 8
	treeNodes = 40
)

// tree writes a precedence tree, a line for each node. Parts that are too deep or too many are counted.
func tree(b *bufio.Writer, t *queueing.Tree) {
	left := treeNodes
	branch(b, t, queueing.Leaf, "  ", "  ", 1, &left)
}

func branch(b *bufio.Writer, t *queueing.Tree, under queueing.Operator, first, rest string, depth int, left *int) {
	*left--
	length := units.Seconds(t.Mean)
	if sd := math.Sqrt(t.Variance); sd > 0 {
		length += " ± " + units.Seconds(sd)
	}
	fmt.Fprintf(b, "%s%s  %s\n", first, label(t, under), length)
	for i, p := range t.Parts {
		if depth >= treeDepth || i >= treeParts || *left <= 0 {
			*left--
			fmt.Fprintf(b, "%s└─ … and %d more\n", rest, len(t.Parts)-i)
			return
		}
		if i == len(t.Parts)-1 {
			branch(b, p, t.Op, rest+"└─ ", rest+"   ", depth+1, left)
		} else {
			branch(b, p, t.Op, rest+"├─ ", rest+"│  ", depth+1, left)
		}
	}
}

// label names a tree. Under a serial operator equal parts follow each other, under the others they are side by
// side.
func label(t *queueing.Tree, under queueing.Operator) string {
	s := t.Op.String()
	switch {
	case t.Op == queueing.Leaf && t.Tasks == 1:
		s = t.Kind.String()
	case t.Op == queueing.Leaf:
		s = fmt.Sprintf("%d %ss in turn", t.Tasks, t.Kind)
	}
	switch {
	case t.Count <= 1:
		return s
	case under == queueing.Serial:
		return fmt.Sprintf("%s, %d times", s, t.Count)
	}
	return fmt.Sprintf("%s ×%d", s, t.Count)
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
