package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// shown is which jobs have a lane where there are rows for some only, in plan order, and how many of those before and after them
// are folded away: what is over above, what is not below.
func (p *pen) shown(rows int) (jobs []int, above, below string) {
	all := make([]int, len(p.f.Jobs))
	for i := range all {
		all[i] = i
	}
	if len(all) <= rows {
		return all, "", ""
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.weight(a), p.weight(b)), cmp.Compare(p.nearness(a), p.nearness(b)), cmp.Compare(a, b))
	})
	for n := rows; n >= 0; n-- {
		above, below = p.folded(all[n:])
		if used := n + min(1, len(above)) + min(1, len(below)); used <= rows || n == 0 {
			jobs = slices.Clone(all[:n])
			break
		}
	}
	slices.Sort(jobs)
	return jobs, above, below
}

// weight orders jobs by how much they matter: what is selected, went wrong, is waited for, runs, comes next, was.
func (p *pen) weight(i int) int {
	j := &p.f.Jobs[i]
	switch {
	case i == p.job:
		return 0
	case j.State == dag.Failed || j.State == dag.Killed:
		return 1
	case j.Critical && j.State == dag.Running:
		return 2
	case j.State == dag.Running:
		return 3
	case j.State == dag.Submitted:
		return 4
	case j.Critical:
		return 5
	case !j.State.Ended():
		return 6
	}
	return 7
}

// nearness orders jobs of one weight: what starts soonest, of what is over what ended last.
func (p *pen) nearness(i int) float64 {
	j := &p.f.Jobs[i]
	switch {
	case j.State.Ended() && j.EndSeconds != nil:
		return -float64(*j.EndSeconds)
	case j.SubmittedSeconds != nil:
		return float64(*j.SubmittedSeconds)
	}
	return math.Inf(1) // not known: last
}

// folded says what the jobs without a row are.
func (p *pen) folded(jobs []int) (above, below string) {
	var done, lost, running, others int
	for _, i := range jobs {
		switch st := p.f.Jobs[i].State; {
		case st == dag.Failed || st == dag.Killed:
			lost++
		case st.Ended():
			done++
		case st == dag.Running || st == dag.Submitted:
			running++
		default:
			others++
		}
	}
	return says([]count{{done, "done"}, {lost, "failed"}}), says([]count{{running, "running"}, {others, "to come"}})
}

type count struct {
	n    int
	what string
}

// says words counts: "940 more jobs done", "12 running, 31 to come".
func says(counts []count) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d more %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

// lanes draws the axis and the jobs on a number of rows.
func (p *pen) lanes(g gutter, rows int) []line {
	out := []line{p.axis(g)}
	if rows <= 1 {
		return out
	}
	jobs, above, below := p.shown(rows - 1)
	if above != "" {
		out = append(out, p.foldRow(g, above))
	}
	for _, i := range jobs {
		out = append(out, p.rowOf(g, i))
	}
	if below != "" {
		out = append(out, p.foldRow(g, below))
	}
	return out
}

// foldRow stands for jobs without a row; it goes over the lanes' columns, with the line of now through it.
func (p *pen) foldRow(g gutter, words string) line {
	l := text(plain, "   ").and(text(dim, p.own("… "+words+" "))).cut(p.s.Width, p.tail)
	t := p.track()
	p.through(t)
	if at := l.cells() - g.cells(); at < len(t) {
		return l.pad(g.cells()).and(t[max(0, at):].line())
	}
	return l
}
