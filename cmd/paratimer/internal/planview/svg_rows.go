package planview

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A bar is what one rectangle shows: tasks of a span in neighbouring rows.
type bar struct {
	hue
	span    int // of several spans that are drawn as one, the first
	merged  int // how many more tasks of other spans it shows
	row, to int // rows, to excluded
	start   dag.Instant
	end     dag.Instant
}

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
		p.Blocks = v.blocks(v.bars(g.kinds, paint), slots[i], p, s, paint)
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

func (v *View) blocks(bars []bar, slots int, p panel, s scale, paint *paint) []block {
	rows := slots
	for gap := 0.5; len(bars) > mostBlocks && gap < chartRight; gap *= 2 {
		fewer := min(rows, int(p.Height/gap)+1)
		near := dag.Instant(float64(s.to-s.from) / (chartRight - chartLeft) * gap)
		bars, rows = merge(bars, rows, fewer, near), fewer
	}
	height := p.Height / float64(rows)
	out := make([]block, 0, len(bars))
	for i := range bars {
		b := &bars[i]
		r := block{X: s.x(b.start), Y: p.Top + float64(b.row)*height, H: float64(b.to-b.row) * height, Critical: b.critical, Failed: b.failed, Fill: failedFill}
		r.W = max(s.x(b.end)-r.X, 0.4)
		if !b.failed {
			r.Fill = paint.fills[b.group]
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

func (v *View) describe(r *block, b *bar) {
	sp := &v.Path.Schedule.Spans[b.span]
	node, kind := cut(v.Plan.Jobs[sp.Job].Node), sp.Kind.String()
	n := b.to - b.row + b.merged
	first := schedule.TaskName(v.Plan, int(sp.Job), sp.Kind, int(sp.First), int(sp.Attempt))
	switch {
	case b.merged > 0:
		r.Tip = fmt.Sprintf("%s and others: %s", cut(first), v.between(b.start, b.end))
	case n > 1:
		r.Tip = fmt.Sprintf("%d %ss of %s: %s", n, kind, node, v.between(b.start, b.end))
	default:
		r.Tip = fmt.Sprintf("%s: %s", cut(first), v.between(b.start, b.end))
	}
	switch {
	case b.merged > 0:
	case r.Failed:
		r.Tip += " fails"
		r.fit(1, cut(first), "✗")
	case n > 1:
		r.fit(b.to-b.row, fmt.Sprintf("%s: %d %ss", node, n, kind), fmt.Sprintf("%s ×%d", node, n), node)
	default:
		r.fit(1, cut(first), first[len(v.Plan.Jobs[sp.Job].Node)+1:])
	}
}

// bars cuts spans into runs of neighbouring slots.
func (v *View) bars(kinds []dag.Kind, paint *paint) []bar {
	var bars []bar
	for i := range v.Path.Schedule.Spans {
		s := &v.Path.Schedule.Spans[i]
		if !slices.Contains(kinds, s.Kind) {
			continue
		}
		h := paint.hue(i, s)
		for from := 0; from < len(s.Slots); {
			to := from + 1
			for to < len(s.Slots) && s.Slots[to] == s.Slots[to-1]+1 {
				to++
			}
			if s.Slots[from] >= 0 {
				bars = append(bars, bar{hue: h, span: i, row: int(s.Slots[from]), to: int(s.Slots[to-1]) + 1, start: s.Start, end: s.End})
			}
			from = to
		}
	}
	return bars
}

// merge draws bars on fewer rows and joins those of a hue that follow each other in a row with hardly a gap.
func merge(bars []bar, rows, fewer int, near dag.Instant) []bar {
	per := float64(rows) / float64(fewer)
	cells := slices.Clone(bars)
	for i := range cells {
		b := &cells[i]
		from, to := int(float64(b.row)/per), int(math.Ceil(float64(b.to)/per))
		b.row, b.to = min(from, fewer-1), min(max(to, from+1), fewer)
	}
	slices.SortStableFunc(cells, func(a, b bar) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.to, b.to), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var out []bar
	open := make(map[hue]int) // of the row, the last bar of each hue
	for _, b := range cells {
		if n := len(out); n > 0 && (out[n-1].row != b.row || out[n-1].to != b.to) {
			clear(open)
		}
		if i, ok := open[b.hue]; ok && b.start <= out[i].end+near {
			out[i].end = max(out[i].end, b.end)
			out[i].merged += 1 + b.merged
			continue
		}
		open[b.hue] = len(out)
		out = append(out, b)
	}
	return out
}
