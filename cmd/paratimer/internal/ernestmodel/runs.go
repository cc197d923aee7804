// Package ernestmodel reads the inputs of Ernest, tables of runs and saved models, and writes saved models. It
// connects package table and package ernest.
package ernestmodel

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/table"
	"github.com/paratimer/paratimer/estimators/ernest"
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

// Runs are the rows of a table. Lists have one element per row.
type Runs struct {
	File     string
	Lines    []int
	Rows     []ernest.Row
	Warnings []ernest.Warning
	seconds  string // the column's name
}

// ReadRuns reads a table; file is the name in messages.
func ReadRuns(r io.Reader, file string, c Columns) (*Runs, error) {
	unit, ok := inSeconds[c.Unit]
	if !ok {
		return nil, fmt.Errorf("--unit %s: it is s, ms, min or h", c.Unit)
	}
	wanted := []table.Column{
		{Name: c.Machines, For: "--machines", Kind: table.Positive},
		{Name: c.Scale, For: "--scale", Kind: table.Positive, Optional: c.Whole},
		{Name: c.Seconds, For: "--seconds"},
	}
	if c.Iterations != "" {
		wanted = append(wanted, table.Column{Name: c.Iterations, For: "--iterations", Kind: table.Positive})
	}
	t, err := table.Read(r, file, wanted)
	if err != nil {
		return nil, err
	}
	runs := &Runs{File: file, Lines: t.Lines, seconds: t.Names[2]}
	for i := range t.Rows() {
		row := ernest.Row{Machines: t.Values[0][i], Scale: 1, Seconds: t.Values[2][i] * unit}
		if t.Values[1] != nil {
			row.Scale = t.Values[1][i]
		}
		runs.Rows = append(runs.Rows, row)
	}
	if t.Values[1] == nil {
		runs.Warnings = append(runs.Warnings, ernest.Warning{Code: "no_scale", Text: fmt.Sprintf(
			"there is no column %q: all runs are taken to be of the whole input, scale 1 (--scale names the column)",
			c.Scale)})
	}
	if c.Iterations != "" {
		const iterations = 3 // after machines, scale and seconds
		all, err := whole(t, iterations)
		if err != nil {
			return nil, err
		}
		for i, n := range all {
			runs.Rows[i].Iterations = n
		}
	}
	if c.Unit == "" {
		runs.doubtUnit()
	}
	return runs, nil
}

// whole returns a column's numbers, or an error if one is not a whole number.
func whole(t *table.Table, column int) ([]int, error) {
	var all []int
	for i, v := range t.Values[column] {
		if v != math.Trunc(v) || v > math.MaxInt32 {
			return nil, &table.Error{
				File: t.File, Line: t.Lines[i], Column: t.Names[column], Value: fmt.Sprint(v),
				Why: "it must be a whole number",
			}
		}
		all = append(all, int(v))
	}
	return all, nil
}

var otherUnit = regexp.MustCompile(
	`(?i)(^|[^a-z])(ms|msecs?|millis|milliseconds|us|µs|micros|min|mins|minutes|h|hours)([^a-z]|$)`)

// doubtUnit warns if the column's name has a unit other than seconds. The model checks the magnitude.
func (r *Runs) doubtUnit() {
	if otherUnit.MatchString(r.seconds) {
		r.Warnings = append(r.Warnings,
			ernest.Warning{
				Code: "unit",
				Text: fmt.Sprintf("column %q is read as seconds; its name says otherwise: give --unit", r.seconds),
			})
	}
}

// notTimes returns an error with the position of the first time that is not positive; nil if there is none.
func (r *Runs) notTimes() error {
	for i := range r.Rows {
		if s := r.Rows[i].Seconds; s <= 0 {
			return &table.Error{
				File: r.File, Line: r.Lines[i], Column: r.seconds, Value: fmt.Sprint(s),
				Why: "a run takes more than 0 s",
			}
		}
	}
	return nil
}

// Place adds the file and line to an error of a row.
func (r *Runs) Place(err error) error {
	var bad *ernest.RowError
	if !errors.As(err, &bad) || bad.Row < 0 || bad.Row >= len(r.Lines) {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	return &table.Error{
		File: r.File, Line: r.Lines[bad.Row], Column: bad.Column, Value: fmt.Sprint(bad.Value),
		Why: bad.Reason, Err: err,
	}
}
