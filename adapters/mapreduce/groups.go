package mapreduce

import (
	"cmp"
	"math"
	"slices"
	"time"

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
	return min(mostGroupPoints, max(leastGroups, maxGroupPoints/max(1, j.total[dag.Reduce])))
}

// groups returns the job's key groups by its counters. It returns the same value as before if nothing has changed,
// and nil while counters show none. A reduce has bytes once it has read some: before that its shuffle counter is
// incomplete.
func (j *job) groups() *dag.Groups {
	p := &j.phases[dag.Reduce]
	if len(p.tasks.Changed()) == 0 || !j.known() {
		return j.grouped
	}
	reported := false
	g := &dag.Groups{Origin: dag.GroupsCounted, Reduces: make([]dag.ReduceGroups, j.total[dag.Reduce])}
	for i := range g.Reduces {
		g.Reduces[i] = dag.NoReduceGroups()
	}
	for i, t := range p.tasks.All() {
		if int(i) >= len(g.Reduces) {
			break
		}
		a, r := t.best(), &g.Reduces[i]
		if a == nil || !t.groups.begun || t.groups.attempt != a.Number || !(a.Done[dag.Work] > 0) {
			continue
		}
		reported = true
		r.Bytes, r.Implicit = a.Bytes, a.Bytes
		r.Attempt, r.Done = a.Number, slices.Clip(t.groups.done)
		records, since := t.groups.alone()
		r.OpenBytes, r.OpenSince = records*j.perRecord, since
	}
	if reported || j.grouped != nil {
		j.grouped = g
	}
	return j.grouped
}

// halve joins points of similar sizes in pairs and keeps the later instant. Groups, bytes and time are conserved.
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

// A groupCount derives the key groups of a reduce from its counters.
//
// REDUCE_INPUT_GROUPS counts groups that were begun, REDUCE_INPUT_RECORDS the records that were read. The groups
// that begin between two reports are a burst, of groups of one size. A burst is over once further groups begin.
// Until then its time grows. If records are still read, the time is its last group's alone. If none are, it is that
// of all its groups, because a program that reads ahead (a bag of Pig's, the pipe of Streaming) may be in any of
// them. So a reducer that has read all its input by one report is one burst, at its end: counters show no more.
type groupCount struct {
	attempt  int32 // number of the attempt that reports
	begun    bool
	complete bool
	at       dag.Instant // of the newest report
	sum      float64     // sum of all its counters
	groups   float64     // in that report
	records  float64
	open     burst       // not yet over
	since    dag.Instant // when it began
	last     burst       // the part of open that its last group alone has taken
	done     []dag.GroupPoint
}

// A burst is a number of groups, the records read from them, and the time that took.
type burst struct {
	groups, records float64
	took            time.Duration
}

// count processes a report about attempt a, made at an instant. bytes is the size of a record. final means that the
// attempt is over. At most limit points are kept.
func (g *groupCount) count(a *dag.Attempt, c *mrjob.Counts, bytes float64, final bool, at dag.Instant, limit int) {
	if a.Number != g.attempt || !g.begun {
		*g = groupCount{attempt: a.Number, begun: true, at: dag.NoInstant}
	}
	if g.complete || !(c.Groups > 0) || !(c.ReduceIn >= 0) || !(bytes > 0) {
		return
	}
	if final {
		at = a.End
	}
	if !g.at.Known() {
		if !a.SortEnd.Known() || !at.Known() {
			return
		}
		g.at = a.SortEnd
	}
	if final && at < g.at {
		g.rewind(at)
	}
	// A task reports every few seconds, and is polled more often: an unchanged response shows nothing about the
	// time since.
	if c.Sum == g.sum && !final || at < g.at {
		return
	}
	now := burst{c.Groups - g.groups, c.ReduceIn - g.records, at.Sub(g.at)}
	g.at, g.sum, g.groups, g.records = at, c.Sum, c.Groups, c.ReduceIn
	if now.groups < 0 || now.records < 0 {
		g.open, g.last = burst{}, burst{} // a counter went back: the open burst is unknown
		return
	}
	g.advance(now, bytes, limit)
	if final {
		g.complete = true
		g.end(at, bytes, limit)
	}
}

// rewind takes back the time that the open burst was given beyond an instant. A report may be seen a moment after
// the end of its attempt, which the cluster reports exactly.
func (g *groupCount) rewind(at dag.Instant) {
	early := g.at.Sub(at)
	for _, took := range []*time.Duration{&g.last.took, &g.open.took} {
		less := min(early, *took)
		*took -= less
		early -= less
	}
	g.at = at
}

// advance adds what was counted in the interval that ends with the newest report.
func (g *groupCount) advance(now burst, bytes float64, limit int) {
	switch {
	case now.groups > 0:
		if g.open.groups > 0 {
			// The group that was open ended somewhere in this interval.
			share := 1 / (now.groups + 1)
			rest := burst{took: time.Duration(float64(now.took) * share)}
			if g.last.records > 0 {
				rest.records = now.records * share
			}
			g.last.took += rest.took
			g.last.records += rest.records
			now.took -= rest.took
			g.end(g.at.Add(-now.took), bytes, limit)
			now.records -= rest.records
		}
		g.open, g.since = now, g.at.Add(-now.took)
	case g.open.groups == 0: // begun before the first poll
	case now.records > 0 || g.last.records > 0:
		g.last.took += now.took
		g.last.records += now.records
	default:
		g.open.took += now.took
	}
}

// end makes points of the open burst.
func (g *groupCount) end(at dag.Instant, bytes float64, limit int) {
	b, last := g.open, g.last
	g.open, g.last = burst{}, burst{}
	if b.groups <= 0 {
		return
	}
	mean := burst{1, b.records / b.groups, time.Duration(float64(b.took) / b.groups)}
	if last.records > 0 {
		b.groups--
		g.add(dag.GroupPoint{
			At: at, Bytes: (mean.records + last.records) * bytes, Took: mean.took + last.took,
			Count: 1,
		}, limit)
	} else {
		mean.took += time.Duration(float64(last.took) / b.groups)
	}
	if b.groups > 0 {
		g.add(dag.GroupPoint{At: at, Bytes: mean.records * bytes, Took: mean.took, Count: b.groups}, limit)
	}
}

// alone returns the records of the open group and its start, if it is the only open group; else NaN and no instant.
func (g *groupCount) alone() (records float64, since dag.Instant) {
	if g.open.groups != 1 {
		return math.NaN(), dag.NoInstant
	}
	return g.open.records + g.last.records, g.since
}

func (g *groupCount) add(p dag.GroupPoint, limit int) {
	if len(g.done) >= limit {
		g.done = halve(g.done)
	}
	g.done = append(g.done, p)
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
	for _, t := range j.phases[dag.Map].tasks.All() {
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
