package chart

import (
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Gantt shows which task ran where and when: the paper's Fig. 3 and 4, for the past and, while the run is running,
// for the prediction. Rows are slots, the color is a job or a stage, the shade its stage. The critical path is a strip
// above the rows, and outlined where a bar is wide enough. A switch of the page colors by path fragment instead.
// In JSON it is the chart of a report; unknown is null.
type Gantt struct {
	Name string   `json:"-"`
	Head []string `json:"-"` // lines below the name of a drawing that stands alone
	Jobs []Job    `json:"-"`

	Summary     string         `json:"says"`
	FromSeconds frame.Seconds  `json:"from_seconds"`
	ToSeconds   frame.Seconds  `json:"to_seconds"`
	NowSeconds  *frame.Seconds `json:"now_seconds"` // null once it has ended
	Panels      []Panel        `json:"panels"`
	Fragments   []Fragment     `json:"fragments"`
	Critical    []Segment      `json:"critical"` // covers from_seconds to to_seconds
	// Merged means that neighboring bars are shown as one: there are too many tasks.
	Merged bool `json:"merged"`
}

// A Job has a color. Stages are the names of its stages; nil for a MapReduce job.
type Job struct {
	Name   string
	Stages []string
}

// A Panel is the slots of one kind: "map slots", "reduce slots", or the containers of YARN.
type Panel struct {
	Title string   `json:"title"`
	Rows  []string `json:"rows"` // labels, one a slot; for merged bars, one for several
	Bars  []Bar    `json:"bars"` // by start
}

// A Bar is one rectangle for one or more tasks: rows Row to Row+Rows-1.
type Bar struct {
	Row          int           `json:"row"`
	Rows         int           `json:"rows"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
	Job          int           `json:"job"` // index in Jobs; -1 if unknown
	Phase        frame.Phase   `json:"phase"`
	Name         string        `json:"name"` // of the attempt, or how many tasks it is
	Tasks        int           `json:"tasks"`
	Outcome      Outcome       `json:"outcome"`
	Fragment     *int          `json:"fragment"` // index in Fragments
	Round        *int          `json:"round"`    // within the fragment, from 0
	Critical     bool          `json:"critical"`
	// CopiedSeconds is when a reduce had all its input; null for maps and if unknown.
	CopiedSeconds *frame.Seconds `json:"copied_seconds"`
}

// An Outcome is how a bar ended.
type Outcome string

// The outcomes.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "failed"
	Killed   Outcome = "killed"
	Running  Outcome = "running"
	Expected Outcome = "expected" // to come, predicted by standard
)

// A Fragment is a path fragment: consecutive rounds of equal width. A pause has no width.
type Fragment struct {
	Jobs         []string      `json:"jobs"`
	Phase        frame.Phase   `json:"phase"`
	Width        int           `json:"width"`
	Rounds       int           `json:"rounds"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
	Critical     bool          `json:"critical"`
}

// A Segment is a part of the critical path.
type Segment struct {
	Fragment     int           `json:"fragment"` // index in Fragments
	Title        string        `json:"title"`
	StartSeconds frame.Seconds `json:"start_seconds"`
	EndSeconds   frame.Seconds `json:"end_seconds"`
}

// Colors repeat, each with shades from pale to dark.
const (
	colors = 8
	shades = 4
)

// tone returns the classes of a color and of a shade.
func tone(color, shade int) string { return fmt.Sprintf("k%d s%d", color%colors, shade) }

// onlyDAG returns the only job with bars, if it is a single DAG; else -1.
func (p *plot) onlyDAG() int {
	only := -1
	for _, b := range p.bars {
		if b.Job < 0 || b.Job >= len(p.Jobs) || p.Jobs[b.Job].Stages == nil || only >= 0 && b.Job != only {
			return -1
		}
		only = b.Job
	}
	return only
}

// tone returns the tone of a stage of a job, "" if the job is unknown.
func (p *plot) tone(job, stage int) string {
	switch {
	case job < 0 || job >= len(p.Jobs) || stage < 0:
		return ""
	case p.dag >= 0: // pale shades follow once all colors are used
		return tone(stage, shades-1-stage/colors%shades)
	}
	// The first stage is the palest, the last or fourth one the darkest: maps and reduces differ most.
	last := p.shades(job) - 1
	return tone(job, min(stage, last)*(shades-1)/last)
}

// shades returns how many shades the stages of a job have.
func (p *plot) shades(job int) int {
	return min(max(len(p.Jobs[job].Stages), dag.MapReduceStages), shades)
}

// labels returns what may be written into a bar, the longest first: the job, or the stage of a single DAG, and the
// number of tasks.
func (p *plot) labels(b *Bar) []string {
	if b.Job < 0 || b.Job >= len(p.Jobs) {
		return nil
	}
	name := p.Jobs[b.Job].Name
	if p.dag >= 0 {
		name = b.Phase.Name
	}
	labels := []string{Cut(name, 40), Cut(name, 16), Cut(name, 8)}
	if b.Tasks > 1 {
		labels = append([]string{fmt.Sprintf("%s ×%d", labels[0], b.Tasks)}, labels...)
	}
	return slices.Compact(labels)
}

// tip returns the tooltip of a bar.
func (p *plot) tip(b *Bar) string {
	tip := b.Name
	if b.Job >= 0 && b.Job < len(p.Jobs) && p.Jobs[b.Job].Name != "" {
		tip += fmt.Sprintf(", %s of %s", b.Phase.Name, p.Jobs[b.Job].Name)
	}
	tip += ": " + span(b.StartSeconds, b.EndSeconds) + map[Outcome]string{
		Failed: ", failed", Killed: ", killed or lost", Running: ", runs now", Expected: ", to come",
	}[b.Outcome]
	if b.CopiedSeconds != nil {
		tip += ", had its input at " + units.Seconds(*b.CopiedSeconds)
	}
	if f := b.Fragment; f != nil && b.Round != nil && *f >= 0 && *f < len(p.Fragments) && p.Fragments[*f].Rounds > 1 {
		tip += fmt.Sprintf(", round %d of %d", *b.Round+1, p.Fragments[*f].Rounds)
	}
	if b.Critical {
		tip += ", on the critical path"
	}
	return tip
}

func span(from, to frame.Seconds) string {
	return fmt.Sprintf("%s – %s (%s)", units.Seconds(from), units.Seconds(to), units.Seconds(to-from))
}

// SVG writes the chart as a file, in the colors of fragments if there are any.
func (g *Gantt) SVG(w io.Writer) error {
	p := g.plot()
	colored, legend, more := "", p.fragments, 0
	if len(legend) == 0 {
		colored = " toned"
		legend, more = p.toneEntries(p.entries())
	}
	if n := len(legend); n > mostEntries {
		legend, more = legend[:mostEntries], n-mostEntries
	}
	legend = slices.Concat(legend, p.kinds())
	if more > 0 {
		legend = append(legend, entry{text: fmt.Sprintf("and %d more", more)})
	}
	half := (len(legend) + 1) / 2
	top := headHeight + p.bottom + axisHeight + 20
	s := &svg{}
	s.put(`<svg xmlns="http://www.w3.org/2000/svg" class="alone%s" width="1200" height="%s" viewBox="0 0 1200 %[2]s" role="img">
<title>%s</title>
`, colored, top+20*float64(half)+12, g.Name)
	s.WriteString("<style>\n" + Style + "</style>\n")
	s.put(`<rect class="paper" width="100%%" height="100%%"/><text class="title" x="%s" y="28">%s</text>`+"\n", sideWidth,
		g.Name)
	for i, line := range g.Head {
		s.put(`<text x="%s" y="%d">%s</text>`+"\n", sideWidth, 48+18*i, line)
	}
	s.put(`<svg y="%s" width="%s" height="%s">`, headHeight, sideWidth, p.bottom)
	p.side(s)
	s.put(`</svg><svg x="%s" y="%s" width="%s" height="%s" overflow="visible">`, sideWidth, headHeight, plotWidth,
		p.bottom+axisHeight)
	p.draw(s, plotWidth)
	s.put("</svg>\n")
	for i, e := range legend {
		x, y := sideWidth+plotWidth/2*float64(i/half), top+20*float64(i%half)
		s.put(`<svg class="swatch" x="%s" y="%s" width="20" height="12">%s</svg><text x="%s" y="%s">%s</text>`+"\n", x, y,
			e.swatch, x+28, y+10, e.text)
	}
	s.put("</svg>\n")
	_, err := s.WriteTo(w)
	return err
}

// A Figure is the parts of a drawing in a page: controls before it, itself, and its legend.
type Figure struct{ Before, Drawing, Legend template.HTML }

// Inline returns the parts of a page: the switch from jobs to fragments, which the style sheet needs even if there is
// no choice, the drawing, with its labels beside a plot that fills the width, and the legends.
func (g *Gantt) Inline() Figure {
	p, before, s, key := g.plot(), &svg{}, &svg{}, &svg{}
	by, hidden := "job", " hidden"
	if p.dag >= 0 {
		by = "stage"
	}
	if len(p.fragments) > 0 {
		hidden = ""
	}
	before.put(`<label class="fragments" for="fragments"%s>Color by path fragment instead of by %s</label>`+
		`<input type="checkbox" class="fragments" id="fragments"%[1]s>`, markup(hidden), by)

	s.grid("gantt", g.Name, g.Summary, p.bottom, p.side)
	p.draw(s, narrowest)
	s.put("</svg></div>")

	tones, more := p.toneEntries(p.entries())
	key.list("jobs", tones, more)
	shown := min(len(p.fragments), max(p.entries()/2, leastEntry)) // they take two lines each
	key.list("parts", p.fragments[:shown], len(p.fragments)-shown)
	key.list("", p.kinds(), 0)
	if g.Merged {
		key.put(`<p class="note">There are too many tasks to draw each: neighbors are shown as one.</p>`)
	}
	return Figure{before.html(), s.html(), key.html()}
}

// Cut shortens a text to a number of letters. It leaves out the start, because names differ at their ends; but of a
// stage with a number it leaves out the end, because the number comes first.
func Cut(text string, letters int) string {
	r := []rune(text)
	if len(r) <= letters || letters < 3 {
		return text
	}
	if dag.IsNumbered(text) {
		return string(r[:letters-1]) + "…"
	}
	return "…" + string(r[len(r)-(letters-1):])
}
