package planview

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// Limits of the drawing. With more fragments, colors stand for stages of jobs; with more bars, neighbors of one look
// are drawn as one.
const (
	mostFragments = 60
	mostBars      = 6000
	mostEntries   = 24
	drawnWidth    = 1200
	drawnHeight   = 620
)

// A look is the appearance of a bar: bars of one look may be merged.
type look struct {
	tone             string
	critical, failed bool
}

// SVG draws a Gantt chart: slots as rows, path fragments in colors, the critical path above them and outlined. Tasks
// that start and end together in neighboring slots are one rectangle.
func (v *View) SVG(w io.Writer) error { return v.chart().SVG(w) }

func (v *View) chart() *chart.Gantt {
	s := v.Path.Schedule
	from, to := s.Now, s.End
	for i := range v.Path.Fragments {
		from, to = min(from, v.Path.Fragments[i].Start), max(to, v.Path.Fragments[i].End)
	}
	_, heading, _ := strings.Cut(v.heading(), ": ")
	totals := make([]string, len(v.Estimates))
	for i := range v.Estimates {
		totals[i] = v.Estimates[i].Scenario + " " + total(&v.Estimates[i])
	}
	g := &chart.Gantt{
		Name: cmp.Or(v.Plan.Name, "plan"), Head: []string{heading, strings.Join(totals, " · ")},
		From: v.seconds(from), To: v.seconds(to),
	}
	if from < s.Now && s.Now < to {
		g.Now = new(float64)
	}
	tones, looks := v.looks()
	for _, seg := range v.Path.Critical {
		title, length := v.Title(seg.Fragment), units.Exact(seg.End.Sub(seg.Start))
		m := chart.Mark{
			From: v.seconds(seg.Start), To: v.seconds(seg.End), Tone: tones[seg.Fragment],
			Tip:    fmt.Sprintf("%s: %s – %s", title, v.clock(seg.Start), v.clock(seg.End)),
			Labels: []string{title + ", " + length, title, length},
		}
		if v.Path.Fragments[seg.Fragment].Width == 0 {
			m.Kind = chart.Pause
		}
		g.Path = append(g.Path, m)
	}
	panels, all, slots := chart.Panels(v.Plan.Cluster.Policy, s.Spans, func(i int, _ *schedule.Span) look {
		return looks[i]
	}), 0, 0
	for _, p := range panels {
		all, slots = all+len(p.Bars), slots+p.Slots
	}
	for _, p := range panels {
		bars, rows := chart.Fit(p.Bars, p.Slots, max(1, mostBars*len(p.Bars)/all), to-from, drawnWidth,
			float64(drawnHeight*p.Slots)/float64(slots))
		out := chart.Rows{Title: p.Title, Labels: make([]string, rows), Marks: make([]chart.Mark, len(bars))}
		for i := range rows {
			out.Labels[i] = fmt.Sprint(i * p.Slots / rows)
		}
		for i := range bars {
			out.Marks[i] = v.mark(&bars[i])
		}
		g.Panels = append(g.Panels, out)
	}
	v.legend(g, tones)
	return g
}

func (v *View) seconds(t dag.Instant) float64 { return t.Sub(v.Path.Schedule.Now).Seconds() }

// looks returns the tone of each fragment, "" for a pause, and the look of each span.
func (v *View) looks() (tones []string, looks []look) {
	var width []int // of the fragments with tasks
	tones, looks = make([]string, len(v.Path.Fragments)), make([]look, len(v.Path.Schedule.Spans))
	for i := range looks {
		looks[i].failed = true
	}
	for f := range v.Path.Fragments {
		if v.Path.Fragments[f].Width > 0 {
			tones[f] = chart.Each(len(width))
			width = append(width, f)
		}
	}
	first := make([]int, len(v.Plan.Jobs)+1) // stage of each job, counted over all jobs
	for j := range v.Plan.Jobs {
		first[j+1] = first[j] + len(v.Plan.Jobs[j].Stages)
	}
	critical := v.critical()
	for f := range v.Path.Fragments {
		for _, r := range v.Path.Fragments[f].Rounds {
			for _, i := range v.Path.Rounds[r].Spans {
				s := &v.Path.Schedule.Spans[i]
				if len(width) > mostFragments && tones[f] != "" {
					tones[f] = chart.Each(first[s.Job] + int(s.Stage))
				}
				if s.Outcome != schedule.Fails {
					looks[i] = look{tone: tones[f], critical: critical[f]}
				}
			}
		}
	}
	return tones, looks
}

func (v *View) mark(b *chart.Bar[look]) chart.Mark {
	s := &v.Path.Schedule.Spans[b.Span]
	node, kind := v.Plan.Jobs[s.Job].Node, s.What(v.Plan)
	first := schedule.TaskName(v.Plan, int(s.Job), s.Stage, int(s.First), int(s.Attempt))
	m := chart.Mark{
		Row: b.Row, Rows: b.To - b.Row, From: v.seconds(b.Start), To: v.seconds(b.End), Tone: b.Hue.tone,
		Critical: b.Hue.critical,
	}
	between := fmt.Sprintf(": %s – %s (%s)", v.clock(b.Start), v.clock(b.End), units.Exact(b.End.Sub(b.Start)))
	if b.Hue.failed {
		m.Kind, between = chart.Failed, between+" fails"
	}
	switch {
	case b.Merged > 0:
		m.Tip = cut(first) + " and others" + between
	case b.Tasks > 1:
		m.Tip = fmt.Sprintf("%d %s of %s%s", b.Tasks, units.Stage(kind), cut(node), between)
		m.Labels = []string{
			fmt.Sprintf("%s: %s", cut(node), units.Tasks(b.Tasks, cut(kind))), fmt.Sprintf("%s ×%d", cut(node), b.Tasks), cut(node),
		}
	default:
		m.Tip, m.Labels = cut(first)+between, []string{cut(first), first[len(node)+1:]}
	}
	return m
}

// legend explains the colors: fragments, or only the first one of a color if colors repeat.
func (v *View) legend(g *chart.Gantt, tones []string) {
	rows, left := v.rows()
	seen := map[string]bool{}
	for n, f := range rows {
		fr := &v.Path.Fragments[f]
		if len(g.Legend) == mostEntries {
			left += len(rows) - n
			break
		}
		if fr.Width == 0 || seen[tones[f]] {
			continue
		}
		seen[tones[f]] = true
		g.Legend = append(g.Legend, chart.Entry{
			Text: fmt.Sprintf("%s, %d at once, %s, %s – %s", v.Title(f), fr.Width, units.Count(len(fr.Rounds), "round"),
				v.clock(fr.Start), v.clock(fr.End)),
			Tones: []string{tones[f]}, Critical: v.critical()[f],
		})
	}
	g.More = left
}
