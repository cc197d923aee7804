// Package table reads tables of measurements: CSV as people and programs write it. The caller selects columns by
// their name in the header or by their number from 1.
//
// Commas, semicolons or tabs separate fields. Quotes, blank lines, spaces around fields, CRLF and a byte order mark
// are accepted. Lines that begin with # are comments. The last comment before the first row is the header if it has
// the columns and nothing else has. A quoted field must end on its line. Numbers have a decimal point.
//
// The package does not guess: an invalid number, or one that is out of its column's range, is an error with its
// position.
package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Column is a requested column.
type Column struct {
	Name string // as in the header, or a number from 1
	For  string // what messages call it, such as --machines
	Kind Kind
	// Optional columns may be missing from a file with a header. The Table then has no values for them.
	Optional bool
}

// A Kind is the type of a column's values.
type Kind int

// The kinds of values.
const (
	Number   Kind = iota // finite
	Positive             // a number greater than 0
	Text                 // not empty
)

// A Table has the requested columns of a file, in the order of the request.
type Table struct {
	File   string
	Header []string    // of all columns of the file, without surrounding spaces; nil if there is none
	Names  []string    // of the requested columns: as in the header, else their numbers
	Lines  []int       // of each row, from 1
	Values [][]float64 // of a column's rows; nil for Text, and for a missing optional column
	Texts  [][]string  // of a column's rows; nil for numbers, and likewise
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Lines) }

// Keep removes all rows except those for which stays returns true. It returns an error if none is left.
func (t *Table) Keep(stays func(row int) bool) error {
	n := 0
	for row := range t.Lines {
		if !stays(row) {
			continue
		}
		t.Lines[n] = t.Lines[row]
		for c := range t.Names {
			if t.Values[c] != nil {
				t.Values[c][n] = t.Values[c][row]
			}
			if t.Texts[c] != nil {
				t.Texts[c][n] = t.Texts[c][row]
			}
		}
		n++
	}
	t.Lines = t.Lines[:n]
	for c := range t.Names {
		t.Values[c], t.Texts[c] = t.Values[c][:min(n, len(t.Values[c]))], t.Texts[c][:min(n, len(t.Texts[c]))]
	}
	if n == 0 {
		return &Error{File: t.File, Why: "no row is left that meets all conditions"}
	}
	return nil
}

// Bounds of a table.
const (
	MaxRows  = 1_000_000
	maxBytes = 256 << 20
	maxLine  = 64 << 10
)

// Read reads a table. file is its name in messages. It returns an *Error, or an Errors if several fields are invalid.
// A table without rows is an error.
func Read(r io.Reader, file string, columns []Column) (*Table, error) {
	l := &lines{in: bufio.NewReaderSize(r, 4<<10), file: file}
	first, head, err := l.start()
	if err != nil {
		return nil, err
	}
	t := &Table{File: file, Values: make([][]float64, len(columns)), Texts: make([][]string, len(columns))}
	at, isHeader, err := t.settle(first, head, columns)
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		t.Names = append(t.Names, t.called(at[i], c))
	}
	var bad faults
	for rec := first; ; isHeader = false {
		if !isHeader {
			if t.Rows() == MaxRows {
				return nil, &Error{
					File: file, Line: rec.line,
					Why: fmt.Sprintf("more than %d rows: this is not a table of runs", MaxRows),
				}
			}
			if t.add(rec, at, columns, &bad); bad.full() {
				break
			}
		}
		if rec, err = l.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, bad.with(err)
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	if t.Rows() == 0 {
		return nil, &Error{File: file, Why: "there is a header, but no row"}
	}
	return t, nil
}

// add adds a row, or its faults.
func (t *Table) add(rec record, at []int, columns []Column, bad *faults) {
	t.Lines = append(t.Lines, rec.line)
	for i, c := range columns {
		if at[i] < 0 {
			continue
		}
		fail := func(col int, value, why string) {
			bad.add(&Error{File: t.File, Line: rec.line, Col: col, Column: t.Names[i], Value: value, Why: why})
		}
		if at[i] >= len(rec.fields) {
			fail(0, "", fmt.Sprintf("the row has only %d fields", len(rec.fields)))
			continue
		}
		f := rec.fields[at[i]]
		if c.Kind == Text {
			if f.text == "" {
				fail(f.col, "", "it must be a name")
			}
			t.Texts[i] = append(t.Texts[i], strings.Clone(f.text))
			continue
		}
		v, why := number(f.text, c.Kind)
		if why != "" {
			fail(f.col, f.text, why)
		}
		t.Values[i] = append(t.Values[i], v)
	}
}

// number parses a number of a kind, or returns why it is invalid.
func number(s string, k Kind) (v float64, why string) {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case s == "":
		return v, "it must be a number; leave the row out where it is not known"
	case err != nil && strings.Count(s, ",") == 1 && decimal(strings.Replace(s, ",", ".", 1)):
		return v, "it must be a number with a decimal point"
	case math.IsNaN(v), math.IsInf(v, 0):
		return v, "it must be finite"
	case err != nil || strings.ContainsAny(s, "xX_"):
		return v, "it must be a number"
	case k == Positive && v <= 0:
		return v, "it must be more than 0"
	}
	return v, ""
}

func decimal(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
