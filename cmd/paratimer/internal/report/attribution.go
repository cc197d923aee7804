package report

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/units"
)

// An attribution is the waterfall of the time attribution: one row for each cause, the parts of the critical path
// from left to right, each in the row of its cause. The jobs along the path are on top.
type attribution struct {
	From, To      float64 // seconds at the edges
	Summary, Desc string
	Height        string
	Bottom        string
	Ticks         []tick
	TicksTop      string
	Owners        []block // jobs along the path
	Rows          []causeRow
	Parts, Labels []block
	Steps         []step
	Legend        []entry
}

// A causeRow is a cause: its title, its time and its meaning.
type causeRow struct {
	Title, Took, Share, Meaning string
	TitleY, TookY, LineY        string
}

// A step connects two consecutive parts.
type step struct{ X, From, To string }

const (
	ownersHeight = 26.0
	causeTop     = 38.0
	causeHeight  = 32.0
	partHeight   = 20.0
)

// causeKinds classes causes by what a user may do about them: "work" is necessary, "lost" had no use. Causes that are
// not listed are "wait": they might be shorter.
var causeKinds = map[string]string{
	"work": "work", "map_work": "work", "reduce_work": "work", "shuffle": "work", "sort": "work", "merge": "work",
	"skew": "lost", "failures": "lost", "failure": "lost", "unknown": "dim",
}

func attributionOf(s *runreport.Report) *attribution {
	a := &attribution{Summary: prose(s.TimeAttribution.Summary)}
	parts := s.TimeAttribution.Parts
	if len(parts) == 0 || len(s.TimeAttribution.Causes) == 0 {
		return a
	}
	along := scale{min(0, parts[0].StartSeconds), parts[len(parts)-1].EndSeconds}
	rows := map[string]int{}
	for i, c := range s.TimeAttribution.Causes {
		rows[c.Cause] = i
		y := causeTop + causeHeight*float64(i)
		r := causeRow{
			Title: cut(text(c.Title), 22), Took: units.Seconds(c.Seconds), Meaning: prose(c.Meaning),
			TitleY: chart.Px(y + 14), TookY: chart.Px(y + 27), LineY: chart.Px(y),
		}
		if c.Ratio != nil {
			r.Share = units.Percent(*c.Ratio)
		}
		a.Rows = append(a.Rows, r)
	}
	bottom := causeTop + causeHeight*float64(len(a.Rows))
	before := -1
	for i := range parts {
		p := &parts[i]
		row, ok := rows[p.Cause]
		if !ok || p.EndSeconds < p.StartSeconds {
			continue
		}
		a.part(s, p, row, along)
		if before >= 0 && before != row {
			lower, upper := max(before, row), min(before, row)
			a.Steps = append(a.Steps,
				step{along.x(p.StartSeconds), chart.Px(causeTop + causeHeight*float64(upper) +
					(causeHeight+partHeight)/2), chart.Px(causeTop + causeHeight*float64(lower) +
					(causeHeight-partHeight)/2)})
		}
		before = row
	}
	a.owners(parts, along)
	a.legend()
	a.From, a.To = float64(along.from), float64(along.to)
	a.Ticks = along.ticks(7)
	a.Bottom, a.Height, a.TicksTop = chart.Px(bottom), chart.Px(bottom+axisHeight), chart.Px(bottom+17)
	a.Desc = fmt.Sprintf("The critical path from left to right, %s in %s by cause.", units.Count(len(parts), "part"),
		units.Count(len(a.Rows), "row"))
	return a
}

func (a *attribution) part(s *runreport.Report, p *runreport.Part, row int, along scale) {
	y := causeTop + causeHeight*float64(row) + (causeHeight-partHeight)/2
	b := block{
		X: along.x(p.StartSeconds), W: along.width(p.StartSeconds, p.EndSeconds), Y: chart.Px(y),
		H: chart.Px(partHeight), Kind: "wait",
	}
	if k, ok := causeKinds[p.Cause]; ok {
		b.Kind = k
	}
	b.Tip = text(s.TimeAttribution.Causes[row].Title)
	if p.Job != nil {
		b.Tip += " of " + text(*p.Job)
	}
	if p.Task != nil {
		b.Tip += ", " + text(*p.Task)
	}
	b.Tip += ": " + between(p.StartSeconds, p.EndSeconds)
	b.Name, b.NameY = units.Seconds(p.EndSeconds-p.StartSeconds), chart.Px(y+partHeight/2+4)
	if b.Look = "halo"; b.Kind == "work" {
		b.Look = "in"
	}
	from := along.share(p.StartSeconds)
	b.fit(from, along.share(p.EndSeconds)-from, y+partHeight/2, b.Name)
	if b.Label != "" {
		a.Labels = append(a.Labels, b)
	}
	a.Parts = append(a.Parts, b)
}

// legend lists the kinds of causes in the chart.
func (a *attribution) legend() {
	for _, k := range []struct{ kind, summary string }{
		{"work", "work that was asked for"},
		{"wait", "waiting and overhead"},
		{"lost", "skew and failures"},
		{"dim", "no visible cause"},
	} {
		if slices.ContainsFunc(a.Parts, func(b block) bool { return b.Kind == k.kind }) {
			a.Legend = append(a.Legend, entry{Kind: k.kind, Text: k.summary})
		}
	}
}

// owners adds the jobs along the path. Neighbouring parts of one job are merged.
func (a *attribution) owners(parts []runreport.Part, along scale) {
	name := func(p *runreport.Part) string {
		if p.Job == nil {
			return ""
		}
		return *p.Job
	}
	for i := 0; i < len(parts); {
		j := i + 1
		for j < len(parts) && name(&parts[j]) == name(&parts[i]) {
			j++
		}
		a.owner(name(&parts[i]), parts[i].StartSeconds, parts[j-1].EndSeconds, along)
		i = j
	}
}

func (a *attribution) owner(job string, from, to frame.Seconds, along scale) {
	if job == "" {
		return
	}
	b := block{X: along.x(from), W: along.width(from, to), Name: text(job), NameY: "17", Look: "plain", Tip: text(job) +
		": " + between(from, to)}
	b.fit(along.share(from), along.share(to)-along.share(from), ownersHeight/2, b.Name, cut(b.Name, 12))
	b.Name += "\n" + cut(b.Name, 12)
	a.Owners = append(a.Owners, b)
}
