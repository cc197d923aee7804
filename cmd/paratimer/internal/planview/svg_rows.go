package planview

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/gantt"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A hue is what a reader can tell apart.
type hue struct {
	group    int // index of a colour
	critical bool
	failed   bool
}

// panels lays out the rows: map slots and reduce slots, or, under YARN, containers of both.
func (v *View) panels(s scale, paint *paint) []panel {
	together := v.Plan.Cluster.Policy == dag.YARN
	groups := []struct {
		title string
		kinds []dag.Kind
	}{{"map slots", []dag.Kind{dag.Map}}, {"reduce slots", []dag.Kind{dag.Reduce}}}
	if together {
		groups = groups[:1]
		groups[0].title, groups[0].kinds = "containers", []dag.Kind{dag.Map, dag.Reduce}
	}
	slots, all := make([]int, len(groups)), 0
	for i, g := range groups {
		slots[i] = v.slots(g.kinds)
		all += slots[i]
	}
	height := min(mostRow, mostRows/float64(max(1, all)))
	top := panelsTop
	var out []panel
	for i, g := range groups {
		if slots[i] == 0 {
			continue
		}
		p := panel{Title: g.title, Top: top, Height: max(height*float64(slots[i]), 2)}
		v.rowsOf(&p, slots[i], height)
		bars := gantt.Bars(v.Path.Schedule.Spans, func(s *schedule.Span) bool { return slices.Contains(g.kinds, s.Kind) }, paint.hue)
		p.Blocks = v.blocks(bars, slots[i], p, s, paint)
		out = append(out, p)
		top += p.Height + panelGap
	}
	return out
}

// slots is how many rows the kinds' tasks need.
func (v *View) slots(kinds []dag.Kind) int {
	n := 0
	for i := range v.Path.Schedule.Spans {
		s := &v.Path.Schedule.Spans[i]
		if slices.Contains(kinds, s.Kind) {
			for _, slot := range s.Slots {
				n = max(n, int(slot)+1)
			}
		}
	}
	return n
}

// rowsOf labels every row, or as many as can be read, and draws lines between rows that are high enough.
func (v *View) rowsOf(p *panel, slots int, height float64) {
	every := 1
	for float64(every)*height < 13 {
		every *= []int{2, 5}[len(fmt.Sprint(every))%2] // 1 2 10 20 100 …
	}
	for i := 0; i < slots; i += every {
		p.Rows = append(p.Rows, row{p.Top + (float64(i)+0.5)*height, fmt.Sprint(i)})
	}
	if height >= 4 {
		for i := 1; i < slots; i++ {
			p.Lines = append(p.Lines, p.Top+float64(i)*height)
		}
	}
}

// mostBlocks bounds the rectangles of a chart. Where there would be more, neighbours of one hue are drawn as one.
const mostBlocks = 6000

func (v *View) blocks(bars []gantt.Bar[hue], slots int, p panel, s scale, paint *paint) []block {
	bars, rows := gantt.Fit(bars, slots, mostBlocks, s.to-s.from, chartRight-chartLeft, p.Height)
	height := p.Height / float64(rows)
	out := make([]block, 0, len(bars))
	for i := range bars {
		b := &bars[i]
		r := block{X: s.x(b.Start), Y: p.Top + float64(b.Row)*height, H: float64(b.To-b.Row) * height, Critical: b.Hue.critical, Failed: b.Hue.failed, Fill: failedFill}
		r.W = max(s.x(b.End)-r.X, 0.4)
		if !b.Hue.failed {
			r.Fill = paint.fills[b.Hue.group]
			r.Dark = !r.Critical || dark(r.Fill)
		}
		if r.Thin = r.H < 4; r.Thin && (r.Critical || r.Failed) { // it must be seen
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

func (v *View) describe(r *block, b *gantt.Bar[hue]) {
	sp := &v.Path.Schedule.Spans[b.Span]
	node, kind := cut(v.Plan.Jobs[sp.Job].Node), sp.Kind.String()
	n := b.Tasks
	first := schedule.TaskName(v.Plan, int(sp.Job), sp.Kind, int(sp.First), int(sp.Attempt))
	switch {
	case b.Merged > 0:
		r.Tip = fmt.Sprintf("%s and others: %s", cut(first), v.between(b.Start, b.End))
	case n > 1:
		r.Tip = fmt.Sprintf("%d %ss of %s: %s", n, kind, node, v.between(b.Start, b.End))
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
