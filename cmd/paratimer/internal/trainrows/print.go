package trainrows

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// Text writes a CSV that `paratimer ernest fit` reads: machines, scale, seconds and the run's name.
func (t Table) Text(w io.Writer) error {
	if len(t.Rows) > 0 {
		if _, err := fmt.Fprintf(w, "# scale 1 is %s %s\n", units.Digits(t.Most), t.Unit); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	rows := [][]string{{"machines", "scale", "seconds", "run"}}
	for i, r := range t.Rows {
		// some readers cannot parse a quote in a field
		name := strings.ReplaceAll(view.Escape(t.Runs[i].Name), `"`, "'")
		rows = append(rows, []string{units.Digits(r.Machines), units.Digits(r.Scale), units.Digits(r.Seconds), name})
	}
	return out.WriteAll(rows)
}

type row struct {
	Machines float64     `json:"machines"`
	Scale    float64     `json:"scale"`
	Seconds  float64     `json:"seconds"`
	Records  units.Float `json:"records"`
	Bytes    units.Float `json:"bytes"`
	Run      string      `json:"run"`
}

// JSON writes the table as JSON.
func (t Table) JSON(w io.Writer) error {
	out := struct {
		Unit string   `json:"scale_unit"`
		Most *float64 `json:"scale_whole"` // what scale 1 is
		Rows []row    `json:"rows"`
	}{Unit: t.Unit, Rows: []row{}}
	if len(t.Rows) > 0 {
		out.Most = &t.Most
	}
	for i, r := range t.Rows {
		run := t.Runs[i]
		out.Rows = append(out.Rows, row{
			r.Machines, r.Scale, r.Seconds, units.Float(run.Records), units.Float(run.Bytes), run.Name,
		})
	}
	return view.JSON(w, out, " ")
}
