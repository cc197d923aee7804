package compare

import (
	"fmt"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Draw adds the rows of the base and of the subject, on one scale of time and in the same colors, to one Gantt chart.
// If charts lacks one of them, none is drawn.
func (c *Comparison) Draw(charts map[*Run]*runreport.Chart) {
	if c.base < 0 || charts[c.Runs[c.base]] == nil || charts[c.Runs[c.subject]] == nil {
		return
	}
	g := &chart.Gantt{Name: "What ran when"}
	for _, at := range []int{c.base, c.subject} {
		r, drawn := c.Runs[at], charts[c.Runs[at]]
		g.To = max(g.To, float64(drawn.ToSeconds))
		rows := map[int]int{} // by job of the run
		for i := range c.Jobs {
			rows[c.Jobs[i].index[at]] = i
		}
		node := func(job int) string {
			if row, known := rows[job]; known && job >= 0 {
				return c.Jobs[row].Node
			}
			return ""
		}
		panels := drawn.Rows(node, func(b *runreport.Bar) chart.Mark {
			m := chart.Mark{Labels: []string{chart.Cut(node(b.Job), 16)}}
			if row, known := rows[b.Job]; known && b.Job >= 0 && b.Phase.Stage >= 0 && b.Phase.Pause == dag.NoPause {
				m.Tone = chart.Tone(row, min(int(b.Phase.Stage), 1)*(chart.Shades-1))
			}
			return m
		})
		for i := range panels {
			panels[i].Title = fmt.Sprintf("Run %d, %s after %s: %s", at+1, r.State, units.Seconds(drawn.ToSeconds),
				panels[i].Title)
		}
		g.Panels = append(g.Panels, panels...)
	}
	if g.To <= 0 {
		return
	}
	shown := min(len(c.Jobs), g.Entries())
	for i := range c.Jobs[:shown] {
		g.Legend = append(g.Legend, chart.Entry{
			Text: c.Jobs[i].Node, Tones: []string{chart.Tone(i, 0), chart.Tone(i, chart.Shades-1)},
		})
	}
	g.More = len(c.Jobs) - shown
	g.Legend = append(g.Legend, chart.Entry{Text: "light to dark: the first stage, later stages"})
	c.gantt = g
}
