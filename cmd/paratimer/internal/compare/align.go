package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// align matches the jobs of all runs, which are in order. Jobs of the last run come first, in its plan order; then
// jobs that it no longer has, by the newest run that had them.
func align(runs []*Run) ([]Row, error) {
	var rows []Row
	for at := len(runs) - 1; at >= 0; at-- {
		r := runs[at]
		taken := make([]bool, len(r.Plan.Jobs))
		if at < len(runs)-1 {
			known := false
			for i := range rows {
				j := rows[i].find(runs, at)
				if j >= 0 && !taken[j] {
					rows[i].index[at], taken[j], known = j, true, true
				}
			}
			if !known {
				return nil, fmt.Errorf("%s and %s have no job in common: they are runs of different scripts", r.From,
					runs[len(runs)-1].From)
			}
		}
		for j := range r.Plan.Jobs {
			if !taken[j] {
				rows = append(rows, newRow(r, at, j, len(runs)))
			}
		}
	}
	return rows, nil
}

func newRow(r *Run, at, j, runs int) Row {
	job := &r.Plan.Jobs[j]
	row := Row{Node: job.Node, Name: frame.Text(job.Alias), index: slices.Repeat([]int{-1}, runs)}
	if row.Name == nil && job.Name != job.Node {
		row.Name = frame.Text(job.Name)
	}
	row.index[at] = j
	return row
}

// find returns the index of the row's job in an older run, by comparison with the newest run that has the job; -1
// if none.
func (row *Row) find(runs []*Run, at int) int {
	for by := len(runs) - 1; by > at; by-- {
		if row.index[by] >= 0 {
			jobs, _ := profiles.Align(runs[by].Plan, runs[at].Plan)
			return jobs[row.index[by]]
		}
	}
	return -1
}

// pairStages renames the stages of earlier runs to the names in the newest run that has the job.
func (c *Comparison) pairStages() {
	for i := range c.Jobs {
		var newest *Job
		for at := len(c.Runs) - 1; at >= 0; at-- {
			j := c.Jobs[i].index[at]
			switch {
			case j < 0:
			case newest == nil:
				newest = &c.Runs[at].Jobs[j]
			default:
				c.Runs[at].Jobs[j].nameAs(newest)
			}
		}
	}
}

// nameAs renames a job's stages to the names in another run. A stage that only this run has keeps its name, with a
// mark if the other run uses that name.
func (j *Job) nameAs(newest *Job) {
	pairs := profiles.Pair(newest.traits(), j.traits())
	names := make([]string, len(j.Phases))
	used := map[string]bool{}
	for k, l := range pairs.Of {
		used[newest.Phases[k].Name] = true
		if l >= 0 {
			names[l] = newest.Phases[k].Name
		}
	}
	j.doubtful = make(map[string][]int)
	for k, others := range pairs.Doubtful {
		j.doubtful[newest.Phases[k].Name] = others
	}
	for l := range j.Phases {
		name := names[l]
		if name == "" {
			for name = j.Phases[l].Name; used[name]; {
				name += "'"
			}
			used[name] = true
		}
		j.Phases[l].Name = name
	}
}

func (j *Job) traits() []profiles.Trait {
	all := make([]profiles.Trait, len(j.Phases))
	for k := range j.Phases {
		p := &j.Phases[k]
		all[k] = profiles.Trait{
			Name: p.Name, Tasks: float64(p.Tasks), Records: p.sum(recordsOf), Length: p.Median(), Reads: p.reads,
		}
	}
	return all
}

// nearest returns the phase with the most similar task length: phase l, or one of those that may also match the
// newest run's phase.
func (j *Job) nearest(now *Phase, l dag.StageIndex) *Phase {
	far := func(p *Phase) float64 { return math.Abs(math.Log(p.Median() / now.Median())) }
	best := &j.Phases[l]
	for _, other := range j.doubtful[now.Name] {
		if p := &j.Phases[other]; far(p) < far(best) {
			best = p
		}
	}
	return best
}
