package training

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// Columns are the names of a table's columns, or their numbers from 1. Iterations may be "" for none.
type Columns struct {
	Machines, Scale, Seconds, Iterations string
	Unit                                 string // of Seconds: s, ms, min or h; "" is s
	// the column Scale may be missing: all runs then have the whole input, scale 1
	Whole bool
}

// inSeconds has the seconds of each unit.
var inSeconds = map[string]float64{"": 1, "s": 1, "ms": 1e-3, "min": 60, "h": 3600}

// Runs are training data. Lists have one element per row.
type Runs struct {
	File     string // for messages
	Lines    []int  // in the file; nil for recorded runs
	Rows     []ernest.Row
	Warnings []dag.Warning
}

// The columns of a table, by the order of flags.
const (
	machines = iota
	scale
	seconds
	iterations
	columns
)

var flags = [columns]string{"--machines", "--scale", "--seconds", "--iterations"}

// mostFaults bounds the faults of a table that are reported.
const mostFaults = 10

// MaxTable bounds a table of runs, in bytes.
const MaxTable = 16 << 20

// ReadRuns reads a table of runs; file is the name in messages.
func ReadRuns(text, file string, c Columns) (*Runs, error) {
	unit, ok := inSeconds[c.Unit]
	if !ok {
		return nil, fmt.Errorf("--unit %s: it is s, ms, min or h", c.Unit)
	}
	all, comment, err := records(text, file)
	if err != nil {
		return nil, err
	}
	names := [columns]string{clean(c.Machines), clean(c.Scale), clean(c.Seconds), clean(c.Iterations)}
	first := all[0]
	header, all := headerOf(all, comment, names)
	r := &Runs{File: file}
	at, err := r.find(&names, header, len(first.fields), c)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", file, first.line, err)
	case len(all) == 0:
		return nil, fmt.Errorf("%s: there is a header, but no row", file)
	}
	var faults []error
	for _, one := range all {
		values := [columns]float64{scale: 1}
		for i, field := range at {
			if field < 0 {
				continue
			}
			var why string
			if values[i], why = one.number(field, i); why != "" && len(faults) < mostFaults {
				faults = append(faults, fmt.Errorf("%s:%d: column %s %s", file, one.line, names[i], why))
			}
		}
		r.Lines = append(r.Lines, one.line)
		r.Rows = append(r.Rows, ernest.Row{
			Machines: values[machines], Scale: values[scale], Seconds: values[seconds] * unit,
			Iterations: int(values[iterations]),
		})
	}
	return r, errors.Join(faults...)
}

// headerOf returns the names of a table's fields, nil if it has none, and the records that are rows. The first record
// is the header if it has a column's name or no number. Otherwise the comment before it may be, as in the tables of
// Ernest's authors.
func headerOf(all []record, comment []string, names [columns]string) (header []string, rows []record) {
	named := func(fields []string) bool {
		return slices.ContainsFunc(names[:], func(n string) bool {
			return n != "" && !isNumber(n) && len(positions(fields, n)) > 0
		})
	}
	first := all[0].fields
	switch {
	case named(first), !named(comment) && !slices.ContainsFunc(first, isNumber):
		return first, all[1:]
	case named(comment):
		return comment, all
	}
	return nil, all
}

// find returns the index of each column's field, -1 for a missing one. It replaces names by those of the header.
func (r *Runs) find(names *[columns]string, header []string, fields int, c Columns) (at [columns]int, err error) {
	for i, name := range names {
		at[i] = -1
		if i == iterations && name == "" {
			continue
		}
		found := positions(header, name)
		n, notNumber := strconv.Atoi(name)
		switch {
		case len(found) == 1: // a name takes precedence over a number
			at[i], names[i] = found[0], header[found[0]]
		case len(found) > 1:
			return at, fmt.Errorf("%s %q: several columns have this name: give its number, from 1", flags[i], name)
		case notNumber == nil && n >= 1 && n <= fields:
			if at[i] = n - 1; n <= len(header) {
				names[i] = header[n-1]
			}
		case i == scale && c.Whole && header != nil:
			r.warn("no_scale", "there is no column %q: all runs are taken to be of the whole input, scale 1 (--scale names "+
				"the column)", name)
		case header == nil || notNumber == nil:
			return at, fmt.Errorf("%s %q: no column has this name: give the column's number, 1 to %d", flags[i], name,
				fields)
		default:
			const most = 20
			return at, fmt.Errorf("%s %q: no column has this name; the columns are %.100q", flags[i], name,
				header[:min(most, len(header))])
		}
	}
	if c.Unit == "" && otherUnit.MatchString(names[seconds]) {
		r.warn("unit", "column %q is read as seconds; its name has another unit: give --unit", names[seconds])
	}
	return at, nil
}

// otherUnit matches the name of a column in another unit than seconds. The model checks the magnitude.
var otherUnit = regexp.MustCompile(
	`(?i)(^|[^a-z])(ms|msecs?|millis|milliseconds|us|µs|micros|min|mins|minutes|h|hours)([^a-z]|$)`)

func (r *Runs) warn(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// A record is a line of a table, without spaces around its fields.
type record struct {
	line   int
	fields []string
}

// records reads a table, CSV with one of three separators. It returns at least one record, and the fields of the
// last comment, a line that begins with #, before it. A tab, else a semicolon, else a comma separates fields.
func records(table, file string) (all []record, comment []string, err error) {
	separator, last, line := ',', "", 0
	for text := range strings.Lines(strings.TrimPrefix(table, "\ufeff")) {
		line++
		bare := strings.TrimSpace(text)
		switch {
		case bare == "":
			continue
		case bare[0] == '#':
			if len(all) == 0 {
				last = bare[1:]
			}
			continue
		case strings.ContainsAny(bare, "\x00\r{"): // bare has no line ending; a brace is JSON
			return nil, nil, fmt.Errorf("%s:%d: this is no line of a table: save it as CSV in UTF-8, with line feeds", file,
				line)
		case len(all) > ernest.MaxRows:
			return nil, nil, fmt.Errorf("%s:%d: more than %d rows: a model of four terms needs a few dozen", file, line,
				ernest.MaxRows)
		case len(all) == 0:
			if at := strings.IndexAny(text, "\t;"); at >= 0 { // a comma may be part of a field
				separator = rune(text[at])
			}
			comment, _ = split(last, separator) // a comment that is no record is no header
		}
		fields, err := split(text, separator)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		all = append(all, record{line, fields})
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: there is no row", file)
	}
	return all, comment, nil
}

// split returns the fields of a line.
func split(line string, separator rune) ([]string, error) {
	in := csv.NewReader(strings.NewReader(line))
	in.Comma, in.TrimLeadingSpace = separator, separator != '\t'
	fields, err := in.Read()
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, bad.Err
	}
	return units.Each(fields, clean), err
}

// clean normalizes a field or a name. It removes spaces, and the mark of a header in a comment.
func clean(name string) string {
	return dag.Clean(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#")))
}

// positions returns the indexes of the fields with a name.
func positions(fields []string, name string) (at []int) {
	for i, f := range fields {
		if strings.EqualFold(f, name) {
			at = append(at, i)
		}
	}
	return at
}

// number returns the number in a column's field, or the reason why there is none.
func (r *record) number(field, column int) (v float64, why string) {
	if field >= len(r.fields) || r.fields[field] == "" {
		return 0, "is empty: leave the row out if the number is unknown"
	}
	v, err := strconv.ParseFloat(r.fields[field], 64)
	var must string
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		must = "finite, with a decimal point"
	case column != seconds && v <= 0: // the model judges a time
		must = "more than 0"
	case column == iterations && (v != math.Trunc(v) || v > math.MaxInt32):
		must = "whole"
	default:
		return v, ""
	}
	return 0, fmt.Sprintf("is %.60q: it must be a number, %s", r.fields[field], must)
}

func isNumber(field string) bool {
	_, err := strconv.ParseFloat(field, 64)
	return err == nil
}

// Fit fits a model to the runs. The warnings of the table precede its own. Errors contain the line in the table.
func (r *Runs) Fit(o ernest.FitOptions) (*ernest.Model, error) {
	m, err := ernest.Fit(r.Rows, o)
	switch bad, ok := errors.AsType[*ernest.InputError](err); {
	case ok && bad.Row > 0 && r.Lines != nil:
		return nil, fmt.Errorf("%s:%d: %s: %s", r.File, r.Lines[bad.Row-1], bad.Field, bad.Reason)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	m.Warnings = slices.Concat(r.Warnings, m.Warnings)
	return m, nil
}
