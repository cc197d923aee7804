package report

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

// A gantt shows which task ran where and when: rows are slots, the color is the job, the shade its stage. The
// critical path is a strip above the rows, and outlined. A switch shows the fragments of the paper's Fig. 3 and 4
// instead. Heights are in pixels.
type gantt struct {
	From, To      float64 // seconds at the edges
	Summary, Desc string
	Height        string
	Bottom        string // of the rows
	Ticks         []tick
	TicksTop      string
	Strip         []block // the critical path
	Pauses        []block // parts of it in which no task runs
	Panels        []panel
	Now           string
	Hues          []hue
	Legend        []entry // jobs and stages
	More          int     // how many the legend leaves out
	By            string  // what the color is: job or stage
	Fragments     []entry
	MoreFragments int
	Outcomes      []entry
	Merged        bool
}

// A block is a rectangle with a label if one fits, and a longer tooltip.
type block struct {
	X, W, Y, H    string
	Hue           int
	Tone          string // classes of the job's color and the stage's shade
	Label, LabelX string
	LabelY        string
	Name, NameY   string // labels that would fit into a wider block, the longest first, one a line
	Look          string // of labels: a class
	Tip           string
	Critical      bool
	Kind          string // how it ended: a class
	Copied        string // width of the part in which a reduce copies
	Mark          bool   // a cross: it failed
	MarkX, MarkY  string
}

// A panel is the rows of one kind of slots.
type panel struct {
	Title       string
	TitleY      string
	Top, Height string
	Rows        []tick
	Lines       []string
	Groups      []group
	Labels      []block
}

// A group is the bars of one color and shade.
type group struct {
	Hue  int
	Tone string
	Bars []block
}

// An entry explains a color or a mark.
type entry struct {
	Hue      int
	Tone     string
	Shades   []string
	Kind     string
	Critical bool
	Text     string
}

const (
	stripTop    = 20.0
	stripHeight = 30.0
	panelTitle  = 30.0 // above a panel
	mostRow     = 24.0
	mostRows    = 620.0 // height of all rows together
	axisHeight  = 26.0
	fewBars     = 1500 // charts with more have no gaps and no labels
	legendLine  = 26.0 // height of a line: the legend of a narrow screen has one for each entry
)

func ganttOf(s *runreport.Report) *gantt {
	c := &s.Chart
	g := &gantt{Summary: prose(c.Summary), Merged: c.Merged}
	if len(c.Panels) == 0 || c.ToSeconds <= c.FromSeconds {
		return g
	}
	along := scale{c.FromSeconds, c.ToSeconds}
	paint, tones := paintOf(s), tonesOf(s)
	g.Hues = paint.hues
	if g.By = "job"; tones.byStage {
		g.By = "stage"
	}
	rows, bars := 0, 0
	for _, p := range c.Panels {
		rows, bars = rows+len(p.Rows), bars+len(p.Bars)
	}
	height := min(mostRow, mostRows/float64(max(1, rows)))
	top := stripTop + stripHeight
	for i := range c.Panels {
		p := &c.Panels[i]
		top += panelTitle
		g.Panels = append(g.Panels, panelOf(s, p, along, looks{paint, tones}, top, height, bars <= fewBars))
		top += height * float64(len(p.Rows))
	}
	g.Bottom, g.Height, g.TicksTop = chart.Px(top), chart.Px(top+axisHeight), chart.Px(top+17)
	g.From, g.To = float64(along.from), float64(along.to)
	g.Ticks = along.ticks(7)
	for _, seg := range c.Critical {
		g.strip(s, seg, along, looks{paint, tones}, top)
	}
	if c.NowSeconds != nil {
		g.Now = along.x(*c.NowSeconds)
	}
	most := min(max(int(top/legendLine)-1, 3), shownEntries)
	g.Legend, g.More = tones.legend(s, most)
	g.Fragments, g.MoreFragments = paint.legend(s, max(most/2, 3)) // they take two lines each
	g.outcomes(s)
	g.Desc = fmt.Sprintf("Gantt chart from %s to %s: %s in %s, %s of the critical path.", units.Seconds(c.FromSeconds),
		units.Seconds(c.ToSeconds),
		units.Count(bars, "bar"), units.Count(rows, "row"), units.Count(len(c.Critical), "part"))
	return g
}

// strip adds a segment of the critical path.
func (g *gantt) strip(s *runreport.Report, seg runreport.Segment, along scale, look looks, bottom float64) {
	b := block{
		X: along.x(seg.StartSeconds), W: along.width(seg.StartSeconds, seg.EndSeconds), Y: chart.Px(stripTop),
		H:    chart.Px(stripHeight),
		Look: "in bold", Tip: text(seg.Title) + ": " + between(seg.StartSeconds, seg.EndSeconds) +
			", on the critical path", Critical: true,
	}
	pause := seg.Fragment < 0 || seg.Fragment >= len(s.Chart.Fragments) || s.Chart.Fragments[seg.Fragment].Width == 0
	if pause {
		b.Kind, b.Look = "pause", "halo bold"
		g.Pauses = append(g.Pauses, block{
			X: b.X, W: b.W, Y: chart.Px(stripTop + stripHeight),
			H: chart.Px(bottom - stripTop - stripHeight),
		})
	} else {
		b.Hue, b.Tone = look.paint.ofFragment(seg.Fragment), look.tones.ofFragment(s, &s.Chart.Fragments[seg.Fragment])
	}
	wide := along.share(seg.EndSeconds) - along.share(seg.StartSeconds)
	title, length := text(seg.Title), units.Seconds(seg.EndSeconds-seg.StartSeconds)
	b.fit(along.share(seg.StartSeconds), wide, stripTop+stripHeight/2, title+", "+length, title, length)
	g.Strip = append(g.Strip, b)
}

// fit labels a block with the first text that fits. Name keeps all labels for the page's script.
func (b *block) fit(from, wide, middle float64, labels ...string) {
	b.Name, b.NameY = strings.Join(labels, "\n"), chart.Px(middle+4)
	for _, l := range labels {
		if fits(l, wide) {
			b.Label, b.LabelX, b.LabelY = l, share(from+wide/2), b.NameY
			return
		}
	}
}

// outcomes lists the marks in the chart.
func (g *gantt) outcomes(s *runreport.Report) {
	seen := map[string]bool{}
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			b := &s.Chart.Panels[i].Bars[j]
			seen[string(b.Outcome)] = true
			seen["copy"] = seen["copy"] || b.CopiedSeconds != nil && *b.CopiedSeconds > b.StartSeconds
		}
	}
	if len(g.Strip) > 0 {
		g.Outcomes = append(g.Outcomes, entry{Kind: "critical", Text: "outlined: on the critical path"})
	}
	for _, o := range []struct{ kind, summary string }{
		{"failed", "✗ failed"},
		{"killed", "– killed or lost"},
		{"running", "runs now"},
		{"expected", "to come, as predicted"},
		{"copy", "striped: a reduce copies, or waits for maps"},
	} {
		if o.kind == "copy" && s.Workflow.IsWhole(len(s.Jobs)) {
			o.summary = "striped: a task copies, or waits for the vertices that it reads"
		}
		if seen[o.kind] {
			g.Outcomes = append(g.Outcomes, entry{Kind: o.kind, Text: o.summary})
		}
	}
	for _, b := range g.Strip {
		if b.Kind == "pause" {
			g.Outcomes = append(g.Outcomes, entry{Kind: "pause", Text: "no task on the critical path runs"})
			break
		}
	}
}
