package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// settle finds the header and where the wanted columns are. The first record is a header where none of its fields is a
// number or one of them is a wanted name; otherwise the last comment before it may be.
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

// column is the place of a column, from 0, or why there is none. A name counts before a number, capitals only where
// they tell columns apart.
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

// called is what messages call a column of the file.
func (t *Table) called(at int, c Column) string {
	if at >= 0 && at < len(t.Header) && t.Header[at] != "" {
		return t.Header[at]
	}
	return c.Name
}

// bare is a name as it is compared: the first column of a header in a comment has lost its mark.
func bare(name string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#"))
}

// list writes names, not too many.
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

// numeric says whether a field is a number.
func (r *record) numeric() bool {
	return slices.ContainsFunc(r.fields, func(f field) bool { return decimal(f.text) })
}

// names says whether a field is the name of a wanted column, and no number.
func (r *record) names(columns []Column) bool {
	return slices.ContainsFunc(r.fields, func(f field) bool {
		return slices.ContainsFunc(columns, func(c Column) bool {
			return !decimal(c.Name) &&
				strings.EqualFold(bare(f.text), bare(c.Name))
		})
	})
}
