package table

import (
	"fmt"
	"strconv"
	"strings"
)

// An Error is a fault of a table, with its position.
type Error struct {
	File      string
	Line, Col int    // from 1; columns count characters. 0: the file, the line as a whole
	Column    string // its name; "" if it is not about one field
	Value     string // as in the file
	Why       string
	Err       error // of the reader; may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	for _, n := range []int{e.Line, e.Col} {
		if n == 0 {
			break
		}
		fmt.Fprintf(&b, ":%d", n)
	}
	b.WriteString(": ")
	if e.Column != "" {
		fmt.Fprintf(&b, "column %s is %s: ", e.Column, shown(e.Value))
	}
	return b.String() + e.Why
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func shown(value string) string {
	const longest = 60
	if r := []rune(value); len(r) > longest {
		value = string(r[:longest-1]) + "…"
	}
	if value == "" {
		return "empty"
	}
	return strconv.Quote(value)
}

// Errors are at least two faults of one table, in its order. There may be more in the file.
type Errors []*Error

func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i := range e {
		texts[i] = e[i].Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the single errors.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// mostFaults bounds the reported faults.
const mostFaults = 10

type faults []*Error

func (f *faults) add(e *Error) {
	if !f.full() {
		*f = append(*f, e)
	}
}

func (f *faults) full() bool { return len(*f) == mostFaults }

// err returns nil if there is no fault.
func (f *faults) err() error {
	switch len(*f) {
	case 0:
		return nil
	case 1:
		return (*f)[0]
	}
	return Errors(*f)
}

// with adds an error that ends the reading.
func (f *faults) with(err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // lines returns it as it is
		f.add(e)
		return f.err()
	}
	return err
}
