package screen

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
func table(width int, columns []column, rows [][]string, tail string) []string {
	out := make([]string, len(rows)+1)
	used := 0
	for i, c := range columns {
		wide := 0
		for _, row := range rows {
			wide = max(wide, min(cells(row[i]), c.most))
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
		for r := range out {
			s := text(dim, c.title)
			if r > 0 {
				s = rows[r-1][i]
			}
			if s = cut(s, wide, tail); c.right {
				s = right(s, wide)
			}
			out[r] = pad(out[r], used) + s
		}
		used += wide + 2
	}
	return out
}
