package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/units"
)

// A Gantt shows which task ran where and when: rows are slots, the color is a job or a stage, the shade its stage.
// The critical path is a strip above the rows, and outlined where a bar is wide enough. If it has Fragments, a switch
// of the page shows the fragments of the paper's Fig. 3 and 4 instead. Times are in seconds.
type Gantt struct {
	Name      string
	Head      []string // lines below the name of a drawing that stands alone
	From, To  float64
	Now       *float64 // nil once the run has ended
	Path      []Mark   // the critical path
	Panels    []Rows
	Legend    []Entry // of colors and shades
	By        string  // what a color is: job or stage
	More      int     // colors that the legend leaves out
	Fragments []Entry // by hue from 1 on
	Merged    bool    // marks stand for neighbors as well
}

// Rows are the slots of one kind, with a label each.
type Rows struct {
	Title  string
	Labels []string
	Marks  []Mark
}

// A Mark is a rectangle in rows Row to Row+Rows-1, or a part of the critical path.
type Mark struct {
	Row, Rows int
	From, To  float64
	Tone      string // Tone's result, "" for no color
	Hue       int    // the fragment's number, from 1; 0 if unknown
	Kind      string // Failed, Killed, Running, Expected, Pause, or "" for a task that is done
	Critical  bool
	Copied    float64 // when all input was there; at most From if unknown
	Labels    []string
	Tip       string
}

// The kinds of marks.
const (
	Failed   = "failed"
	Killed   = "killed"
	Running  = "running"
	Expected = "expected"
	Pause    = "pause"
)

// An Entry of a legend explains tones, drawn side by side, or a fragment.
type Entry struct {
	Text     string
	Tones    []string
	Critical bool
}

// Shades is how many shades each of the colors has.
const (
	colors   = 8
	Shades   = 4
	patterns = 4
	warm     = 3 // colors of fragments on the critical path
)

// Tone returns the classes of a color and of a shade, 0 the palest. Colors repeat.
func Tone(color, shade int) string { return fmt.Sprintf("k%d s%d", color%colors, shade) }

// Each returns the tone of one of many stages that have a color each: pale shades follow once all colors are used.
func Each(i int) string { return Tone(i, Shades-1-i/colors%Shades) }

const (
	stripTop    = 20.0
	stripHeight = 30.0
	panelTitle  = 30.0 // above a panel
	mostRow     = 24.0
	mostRows    = 620.0 // height of all rows together
	fewMarks    = 1500  // charts with more have no labels
	thinWidth   = 4.0   // a mark that is less wide, or lower, has no outline: many outlines would hide the colors
	legendLine  = 26.0
	rowLetters  = 11
	leastEntry  = 3
	mostEntries = 24
)

func (g *Gantt) top() float64 {
	if len(g.Path) == 0 {
		return stripTop
	}
	return stripTop + stripHeight
}

// measures returns the height of a row and the bottom of all.
func (g *Gantt) measures() (row, bottom float64) {
	rows := 0
	for i := range g.Panels {
		rows += len(g.Panels[i].Labels)
	}
	row = min(mostRow, mostRows/float64(max(1, rows)))
	return row, g.top() + panelTitle*float64(len(g.Panels)) + row*float64(rows)
}

// Entries returns how many entries a legend may have so that, one a line, it is no longer than the chart.
func (g *Gantt) Entries() int {
	_, bottom := g.measures()
	return min(max(int(bottom/legendLine)-1, leastEntry), mostEntries)
}

// SVG writes the chart as a file, in the colors of fragments if there are any.
func (g *Gantt) SVG(w io.Writer) error {
	row, bottom := g.measures()
	hues := min(len(g.Fragments), mostEntries)
	legend, more, colored := slices.Concat(g.Fragments[:hues], g.outcomes()), len(g.Fragments)-hues, ""
	if hues == 0 {
		legend, more, colored = slices.Concat(g.Legend, legend), g.More, " toned"
	}
	if more > 0 {
		legend = append(legend, Entry{Text: fmt.Sprintf("and %d more", more)})
	}
	half := (len(legend) + 1) / 2
	top := headHeight + bottom + axisHeight + 20
	s := &svg{}
	s.begin("alone"+colored, g.Name, g.Head, top+20*float64(half)+12)
	s.put(`<svg y="%s" width="%s" height="%s">`, headHeight, sideWidth, bottom)
	g.side(s, row)
	s.put(`</svg><svg x="%s" y="%s" width="%s" height="%s" overflow="visible">`, sideWidth, headHeight, plotWidth, bottom+axisHeight)
	g.plot(s, plotWidth, row, bottom)
	s.put("</svg>\n")
	for i, e := range legend {
		x, y := sideWidth+plotWidth/2*float64(i/half), top+20*float64(i%half)
		s.put(`<svg class="swatch" x="%s" y="%s" width="20" height="12">`, x, y)
		hue := 0
		if i < hues {
			hue = i + 1
		}
		e.swatch(s, hue)
		s.put(`</svg><text x="%s" y="%s"%s>%s</text>`+"\n", x+28, y+10, class(e.Critical, "bold"), e.Text)
	}
	s.put("</svg>\n")
	_, err := s.WriteTo(w)
	return err
}

// class returns an attribute if a condition is true.
func class(holds bool, name string) template.HTML {
	if !holds {
		return ""
	}
	return markup(` class="` + escape(name) + `"`)
}

// Switch returns the switch from jobs to fragments. The style sheet needs it even if there is no choice.
func (g *Gantt) Switch() template.HTML {
	s := &svg{}
	if len(g.Fragments) > 0 {
		s.put(`<label class="fragments" for="fragments">Color by path fragment instead of by %s</label>`, g.By)
		s.put(`<input type="checkbox" class="fragments" id="fragments">`)
	} else {
		s.put(`<input type="checkbox" class="fragments" id="fragments" hidden aria-label="Color by path fragment">`)
	}
	return s.html()
}

// Inline returns the drawing as a part of a page: labels beside a plot that fills the width.
func (g *Gantt) Inline() template.HTML {
	row, bottom := g.measures()
	s := &svg{}
	s.put(`<div class="grid"><svg class="side" aria-hidden="true" width="100%%" height="%s">`, bottom+axisHeight)
	g.side(s, row)
	s.put(`</svg><svg class="plot" role="img" aria-labelledby="gantt-t gantt-d" width="100%%" height="%s"><title id="gantt-t">%s</title><desc id="gantt-d">%s</desc>`+"\n",
		bottom+axisHeight, g.Name, g.desc())
	g.plot(s, narrowest, row, bottom)
	s.put("</svg></div>")
	return s.html()
}

func (g *Gantt) desc() string {
	rows, marks := 0, 0
	for i := range g.Panels {
		rows, marks = rows+len(g.Panels[i].Labels), marks+len(g.Panels[i].Marks)
	}
	return fmt.Sprintf("Gantt chart from %s to %s: %s in %s, %s of the critical path.", units.Seconds(g.From),
		units.Seconds(g.To), units.Count(marks, "bar"), units.Count(rows, "row"), units.Count(len(g.Path), "part"))
}

// side labels every row, or as many as are legible.
func (g *Gantt) side(s *svg, row float64) {
	if len(g.Path) > 0 {
		s.put(`<text class="end accent" x="100%%" dx="-10" y="33">critical</text><text class="end accent" x="100%%" dx="-10" y="46">path</text>` + "\n")
	}
	top := g.top()
	for i := range g.Panels {
		top += panelTitle
		free := top
		for k, label := range g.Panels[i].Labels {
			if middle := top + (float64(k)+0.5)*row; middle-7 >= free {
				s.put(`<text class="end soft" x="100%%" dx="-10" y="%s">%s</text>`, middle+4, Cut(label, rowLetters))
				free = middle + 7
			}
		}
		top += row * float64(len(g.Panels[i].Labels))
	}
}

// plot draws all that lies along time. wide is the width, in pixels, that the labels must fit into.
func (g *Gantt) plot(s *svg, wide, row, bottom float64) {
	along := scale{g.From, g.To}
	g.patterns(s)
	s.put(`<g class="ticks" data-from="%v" data-to="%v" data-top="%s" data-bottom="%s" data-text="%s">`,
		fmt.Sprint(g.From), fmt.Sprint(g.To), stripTop, bottom, bottom+17)
	s.ticks(along, int(wide/85), stripTop, bottom)
	s.put("</g>\n")
	for i := range g.Path {
		if m := &g.Path[i]; m.Kind == Pause {
			s.put(`<rect class="pausing" x="%s" y="%s" width="%s" height="%s"/>`+"\n", along.at(m.From), g.top(),
				along.width(m.From, m.To), bottom-g.top())
		}
	}
	all := 0
	for i := range g.Panels {
		all += len(g.Panels[i].Marks)
	}
	labels, top := &svg{}, g.top()
	for i := range g.Panels {
		p := &g.Panels[i]
		top += panelTitle
		p.draw(s, labels, along, wide, top, row, all <= fewMarks)
		top += row * float64(len(p.Labels))
	}
	s.put(`<g class="labels">`)
	_, _ = labels.WriteTo(s)
	s.put("</g>\n")
	for i := range g.Path {
		m := &g.Path[i]
		kind, fill, look := "", fmt.Sprintf("url(#hue%d)", m.Hue), "in bold"
		if m.Kind == Pause {
			kind, fill, look = " pause", "url(#pause)", "halo bold"
		}
		if float64(along.width(m.From, m.To))/100*wide < thinWidth {
			kind += " thin"
		}
		s.put(`<rect class="strip%s %s" data-tone="%[2]s" data-hue="%d" fill="%s" x="%s" y="%s" width="%s" height="%s"`,
			kind, m.Tone, m.Hue, fill, along.at(m.From), stripTop, along.width(m.From, m.To), stripHeight)
		m.label(s, labels, along, wide, stripTop+stripHeight/2, look)
		s.put("><title>%s</title></rect>\n", m.Tip)
	}
	s.put(`<g class="labels">`)
	_, _ = labels.WriteTo(s)
	s.put("</g>\n")
	if g.Now != nil {
		s.put(`<line class="now" x1="%s" x2="%[1]s" y1="14" y2="%s"/><text class="nowtext" x="%[1]s" y="11">now</text>`,
			along.at(*g.Now), bottom)
	}
}

// patterns defines the patterns of marks and of hues. Hue 0 is an unknown fragment. Fragments on the critical path
// have warm colors.
func (g *Gantt) patterns(s *svg) {
	s.put(`<defs><pattern id="copying" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="copying" width="3" height="6"/></pattern><path id="cross" class="cross" d="M-4 -4L4 4M4 -4L-4 4"/><pattern id="pause" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="waits" width="6" height="6"/><rect class="stroke" width="2" height="6"/></pattern>` + "\n")
	weave := [patterns]template.HTML{
		"", `<path class="weave" d="M-2 2L2 -2M0 8L8 0M6 10L10 6"/>`,
		`<circle class="dot" cx="2" cy="2" r="1"/><circle class="dot" cx="6" cy="6" r="1"/>`,
		`<path class="weave" d="M2 0V8M6 0V8"/>`,
	}
	hot, cold := 0, 0
	for i := range len(g.Fragments) + 1 {
		color, n := fmt.Sprintf("c%d", colors-1), 0
		switch {
		case i == 0:
		case g.Fragments[i-1].Critical:
			color, n = fmt.Sprintf("w%d", hot%warm), hot
			hot++
		default:
			color, n = fmt.Sprintf("c%d", cold%(colors-1)), cold
			cold++
		}
		s.put(`<pattern id="hue%d" class="%s" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8"/>%s</pattern>`+"\n",
			i, color, weave[n%patterns])
	}
	s.put("</defs>\n")
}

// draw writes the marks of a panel in groups of one look, those of the critical path last, and the lines between rows
// that are high enough.
func (p *Rows) draw(s, labels *svg, along scale, wide, top, row float64, few bool) {
	high := row * float64(len(p.Labels))
	s.put(`<text class="panel" x="0" y="%s">%s</text><rect class="frame" x="0" y="%s" width="100%%" height="%s"/>`+"\n",
		top-8, p.Title, top, high)
	look := func(m *Mark) string {
		c := "bars "
		if m.Critical {
			c += "on "
		}
		if float64(along.width(m.From, m.To))/100*wide < thinWidth || row*float64(m.Rows) < thinWidth {
			c += "thin "
		}
		return fmt.Sprintf(`<g class="%s%s" fill="url(#hue%d)" data-hue="%[3]d" data-tone="%[2]s">`, c, m.Tone, m.Hue)
	}
	type drawn struct {
		*Mark
		look string
	}
	all := make([]drawn, len(p.Marks))
	for i := range p.Marks {
		all[i] = drawn{&p.Marks[i], look(&p.Marks[i])}
	}
	slices.SortStableFunc(all, func(a, b drawn) int {
		if a.Critical != b.Critical {
			return map[bool]int{false: -1, true: 1}[a.Critical]
		}
		return cmp.Compare(a.look, b.look)
	})
	for i, m := range all {
		if i == 0 || m.look != all[i-1].look {
			s.WriteString(m.look)
		}
		m.draw(s, labels, along, wide, top, row, few)
		if i == len(all)-1 || m.look != all[i+1].look {
			s.put("</g>\n")
		}
	}
	for i := 1; i < len(p.Labels) && row >= 4; i++ {
		s.put(`<line class="between" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, top+float64(i)*row)
	}
}

func (m *Mark) draw(s, labels *svg, along scale, wide, top, row float64, few bool) {
	x, y, high := along.at(m.From), top+float64(m.Row)*row, float64(m.Rows)*row
	s.put(`<rect%s x="%s" y="%s" width="%s" height="%s"`, class(m.Kind != "", m.Kind), x, y, along.width(m.From, m.To), high)
	crossed := m.Kind == Failed && high >= 10
	if few && row >= 13 && !crossed {
		look := "in"
		if m.Kind != "" && m.Kind != Running {
			look = "halo"
		}
		// In the middle of the middle row, so that no line crosses it.
		m.label(s, labels, along, wide, y+(float64((m.Rows-1)/2)+0.5)*row, look)
	}
	s.put("><title>%s</title></rect>", m.Tip)
	if m.Copied > m.From {
		s.put(`<rect class="copied" fill="url(#copying)" x="%s" y="%s" width="%s" height="%s"/>`, x, y,
			along.width(m.From, min(m.Copied, m.To)), high)
	}
	if crossed {
		s.put(`<use class="mark" href="#cross" x="%s" y="%s"/>`, along.at((m.From+m.To)/2), y+high/2)
	}
	s.put("\n")
}

// label writes the first label that fits. The attributes of the mark keep all of them for the page's script.
func (m *Mark) label(s, labels *svg, along scale, wide, middle float64, look string) {
	if len(m.Labels) == 0 {
		return
	}
	all := make([]string, len(m.Labels))
	for i, l := range m.Labels {
		all[i] = escape(l)
	}
	s.put(` data-label="%s" data-y="%s"`, markup(strings.Join(all, "\n")), middle+4)
	if look != "in" {
		s.put(` data-look="%s"`, look)
	}
	has := along.width(m.From, m.To)
	for _, l := range m.Labels {
		if fits(l, has, wide) {
			labels.put(`<text class="%s" x="%s" y="%s">%s</text>`, look, along.at(m.From)+has/2, middle+4, l)
			return
		}
	}
}

// outcomes lists the kinds of marks that the chart has.
func (g *Gantt) outcomes() (all []Entry) {
	seen := map[string]bool{"critical": len(g.Path) > 0}
	for i := range g.Panels {
		for k := range g.Panels[i].Marks {
			m := &g.Panels[i].Marks[k]
			seen[m.Kind] = true
			seen["critical"] = seen["critical"] || m.Critical
			seen["copy"] = seen["copy"] || m.Copied > m.From
		}
	}
	seen[Pause] = slices.ContainsFunc(g.Path, func(m Mark) bool { return m.Kind == Pause })
	for _, e := range []Entry{
		{"outlined, if wide enough: on the critical path", []string{"critical"}, false},
		{"✗ failed", []string{Failed}, false},
		{"– killed or lost", []string{Killed}, false},
		{"runs now", []string{Running}, false},
		{"to come, as predicted", []string{Expected}, false},
		{"striped: a task copies, or waits for its input", []string{"copy"}, false},
		{"no task on the critical path runs", []string{Pause}, false},
	} {
		if seen[e.Tones[0]] {
			all = append(all, e)
		}
	}
	return all
}

// swatch draws what an entry explains: tones, a hue above 0, or a kind of marks.
func (e *Entry) swatch(s *svg, hue int) {
	wide := 20 / float64(max(1, len(e.Tones)))
	for i, t := range e.Tones {
		if !strings.HasPrefix(t, "k") || t == Killed {
			fill := map[string]string{Pause: "url(#pause)", "copy": "url(#copying)"}[t]
			if t == "copy" {
				s.put(`<rect class="%s" width="20" height="12"/>`, Each(0))
			}
			s.put(`<rect class="sample %s" fill="%s" width="20" height="12"/>`, t, cmp.Or(fill, "none"))
			continue
		}
		s.put(`<rect class="%s" x="%s" width="%s" height="12"/>`, t, wide*float64(i), wide)
	}
	if hue > 0 {
		s.put(`<rect%s fill="url(#hue%d)" width="20" height="12"/>`, class(e.Critical, "on"), hue)
	}
}

// Key returns the legends as lists of a page. Readers pick entries of the first two.
func (g *Gantt) Key() template.HTML {
	s := &svg{}
	list := func(attrs string, all []Entry, more int, hues bool) {
		if len(all) == 0 {
			return
		}
		s.WriteString(`<ul class="legend` + attrs + ">")
		for i := range all {
			e, hue, pick := &all[i], 0, ""
			switch {
			case hues:
				hue = i + 1
				pick = fmt.Sprint(hue)
			case len(e.Tones) > 1:
				pick, _, _ = strings.Cut(e.Tones[0], " ")
			case len(e.Tones) == 1:
				pick = e.Tones[0]
			}
			s.WriteString("<li")
			if pick != "" && attrs != `"` {
				s.put(` data-pick="%s"`, pick)
			}
			s.put("%s>", class(e.Critical, "on"))
			if hue > 0 || len(e.Tones) > 0 {
				s.put(`<svg class="swatch" aria-hidden="true" width="20" height="12">`)
				e.swatch(s, hue)
				s.put("</svg>")
			}
			s.put("%s</li>", e.Text)
		}
		if more > 0 {
			s.put("<li>and %d more</li>", more)
		}
		s.put("</ul>\n")
	}
	list(` hues jobs" data-by="tone"`, g.Legend, g.More, false)
	shown := min(len(g.Fragments), max(g.Entries()/2, leastEntry)) // they take two lines each
	list(` hues parts" data-by="hue"`, g.Fragments[:shown], len(g.Fragments)-shown, true)
	list(`"`, g.outcomes(), 0, false)
	if g.Merged {
		s.put(`<p class="note">There are too many tasks to draw each: neighbors are shown as one.</p>`)
	}
	return s.html()
}

// Cut shortens a text to a number of letters. It leaves out the start: names differ at their ends.
func Cut(text string, letters int) string {
	r := []rune(text)
	if len(r) <= letters || letters < 3 {
		return text
	}
	return "…" + string(r[len(r)-(letters-1):])
}
