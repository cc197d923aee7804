package compare

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/units"
)

// Draw adds the rows of the base and of the subject, on one scale of time and in the same colors, to one Gantt chart.
// If charts lacks one of them, none is drawn.
func (c *Comparison) Draw(charts map[*Run]*chart.Gantt) {
	if c.base < 0 || charts[c.Runs[c.base]] == nil || charts[c.Runs[c.subject]] == nil {
		return
	}
	g := &chart.Gantt{Name: "What ran when"}
	for i := range c.Jobs {
		g.Jobs = append(g.Jobs, chart.Job{Name: c.Jobs[i].Node})
	}
	for _, at := range []int{c.base, c.subject} {
		r, drawn := c.Runs[at], charts[c.Runs[at]]
		g.ToSeconds, g.Merged = max(g.ToSeconds, drawn.ToSeconds), g.Merged || drawn.Merged
		rows := map[int]int{} // by job of the run
		for i := range c.Jobs {
			rows[c.Jobs[i].index[at]] = i
		}
		for _, p := range drawn.Panels {
			p.Title = fmt.Sprintf("Run %d, %s after %s: %s", at+1, r.State, units.Seconds(drawn.ToSeconds), p.Title)
			p.Bars = slices.Clone(p.Bars)
			for k := range p.Bars {
				b := &p.Bars[k]
				row, known := rows[b.Job]
				if !known || b.Job < 0 {
					row = -1
				}
				b.Job, b.Fragment = row, nil
			}
			g.Panels = append(g.Panels, p)
		}
	}
	if g.ToSeconds > 0 {
		c.gantt = g
	}
}
