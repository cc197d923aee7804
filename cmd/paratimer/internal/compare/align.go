package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/units"
)

// align matches the jobs of all runs, which are in order. Jobs of the last run come first, in its plan order; then
// jobs that it no longer has, by the newest run that had them. Stages are renamed to their names in that run.
func align(runs []*Run) ([]Row, error) {
	var rows []Row
	last := len(runs) - 1
	for at := last; at >= 0; at-- {
		r, taken := runs[at], map[int]bool{}
		for i := range rows {
			row := &rows[i]
			newest := runs[row.newest]
			jobs, _ := profiles.Align(newest.Plan, r.Plan)
			if j := jobs[row.index[row.newest]]; j >= 0 && !taken[j] {
				row.index[at], taken[j] = j, true
				r.Jobs[j].nameAs(&newest.Jobs[row.index[row.newest]])
			}
		}
		if at < last && len(taken) == 0 {
			return nil, fmt.Errorf("%s and %s have no job in common: they are runs of different scripts", r.From,
				runs[last].From)
		}
		for j := range r.Plan.Jobs {
			if job := &r.Plan.Jobs[j]; !taken[j] {
				row := Row{
					Node: job.Node, Name: frame.Text(job.Alias), newest: at,
					BeforeSeconds: unknown, OnPathSeconds: unknown,
				}
				if row.Name == nil && job.Name != job.Node {
					row.Name = frame.Text(job.Name)
				}
				row.index = slices.Repeat([]int{-1}, len(runs))
				row.index[at] = j
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// nameAs renames a job's stages to the names in another run. A stage that only this run has keeps its name, with a
// mark if the other run uses that name.
func (j *Job) nameAs(newest *Job) {
	pairs := profiles.Pair(newest.traits(), j.traits())
	names, used := make([]string, len(j.Phases)), map[string]bool{}
	j.doubtful = map[string][]int{}
	for k, l := range pairs.Of {
		name := newest.Phases[k].Name
		used[name], j.doubtful[name] = true, pairs.Doubtful[k]
		if l >= 0 {
			names[l] = name
		}
	}
	for l, name := range names {
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
	return units.Each(j.Phases, func(p Phase) profiles.Trait {
		t := profiles.Trait{Name: p.Name, Tasks: -1, Records: p.sum(recordsOf), Length: p.Median(), Reads: p.reads}
		if p.Tasks != nil {
			t.Tasks = float64(*p.Tasks)
		}
		return t
	})
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
