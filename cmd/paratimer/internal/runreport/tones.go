package runreport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// tones are the colors of jobs and the shades of their stages. Stages of a single DAG have colors of their own.
type tones struct {
	s       *Report
	byStage bool
	jobs    []int // those with bars, in plan order
	stages  []int // those with bars
}

func tonesOf(s *Report) *tones {
	jobs, stages := map[int]bool{}, map[int]bool{}
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			if b := &s.Chart.Panels[i].Bars[j]; b.Job >= 0 && b.Job < len(s.Jobs) {
				jobs[b.Job] = true
				if b.Phase.Stage >= 0 {
					stages[int(b.Phase.Stage)] = true
				}
			}
		}
	}
	t := &tones{s: s, jobs: slices.Sorted(maps.Keys(jobs)), stages: slices.Sorted(maps.Keys(stages))}
	t.byStage = len(t.jobs) == 1 && !s.Jobs[t.jobs[0]].IsMapReduce()
	return t
}

// of returns the tone of a stage of a job, "" if the job is unknown.
func (t *tones) of(job, stage int) string {
	switch {
	case job < 0 || job >= len(t.s.Jobs) || stage < 0:
		return ""
	case t.byStage:
		return chart.Each(stage)
	}
	// The first stage is the palest, the last or fourth one the darkest: maps and reduces differ most.
	color, _ := slices.BinarySearch(t.jobs, job)
	last := t.shades(job) - 1
	return chart.Tone(color, min(stage, last)*(chart.Shades-1)/last)
}

// shades returns how many shades the stages of a job have.
func (t *tones) shades(job int) int {
	return min(max(len(t.s.Jobs[job].Stages), dag.MapReduceStages), chart.Shades)
}

// legend returns at most `most` entries, and how many it leaves out.
func (t *tones) legend(most int) (all []chart.Entry, more int) {
	if t.byStage {
		job := &t.s.Jobs[t.jobs[0]]
		for _, k := range t.stages[:min(len(t.stages), most)] {
			name := dag.MapReduceName(dag.StageIndex(min(k, 1))) //nolint:gosec // of a report without stages: 0 or 1
			if k < len(job.Stages) {
				name = job.Stages[k].Name
			}
			all = append(all, chart.Entry{Tones: []string{t.of(t.jobs[0], k)}, Text: units.Stage(chart.Cut(name, 40))})
		}
		return all, len(t.stages) - len(all)
	}
	word := "light to dark: maps, reduces"
	for _, j := range t.jobs[:min(len(t.jobs), most)] {
		e := chart.Entry{Text: chart.Cut(t.s.Jobs[j].Node, 40)}
		for k := range t.shades(j) {
			e.Tones = append(e.Tones, t.of(j, k))
		}
		all = append(all, e)
		if !t.s.Jobs[j].IsMapReduce() {
			word = "light to dark: first to last stage"
		}
	}
	if more = len(t.jobs) - len(all); len(all) > 0 {
		all = append(all, chart.Entry{Text: word})
	}
	return all, more
}

// labels returns what may be written into a bar, the longest first: the job, or the stage of a single DAG, and the
// number of tasks.
func (t *tones) labels(b *Bar) []string {
	if b.Job < 0 || b.Job >= len(t.s.Jobs) {
		return nil
	}
	node := t.s.Jobs[b.Job].Node
	if t.byStage {
		node = b.Phase.Name
	}
	labels := []string{chart.Cut(node, 40), chart.Cut(node, 16), chart.Cut(node, 8)}
	if b.Tasks > 1 {
		labels = append([]string{fmt.Sprintf("%s ×%d", labels[0], b.Tasks)}, labels...)
	}
	return slices.Compact(labels)
}

func fragmentText(f *Fragment) string {
	names := make([]string, 0, 4)
	for i, n := range f.Jobs {
		if i == 3 {
			names = append(names, fmt.Sprintf("%d more", len(f.Jobs)-3))
			break
		}
		names = append(names, chart.Cut(n, 40))
	}
	return fmt.Sprintf("%s of %s: %d at once, %s, %s – %s", units.Stage(f.Phase.Name), strings.Join(names, ", "), f.Width,
		units.Count(f.Rounds, "round"), units.Seconds(f.StartSeconds), units.Seconds(f.EndSeconds))
}
