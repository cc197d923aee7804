package chart

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// An entry of a legend explains a swatch.
type entry struct {
	text   string
	swatch template.HTML
}

// entries returns how many entries a legend may have so that, one a line, it is no longer than the chart.
func (p *plot) entries() int {
	return min(max(int(p.bottom/legendLine)-1, leastEntry), mostEntries)
}

// text describes a fragment.
func (f *Fragment) text() string {
	names := view.Some(units.Each(f.Jobs, func(n string) string { return Cut(n, 40) }), 3)
	return fmt.Sprintf("%s of %s: %d at once, %s, %s – %s", units.Stage(f.Phase.Name), strings.Join(names, ", "), f.Width,
		units.Count(f.Rounds, "round"), units.Seconds(f.StartSeconds), units.Seconds(f.EndSeconds))
}

// toneEntries returns at most `most` of the jobs, or of the stages of a single DAG, that have bars, and how many it
// leaves out.
func (p *plot) toneEntries(most int) (all []entry, more int) {
	used := map[int]string{} // names by job or stage
	for _, b := range p.bars {
		switch {
		case b.Job < 0 || b.Job >= len(p.Jobs) || b.Phase.Stage < 0:
		case p.dag >= 0:
			used[int(b.Phase.Stage)] = units.Stage(Cut(b.Phase.Name, 80))
		default:
			used[b.Job] = Cut(p.Jobs[b.Job].Name, 80)
		}
	}
	shown := slices.Sorted(maps.Keys(used))
	for _, k := range shown[:min(len(shown), most)] {
		var tones []string
		if p.dag >= 0 {
			tones = append(tones, p.tone(p.dag, k))
		} else {
			for stage := range p.shades(k) {
				tones = append(tones, p.tone(k, stage))
			}
		}
		all = append(all, toned(used[k], tones...))
	}
	if more = len(shown) - len(all); p.dag < 0 && len(all) > 0 {
		all = append(all, entry{text: "light to dark: first to last stage"})
	}
	return all, more
}

// toned returns an entry with tones side by side.
func toned(text string, tones ...string) entry {
	e, wide := entry{text: text}, 20/len(tones)
	for i, t := range tones {
		e.swatch += markup(fmt.Sprintf(`<rect class="%s" x="%d" width="%d" height="12"/>`, t, wide*i, wide))
	}
	return e
}

// kinds explains the kinds of bars that the chart has.
func (p *plot) kinds() (all []entry) {
	seen := map[string]bool{"critical": len(p.Critical) > 0}
	for _, b := range p.bars {
		seen[string(b.Outcome)] = true
		seen["critical"] = seen["critical"] || b.Critical
		seen["copy"] = seen["copy"] || b.CopiedSeconds != nil && *b.CopiedSeconds > b.StartSeconds
	}
	for i := range p.Critical {
		seen["pause"] = seen["pause"] || p.pauses(&p.Critical[i])
	}
	add := func(kind, text string) {
		if seen[kind] {
			swatch := fmt.Sprintf(`<rect class="%s" width="20" height="12"/><rect class="sample %s" width="20" height="12"/>`,
				tone(0, shades-1), kind)
			all = append(all, entry{text, markup(swatch)})
		}
	}
	add("critical", "outlined, if wide enough: on the critical path")
	add(string(Failed), "✗ failed")
	add(string(Killed), "– killed or lost")
	add(string(Running), "runs now")
	add(string(Expected), "to come, as predicted")
	add("copy", "striped: a task copies, or waits for its input")
	add("pause", "no task on the critical path runs")
	return all
}

// list writes a legend as a list of a page.
func (s *svg) list(class string, all []entry, more int) {
	if len(all) == 0 {
		return
	}
	s.put(`<ul class="legend %s">`, class)
	for _, e := range all {
		s.put("<li>")
		if e.swatch != "" {
			s.put(`<svg class="swatch" aria-hidden="true" width="20" height="12">%s</svg>`, e.swatch)
		}
		s.put("%s</li>", e.text)
	}
	if more > 0 {
		s.put("<li>and %d more</li>", more)
	}
	s.put("</ul>\n")
}
