package planview

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/schedule"
)

// palette has colours that neighbours differ in, also for most colour-blind people (Okabe and Ito, and lighter
// mixtures).
var palette = []string{
	"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a68a6", "#8c9a28",
	"#b07d62", "#4d7f8c",
}

const (
	pauseFill  = "#c9ccd1"
	failedFill = "#9b1c1c"
)

// mostFragments is how many fragments get their own colours. With more, colours stand for stages of jobs.
const mostFragments = 60

// A paint is the meaning of a chart's colours: a group is a fragment, or a stage of a job.
type paint struct {
	view     *View
	byPhase  bool
	groups   []stageOf // if byPhase
	first    []int     // by job: its first group
	fills    []string  // by group
	fragment []int     // by span, -1 for none
	critical map[int]bool
}

func (v *View) paint() *paint {
	p := &paint{view: v, critical: v.critical(), fragment: make([]int, len(v.Path.Schedule.Spans))}
	for i := range p.fragment {
		p.fragment[i] = -1
	}
	n := 0
	for f := range v.Path.Fragments {
		for _, r := range v.Path.Fragments[f].Rounds {
			for _, i := range v.Path.Rounds[r].Spans {
				p.fragment[i] = f
			}
		}
		p.fills = append(p.fills, pauseFill)
		if v.Path.Fragments[f].Width > 0 {
			p.fills[f] = palette[n%len(palette)]
			n++
		}
	}
	for j := range v.Plan.Jobs {
		p.first = append(p.first, len(p.groups))
		for k := range v.Plan.Jobs[j].Stages {
			p.groups = append(p.groups, stageOf{j, k})
		}
	}
	if p.byPhase = n > mostFragments; p.byPhase {
		p.fills = p.fills[:0]
		for i := range p.groups {
			p.fills = append(p.fills, palette[i%len(palette)])
		}
	}
	return p
}

// A stageOf identifies a stage of a job.
type stageOf struct{ job, stage int }

// group returns the index in groups of a span's stage.
func (p *paint) group(s *schedule.Span) int { return p.first[s.Job] + int(s.Stage) }

// hue returns the hue of a span of tasks.
func (p *paint) hue(span int, s *schedule.Span) hue {
	f := p.fragment[span]
	switch {
	case s.Outcome == schedule.Fails || f < 0:
		return hue{failed: true}
	case p.byPhase:
		return hue{group: p.group(s), critical: p.critical[f]}
	}
	return hue{group: f, critical: p.critical[f]}
}

// of returns the colour of a fragment.
func (p *paint) of(fragment int) string {
	f := &p.view.Path.Fragments[fragment]
	switch {
	case f.Width == 0:
		return pauseFill
	case p.byPhase:
		return p.fills[p.group(&p.view.Path.Schedule.Spans[p.view.Path.Rounds[f.Rounds[0]].Spans[0]])]
	}
	return p.fills[fragment]
}

// dark reports whether dark letters are more legible on a colour than white ones, by its relative luminance (WCAG 2).
func dark(fill string) bool {
	var r, g, b uint8
	if _, err := fmt.Sscanf(fill, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return true
	}
	linear := func(c uint8) float64 { return math.Pow(float64(c)/255, 2.2) }
	return 0.2126*linear(r)+0.7152*linear(g)+0.0722*linear(b) > 0.3
}
