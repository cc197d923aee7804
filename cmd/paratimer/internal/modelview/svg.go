package modelview

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

//go:embed job.svg.tmpl
var svgText string

var svgTemplate = chart.Parse(svgText)

// The drawing's measures in pixels.
const (
	left      = 150.0
	plot      = 1020.0
	rowHeight = 18.0
	rowGap    = 2.0
	leafWidth = 164.0
	level     = 46.0
	box       = 26.0
	svgRows   = 100
	svgPieces = 5000
)

// treeLetters explains the operators of a tree.
const treeLetters = "S: one after the other · P_A: side by side, until all end · P_O: until the first ends · P_F: one of them · ×n: n alike"

// svgLimits keep a tree readable.
var svgLimits = limits{depth: 12, parts: 10, nodes: 150}

// A drawing is the data of the template.
type drawing struct {
	Name, Heading string
	Left          float64
	Width, Height float64
	Jobs          []jobDrawing
	Legend        []legend
	Letters       []note // explanation of the letters in trees
}

type jobDrawing struct {
	Title  float64
	Text   string
	Note   *note // why the timeline does not end at the answer
	Answer *tick // the answer on the timeline
	Ticks  []tick
	Rows   []note
	Pieces []rect
	Labels []note
	Edges  []edge
	Nodes  []treeNode
}

type (
	tick struct {
		X, Y, To float64
		Text     string
	}
	note struct {
		X, Y  float64
		Text  string
		Faint bool // on a pale ground
	}
	rect struct {
		X, Y, W, H float64
		Class, Tip string
	}
	edge     struct{ X, Y, Mid, ToX, ToY float64 }
	treeNode struct {
		rect
		Leaf       bool
		MidX, MidY float64
		Radius     float64
		Text       string
	}
	legend struct {
		X, Y        float64
		Class, Text string
	}
)

// SVG draws timelines and precedence trees of the first analytical answer: rows are threads, and an operator is
// above its parts (Figures 5 and 6). Names are escaped; it needs no font and no script.
func (v *View) SVG(w io.Writer) error {
	d := drawing{Name: view.Escape(v.Name), Heading: clusterText(v.Spec), Left: left, Width: left + plot + 30}
	if d.Name == "" {
		d.Name = "queueing model"
	}
	y := 90.0
	for i := range v.Answers {
		a := &v.Answers[i]
		if a.Result == nil {
			continue
		}
		for j := range a.Result.Jobs {
			y = d.job(a, j, y)
		}
		break
	}
	for i, k := range []queueing.Kind{queueing.Map, queueing.Shuffle, queueing.Merge} {
		d.Legend = append(d.Legend, legend{left + float64(i)*110, y, k.String(), k.String()})
	}
	for _, j := range d.Jobs {
		if len(j.Nodes) > 0 {
			d.Letters = append(d.Letters, note{X: left + 360, Y: y, Text: treeLetters})
			break
		}
	}
	d.Height = y + 30
	return svgTemplate.Draw(w, &d)
}

// job draws a job from y on, and returns where it ends.
func (d *drawing) job(a *Answer, i int, y float64) float64 {
	r := &a.Result.Jobs[i]
	j := jobDrawing{Title: y, Text: fmt.Sprintf("%s: %s by %s", view.Escape(jobName(a.Spec, i)), response(a, i),
		a.Model)}
	answer, _ := a.Response(i)
	if end := span(r); len(r.Threads) > 0 && answer > 1.01*end {
		y += 18
		j.Note = &note{Y: y, Text: fmt.Sprintf(
			"The timeline ends at %s: it draws each task at its mean. Of tasks side by side the slowest ends later, and the answer counts that.",
			units.Seconds(end))}
		y += 12 // room for the answer's label
	}
	y = j.timeline(r, y+16, answer)
	if r.Tree != nil {
		s := prune(r.Tree, svgLimits)
		used := 0.0
		j.plant(s, &used, y+30)
		d.Width = max(d.Width, left+used+30)
		for _, n := range j.Nodes {
			y = max(y, n.Y+box)
		}
	}
	d.Jobs = append(d.Jobs, j)
	return y + 50
}

// timeline draws the threads up to their end or the answer, in seconds, whichever is later. The answer is a line of
// its own.
func (j *jobDrawing) timeline(r *queueing.JobResult, top, answer float64) float64 {
	end := span(r)
	if j.Note != nil {
		end = answer
	}
	shown := min(len(r.Threads), svgRows)
	bottom := top + float64(shown)*(rowHeight+rowGap)
	for _, t := range chart.Ticks(end, 10, chart.TimeStep) {
		j.Ticks = append(j.Ticks, tick{place(t, end), top, bottom, units.Seconds(t)})
	}
	if j.Note != nil {
		j.Answer = &tick{place(answer, end), top, bottom, "the answer: " + units.Seconds(answer)}
	}
	for i := range shown {
		t := &r.Threads[i]
		y := top + float64(i)*(rowHeight+rowGap)
		name := thread(t)
		if t.Count > 1 {
			name += fmt.Sprintf(" ×%d", t.Count)
		}
		j.Rows = append(j.Rows, note{Y: y + rowHeight/2, Text: name})
		for _, p := range t.Pieces {
			if len(j.Pieces) == svgPieces {
				break
			}
			x := place(p.Start, end)
			w := max(place(p.End, end)-x, 0.5)
			what, class := tasks(p.Kind, p.Tasks), p.Kind.String()
			if p.Waits {
				what, class = what+", waiting in between", class+" waits"
			}
			j.Pieces = append(j.Pieces, rect{
				x, y, w, rowHeight, class,
				fmt.Sprintf("%s: %s – %s", what, units.Seconds(p.Start), units.Seconds(p.End)),
			})
			if w > 7*float64(len(what)) {
				j.Labels = append(j.Labels, note{x + w/2, y + rowHeight/2, what, p.Waits})
			}
		}
	}
	if more := len(r.Threads) - shown; more > 0 {
		j.Rows = append(j.Rows, note{Y: bottom + rowHeight/2, Text: "… and " + units.Count(more, "more thread")})
	}
	return bottom + 24
}

func place(t, end float64) float64 {
	if !(end > 0 && t > 0) {
		return left
	}
	return left + plot*min(1, t/end)
}

// plant draws a tree at y: leaves are side by side from used on, an operator is above the middle of its parts. It
// returns the operator's position.
func (j *jobDrawing) plant(s *sprout, used *float64, y float64) float64 {
	tip := s.label + s.length()
	if len(s.parts) == 0 {
		n := treeNode{rect: rect{left + *used, y, leafWidth - 8, box, s.class(), tip}, Leaf: true, Text: s.label}
		n.MidX, n.MidY = n.X+n.W/2, y+box/2
		*used += leafWidth
		j.Nodes = append(j.Nodes, n)
		return n.MidX
	}
	var at []float64
	for _, p := range s.parts {
		at = append(at, j.plant(p, used, y+level))
	}
	x := (at[0] + at[len(at)-1]) / 2
	for _, to := range at {
		j.Edges = append(j.Edges, edge{x, y + box, y + (box+level)/2, to, y + level})
	}
	j.Nodes = append(j.Nodes, treeNode{
		rect: rect{Y: y, Tip: tip}, MidX: x, MidY: y + box/2,
		Radius: max(26, 3.6*float64(len(s.label))+6), Text: s.label,
	})
	return x
}
