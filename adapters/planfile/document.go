package planfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

// A Document is a file that has been read, with its positions. It is YAML or JSON, read by the rules of plans.
type Document struct {
	src        []byte
	name, noun string
	faults     []*fault
	more       int // faults beyond those
}

// Decode reads a file of a noun, such as "rule file", into a struct with the tag plan on its fields. Its errors are
// like those of the function Read. The caller can add faults to the document with Fail.
func Decode(src []byte, name, noun string, into any) (*Document, error) {
	if len(src) > DefaultMaxBytes {
		return nil, &Error{File: name, Message: "the file is too large for a " + noun}
	}
	return decode(src, name, noun, into, decoder{whole: "the " + noun})
}

func decode(src []byte, name, noun string, into any, with decoder) (*Document, error) {
	src, err := readable(src, name, noun)
	if err != nil {
		return nil, err
	}
	parts := ""
	if with.isPlan {
		parts = " with cluster and jobs"
	}
	bad := walk(src, name, noun, func(root item) {
		if root.kind != mapping {
			with.add(root, nil, fmt.Sprintf("this is %s: a %s is a mapping%s", root.kind, noun, parts))
			return
		}
		v := reflect.ValueOf(into).Elem()
		preset(v)
		with.mapping(root, v, nil)
	})
	if bad != nil {
		return nil, bad.at(src, name)
	}
	d := &Document{src: src, name: name, noun: noun, faults: with.faults, more: with.more}
	return d, d.Err()
}

// readable returns the text of a file without a byte order mark.
func readable(src []byte, name, noun string) ([]byte, error) {
	src = bytes.TrimPrefix(src, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(src) {
		if noun == "plan" {
			noun = "plan file"
		}
		return nil, &Error{File: name, Message: "this is not text in UTF-8: a " + noun + " is YAML or JSON"}
	}
	return src, nil
}

// Fail adds a fault of the value at a path of keys and indices, or of the nearest existing value.
func (d *Document) Fail(path []string, why string) { d.add(&fault{path: path, why: why}) }

// FailIn adds a fault at a line and column, from 1, of the unquoted text at a path. If the file does not contain the
// line literally, the fault is at the text's own position.
func (d *Document) FailIn(path []string, line, col int, why string) {
	d.add(&fault{path: path, inLine: line, inColumn: col, why: why})
}

// maxReported bounds the reported faults of a document. It is large, because people who edit a file need all of them.
// A plan is more often written by a program, whose faults are alike.
const (
	maxReported     = 100
	maxPlanReported = 10
)

// Err returns the document's faults in the order of the file, or nil.
func (d *Document) Err() error {
	if len(d.faults) == 0 {
		return nil
	}
	d.locate()
	slices.SortStableFunc(d.faults, func(a, b *fault) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.col, b.at.col))
	})
	most := maxReported
	if d.noun == "plan" {
		most = maxPlanReported
	}
	var errs []error
	for i, f := range d.faults {
		if i == most {
			errs = append(errs, &Error{File: d.name, Message: fmt.Sprintf("and %d more", len(d.faults)-i+d.more)})
			break
		}
		errs = append(errs, &Error{
			File: d.name, Line: f.at.line, Column: f.at.col, Field: pathString(f.path), Message: f.why,
			Excerpt: excerpt(d.src, f.at.line, f.at.col), Err: f.err,
		})
	}
	return errors.Join(errs...)
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
