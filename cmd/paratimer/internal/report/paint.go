package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// The style sheet has so many colours and patterns; they are all as bright as each other, so that dark letters are read on each of them
// and each is seen on white and on black. Those of the critical path are of one family.
const (
	colours  = 8 // the last one for what nobody knows
	patterns = 4
	warm     = 3 // colours of the critical path
)

// mostFragments is how many fragments are told apart by colour. Where there are more, colours stand for phases of jobs.
const mostFragments = 60

// shownEntries bounds the legend.
const shownEntries = 24

// A hue is a colour and a pattern that stand for a fragment, or for a job's maps or reduces.
type hue struct {
	ID              int
	Colour, Pattern int
	Warm            bool
}

// A paint is what colours stand for.
type paint struct {
	hues     []hue // 0: nobody knows the fragment
	byPhase  bool
	fragment []int // hue of each fragment
	phase    []int // hue of each stage
	stages   []stageOf
	first    []int // by job: its first stage
	lead     []int // what a hue stands for: a fragment or a phase
}

func paintOf(s *runreport.Report) *paint {
	p := &paint{hues: []hue{{Colour: colours - 1}}, lead: []int{-1}, fragment: make([]int, len(s.Chart.Fragments)), first: make([]int, len(s.Jobs))}
	for j := range s.Jobs {
		p.first[j] = len(p.stages)
		for k := range max(len(s.Jobs[j].Stages), dag.MapReduceStages) {
			p.stages = append(p.stages, stageOf{j, k})
		}
	}
	p.phase = make([]int, len(p.stages))
	n := 0
	for i := range s.Chart.Fragments {
		if s.Chart.Fragments[i].Width > 0 {
			n++
		}
	}
	p.byPhase = n > mostFragments || s.Chart.Merged && !barsKnow(s)
	cold, hot := 0, 0
	add := func(critical bool, lead int) int {
		h := hue{ID: len(p.hues), Colour: cold % (colours - 1), Pattern: cold % patterns}
		if critical {
			h = hue{ID: len(p.hues), Colour: hot % warm, Pattern: hot % patterns, Warm: true}
			hot++
		} else {
			cold++
		}
		p.hues, p.lead = append(p.hues, h), append(p.lead, lead)
		return h.ID
	}
	if !p.byPhase {
		for i := range s.Chart.Fragments {
			if s.Chart.Fragments[i].Width > 0 {
				p.fragment[i] = add(s.Chart.Fragments[i].Critical, i)
			}
		}
		return p
	}
	critical, seen := make([]bool, len(p.phase)), make([]bool, len(p.phase))
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			if b := &s.Chart.Panels[i].Bars[j]; p.phaseOf(b) >= 0 {
				at := p.phaseOf(b)
				seen[at], critical[at] = true, critical[at] || b.Critical
				if b.Fragment != nil && *b.Fragment >= 0 && *b.Fragment < len(p.fragment) && p.fragment[*b.Fragment] == 0 {
					p.fragment[*b.Fragment] = -1 - at
				}
			}
		}
	}
	for at := range p.phase {
		if seen[at] {
			p.phase[at] = add(critical[at], at)
		}
	}
	for i, at := range p.fragment {
		if at == 0 {
			at = -1 - p.phaseIn(s, &s.Chart.Fragments[i])
		}
		if at < 0 {
			p.fragment[i] = p.phase[-1-at]
		}
	}
	return p
}

// barsKnow says that a bar tells its fragment: merged ones may not.
func barsKnow(s *runreport.Report) bool {
	for i := range s.Chart.Panels {
		if slices.ContainsFunc(s.Chart.Panels[i].Bars, func(b runreport.Bar) bool { return b.Fragment != nil }) {
			return true
		}
	}
	return false
}

// A stageOf is a stage of a job.
type stageOf struct{ job, stage int }

// phaseIn is the index in stages of a fragment's stage in its first job; -1 where it has none, or is a pause.
func (p *paint) phaseIn(s *runreport.Report, f *runreport.Fragment) int {
	if f.Width > 0 && len(f.Jobs) > 0 {
		return p.at(slices.IndexFunc(s.Jobs, func(j runreport.Job) bool { return j.Node == f.Jobs[0] }), f.Phase)
	}
	return -1
}

// phaseOf is the index in stages of a bar's stage, -1 where its job is not known.
func (p *paint) phaseOf(b *runreport.Bar) int { return p.at(b.Job, b.Phase) }

func (p *paint) at(job int, is frame.Phase) int {
	if job < 0 || job >= len(p.first) || is.Pause != dag.NoPause || is.Stage < 0 {
		return -1
	}
	if at := p.first[job] + int(is.Stage); at < len(p.stages) && p.stages[at].job == job {
		return at
	}
	return -1
}

// of is the hue of a bar.
func (p *paint) of(b *runreport.Bar) int {
	if p.byPhase {
		if at := p.phaseOf(b); at >= 0 {
			return p.phase[at]
		}
		return 0
	}
	if b.Fragment == nil || *b.Fragment < 0 || *b.Fragment >= len(p.fragment) {
		return 0
	}
	return p.fragment[*b.Fragment]
}

// ofFragment is the hue of a fragment.
func (p *paint) ofFragment(i int) int { return p.fragment[i] }

// legend names what the hues stand for, and says how many it leaves out.
func (p *paint) legend(s *runreport.Report) (all []entry, more int) {
	for id, lead := range p.lead {
		if lead < 0 {
			continue
		}
		if len(all) == shownEntries {
			more++
			continue
		}
		e := entry{Hue: id, Critical: p.hues[id].Warm}
		if p.byPhase {
			of := p.stages[lead]
			e.Text = fmt.Sprintf("%s of %s", stageWord(&s.Jobs[of.job], of.stage), cut(text(s.Jobs[of.job].Node), 40))
		} else {
			e.Text = fragmentText(&s.Chart.Fragments[lead])
		}
		all = append(all, e)
	}
	return all, more
}

// stageWord names the tasks of a stage of a job.
func stageWord(j *runreport.Job, k int) string {
	if k < len(j.Stages) {
		return units.Stage(cut(text(j.Stages[k].Name), 40))
	}
	return units.Stage(dag.MapReduceName(dag.StageIndex(k))) //nolint:gosec // of a report without stages: 0 or 1
}

func fragmentText(f *runreport.Fragment) string {
	names := make([]string, 0, 3)
	for i, n := range f.Jobs {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(f.Jobs)-3))
			break
		}
		names = append(names, cut(text(n), 40))
	}
	return fmt.Sprintf("%s of %s: %d at once, %s, %s – %s", units.Stage(text(f.Phase.Name)), strings.Join(names, ", "), f.Width,
		units.Count(f.Rounds, "round"), units.Seconds(f.StartSeconds), units.Seconds(f.EndSeconds))
}
