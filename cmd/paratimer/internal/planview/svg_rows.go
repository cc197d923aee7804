package planview

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// A hue is the look of a bar: bars of one hue may be merged.
type hue struct {
	group    int // index of a colour
	critical bool
	failed   bool
}

// panels draws the rows: map slots and reduce slots, or, under YARN, containers of both.
func (v *View) panels(s scale, paint *paint) []panel {
	panels, all := chart.Panels(v.Plan.Cluster.Policy, v.Path.Schedule.Spans, paint.hue), 0
	for _, from := range panels {
		all += from.Slots
	}
	height := min(mostRow, mostRows/float64(max(1, all)))
	top := panelsTop
	var out []panel
	for _, from := range panels {
		p := panel{Title: from.Title, Top: top, Height: max(height*float64(from.Slots), 2)}
		v.rowsOf(&p, from.Slots, height)
		p.Blocks = v.blocks(from, p, s, paint)
		out = append(out, p)
		top += p.Height + panelGap
	}
	return out
}

// rowsOf labels every row, or as many as are legible, and draws lines between rows that are high enough.
func (v *View) rowsOf(p *panel, slots int, height float64) {
	every := max(1, int(chart.Step(13/height)))
	for i := 0; i < slots; i += every {
		p.Rows = append(p.Rows, row{p.Top + (float64(i)+0.5)*height, fmt.Sprint(i)})
	}
	if height >= 4 {
		for i := 1; i < slots; i++ {
			p.Lines = append(p.Lines, p.Top+float64(i)*height)
		}
	}
}

// mostBlocks bounds the rectangles of a chart. Beyond it, neighbours of one hue are drawn as one.
const mostBlocks = 6000

func (v *View) blocks(from chart.Panel[hue], p panel, s scale, paint *paint) []block {
	bars, rows := chart.Fit(from.Bars, from.Slots, mostBlocks, s.to-s.from, chartRight-chartLeft, p.Height)
	height := p.Height / float64(rows)
	out := make([]block, 0, len(bars))
	for i := range bars {
		b := &bars[i]
		r := block{
			X: s.x(b.Start), Y: p.Top + float64(b.Row)*height, H: float64(b.To-b.Row) * height,
			Critical: b.Hue.critical, Failed: b.Hue.failed, Fill: failedFill,
		}
		r.W = max(s.x(b.End)-r.X, 0.4)
		if !b.Hue.failed {
			r.Fill = paint.fills[b.Hue.group]
			r.Dark = !r.Critical || dark(r.Fill)
		}
		if r.Thin = r.H < 4; r.Thin && (r.Critical || r.Failed) { // keep it visible
			r.Y, r.H = r.Y-max(0, 2-r.H)/2, max(r.H, 2)
		}
		v.describe(&r, b)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b block) int { // outlines of the critical path are drawn last
		if a.Critical != b.Critical {
			if b.Critical {
				return -1
			}
			return 1
		}
		return 0
	})
	return out
}

func (v *View) describe(r *block, b *chart.Bar[hue]) {
	sp := &v.Path.Schedule.Spans[b.Span]
	node, kind := cut(v.Plan.Jobs[sp.Job].Node), cut(sp.What(v.Plan))
	n := b.Tasks
	first := schedule.TaskName(v.Plan, int(sp.Job), sp.Stage, int(sp.First), int(sp.Attempt))
	switch {
	case b.Merged > 0:
		r.Tip = fmt.Sprintf("%s and others: %s", cut(first), v.between(b.Start, b.End))
	case n > 1:
		r.Tip = fmt.Sprintf("%d %s of %s: %s", n, units.Stage(kind), node, v.between(b.Start, b.End))
	default:
		r.Tip = fmt.Sprintf("%s: %s", cut(first), v.between(b.Start, b.End))
	}
	switch {
	case b.Merged > 0:
	case r.Failed:
		r.Tip += " fails"
		r.fit(1, cut(first), "✗")
	case n > 1:
		r.fit(b.To-b.Row, fmt.Sprintf("%s: %d %ss", node, n, kind), fmt.Sprintf("%s ×%d", node, n), node)
	default:
		r.fit(1, cut(first), first[len(v.Plan.Jobs[sp.Job].Node)+1:])
	}
}
