package whatifview

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// SVG draws time against slots, with slots on a logarithmic axis.
func (v *View) SVG(out io.Writer) error {
	if v.Report.Curve == nil && v.Report.Base.Remaining() == nil {
		return errors.New("there is no curve to draw: the time of the query is unknown")
	}
	if v.Report.Curve == nil || len(v.Report.Curve.Points) == 0 {
		return errors.New("there is no curve to draw: no model that was asked can draw one")
	}
	return v.chart().SVG(out)
}

func (v *View) chart() *chart.Curve {
	c := &chart.Curve{
		Name: cmp.Or(v.Name, "query"), Head: []string{v.heading(), page.Capital(v.steps())},
		Axis: "slots, maps' and reduces' together",
	}
	switch v.Room.Policy {
	case dag.YARN:
		c.Axis = "containers, application masters' among them"
	case dag.Executors:
		c.Axis = "cores of all executors together"
	}
	for i, p := range v.Report.Curve.Points {
		y := p.Remaining.Seconds()
		at := chart.Point{
			X: float64(p.Room.Total()), Y: &y, Tip: fmt.Sprintf("%s: %s", p.Room, units.Exact(p.Remaining)),
		}
		if p.Base {
			at.Notes = append(at.Notes, "now: "+units.Exact(p.Remaining))
		}
		if i == v.Report.Curve.Knee {
			at.Notes = append(at.Notes, fmt.Sprintf("knee at %s: a doubling saves less than %s", p.Room,
				units.Percent(whatif.KneeGain)))
		}
		c.Points = append(c.Points, at)
	}
	for i := range v.Report.Limits {
		if l := &v.Report.Limits[i]; l.Name == whatif.LimitSlots && l.Remaining() != nil {
			c.Levels = append(c.Levels, chart.Level{
				Y: l.Remaining().Seconds(), Text: "a slot for every task: " + units.Exact(*l.Remaining()), Below: true,
			})
		}
	}
	return c
}
