package trainrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// Limits of a design.
const (
	maxDesignBytes = 16 << 20
	maxDesignRows  = 10_000
	maxCount       = 1 << 30 // machines, parts
)

// ReadDesign reads the part of the JSON of `paratimer ernest design` that is needed. Designs of other programs need
// only rows of machines and scale. It returns the rows and the number of parts of the whole
// input, 0 if the design does not give it. Errors name the row, from 1.
func ReadDesign(in io.Reader) (rows []ernest.DesignRow, totalParts int, err error) {
	b, err := io.ReadAll(io.LimitReader(in, maxDesignBytes+1))
	if err != nil {
		return nil, 0, err
	}
	if len(b) > maxDesignBytes {
		return nil, 0, fmt.Errorf("it is larger than %d MB", maxDesignBytes>>20)
	}
	var d struct {
		TotalParts int `json:"total_parts"`
		Rows       *[]struct {
			Machines, Parts, Cores float64
			Scale                  float64
		} `json:"rows"`
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, 0, fmt.Errorf("it is not a design: %w; `paratimer ernest design --output json` writes one", err)
	}
	switch {
	case d.Rows == nil:
		return nil, 0, errors.New("it has no rows; `paratimer ernest design --output json` writes a design")
	case len(*d.Rows) == 0:
		return nil, 0, errors.New("its list of rows is empty")
	case len(*d.Rows) > maxDesignRows:
		return nil, 0, fmt.Errorf("%d rows are more than %d", len(*d.Rows), maxDesignRows)
	case d.TotalParts < 0 || d.TotalParts > maxCount:
		return nil, 0, fmt.Errorf("total_parts is %d", d.TotalParts)
	}
	for i, r := range *d.Rows {
		for _, n := range []struct {
			name         string
			value, least float64
		}{{"machines", r.Machines, 1}, {"parts", r.Parts, 0}, {"cores", r.Cores, 0}} {
			if n.value != math.Trunc(n.value) || n.value < n.least || n.value > maxCount {
				return nil, 0, fmt.Errorf("row %d: %s is %v: it must be a whole number from %v on", i+1, n.name, n.value,
					n.least)
			}
		}
		if !(r.Scale > 0) {
			return nil, 0, fmt.Errorf("row %d: scale is %v: it must be more than 0", i+1, r.Scale)
		}
		rows = append(rows, ernest.DesignRow{
			Machines: int(r.Machines), Scale: r.Scale, Parts: int(r.Parts), Cores: int(r.Cores),
		})
	}
	return rows, d.TotalParts, nil
}

// Whole sets the scales of a design to those of its parts, which are whole numbers, for a command that takes parts.
// Rows that become equal are merged.
func Whole(rows []ernest.DesignRow, totalParts int) []ernest.DesignRow {
	rows = slices.Clone(rows)
	for i := range rows {
		if totalParts > 0 && rows[i].Parts > 0 {
			rows[i].Scale = float64(rows[i].Parts) / float64(totalParts)
		}
	}
	return Distinct(rows)
}

// Distinct removes duplicate rows.
func Distinct(rows []ernest.DesignRow) []ernest.DesignRow {
	var out []ernest.DesignRow
	for _, r := range rows {
		if !slices.ContainsFunc(out, func(o ernest.DesignRow) bool {
			return o.Machines == r.Machines &&
				o.Scale == r.Scale
		}) {
			out = append(out, r)
		}
	}
	return out
}

// ByParts reports whether a command takes its input in parts rather than as a fraction.
func ByParts(command string) bool {
	return strings.Contains(command, "{parts}") && !strings.Contains(command, "{fraction}")
}
