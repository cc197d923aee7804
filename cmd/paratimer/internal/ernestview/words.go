// Package ernestview shows Ernest's results as text, JSON and SVG. It computes nothing.
package ernestview

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A text collects the lines of a view.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// table writes rows of cells, aligned on the right. The first row is the header.
func (t *text) table(rows [][]string) {
	grid := tabwriter.NewWriter(t, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range rows {
		fmt.Fprintln(grid, strings.Join(cells, "\t")+"\t")
	}
	_ = grid.Flush() // a strings.Builder never fails
}

// say writes a line for each warning, after a word. It leaves out duplicates.
func (t *text) say(word string, lists ...[]ernest.Warning) {
	for _, w := range warnings(lists...) {
		t.line("%s: %s", word, view.Escape(w.Text))
	}
}

func (t *text) to(w io.Writer) error {
	_, err := io.WriteString(w, t.String())
	return err
}

// warnings joins lists of warnings without duplicates.
func warnings(lists ...[]ernest.Warning) []ernest.Warning {
	out := []ernest.Warning{}
	seen := map[ernest.Warning]bool{}
	for _, list := range lists {
		for _, w := range list {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}

// An outlook is the JSON of a prediction and its range; all null if it is refused.
type outlook struct {
	Seconds     units.Float `json:"seconds"`
	LowSeconds  units.Float `json:"low_seconds"`
	HighSeconds units.Float `json:"high_seconds"`
}

var nan = units.Float(math.NaN())

func outlookOf(p *ernest.Prediction, shown bool) outlook {
	if !shown {
		return outlook{nan, nan, nan}
	}
	return outlook{units.Float(p.Seconds), units.Float(p.Low), units.Float(p.High)}
}

func span(low, high units.Float) string {
	if !low.Known() || !high.Known() {
		return "?"
	}
	return units.Seconds(low) + " – " + units.Seconds(high)
}
