package hadoop

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// The bounds of what is kept of key groups, a job and a reduce of it.
const (
	maxGroupPoints  = 1 << 16
	mostGroupPoints = 1024
	leastGroups     = 16
)

// groupPoints is how many points of each reduce are kept.
func (j *job) groupPoints() int {
	return min(mostGroupPoints, max(leastGroups, maxGroupPoints/max(1, j.total[dag.Reduce])))
}

// groups is what counters tell of the job's key groups, the same value as before where nothing has changed; nil while they
// tell nothing. A reduce has bytes once it has read some: before, its shuffle's counter is not complete.
func (j *job) groups() *dag.Groups {
	p := &j.phases[dag.Reduce]
	if !p.dirty || !j.known {
		return j.grouped
	}
	told := false
	g := &dag.Groups{Origin: dag.GroupsCounted, Reduces: make([]dag.ReduceGroups, j.total[dag.Reduce])}
	for i := range g.Reduces {
		r := &g.Reduces[i]
		*r = dag.NoReduceGroups()
		t := p.tasks[int32(i)] //nolint:gosec // bounded by maxTasks
		if t == nil {
			continue
		}
		a := t.best()
		if a == nil || !t.groups.begun || t.groups.attempt != a.Number || !(a.Done[dag.Work] > 0) {
			continue
		}
		told = true
		r.Bytes, r.Implicit = a.Bytes, a.Bytes
		r.Attempt, r.Done = a.Number, slices.Clip(t.groups.done)
		records, since := t.groups.alone()
		r.OpenBytes, r.OpenSince = records*j.perRecord, since
	}
	if told || j.grouped != nil {
		j.grouped = g
	}
	return j.grouped
}

// halve joins points of near sizes by twos; of two the later instant stands. Groups, bytes and time are conserved.
func halve(points []dag.GroupPoint) []dag.GroupPoint {
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b dag.GroupPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
	out := points[:0]
	for i, p := range points {
		if i%2 == 0 {
			out = append(out, p)
			continue
		}
		q := &out[len(out)-1]
		share := p.Count / (q.Count + p.Count)
		q.Bytes += (p.Bytes - q.Bytes) * share
		q.Took += time.Duration(float64(p.Took-q.Took) * share)
		q.Count += p.Count
		q.At = max(q.At, p.At)
	}
	slices.SortStableFunc(out, func(a, b dag.GroupPoint) int { return cmp.Compare(a.At, b.At) })
	return out
}
