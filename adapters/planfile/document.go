package planfile

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Format is another kind of file that is read by the rules of plans: YAML or JSON, strict, with the position of
// every fault.
type Format struct{ compiled func() *compiled }

// NewFormat returns the format of files of a noun, such as "rule file". Its JSON Schema (2020-12) has titles that
// messages use. The first Read compiles the schema, and panics if it is invalid, because it is part of the program.
func NewFormat(noun string, schema []byte) *Format {
	return &Format{sync.OnceValue(func() *compiled { return compile(schema, noun) })}
}

// A Document is a file that has been read, with its positions.
type Document struct {
	src    []byte
	name   string
	root   *node
	faults []fault
}

// Read reads a file and decodes it into a struct with the tag plan on its fields. Its errors are like those of the
// function Read. The caller can add faults to the document with Fail.
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

// maxReported bounds the reported faults of a document. It is large, because people who edit a file need all of them.
const maxReported = 100

// Fail adds a fault of the value at a path of keys and indices, or of the nearest existing value.
func (d *Document) Fail(path []string, why string) { d.fail(path, 0, 0, why) }

// FailIn adds a fault at a line and column, from 1, of the unquoted text at a path. If the file does not contain the
// line literally, the fault is at the text's own position.
func (d *Document) FailIn(path []string, line, col int, why string) { d.fail(path, line, col, why) }

func (d *Document) fail(path []string, line, col int, why string) {
	at, _ := d.root.find(path)
	if inside := d.within(at, line, col); inside != nil {
		at = inside
	}
	d.faults = append(d.faults, fault{at: at, path: append([]string(nil), path...), why: why})
}

// within returns the position of a line and column of a text if the file contains the line literally, or nil.
func (d *Document) within(at *node, line, col int) *node {
	if line < 1 || at.kind != text {
		return nil
	}
	inside := strings.Split(at.text, "\n")
	if line > len(inside) || inside[line-1] == "" {
		return nil
	}
	file := bytes.Split(d.src, []byte("\n"))
	// A quoted text begins on its own line, a block on the next one.
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

// Err returns the document's faults in the order of the file, or nil.
func (d *Document) Err() error {
	if len(d.faults) == 0 {
		return nil
	}
	return report(d.faults, d.src, d.name, maxReported)
}

// Errors returns the single errors of an error of Read or Err, even if it was wrapped since.
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
