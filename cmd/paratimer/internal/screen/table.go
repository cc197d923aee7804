package screen

import "strings"

// A column is a column of a table.
type column struct {
	title string
	most  int  // its greatest width
	right bool // texts are at the right
	whole bool // it is left out rather than cut if there is no room
}

// narrowest is the least width that a column of texts is cut to.
const narrowest = 10

// table returns a heading and a line for each row. A column is as wide as its widest text; columns without texts are
// left out, and the last ones are cut if there is no room.
func table(width int, columns []column, rows [][]span, tail string) []line {
	out := make([]line, len(rows)+1)
	used := 0
	for i, c := range columns {
		wide := 0
		for _, row := range rows {
			wide = max(wide, min(row[i].cells, c.most))
		}
		if wide == 0 && len(rows) > 0 {
			continue
		}
		wide = max(wide, cells(c.title))
		if room := width - used; wide > room {
			if used > 0 && (c.whole || room < narrowest) {
				continue
			}
			wide = room
		}
		put := func(to int, s span) {
			l := line{s}.cut(wide, tail)
			if c.right {
				l = right(l, wide)
			}
			out[to] = out[to].pad(used).and(l)
		}
		put(0, text(dim, c.title)[0])
		for r, row := range rows {
			put(r+1, row[i])
		}
		used += wide + 2
	}
	return out
}

// right aligns a text to the right of a width.
func right(l line, width int) line {
	if n := width - l.cells(); n > 0 {
		return text(plain, strings.Repeat(" ", n)).and(l)
	}
	return l
}
