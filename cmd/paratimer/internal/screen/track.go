package screen

// A track is a row of cells along time.
type track []cell

type cell struct {
	r    rune
	role role
}

// A label is a text on a track.
type label struct {
	span
	col int
}

func (p *pen) track() track {
	t := make(track, p.scale.cols)
	for i := range t {
		t[i] = cell{' ', plain}
	}
	return t
}

// put draws from column a to b, both included.
func (t track) put(a, b int, r rune, of role) {
	for i := max(0, a); i <= b && i < len(t); i++ {
		t[i] = cell{r, of}
	}
}

// free reports whether nothing is drawn from column a to b.
func (t track) free(a, b int) bool {
	if a < 0 || b >= len(t) {
		return false
	}
	for i := a; i <= b; i++ {
		if t[i].r != ' ' {
			return false
		}
	}
	return true
}

// line joins the cells of one role, and puts labels over them. Labels are in the order of their columns and do not
// overlap.
func (t track) line(over ...label) line {
	var l line
	for i := 0; i < len(t); {
		next := len(t)
		if len(over) > 0 {
			next = over[0].col
			if next <= i {
				l = append(l, over[0].span)
				i += max(0, over[0].cells)
				over = over[1:]
				continue
			}
		}
		j := i + 1
		for j < next && t[j].role == t[i].role {
			j++
		}
		runes := make([]rune, j-i)
		for k := range runes {
			runes[k] = t[i+k].r
		}
		l = append(l, span{string(runes), j - i, t[i].role})
		i = j
	}
	return l
}
