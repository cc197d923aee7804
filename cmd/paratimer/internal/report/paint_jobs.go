package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// The style sheet has this number of colors for jobs, and of shades of each for their stages.
const (
	jobColors = 8
	shades    = 4
)

// A tone is the color of a job and the shade of its stage, 0 the palest.
type tone struct{ Color, Shade int }

// class returns the tone's classes in the style sheet. Tasks of an unknown job have "".
func (t tone) class() string { return fmt.Sprintf("k%d s%d", t.Color, t.Shade) }

// tones are the tones of all stages. Stages of a single DAG have colors of their own.
type tones struct {
	byStage bool
	firsts  []int // by job: how many jobs with bars come before it
	counts  []int // by job: its stages
	jobs    []int // those with bars, in plan order
	stages  []int // of a single DAG: its stages with bars
}

func tonesOf(s *runreport.Report) *tones {
	t := &tones{firsts: make([]int, len(s.Jobs)), counts: make([]int, len(s.Jobs))}
	seen, stages := make([]bool, len(s.Jobs)), map[int]bool{}
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			if b := &s.Chart.Panels[i].Bars[j]; b.Job >= 0 && b.Job < len(seen) {
				seen[b.Job] = true
				if b.Phase.Stage >= 0 {
					stages[int(b.Phase.Stage)] = true
				}
			}
		}
	}
	for j := range seen {
		t.counts[j] = len(s.Jobs[j].Stages)
		if t.firsts[j] = len(t.jobs); seen[j] {
			t.jobs = append(t.jobs, j)
		}
	}
	t.byStage = len(t.jobs) == 1 && !s.Jobs[t.jobs[0]].IsMapReduce()
	if t.byStage {
		for k := range stages {
			t.stages = append(t.stages, k)
		}
		slices.Sort(t.stages)
	}
	return t
}

// of returns the tone of a stage of a job.
func (t *tones) of(job, stage int) string {
	switch {
	case job < 0 || job >= len(t.firsts) || stage < 0:
		return ""
	case t.byStage:
		return tone{stage % jobColors, shades - 1 - stage/jobColors%shades}.class()
	}
	// The first stage is the palest, the last or fourth one the darkest: maps and reduces differ most.
	last := min(max(t.counts[job], dag.MapReduceStages), shades) - 1
	return tone{t.firsts[job] % jobColors, min(stage, last) * (shades - 1) / last}.class()
}

// ofFragment returns the tone of a fragment: that of its first job.
func (t *tones) ofFragment(s *runreport.Report, f *runreport.Fragment) string {
	if f.Width == 0 || len(f.Jobs) == 0 || f.Phase.Pause != dag.NoPause {
		return ""
	}
	return t.of(slices.IndexFunc(s.Jobs, func(j runreport.Job) bool { return j.Node == f.Jobs[0] }), int(f.Phase.Stage))
}

// legend returns colors and shades, at most `most` entries, and how many it leaves out.
func (t *tones) legend(s *runreport.Report, most int) (all []entry, more int) {
	if t.byStage {
		job := &s.Jobs[t.jobs[0]]
		for _, k := range t.stages[:min(len(t.stages), most)] {
			all = append(all, entry{Tone: t.of(t.jobs[0], k), Text: stageWord(job, k)})
		}
		return all, len(t.stages) - len(all)
	}
	staged := false
	for _, j := range t.jobs[:min(len(t.jobs), most)] {
		all = append(all, entry{
			Tone: t.of(j, 0), Shades: t.shadesOf(&s.Jobs[j], j),
			Text: cut(text(s.Jobs[j].Node), 40),
		})
		staged = staged || !s.Jobs[j].IsMapReduce()
	}
	if len(all) == 0 {
		return nil, 0
	}
	word := "light to dark: maps, reduces"
	if staged {
		word = "light to dark: first to last stage"
	}
	return append(all, entry{Kind: "shades", Text: word}), len(t.jobs) - len(all)
}

// shadesOf returns the different tones of a job's stages.
func (t *tones) shadesOf(j *runreport.Job, job int) (all []string) {
	for k := range min(max(len(j.Stages), dag.MapReduceStages), shades) {
		all = append(all, t.of(job, k))
	}
	return all
}

// Pick returns the prefix of the tones of the bars that an entry stands for.
func (e entry) Pick() string {
	if len(e.Shades) == 0 {
		return e.Tone
	}
	color, _, _ := strings.Cut(e.Tone, " ")
	return color
}

// Swatch returns the entry's shades side by side.
func (e entry) Swatch() (all []barShare) {
	wide := 20 / float64(len(e.Shades))
	for i, s := range e.Shades {
		all = append(all, barShare{Kind: s, X: chart.Px(wide * float64(i)), W: chart.Px(wide)})
	}
	return all
}

// stageWord returns the name for tasks of a stage of a job.
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
	return fmt.Sprintf("%s of %s: %d at once, %s, %s – %s", units.Stage(text(f.Phase.Name)), strings.Join(names, ", "),
		f.Width,
		units.Count(f.Rounds, "round"), units.Seconds(f.StartSeconds), units.Seconds(f.EndSeconds))
}
