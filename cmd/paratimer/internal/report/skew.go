package report

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

// skew compares the longest tasks of stages with the median: columns upwards for their work, downwards for their
// input.
type skew struct {
	Summary string
	Of      string // what is skewed: "reduces", "vertices"
	Uneven  bool   // if no stage is, the figures are folded
	Jobs    []skewJob
}

type skewJob struct {
	ID             int
	Name, Desc     string // the name of its job or stage, and what the figure shows
	Tasks          string // "Reduces", "Tasks"
	Heading        string
	Uneven         bool
	Columns        []skewColumn
	Height, Middle string
	SizeTop        string
	MedianY        string
	MedianText     string
	MedianTextY    string
	Heights, Sizes []tick
	SizesSay       string
}

type skewColumn struct {
	X, W    string
	Y, H    string // of the work
	SizeH   string
	HasSize bool
	BeyondH string // of the work beyond the median
	Label   string
	LabelX  string
	LabelY  string
	Tip     string
}

const (
	skewTop   = 14.0
	workHigh  = 150.0
	skewGap   = 20.0 // between work and size: the reduces' numbers
	sizeHigh  = 70.0
	skewWidth = 220.0 // the narrowest
	mostWidth = 12.5  // of a column, in percent of the width
)

func skewOf(s *runreport.Report) *skew {
	k := &skew{Summary: prose(s.Skew.Summary), Of: "reduces"}
	for i := range s.Skew.Jobs {
		if j := skewJobOf(&s.Skew.Jobs[i]); j != nil {
			j.ID = i
			if s.Skew.Jobs[i].Stage != "" {
				k.Of = text(cmp.Or(s.Workflow.Whole.Parts, "stages"))
			}
			k.Uneven = k.Uneven || j.Uneven
			k.Jobs = append(k.Jobs, *j)
		}
	}
	return k
}

func skewJobOf(of *runreport.SkewJob) *skewJob {
	if len(of.Reduces) == 0 {
		return nil
	}
	j := &skewJob{Name: text(cmp.Or(of.Stage, of.Job)), Uneven: of.Uneven, Tasks: capital(of.TaskWord() + "s")}
	j.Heading = units.Count(of.All, of.TaskWord())
	if of.All > len(of.Reduces) {
		j.Heading = fmt.Sprintf("the longest %d of %d %ss", len(of.Reduces), of.All, of.TaskWord())
	}
	top, most := max(of.Median, 0.001), 0.0
	size, unit := sizes(of.Reduces)
	for i := range of.Reduces {
		top = max(top, of.Reduces[i].WorkSeconds)
		if v := size(&of.Reduces[i]); v != nil {
			most = max(most, *v)
		}
	}
	top *= 1.05
	floor := skewTop + workHigh
	y := func(v frame.Seconds) float64 { return skewTop + workHigh*(1-float64(v)/float64(top)) }
	step := min(100/float64(len(of.Reduces)), mostWidth)
	every := 1
	for float64(every)*step/100*skewWidth < letter*3+4 {
		every++
	}
	for i := range of.Reduces {
		r := &of.Reduces[i]
		c := skewColumn{
			X: share(step*float64(i) + step*0.12), W: share(step * 0.76), Y: chart.Px(y(r.WorkSeconds)),
			H:      chart.Px(floor - y(r.WorkSeconds)),
			LabelX: share(step * (float64(i) + 0.5)), LabelY: chart.Px(floor + 14),
		}
		if r.WorkSeconds > of.Median {
			c.BeyondH = chart.Px(y(of.Median) - y(r.WorkSeconds))
		}
		c.Tip = fmt.Sprintf("%s %d worked %s", of.TaskWord(), r.Task, units.Seconds(r.WorkSeconds))
		if i%every == 0 {
			c.Label = strconv.Itoa(r.Task)
		}
		if v := size(r); v != nil && most > 0 {
			c.HasSize, c.SizeH = true, chart.Px(sizeHigh**v/most)
			c.Tip += ", was given " + units.Size(*v, unit)
			if r.ShareRatio != nil {
				c.Tip += ", " + units.Percent(*r.ShareRatio) + " of all"
			}
		}
		j.Columns = append(j.Columns, c)
	}
	j.Heights = heights(top, y, 4)
	j.MedianY, j.MedianText, j.MedianTextY = chart.Px(y(of.Median)), "median "+units.Seconds(of.Median),
		chart.Px(y(of.Median)-5)
	j.SizeTop = chart.Px(floor + skewGap)
	j.Middle, j.Height = chart.Px(floor), chart.Px(floor+skewGap+4)
	if most > 0 {
		j.SizesSay = "was given: up to " + units.Size(most, unit)
		if unit == "" {
			j.SizesSay += " records"
		}
		j.Height = chart.Px(floor + skewGap + sizeHigh + 4)
		j.Sizes = []tick{{At: chart.Px(floor + skewGap + sizeHigh), Text: units.Size(most, unit)}}
	}
	j.Desc = fmt.Sprintf("Columns for %s of %s, longest first: how long they worked, and below what they were given.",
		units.Count(len(of.Reduces), of.TaskWord()), j.Name)
	return j
}

// sizes returns how the tasks' input is counted: in bytes, or in records if bytes are unknown.
func sizes(all []runreport.SkewReduce) (of func(*runreport.SkewReduce) *float64, unit string) {
	for i := range all {
		if all[i].Bytes != nil {
			return func(r *runreport.SkewReduce) *float64 { return r.Bytes }, "B"
		}
	}
	return func(r *runreport.SkewReduce) *float64 { return r.Records }, ""
}
