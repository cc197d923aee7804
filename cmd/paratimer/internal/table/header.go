package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// settle finds the header and the positions of the columns. The first record is the header if it has no number, or
// contains the name of a column. Otherwise the last comment before it may be the header.
func (t *Table) settle(first record, head *record, columns []Column) (at []int, isHeader bool, err error) {
	comment := head != nil && len(head.fields) == len(first.fields) && !first.names(columns) && !head.numeric()
	switch {
	case comment && (first.numeric() || head.names(columns)):
		t.Header = head.texts()
	case !first.numeric() || first.names(columns):
		t.Header, isHeader = first.texts(), true
	}
	for _, c := range columns {
		i, why := t.column(c.Name, len(first.fields))
		if why != "" && c.Optional && t.Header != nil {
			at = append(at, -1)
			continue
		}
		if why != "" {
			if c.For != "" {
				why = c.For + " " + strconv.Quote(c.Name) + ": " + why
			} else {
				why = "column " + strconv.Quote(c.Name) + ": " + why
			}
			return nil, false, &Error{File: t.File, Line: first.line, Why: why}
		}
		at = append(at, i)
	}
	return at, isHeader, nil
}

// column returns the index of a column, or why there is none. A name takes precedence over a number. Case only
// matters if it distinguishes columns.
func (t *Table) column(name string, fields int) (at int, why string) {
	name = bare(name)
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
	return 0, "no column has this name; the columns are " + list(t.Header)
}

// called returns the name of a column in messages.
func (t *Table) called(at int, c Column) string {
	if at >= 0 && at < len(t.Header) && t.Header[at] != "" {
		return t.Header[at]
	}
	return c.Name
}

// bare normalizes a name for comparisons. It removes spaces, and the mark of a header in a comment.
func bare(name string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#"))
}

// list formats names, at most 20.
func list(names []string) string {
	const most = 20
	var b strings.Builder
	for i, n := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(n))
	}
	return b.String()
}

func (r *record) texts() []string {
	out := make([]string, len(r.fields))
	for i, f := range r.fields {
		out[i] = bare(f.text)
	}
	return out
}

// numeric reports whether a field is a number.
func (r *record) numeric() bool {
	return slices.ContainsFunc(r.fields, func(f field) bool { return decimal(f.text) })
}

// names reports whether a field is the name of a column and not a number.
func (r *record) names(columns []Column) bool {
	return slices.ContainsFunc(r.fields, func(f field) bool {
		return slices.ContainsFunc(columns, func(c Column) bool {
			return !decimal(c.Name) &&
				strings.EqualFold(bare(f.text), bare(c.Name))
		})
	})
}
