package mapreduce

import (
	"math"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// Bounds of the points of key groups that are kept for a job, and for each of its reduces.
const (
	maxGroupPoints  = 1 << 16
	mostGroupPoints = 1024
	leastGroups     = 16
)

// groupPoints returns how many points are kept for each reduce.
func (j *job) groupPoints() int {
	return min(mostGroupPoints, max(leastGroups, maxGroupPoints/max(1, j.total(dag.Reduce))))
}

// groups returns the job's key groups by its counters. It returns the same value as before if nothing has changed,
// and nil while counters show none. A reduce has bytes once it has read some: before that its shuffle counter is
// incomplete.
func (j *job) groups() *dag.Groups {
	tasks := &j.tasks[dag.Reduce]
	if len(tasks.Changed()) == 0 || !j.known() {
		return j.grouped
	}
	reported := false
	g := &dag.Groups{Origin: dag.GroupsCounted, Reduces: make([]dag.ReduceGroups, j.total(dag.Reduce))}
	for i := range g.Reduces {
		g.Reduces[i] = dag.NoReduceGroups()
	}
	for i, t := range tasks.All() {
		if int(i) >= len(g.Reduces) {
			break
		}
		a, r := t.best(), &g.Reduces[i]
		if a == nil || !t.groups.Counts(a.Number) || !(a.Done[dag.Work] > 0) {
			continue
		}
		reported = true
		r.Bytes, r.Implicit = a.Bytes, a.Bytes
		r.Attempt, r.Done = a.Number, t.groups.Points()
		records, since := t.groups.Open()
		r.OpenBytes, r.OpenSince = records*j.perRecord, since
	}
	if reported || j.grouped != nil {
		j.grouped = g
	}
	return j.grouped
}

// An output is the part of a map's output that reduces read.
type output struct {
	bytes, records float64
}

func outputOf(c *mrjob.Counts) output {
	o := output{c.MapOutBytes, c.MapOut}
	if c.CombineOut > 0 {
		o.records = c.CombineOut
	}
	// A combiner runs again when spills are merged. What it reads beyond the map's records is its own earlier
	// output, which was counted before.
	if again := c.CombineIn - c.MapOut; again > 0 && again < o.records {
		o.records -= again
	}
	return o
}

// recordBytes returns the bytes per shuffled record, from what the maps wrote. If no map is known, it uses the part
// of its input that a reduce has read. The value is computed once, so that compared groups are measured alike. NaN:
// unknown.
func (j *job) recordBytes(a *dag.Attempt) float64 {
	if !math.IsNaN(j.perRecord) {
		return j.perRecord
	}
	if !(a.Done[dag.Work] > 0) {
		return math.NaN()
	}
	var all output
	for _, t := range j.tasks[dag.Map].All() {
		if t.out.bytes > 0 && t.out.records > 0 {
			all.bytes += t.out.bytes
			all.records += t.out.records
		}
	}
	j.perRecord = all.bytes / all.records
	if read := 3*a.Ratio - 2; math.IsNaN(j.perRecord) && read > 0 && a.Bytes > 0 {
		j.perRecord = a.Bytes * read / a.Done[dag.Work]
	}
	return j.perRecord
}
