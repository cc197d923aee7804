package observed

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// current are a job's groups, of n reduces, as they count now. One more reduce is promised nothing: it has the groups of
// attempts that failed or were killed, which tell what groups cost, but nothing of how far a task is.
//
// While maps are left, keys still grow: sizes are scaled by how many maps have told theirs. A reduce whose size nobody has
// told yet is as large as its phase expects.
func (m *Model) current(j int, g *dag.Groups, n int) *dag.Groups {
	out := &dag.Groups{Origin: g.Origin, Maps: g.Maps, Reduces: make([]dag.ReduceGroups, n+1), Note: g.Note}
	grow := 1.0
	if maps := m.Snapshot.Plan.Jobs[j].Map.Count(); g.Maps > 0 && g.Maps < maps {
		grow = float64(maps) / float64(g.Maps)
	}
	ph := &m.phases[j][dag.Reduce]
	var lost []dag.GroupPoint
	for i := range n {
		r := dag.NoReduceGroups()
		if i < len(g.Reduces) {
			r = grown(g.Reduces[i], grow)
		}
		if math.IsNaN(r.Bytes) && !m.fifo {
			r.Bytes = ph.size(i)
			r.Implicit = r.Bytes
		}
		if !counts(m.Snapshot.Jobs[j].Reduce.Attempts, i, r.Attempt) {
			lost = append(lost, r.Done...)
			r.Done, r.Attempt = nil, -1
		}
		out.Reduces[i] = r
	}
	slices.SortStableFunc(lost, func(a, b dag.GroupPoint) int { return cmp.Compare(a.At, b.At) })
	out.Reduces[n] = dag.ReduceGroups{Attempt: -1, Done: lost}
	return out
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
	return r
}
