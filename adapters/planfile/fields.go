package planfile

import (
	"bytes"
	"fmt"
)

// A Field is a field of a file with one flat mapping.
type Field struct {
	Name   string
	Line   int      // from 1
	Values []string // as in the file: the items of a list, or one value
}

// Fields reads a file that maps names to scalars or lists of scalars, in its order and with the bounds of a plan
// file. noun is the kind of file in error messages. A file with only comments has no fields. Errors are one *Error or
// several, joined.
func Fields(src []byte, name, noun string) ([]Field, error) {
	src, err := readable(src, name, noun)
	if err != nil {
		return nil, err
	}
	if blank(src) {
		return nil, nil
	}
	root, bad := parse(src, name, noun)
	if bad != nil {
		return nil, bad.at(src, name)
	}
	if root.kind != mapping {
		f := fault{at: root, why: fmt.Sprintf("this is %s: a %s is a mapping", root.kind, noun)}
		return nil, report([]fault{f}, src, name, maxReported)
	}
	var faults []fault
	fields := make([]Field, len(root.items))
	for i, n := range root.items {
		f := Field{Name: root.keys[i].text, Line: int(root.keys[i].line)}
		all := []*node{n}
		if n.kind == list {
			all = n.items
		}
		for _, item := range all {
			if item.kind == null || item.children != nil {
				faults = append(faults, fault{
					at: item, path: []string{f.Name},
					why: fmt.Sprintf("%s is %s here: give a value, or a list of values", f.Name, item.kind),
				})
			}
			f.Values = append(f.Values, item.text)
		}
		fields[i] = f
	}
	if len(faults) > 0 {
		return nil, report(faults, src, name, maxReported)
	}
	return fields, nil
}

// blank reports whether a file has only comments.
func blank(src []byte) bool {
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
