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
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
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
)

// A Table has the requested columns of a file, in the order of the request.
type Table struct {
	File   string
	Header []string    // of all columns of the file, without surrounding spaces; nil if there is none
	Names  []string    // of the requested columns: as in the header, else their numbers
	Lines  []int       // of each row, from 1
	Values [][]float64 // of a column's rows; nil for a missing optional column
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Lines) }

// An Error is a fault of a table, with its position.
type Error struct {
	File      string
	Line, Col int    // from 1; columns count bytes. 0: the file, the line as a whole
	Column    string // its name; "" if it is not about one field
	Value     string // as in the file
	Why       string
	Err       error // of the reader; may be nil
}

func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at += fmt.Sprintf(":%d", e.Line)
	}
	if e.Col > 0 {
		at += fmt.Sprintf(":%d", e.Col)
	}
	switch {
	case e.Column == "":
		return at + ": " + e.Why
	case e.Value == "":
		return fmt.Sprintf("%s: column %s is empty: %s", at, e.Column, e.Why)
	}
	return fmt.Sprintf("%s: column %s is %.60q: %s", at, e.Column, e.Value, e.Why)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Bounds of a table, and of the faults that are reported.
const (
	MaxRows    = 1_000_000
	maxBytes   = 64 << 20
	mostFaults = 10
)

// Read reads a table. file is its name in messages. Faults are *Error, joined in the order of the file if there are
// several. A table without rows is an error.
func Read(r io.Reader, file string, columns []Column) (*Table, error) {
	text, comment, err := plain(r, file)
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	in := csv.NewReader(strings.NewReader(text))
	in.Comma, in.LazyQuotes, in.FieldsPerRecord = separator(line), true, -1
	in.TrimLeadingSpace = in.Comma != '\t'
	first, err := in.Read()
	if err != nil {
		return nil, &Error{File: file, Why: "there is no row"}
	}
	t := &Table{File: file, Values: make([][]float64, len(columns))}
	at, isHeader, err := t.find(first, strings.Split(comment, string(in.Comma)), in, columns)
	if err != nil {
		return nil, err
	}
	var faults []error
	for fields := first; err == nil && len(faults) < mostFaults; fields, err = in.Read() {
		if isHeader {
			isHeader = false
			continue
		}
		line, _ := in.FieldPos(0)
		if t.Rows() == MaxRows {
			return nil, &Error{
				File: file, Line: line, Why: fmt.Sprintf("more than %d rows: this is not a table of runs", MaxRows),
			}
		}
		faults = append(faults, t.add(in, fields, at, columns)...)
	}
	switch {
	case len(faults) == 1:
		return nil, faults[0]
	case len(faults) > 0:
		return nil, errors.Join(faults[:min(len(faults), mostFaults)]...)
	case t.Rows() == 0:
		return nil, &Error{File: file, Why: "there is a header, but no row"}
	}
	return t, nil
}

// blanks are behind a closing quote, where encoding/csv does not accept them.
var blanks = regexp.MustCompile(`" +([,;\t]|$)`)

// plain returns the text of a table with empty lines in place of comments, and the last comment before the first row.
func plain(r io.Reader, file string) (text, comment string, err error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return "", "", &Error{File: file, Why: "it cannot be read: " + err.Error(), Err: err}
	case len(b) > maxBytes:
		return "", "", &Error{File: file, Why: "the file is too large for a table of runs"}
	}
	var out strings.Builder
	n, rows := 0, false
	for line := range strings.Lines(strings.TrimPrefix(strings.ToValidUTF8(string(b), "\uFFFD"), "\ufeff")) {
		n++
		line = strings.TrimRight(line, " \r\n")
		switch bare := strings.TrimSpace(line); {
		case strings.ContainsRune(line, 0):
			return "", "", &Error{File: file, Line: n, Why: "this is not text in UTF-8: save it as CSV in UTF-8"}
		case strings.Contains(line, "\r"):
			return "", "", &Error{
				File: file, Line: n, Why: "lines end with carriage returns alone: save it with line feeds",
			}
		case strings.HasPrefix(bare, "#"):
			if !rows {
				comment = strings.TrimSpace(bare[1:])
			}
		case bare != "":
			rows = true
			if strings.Contains(line, `"`) {
				line = blanks.ReplaceAllString(line, `"$1`)
			}
			out.WriteString(line)
		}
		out.WriteByte('\n')
	}
	return out.String(), comment, nil
}

// separator returns the separator of a line's fields: a tab, else a semicolon, else a comma, because commas may be
// part of a field. A tab after another separator counts as a space.
func separator(line string) rune {
	quoted := false
	var seen [3]bool
	for i := range len(line) {
		if line[i] == '"' {
			quoted = !quoted
		}
		at := strings.IndexByte("\t;,", line[i])
		if at < 0 || quoted || at == 0 && i > 0 && strings.IndexByte(";, ", line[i-1]) >= 0 {
			continue
		}
		seen[at] = true
	}
	for i, s := range seen {
		if s {
			return rune("\t;,"[i])
		}
	}
	return ','
}

// find finds the header and the positions of the columns. The first record is the header if it has no number, or
// contains the name of a column. Otherwise the last comment before it may be the header.
func (t *Table) find(first, comment []string, in *csv.Reader, columns []Column) (at []int, isHeader bool, err error) {
	named := func(fields []string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool {
			return !decimal(c.Name) && slices.ContainsFunc(fields, func(f string) bool {
				return strings.EqualFold(clean(f), clean(c.Name))
			})
		})
	}
	numeric := slices.ContainsFunc(first, func(f string) bool { return decimal(strings.TrimSpace(f)) })
	isHeader = !numeric || named(first)
	beside := len(comment) == len(first) && !slices.ContainsFunc(comment, decimal) && !named(first)
	switch {
	case beside && (numeric || named(comment)):
		t.Header, isHeader = comment, false
	case isHeader:
		t.Header = slices.Clone(first)
	}
	for i := range t.Header {
		t.Header[i] = clean(t.Header[i])
	}
	for _, c := range columns {
		i, why := t.column(c.Name, len(first))
		name := c.Name
		switch {
		case why != "" && c.Optional && t.Header != nil:
			i = -1
		case why != "":
			line, _ := in.FieldPos(0)
			return nil, false, &Error{
				File: t.File, Line: line, Why: fmt.Sprintf("%s %q: %s", cmp.Or(c.For, "column"), c.Name, why),
			}
		case i < len(t.Header) && t.Header[i] != "":
			name = t.Header[i]
		}
		at, t.Names = append(at, i), append(t.Names, name)
	}
	return at, isHeader, nil
}

// column returns the index of a column, or why there is none. A name takes precedence over a number. Case only
// matters if it distinguishes columns.
func (t *Table) column(name string, fields int) (at int, why string) {
	name = clean(name)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		at := slices.IndexFunc(t.Header, func(h string) bool { return same(h, name) })
		if at < 0 {
			continue
		}
		if slices.ContainsFunc(t.Header[at+1:], func(h string) bool { return same(h, name) }) {
			return 0, "several columns have this name: give its number, from 1"
		}
		return at, ""
	}
	n, err := strconv.Atoi(name)
	switch {
	case err == nil && n >= 1 && n <= fields:
		return n - 1, ""
	case err == nil:
		return 0, fmt.Sprintf("the columns are 1 to %d", fields)
	case t.Header == nil:
		return 0, fmt.Sprintf("the file has no header: give the column's number, 1 to %d", fields)
	}
	const most = 20
	list := fmt.Sprintf("%q", t.Header[:min(most, len(t.Header))])
	return 0, "no column has this name; the columns are " + strings.ReplaceAll(strings.Trim(list, "[]"), `" "`, `", "`)
}

// clean normalizes a field or a name. It removes spaces, and the mark of a header in a comment.
func clean(name string) string {
	return dag.Clean(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#")))
}

// add adds a row, and returns its faults.
func (t *Table) add(in *csv.Reader, fields []string, at []int, columns []Column) (faults []error) {
	line, _ := in.FieldPos(0)
	t.Lines = append(t.Lines, line)
	for i, c := range columns {
		if at[i] < 0 {
			continue
		}
		bad := &Error{File: t.File, Column: t.Names[i]}
		if at[i] < len(fields) {
			bad.Line, bad.Col = in.FieldPos(at[i])
			bad.Value = dag.Clean(strings.TrimSpace(fields[at[i]]))
		}
		v := 0.0
		switch {
		case at[i] >= len(fields):
			bad.Line, bad.Why = line, fmt.Sprintf("the row has only %d fields", len(fields))
		case strings.Contains(fields[at[i]], "\n"):
			bad.Value, bad.Column, bad.Why = "", "", "the quote is not closed on its line"
			return []error{bad}
		default:
			v, bad.Why = number(bad.Value, c.Kind)
		}
		t.Values[i] = append(t.Values[i], v)
		if bad.Why != "" {
			faults = append(faults, bad)
		}
	}
	return faults
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
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil
}
