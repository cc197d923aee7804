package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Template is a shell command with placeholders for the values of a row: {fraction}, {machines}, {parts} and {cores}.
// Other braces are the shell's.
type Template struct{ text string }

// NewTemplate checks a command against its rows. If rows differ in a value, the command must have its placeholder. If
// it has a placeholder, all rows must have the value.
func NewTemplate(text string, rows []ernest.DesignRow) (Template, error) {
	t := Template{text}
	switch {
	case strings.TrimSpace(text) == "":
		return t, errors.New("the command is empty: give what runs the job, such as './job.sh {fraction} {machines}'")
	case strings.ContainsRune(text, 0):
		return t, errors.New("the command has a NUL character in it")
	case len(rows) == 0:
		return t, errors.New("the design has no rows")
	}
	var noParts, noCores, scalesDiffer, machinesDiffer bool
	for _, r := range rows {
		noParts, noCores = noParts || r.Parts <= 0, noCores || r.Cores <= 0
		scalesDiffer = scalesDiffer || r.Scale != rows[0].Scale
		machinesDiffer = machinesDiffer || r.Machines != rows[0].Machines
	}
	switch {
	case t.has("{parts}") && noParts:
		return t, errors.New("the command has {parts}, but the design has no parts: use {fraction}")
	case t.has("{cores}") && noCores:
		return t, errors.New("the command has {cores}, but the design has no cores: use {machines}")
	case !t.has("{fraction}") && !t.has("{parts}") && scalesDiffer:
		return t, errors.New("the command would run on the same input each time: put {fraction} or {parts} where the size goes")
	case !t.has("{machines}") && !t.has("{cores}") && machinesDiffer:
		return t, errors.New("the command would run on as many machines each time: put {machines} or {cores} where their number goes")
	}
	return t, nil
}

func (t Template) has(name string) bool { return strings.Contains(t.text, name) }

// Fill returns the command of a row.
func (t Template) Fill(r ernest.DesignRow) string {
	return strings.NewReplacer("{fraction}", units.Digits(r.Scale), "{machines}", strconv.Itoa(r.Machines),
		"{parts}", strconv.Itoa(r.Parts), "{cores}", strconv.Itoa(r.Cores)).Replace(t.text)
}

// name describes a row.
func name(r ernest.DesignRow) string {
	return fmt.Sprintf("machines %d, scale %s", r.Machines, strconv.FormatFloat(r.Scale, 'g', 6, 64))
}

// Distinct returns the rows of a design without duplicates. For a command that takes the input in parts, scales become
// those of the parts, which are whole numbers.
func Distinct(rows []ernest.DesignRow, command string, totalParts int) []ernest.DesignRow {
	inParts := strings.Contains(command, "{parts}") && !strings.Contains(command, "{fraction}")
	var out []ernest.DesignRow
	for _, r := range rows {
		if inParts && totalParts > 0 && r.Parts > 0 {
			r.Scale = float64(r.Parts) / float64(totalParts)
		}
		same := func(o ernest.DesignRow) bool { return o.Machines == r.Machines && o.Scale == r.Scale }
		if !slices.ContainsFunc(out, same) {
			out = append(out, r)
		}
	}
	return out
}

// Limits of a design.
const (
	maxDesignBytes = 16 << 20
	maxDesignRows  = 10_000
)

// ReadDesign reads a design: the JSON of `paratimer ernest design`, of which rows of machines and scale are enough. It
// returns the rows and the number of parts of the whole input, 0 if the design does not give it.
func ReadDesign(in io.Reader) (rows []ernest.DesignRow, totalParts int, err error) {
	var d struct {
		TotalParts int                `json:"total_parts"`
		Rows       []ernest.DesignRow `json:"rows"`
	}
	if err := json.NewDecoder(io.LimitReader(in, maxDesignBytes)).Decode(&d); err != nil {
		return nil, 0, fmt.Errorf("it is not a design: %w; `paratimer ernest design --output json` writes one", err)
	}
	if n := len(d.Rows); n == 0 || n > maxDesignRows || d.TotalParts < 0 {
		return nil, 0, fmt.Errorf("it has %d rows of %d parts: a design has 1 to %d rows", n, d.TotalParts, maxDesignRows)
	}
	for i, r := range d.Rows {
		if r.Machines < 1 || r.Parts < 0 || r.Cores < 0 || !(r.Scale > 0) {
			return nil, 0, fmt.Errorf("row %d: %d machines, scale %v, %d parts, %d cores: machines and scale are above 0, "+
				"parts and cores not below", i+1, r.Machines, r.Scale, r.Parts, r.Cores)
		}
	}
	return d.Rows, d.TotalParts, nil
}
