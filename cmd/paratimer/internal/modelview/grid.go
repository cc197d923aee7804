package modelview

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// A Grid is a model evaluated for many combinations of settings.
type Grid struct {
	Name  string
	Axes  []Axis
	Cells []Cell
}

// A Cell is the result for one combination of values, or the error.
type Cell struct {
	Values []int // parallel to the grid's axes
	Answer *Answer
	Err    error
}

// Text writes a line per cell.
func (g *Grid) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	if g.Name != "" {
		fmt.Fprintln(b, view.Escape(g.Name))
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, a := range g.Axes {
		fmt.Fprintf(t, "%s\t", a.Name)
	}
	if names := g.jobs(); len(names) > 1 {
		for _, n := range names {
			fmt.Fprintf(t, "%s\t", view.Escape(n))
		}
	} else {
		fmt.Fprint(t, "response\t")
	}
	fmt.Fprintln(t, "busiest")
	for i := range g.Cells {
		c := &g.Cells[i]
		for _, v := range c.Values {
			fmt.Fprintf(t, "%d\t", v)
		}
		if c.Err != nil {
			fmt.Fprintln(t, view.Escape(c.Err.Error()))
			continue
		}
		for j := range c.Answer.Spec.Jobs {
			r, _ := c.Answer.Response(j)
			fmt.Fprintf(t, "%s\t", units.Seconds(r))
		}
		if all := c.Answer.Centres(); len(all) > 0 {
			fmt.Fprintf(t, "%s %s", all[0].Kind, units.Percent(all[0].Utilisation))
		}
		if !c.Answer.Converged() {
			fmt.Fprintf(t, "\t%s", c.Answer.Doubt())
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // b reports errors
	return b.Flush()
}

// jobs returns the names of the jobs.
func (g *Grid) jobs() []string {
	for _, c := range g.Cells {
		if c.Answer == nil {
			continue
		}
		var names []string
		for i := range c.Answer.Spec.Jobs {
			names = append(names, jobName(c.Answer.Spec, i))
		}
		return names
	}
	return nil
}

type (
	gridOut struct {
		SchemaVersion int       `json:"schema_version"`
		Name          string    `json:"name"`
		Grid          []cellOut `json:"grid"`
	}
	cellOut struct {
		Settings  map[string]int `json:"settings"`
		Model     string         `json:"model"`
		Converged bool           `json:"converged"`
		Jobs      []jobOut       `json:"jobs"`
		Centres   []Centre       `json:"centres"`
		Error     *string        `json:"error"`
	}
	jobOut struct {
		Name                 string      `json:"name"`
		ResponseSeconds      units.Float `json:"response_seconds"`
		StandardErrorSeconds units.Float `json:"standard_error_seconds"`
		ThroughputPerSecond  units.Float `json:"throughput_per_second"`
	}
)

// JSON writes the grid; docs/queueing.md has its fields.
func (g *Grid) JSON(w io.Writer) error {
	out := gridOut{SchemaVersion: SchemaVersion, Name: g.Name, Grid: []cellOut{}}
	for i := range g.Cells {
		c := &g.Cells[i]
		cell := cellOut{Settings: map[string]int{}, Jobs: []jobOut{}, Centres: []Centre{}}
		for k, v := range c.Values {
			cell.Settings[strings.ReplaceAll(g.Axes[k].Name, "-", "_")] = v
		}
		if c.Err != nil {
			why := c.Err.Error()
			cell.Error = &why
		} else {
			r := c.Answer.result()
			cell.Model, cell.Converged, cell.Centres = r.Model, r.Converged, r.Centres
			for _, j := range r.Jobs {
				cell.Jobs = append(cell.Jobs, jobOut{
					j.Name, j.ResponseSeconds, j.StandardErrorSeconds,
					j.ThroughputPerSecond,
				})
			}
		}
		out.Grid = append(out.Grid, cell)
	}
	return view.JSON(w, out, " ")
}
