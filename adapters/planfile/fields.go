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
	if err != nil || blank(src) {
		return nil, err
	}
	var fields []Field
	var dec decoder
	bad := walk(src, name, noun, func(root item) {
		if root.kind != mapping {
			dec.add(root, nil, fmt.Sprintf("this is %s: a %s is a mapping", root.kind, noun))
			return
		}
		for key, value := range root.each {
			f := Field{Name: key.text, Line: key.line}
			add := func(one item) {
				if one.kind == null || one.each != nil {
					dec.add(one, []string{f.Name}, fmt.Sprintf("%s is %s here: give a value, or a list of values",
						f.Name, one.kind))
				}
				f.Values = append(f.Values, one.text)
			}
			if value.kind == list {
				for _, one := range value.each {
					add(one)
				}
			} else {
				add(value)
			}
			fields = append(fields, f)
		}
	})
	if bad != nil {
		return nil, bad.at(src, name)
	}
	doc := Document{src: src, name: name, noun: noun, faults: dec.faults, more: dec.more}
	if err := doc.Err(); err != nil {
		return nil, err
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
