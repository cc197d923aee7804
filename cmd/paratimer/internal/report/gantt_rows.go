package report

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

const rowLetters = 11 // how many fit beside the drawing

// looks are the colors of bars: by fragment, and by job and stage.
type looks struct {
	paint *paint
	tones *tones
}

// panelOf draws the rows of one kind of slots, from top downwards.
func panelOf(s *runreport.Report, p *runreport.Panel, along scale, look looks, top, row float64, few bool) panel {
	out := panel{
		Title: text(p.Title), TitleY: chart.Px(top - 8), Top: chart.Px(top),
		Height: chart.Px(row * float64(len(p.Rows))),
	}
	out.rows(p, top, row)
	groups := map[string]int{}
	bars := slices.Clone(p.Bars)
	slices.SortStableFunc(bars, func(a, b runreport.Bar) int { // outlines of the critical path are drawn last
		return order(a.Critical) - order(b.Critical)
	})
	for i := range bars {
		b := &bars[i]
		block := barOf(s, b, along, top, row)
		block.Hue, block.Tone = look.paint.of(b), look.tones.of(b.Job, int(b.Phase.Stage))
		// Critical bars have their own groups, after the others.
		key := fmt.Sprint(block.Hue, block.Tone, b.Critical)
		at, ok := groups[key]
		if !ok {
			at = len(out.Groups)
			groups[key] = at
			out.Groups = append(out.Groups, group{Hue: block.Hue, Tone: block.Tone})
		}
		if few {
			from := along.share(b.StartSeconds)
			if row >= 13 && !block.Mark {
				block.Look = lookOf(b)
				// In the middle of the middle row, so that no line crosses it.
				block.fit(from, along.share(b.EndSeconds)-from, top+(float64(b.Row+(b.Rows-1)/2)+0.5)*row,
					labelsOf(s, b, look.tones.byStage)...)
			}
			if block.Label != "" {
				out.Labels = append(out.Labels, block)
			}
		}
		out.Groups[at].Bars = append(out.Groups[at].Bars, block)
	}
	return out
}

func order(critical bool) int {
	if critical {
		return 1
	}
	return 0
}

// rows labels every row, or as many as are legible, and draws lines between rows that are high enough.
func (p *panel) rows(of *runreport.Panel, top, row float64) {
	free := top
	for i, name := range of.Rows {
		middle := top + (float64(i)+0.5)*row
		if middle-7 >= free {
			p.Rows = append(p.Rows, tick{At: chart.Px(middle + 4), Text: cut(text(name), rowLetters)})
			free = middle + 7
		}
		if i > 0 && row >= 4 {
			p.Lines = append(p.Lines, chart.Px(top+float64(i)*row))
		}
	}
}

func barOf(s *runreport.Report, b *runreport.Bar, along scale, top, row float64) block {
	out := block{
		X: along.x(b.StartSeconds), W: along.width(b.StartSeconds, b.EndSeconds), Y: chart.Px(top + float64(b.Row)*row),
		H:        chart.Px(float64(b.Rows) * row),
		Critical: b.Critical, Tip: tipOf(s, b),
	}
	switch b.Outcome {
	case runreport.Failed, runreport.Killed, runreport.Running, runreport.Expected:
		out.Kind = string(b.Outcome)
	}
	if b.Outcome == runreport.Failed {
		out.Mark, out.MarkX = row*float64(b.Rows) >= 10,
			share((along.share(b.StartSeconds)+along.share(b.EndSeconds))/2)
		out.MarkY = chart.Px(top + (float64(b.Row)+float64(b.Rows)/2)*row)
	}
	if b.CopiedSeconds != nil && *b.CopiedSeconds > b.StartSeconds {
		out.Copied = along.width(b.StartSeconds, min(*b.CopiedSeconds, b.EndSeconds))
	}
	return out
}

// tipOf returns the tooltip of a bar.
func tipOf(s *runreport.Report, b *runreport.Bar) string {
	tip := text(b.Name)
	if b.Job >= 0 && b.Job < len(s.Jobs) {
		tip += fmt.Sprintf(", %s of %s", text(b.Phase.Name), text(s.Jobs[b.Job].Node))
	}
	tip += ": " + between(b.StartSeconds, b.EndSeconds)
	switch b.Outcome {
	case runreport.Failed:
		tip += ", failed"
	case runreport.Killed:
		tip += ", killed or lost"
	case runreport.Running:
		tip += ", runs now"
	case runreport.Expected:
		tip += ", to come"
	}
	if b.CopiedSeconds != nil {
		tip += ", had its input at " + units.Seconds(*b.CopiedSeconds)
	}
	if b.Fragment != nil && b.Round != nil && *b.Fragment >= 0 && *b.Fragment < len(s.Chart.Fragments) {
		if n := s.Chart.Fragments[*b.Fragment].Rounds; n > 1 {
			tip += fmt.Sprintf(", round %d of %d", *b.Round+1, n)
		}
	}
	if b.Critical {
		tip += ", on the critical path"
	}
	return tip
}

// lookOf returns the class of a bar's label.
func lookOf(b *runreport.Bar) string {
	switch b.Outcome {
	case runreport.Failed, runreport.Killed, runreport.Expected:
		return "halo"
	}
	return "in"
}

// labelsOf returns the labels that may be written into a bar, the longest first: the job, or the stage of a single
// DAG, and the number of tasks.
func labelsOf(s *runreport.Report, b *runreport.Bar, byStage bool) []string {
	if b.Job < 0 || b.Job >= len(s.Jobs) {
		return nil
	}
	node := text(s.Jobs[b.Job].Node)
	if byStage {
		node = text(b.Phase.Name)
	}
	labels := []string{cut(node, 40), cut(node, 16), cut(node, 8)}
	if b.Tasks > 1 {
		labels = append([]string{fmt.Sprintf("%s ×%d", cut(node, 40), b.Tasks)}, labels...)
	}
	return slices.Compact(labels)
}
