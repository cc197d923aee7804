package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

const (
	stripTop      = 20.0
	stripHeight   = 30.0
	panelTitle    = 30.0 // above a panel
	mostRow       = 24.0
	mostRows      = 620.0 // height of all rows together
	fewBars       = 1500  // charts with more have no labels
	thinWidth     = 4.0   // a bar that is less wide, or lower, has no outline: many outlines would hide the colors
	legendLine    = 26.0
	rowLetters    = 11
	leastEntry    = 3
	mostEntries   = 24
	mostFragments = 60 // fragments that get their own colors: a chart with more has no view by fragments
	warm          = 6  // colors of fragments on the critical path
)

// A plot is a chart that is being drawn: its measures and the colors of its fragments.
type plot struct {
	*Gantt
	scale
	bars             []*Bar // of all panels
	dag              int    // the only job with bars, if it is a single DAG: its stages have colors of their own; else -1
	row, top, bottom float64
	hues             []string // by fragment: the class of its color; "" without one
	fragments        []entry  // the legend of those with a color
}

func (g *Gantt) plot() *plot {
	p := &plot{
		Gantt: g, scale: scale{float64(g.FromSeconds), float64(g.ToSeconds)}, top: stripTop,
		hues: make([]string, len(g.Fragments)),
	}
	if len(g.Critical) > 0 {
		p.top += stripHeight
	}
	rows := 0
	for i := range g.Panels {
		rows += len(g.Panels[i].Rows)
		for k := range g.Panels[i].Bars {
			p.bars = append(p.bars, &g.Panels[i].Bars[k])
		}
	}
	p.dag = p.onlyDAG()
	p.row = min(mostRow, mostRows/float64(max(1, rows)))
	p.bottom = p.top + panelTitle*float64(len(g.Panels)) + p.row*float64(rows)
	if !slices.ContainsFunc(p.bars, func(b *Bar) bool { return b.Fragment != nil }) { // merged bars may not name them
		return p
	}
	hot, cold := 0, 0
	for i, f := range g.Fragments {
		switch {
		case f.Width == 0:
			continue
		case f.Critical: // warm colors
			p.hues[i] = fmt.Sprintf("w%d", hot%warm)
			hot++
		default:
			p.hues[i] = fmt.Sprintf("c%d", cold%(colors-1))
			cold++
		}
		p.fragments = append(p.fragments, toned(f.text(), p.hues[i]))
	}
	if len(p.fragments) > mostFragments {
		p.fragments, p.hues = nil, nil
	}
	return p
}

// hue returns the class of the color of a fragment.
func (p *plot) hue(fragment int) string {
	if fragment < 0 || fragment >= len(p.hues) {
		return ""
	}
	return p.hues[fragment]
}

// side labels every row, or as many as are legible.
func (p *plot) side(s *svg) {
	if len(p.Critical) > 0 {
		s.put(`<text class="end accent" x="100%%" dx="-10" y="33">critical</text><text class="end accent" x="100%%" dx="-10" y="46">path</text>` + "\n")
	}
	top := p.top
	for i := range p.Panels {
		top += panelTitle
		free := top
		for k, label := range p.Panels[i].Rows {
			if middle := top + (float64(k)+0.5)*p.row; middle-7 >= free {
				s.put(`<text class="end soft" x="100%%" dx="-10" y="%s">%s</text>`, middle+4, Cut(label, rowLetters))
				free = middle + 7
			}
		}
		top += p.row * float64(len(p.Panels[i].Rows))
	}
}

// draw draws all that lies along time. wide is the width, in pixels, that the labels must fit into.
func (p *plot) draw(s *svg, wide float64) {
	s.put(`<defs><pattern id="copying" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="copying" width="3" height="6"/></pattern><path id="cross" class="cross" d="M-4 -4L4 4M4 -4L-4 4"/><pattern id="pause" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="waits" width="6" height="6"/><rect class="stroke" width="2" height="6"/></pattern></defs>` + "\n")
	s.put(`<g class="ticks" data-from="%s" data-to="%s" data-top="%s" data-bottom="%s" data-text="%s">`,
		fmt.Sprint(p.from), fmt.Sprint(p.to), stripTop, p.bottom, p.bottom+17)
	s.ticks(p.scale, int(wide/85), stripTop, p.bottom)
	s.put("</g>\n")
	strip, onStrip, inBars, top := &svg{}, &svg{}, &svg{}, p.top
	p.strip(s, strip, onStrip, wide)
	for i := range p.Panels {
		top += panelTitle
		p.panel(s, inBars, &p.Panels[i], top, wide, len(p.bars) <= fewBars)
		top += p.row * float64(len(p.Panels[i].Rows))
	}
	s.put(`<g class="labels">%s</g>%s<g class="labels">%s</g>`+"\n", inBars.html(), strip.html(), onStrip.html())
	if p.NowSeconds != nil {
		s.put(`<line class="now" x1="%s" x2="%[1]s" y1="14" y2="%s"/><text class="nowtext" x="%[1]s" y="11">now</text>`,
			p.at(float64(*p.NowSeconds)), p.bottom)
	}
}

// strip draws the critical path, and shades its pauses behind the bars.
func (p *plot) strip(behind, s, labels *svg, wide float64) {
	for _, seg := range p.Critical {
		x, width := p.place(seg.StartSeconds, seg.EndSeconds)
		kind, look := " ", "in bold"
		if !p.pauses(&seg) {
			kind += p.toneOf(&p.Fragments[seg.Fragment]) + " " + p.hue(seg.Fragment)
		} else {
			kind, look = " pause", "halo bold"
			behind.put(`<rect class="pausing" x="%s" y="%s" width="%s" height="%s"/>`+"\n", x, p.top, width, p.bottom-p.top)
		}
		if float64(width)/100*wide < thinWidth {
			kind += " thin"
		}
		length := units.Seconds(seg.EndSeconds - seg.StartSeconds)
		s.put(`<rect class="strip%s" x="%s" y="%s" width="%s" height="%s"`, kind, x, stripTop, width, stripHeight)
		titles := []string{seg.Title + ", " + length, seg.Title, length}
		s.label(labels, titles, x, width, wide, stripTop+stripHeight/2, look)
		s.put("><title>%s: %s, on the critical path</title></rect>\n", seg.Title, span(seg.StartSeconds, seg.EndSeconds))
	}
}

// pauses reports whether no task of the query runs during a segment.
func (p *plot) pauses(seg *Segment) bool {
	return seg.Fragment < 0 || seg.Fragment >= len(p.Fragments) || p.Fragments[seg.Fragment].Width == 0
}

// toneOf returns the tone of a fragment: that of its first job, "" without one.
func (p *plot) toneOf(f *Fragment) string {
	if len(f.Jobs) == 0 {
		return ""
	}
	first := slices.IndexFunc(p.Jobs, func(j Job) bool { return j.Name == f.Jobs[0] })
	return p.tone(first, int(f.Phase.Stage))
}

// place returns where a stretch of time begins, and how wide it is.
func (p *plot) place(from, to frame.Seconds) (x, width Share) {
	x = p.at(float64(from))
	return x, max(0, p.at(float64(to))-x)
}

// panel draws the bars in groups of one look, those of the critical path last, and the lines between rows that are
// high enough.
func (p *plot) panel(s, labels *svg, panel *Panel, top, wide float64, few bool) {
	s.put(`<text class="panel" x="0" y="%s">%s</text><rect class="frame" x="0" y="%s" width="100%%" height="%s"/>`+"\n",
		top-8, panel.Title, top, p.row*float64(len(panel.Rows)))
	groups := map[string][]*Bar{}
	for i := range panel.Bars {
		b := &panel.Bars[i]
		look := `<g class="bars `
		if b.Critical { // sorts after every tone
			look += "on "
		}
		look += p.tone(b.Job, int(b.Phase.Stage))
		if b.Fragment != nil {
			look += " " + p.hue(*b.Fragment)
		}
		if _, width := p.place(b.StartSeconds, b.EndSeconds); float64(width)/100*wide < thinWidth ||
			p.row*float64(b.Rows) < thinWidth {
			look += " thin"
		}
		groups[look] = append(groups[look], b)
	}
	for _, look := range slices.Sorted(maps.Keys(groups)) {
		s.WriteString(look + `">`)
		for _, b := range groups[look] {
			p.bar(s, labels, b, top, wide, few)
		}
		s.put("</g>\n")
	}
	for i := 1; i < len(panel.Rows) && p.row >= 4; i++ {
		s.put(`<line class="between" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, top+float64(i)*p.row)
	}
}

// bar draws a bar with its label, its cross if it failed, and stripes until its input was there.
func (p *plot) bar(s, labels *svg, b *Bar, top, wide float64, few bool) {
	x, width := p.place(b.StartSeconds, b.EndSeconds)
	y, high := top+float64(b.Row)*p.row, float64(b.Rows)*p.row
	class := markup("")
	if b.Outcome != OK {
		class = markup(` class="` + escape(string(b.Outcome)) + `"`)
	}
	s.put(`<rect%s x="%s" y="%s" width="%s" height="%s"`, class, x, y, width, high)
	crossed := b.Outcome == Failed && high >= 10
	if few && p.row >= 13 && !crossed {
		look := "in"
		if b.Outcome != OK && b.Outcome != Running {
			look = "halo"
		}
		// In the middle of the middle row, so that no line crosses it.
		s.label(labels, p.labels(b), x, width, wide, y+(float64((b.Rows-1)/2)+0.5)*p.row, look)
	}
	s.put("><title>%s</title></rect>", p.tip(b))
	if c := b.CopiedSeconds; c != nil && *c > b.StartSeconds {
		_, copying := p.place(b.StartSeconds, min(*c, b.EndSeconds))
		s.put(`<rect class="copied" fill="url(#copying)" x="%s" y="%s" width="%s" height="%s"/>`, x, y, copying, high)
	}
	if crossed {
		s.put(`<use class="mark" href="#cross" x="%s" y="%s"/>`, x+width/2, y+high/2)
	}
	s.put("\n")
}

// label writes the first label that fits. The attributes of the bar keep all of them for the page's script.
func (s *svg) label(labels *svg, all []string, x, width Share, wide, middle float64, look string) {
	if len(all) == 0 {
		return
	}
	lines := markup(strings.Join(units.Each(all, escape), "\n"))
	s.put(` data-label="%s" data-y="%s" data-look="%s"`, lines, middle+4, look)
	for _, l := range all {
		if float64(len([]rune(l)))*letter+space <= float64(width)/100*wide {
			labels.put(`<text class="%s" x="%s" y="%s">%s</text>`, look, x+width/2, middle+4, l)
			return
		}
	}
}
