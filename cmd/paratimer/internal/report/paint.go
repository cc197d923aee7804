package report

import "github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"

// The style sheet has this number of colors and patterns for fragments. Dark letters are legible on each color, and
// each is visible on white and on black. The critical path has its own family of colors.
const (
	colours  = 8 // the last one is for unknown fragments
	patterns = 4
	warm     = 3 // colors of the critical path
)

// mostFragments is how many fragments get their own colors. A chart with more has no view by fragments.
const mostFragments = 60

// shownEntries bounds a legend.
const shownEntries = 24

// A hue is a color and a pattern that stand for a fragment.
type hue struct {
	ID              int
	Colour, Pattern int
	Warm            bool
}

// A paint is the meaning of the hues if the chart shows fragments.
type paint struct {
	hues     []hue // 0: unknown fragment
	fragment []int // hue of each fragment
	lead     []int // fragment of each hue
}

// paintOf gives each fragment a hue. It gives none if there are too many fragments, or if no bar has a fragment.
func paintOf(s *runreport.Report) *paint {
	p := &paint{hues: []hue{{Colour: colours - 1}}, lead: []int{-1}, fragment: make([]int, len(s.Chart.Fragments))}
	n := 0
	for i := range s.Chart.Fragments {
		if s.Chart.Fragments[i].Width > 0 {
			n++
		}
	}
	if n > mostFragments || !barsKnow(s) {
		return p
	}
	cold, hot := 0, 0
	for i := range s.Chart.Fragments {
		if s.Chart.Fragments[i].Width == 0 {
			continue
		}
		h := hue{ID: len(p.hues), Colour: cold % (colours - 1), Pattern: cold % patterns}
		if s.Chart.Fragments[i].Critical {
			h = hue{ID: len(p.hues), Colour: hot % warm, Pattern: hot % patterns, Warm: true}
			hot++
		} else {
			cold++
		}
		p.fragment[i] = h.ID
		p.hues, p.lead = append(p.hues, h), append(p.lead, i)
	}
	return p
}

// barsKnow reports whether any bar has a fragment: merged bars may not.
func barsKnow(s *runreport.Report) bool {
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			if s.Chart.Panels[i].Bars[j].Fragment != nil {
				return true
			}
		}
	}
	return false
}

// of returns the hue of a bar.
func (p *paint) of(b *runreport.Bar) int {
	if b.Fragment == nil {
		return 0
	}
	return p.ofFragment(*b.Fragment)
}

// ofFragment returns the hue of a fragment.
func (p *paint) ofFragment(i int) int {
	if i < 0 || i >= len(p.fragment) {
		return 0
	}
	return p.fragment[i]
}

// legend returns the meaning of the hues, at most `most` entries, and how many it leaves out.
func (p *paint) legend(s *runreport.Report, most int) (all []entry, more int) {
	for id, lead := range p.lead {
		switch {
		case lead < 0:
		case len(all) == most:
			more++
		default:
			all = append(all, entry{Hue: id, Critical: p.hues[id].Warm, Text: fragmentText(&s.Chart.Fragments[lead])})
		}
	}
	return all, more
}
