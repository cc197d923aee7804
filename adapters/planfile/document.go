package planfile

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Format is another kind of file that is read by the rules of plans: YAML or JSON, strict, every fault with its
// place.
type Format struct{ compiled func() *compiled }

// NewFormat returns the format of a noun, such as "rule file", under a JSON Schema (2020-12), whose titles give
// messages their words. The schema is compiled at the first Read, which panics if it is not a schema: it is part of the
// program.
func NewFormat(noun string, schema []byte) *Format {
	return &Format{sync.OnceValue(func() *compiled { return compile(schema, noun) })}
}

// A Document is a file that has been read: what it says, and where.
type Document struct {
	src    []byte
	name   string
	root   *node
	faults []fault
}

// Read reads a file and decodes it into a struct whose fields have the tag plan. Faults are as those of the function
// Read. The document takes more of them by Fail.
func (f *Format) Read(src []byte, name string, into any) (*Document, error) {
	c := f.compiled()
	if len(src) > DefaultMaxBytes {
		return nil, &Error{File: name, Message: "the file is too large for a " + c.noun}
	}
	src, err := readable(src, name, c.noun)
	if err != nil {
		return nil, err
	}
	root, bad := parse(src, name, c.noun)
	if bad != nil {
		return nil, bad.at(src, name)
	}
	d := &Document{src: src, name: name, root: root}
	if root.kind != mapping {
		d.Fail(nil, "this is "+root.kind.String()+": a "+c.noun+" is a mapping")
		return nil, d.Err()
	}
	if d.faults = c.check(root); len(d.faults) > 0 {
		return nil, d.Err()
	}
	var dec decoder
	dec.value(root, reflect.ValueOf(into).Elem(), nil)
	d.faults = dec.faults
	return d, nil
}

// maxReported bounds what is said of a document, which people write by hand: they want to hear of everything at once.
const maxReported = 100

// Fail notes a fault of the value at a path of keys and indices, or of what is nearest to it.
func (d *Document) Fail(path []string, why string) { d.fail(path, 0, 0, why) }

// FailIn notes a fault within a text at a path: at its line and column, from 1, of the text as it is after unquoting.
// Where the text does not stand so in the file, the fault is the text's.
func (d *Document) FailIn(path []string, line, col int, why string) { d.fail(path, line, col, why) }

func (d *Document) fail(path []string, line, col int, why string) {
	at, _ := d.root.find(path)
	if inside := d.within(at, line, col); inside != nil {
		at = inside
	}
	d.faults = append(d.faults, fault{at: at, path: append([]string(nil), path...), why: why})
}

// within is the place of a line and column of a text, where the file has that line as it is; nil elsewhere.
func (d *Document) within(at *node, line, col int) *node {
	if line < 1 || at.kind != text {
		return nil
	}
	inside := strings.Split(at.text, "\n")
	if line > len(inside) || inside[line-1] == "" {
		return nil
	}
	file := bytes.Split(d.src, []byte("\n"))
	// A quoted text begins on its own line, a block after it.
	for l := int(at.line) + line - 1; l <= min(int(at.line)+line+1, len(file)); l++ {
		from := 0
		if l == int(at.line) {
			from = min(max(0, int(at.col)-1), len(file[l-1]))
		}
		if i := bytes.Index(file[l-1][from:], []byte(inside[line-1])); i >= 0 {
			before := utf8.RuneCount(file[l-1][:from+i])
			return &node{kind: text, line: int32(l), col: int32(before + max(1, col))}
		}
	}
	return nil
}

// Err is what is wrong with the document, in the order of the file; nil where nothing is.
func (d *Document) Err() error {
	if len(d.faults) == 0 {
		return nil
	}
	return report(d.faults, d.src, d.name, maxReported)
}

// Errors are the single errors of one of Read or Err, however it was wrapped since.
func Errors(err error) []*Error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			var all []*Error
			for _, each := range joined.Unwrap() {
				all = append(all, Errors(each)...)
			}
			return all
		}
	}
	var one *Error
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}
