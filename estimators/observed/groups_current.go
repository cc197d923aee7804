package observed

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// current are a job's groups, of n reduces, as they count now. One more reduce is promised nothing: it has the groups
// of attempts that failed or were killed, which tell what groups cost, but nothing of how far a task is.
//
// While maps are left, keys still grow: sizes are scaled by how many maps have told theirs.
func (m *Model) current(j int, g *dag.Groups, n int) *dag.Groups {
	out := &dag.Groups{Origin: g.Origin, Maps: g.Maps, Reduces: make([]dag.ReduceGroups, n+1), Note: g.Note}
	grow := 1.0
	if maps := m.Snapshot.Plan.Jobs[j].Stages[dag.Map].Count(); g.Maps > 0 && g.Maps < maps {
		grow = float64(maps) / float64(g.Maps)
	}
	var lost []dag.GroupPoint
	for i := range n {
		r := dag.NoReduceGroups()
		if i < len(g.Reduces) {
			r = grown(g.Reduces[i], grow)
		}
		if !counts(m.Snapshot.Jobs[j].Stages[dag.Reduce].Attempts, i, r.Attempt) {
			lost = append(lost, r.Done...)
			r.Done, r.Attempt = nil, -1
		}
		out.Reduces[i] = r
	}
	slices.SortStableFunc(lost, func(a, b dag.GroupPoint) int { return cmp.Compare(a.At, b.At) })
	out.Reduces[n] = dag.ReduceGroups{Attempt: -1, Done: lost}
	return out
}

// expect gives reduces whose keys nobody has told those that an earlier run had, scaled as this run is larger, or bytes
// alone. A tap around reduces alone, as in Pig's STREAM, tells no keys: its bytes are what counters say.
func (g *jobGroups) expect(r []dag.ReduceGroups, scaled *dag.Groups) {
	for i := range min(g.n, len(r)) {
		reported := g.shown.Maps > 0 || len(r[i].Explicit) > 0
		switch {
		case !math.IsNaN(r[i].Bytes) && (reported || scaled == nil):
		case scaled != nil:
			was := &scaled.Reduces[i]
			r[i].Bytes, r[i].Implicit, r[i].Explicit, r[i].Top = was.Bytes, was.Implicit, was.Explicit, was.Top
		case !g.m.fifo:
			r[i].Bytes = g.m.phases[g.job][dag.Reduce].size(i)
			r[i].Implicit = r[i].Bytes
		}
	}
}

// counts says whether an attempt of a task runs or has succeeded.
func counts(attempts []dag.Attempt, task int, number int32) bool {
	for i := find(attempts, int32(task)); i < len(attempts) && attempts[i].Task == int32(task); i++ {
		if a := &attempts[i]; a.Number == number && (a.State == dag.AttemptRunning || a.State == dag.AttemptSucceeded) {
			return true
		}
	}
	return false
}

// grown are groups whose sizes are f times what was told of them.
func grown(r dag.ReduceGroups, f float64) dag.ReduceGroups {
	if f == 1 {
		return r
	}
	r.Bytes *= f
	r.Implicit *= f
	r.Explicit = slices.Clone(r.Explicit)
	for i := range r.Explicit {
		r.Explicit[i].Bytes *= f
	}
	r.Top = slices.Clone(r.Top)
	for i := range r.Top {
		r.Top[i].Bytes *= f
	}
	return r
}
