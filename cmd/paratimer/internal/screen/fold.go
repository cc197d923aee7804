package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A fold is a row for jobs without a row of their own.
type fold struct {
	words string
	jobs  []int
}

// shown returns the jobs that get a lane, in plan order, if there are fewer rows than jobs. The others are folded:
// ended ones above, the rest below.
func (p *pen) shown(rows int) (jobs []int, above, below fold) {
	all := make([]int, len(p.f.Jobs))
	for i := range all {
		all[i] = i
	}
	if len(all) <= rows {
		return all, fold{}, fold{}
	}
	next := p.next()
	weight := func(i int) int {
		if slices.Contains(next, i) {
			return min(p.weight(i), nextWeight)
		}
		return p.weight(i)
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(p.nearness(a), p.nearness(b)), cmp.Compare(a, b))
	})
	for n := rows; n >= 0; n-- {
		above, below = p.folded(all[n:])
		if used := n + min(1, len(above.jobs)) + min(1, len(below.jobs)); used <= rows || n == 0 {
			jobs = slices.Clone(all[:n])
			break
		}
	}
	slices.Sort(jobs)
	return jobs, above, below
}

// nextWeight is the weight of the next job and of the next critical job: before running jobs that are not critical.
const nextWeight = 3

// next returns those two jobs.
func (p *pen) next() []int {
	var out []int
	for _, critical := range []bool{true, false} {
		best := -1
		for i := range p.f.Jobs {
			j := &p.f.Jobs[i]
			if j.State == dag.Blocked && (j.Critical || !critical) && (best < 0 || p.nearness(i) < p.nearness(best)) {
				best = i
			}
		}
		if best >= 0 {
			out = append(out, best)
		}
	}
	return out
}

// weight ranks jobs by importance: selected, failed, running and critical, next, running, later, ended.
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
		return nextWeight + 1
	case j.State == dag.Submitted:
		return nextWeight + 2
	case j.Critical:
		return nextWeight + 3
	case !j.State.Ended():
		return nextWeight + 4
	}
	return nextWeight + 5
}

// nearness orders jobs of one weight: those that start soonest, and of ended ones those that ended last.
func (p *pen) nearness(i int) float64 {
	j := &p.f.Jobs[i]
	switch {
	case j.State.Ended() && j.EndSeconds != nil:
		return -float64(*j.EndSeconds)
	case j.SubmittedSeconds != nil:
		return float64(*j.SubmittedSeconds)
	}
	return math.Inf(1) // unknown: last
}

// folded counts the jobs without a row by state.
func (p *pen) folded(jobs []int) (above, below fold) {
	var done, lost, running, others int
	for _, i := range jobs {
		st := p.f.Jobs[i].State
		if st.Ended() {
			above.jobs = append(above.jobs, i)
		} else {
			below.jobs = append(below.jobs, i)
		}
		switch {
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
	above.words = says([]count{{done, "done"}, {lost, "failed"}})
	below.words = says([]count{{running, "running"}, {others, "to come"}})
	return above, below
}

type count struct {
	n    int
	what string
}

// says formats counts: "940 more done", "12 more running, 31 more to come".
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
	if len(above.jobs) > 0 {
		out = append(out, p.foldRow(g, above))
	}
	for _, i := range jobs {
		out = append(out, p.rowOf(g, i))
	}
	if len(below.jobs) > 0 {
		out = append(out, p.foldRow(g, below))
	}
	return append(out, p.stageRows(g, rows-len(out))...)
}

// foldRow draws the row of a fold: how many jobs it has and, along time, how many of them are at work.
func (p *pen) foldRow(g gutter, f fold) line {
	l := text(plain, "   ").and(text(dim, p.own("… "+f.words+" "))).cut(p.s.Width, p.tail)
	t := p.track()
	work := make([]int, len(t)+1)
	for _, i := range f.jobs {
		j := &p.f.Jobs[i]
		if j.SubmittedSeconds != nil && j.EndSeconds != nil {
			a, b := p.cols(*j.SubmittedSeconds, *j.EndSeconds)
			work[a]++
			work[b+1]--
		}
	}
	for c := 1; c < len(work); c++ {
		work[c] += work[c-1]
	}
	tall := slices.Max(work)
	for c := range t {
		if work[c] > 0 {
			t[c] = cell{p.g.steps[(work[c]-1)*len(p.g.steps)/max(1, tall)], dim}
		}
	}
	p.through(t)
	if at := l.cells() - g.cells(); at < len(t) {
		return l.pad(g.cells()).and(t[max(0, at):].line())
	}
	return l
}
