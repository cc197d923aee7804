package planview

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// shownEntries bounds the legend, which has two columns.
const shownEntries = 24

// legend lists the meaning of the colours.
func (v *View) legend(c *drawing, paint *paint) {
	c.LegendTop = c.Bottom + 58
	var left int
	var what string
	if paint.byPhase {
		left, what = v.phaseEntries(c, paint), "phase"
	} else {
		left, what = v.fragmentEntries(c, paint), "fragment"
	}
	for _, p := range c.Panels {
		if slices.ContainsFunc(p.Blocks, func(b block) bool { return b.Failed }) {
			c.Legend = append(c.Legend, entry{Fill: failedFill, Critical: true, Text: "attempts that fail"})
			break
		}
	}
	half := (len(c.Legend) + 1) / 2
	for i := range c.Legend {
		c.Legend[i].X = chartLeft + legendWidth*float64(i/half)
		c.Legend[i].Y = c.LegendTop + legendRow*float64(i%half)
	}
	c.Height = c.LegendTop + legendRow*float64(half) + 24
	if left > 0 {
		c.More = fmt.Sprintf("and %s that are not named here", units.Count(left, what))
		c.Height += legendRow
	}
}

func (v *View) fragmentEntries(c *drawing, paint *paint) (left int) {
	rows, left := v.rows()
	if len(rows) > shownEntries {
		left += len(rows) - shownEntries
		rows = rows[:shownEntries]
	}
	for _, f := range rows {
		fr := &v.Path.Fragments[f]
		text := v.Title(f)
		if fr.Width > 0 {
			text += fmt.Sprintf(", %d at once, %s", fr.Width, units.Count(len(fr.Rounds), "round"))
		}
		text += fmt.Sprintf(", %s – %s", v.clock(fr.Start), v.clock(fr.End))
		c.Legend = append(c.Legend, entry{Fill: paint.of(f), Critical: paint.critical[f], Text: text})
	}
	return left
}

// phaseEntries lists the stages that have tasks in the chart, in plan order. It returns how many did not fit.
func (v *View) phaseEntries(c *drawing, paint *paint) (left int) {
	type extent struct {
		start, end dag.Instant
		critical   bool
		tasks      int32
	}
	phases := make([]extent, len(paint.groups))
	for i := range v.Path.Schedule.Spans {
		s := &v.Path.Schedule.Spans[i]
		if s.Count == 0 {
			continue
		}
		e := &phases[paint.group(s)]
		if e.tasks == 0 {
			e.start, e.end = s.Start, s.End
		}
		e.start, e.end, e.tasks = min(e.start, s.Start), max(e.end, s.End), e.tasks+s.Count
		e.critical = e.critical || paint.hue(i, s).critical
	}
	for g, e := range phases {
		if e.tasks == 0 {
			continue
		}
		if len(c.Legend) == shownEntries {
			left++
			continue
		}
		of := paint.groups[g]
		text := fmt.Sprintf("%s: %s, %s – %s", cut(v.Plan.Jobs[of.job].Node),
			units.Tasks(int(e.tasks), cut(v.Plan.Jobs[of.job].Stages[of.stage].Name)), v.clock(e.start), v.clock(e.end))
		c.Legend = append(c.Legend, entry{Fill: paint.fills[g], Critical: e.critical, Text: text})
	}
	return left
}
