package planfile

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A search is the faults without a position at a path, and below it.
type search struct {
	faults []*fault
	below  map[string]*search
}

// locate finds the positions of the faults that have only a path, in one walk through the file.
func (d *Document) locate() {
	root := &search{}
	for _, f := range d.faults {
		if !f.unplaced {
			continue
		}
		at := root
		for _, step := range f.path {
			if at.below == nil {
				at.below = map[string]*search{}
			}
			if at.below[step] == nil {
				at.below[step] = &search{}
			}
			at = at.below[step]
		}
		at.faults = append(at.faults, f)
	}
	if root.faults != nil || root.below != nil {
		_ = walk(d.src, d.name, d.noun, func(it item) { root.find(it, 0) }) // reading has shown that it has no error
	}
	for _, f := range d.faults {
		f.unplaced = false
		f.at.each = nil
		if line, col, ok := d.within(f); ok {
			f.at.line, f.at.col = line, col
		}
	}
}

// find gives the faults the position of a value at a depth, or below it as far as their paths exist.
func (s *search) find(it item, depth int) {
	s.settle(it, depth)
	n := 0
	if it.each == nil {
		return
	}
	for key, value := range it.each {
		step := key.text
		if it.kind == list {
			step = strconv.Itoa(n)
		}
		n++
		if next := s.below[step]; next != nil {
			next.find(value, depth+1)
		}
	}
}

func (s *search) settle(it item, depth int) {
	for _, f := range s.faults {
		f.at, f.path = it, f.path[:depth]
	}
	for _, next := range s.below {
		next.settle(it, depth)
	}
}

// within returns the position of a fault's line and column of a text, if the file contains the line literally.
func (d *Document) within(f *fault) (line, col int, ok bool) {
	inside := strings.Split(f.at.text, "\n")
	if f.inLine < 1 || f.at.kind != text || f.inLine > len(inside) || inside[f.inLine-1] == "" {
		return 0, 0, false
	}
	file := bytes.Split(d.src, []byte("\n"))
	// A quoted text begins on its own line, a block on the next one.
	for l := f.at.line + f.inLine - 1; l <= min(f.at.line+f.inLine+1, len(file)); l++ {
		from := 0
		if l == f.at.line {
			from = min(max(0, f.at.col-1), len(file[l-1]))
		}
		if i := bytes.Index(file[l-1][from:], []byte(inside[f.inLine-1])); i >= 0 {
			return l, utf8.RuneCount(file[l-1][:from+i]) + max(1, f.inColumn), true
		}
	}
	return 0, 0, false
}

// add adds a fault at a path. Steps of the path that the file does not have are left out.
func (d *Document) add(f *fault) {
	f.path, f.unplaced = slices.Clone(f.path), true
	d.faults = append(d.faults, f)
}

// pathString formats a path as jobs[0].map.cost[3].
func pathString(path []string) string {
	var b strings.Builder
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}
