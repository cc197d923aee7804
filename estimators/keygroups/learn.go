package keygroups

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// Limits of a stage in a profile: about 50 KB, with 20 bytes for a point.
const (
	learnedTasks  = 5000 // a stage with more tasks is not kept
	learnedPoints = 1000 // of points, of names, and of sizes, or two sizes for each task if that is more
)

// Learn returns the key groups of a stage for its profile: for each task the sizes of its groups and, of a succeeded
// attempt, their times. If there are too many, small groups are joined; large ones, which take most of the time, stay
// exact. It returns nil if nothing is known, or if the stage has too many tasks.
func Learn(g *dag.Groups, attempts []dag.Attempt, tasks, feeders int) *dag.Groups {
	if !g.Known() || tasks == 0 || tasks > learnedTasks {
		return nil
	}
	out := &dag.Groups{Origin: g.Origin, Maps: g.Maps, Note: g.Note, Reduces: make([]dag.ReduceGroups, tasks)}
	sizes, points := make([][]dag.GroupPoint, tasks), make([][]dag.GroupPoint, tasks)
	seen := 0
	for i := range out.Reduces {
		out.Reduces[i] = dag.NoReduceGroups()
		if i >= len(g.Reduces) {
			continue
		}
		r := &g.Reduces[i]
		if slices.ContainsFunc(dag.AttemptsOf(attempts, i), func(a dag.Attempt) bool {
			return a.Number == r.Attempt && a.State == dag.AttemptSucceeded
		}) {
			points[i] = bySize(r.Done)
		}
		out.Reduces[i], sizes[i] = learnTask(r, points[i], g.Maps >= feeders)
		seen += len(sizes[i]) + len(points[i])
	}
	if seen == 0 {
		return nil
	}
	bound(sizes, max(learnedPoints, 2*tasks), true)
	bound(points, learnedPoints, false)
	for i := range out.Reduces {
		r := &out.Reduces[i]
		for _, p := range sizes[i] {
			r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: p.Bytes, Count: p.Count})
		}
		for _, p := range points[i] {
			p.Bytes, p.Took = profiles.Round(p.Bytes), time.Duration(profiles.Round(float64(p.Took)))
			r.Done = append(r.Done, p)
		}
	}
	boundNames(out)
	return out
}

// learnTask returns what a profile keeps of a task, without points, and the sizes of its groups: those of the finished
// groups if these have nearly all of the bytes (a report may be lost), else those that the feeders reported if all
// have.
func learnTask(r *dag.ReduceGroups, done []dag.GroupPoint, complete bool) (dag.ReduceGroups, []dag.GroupPoint) {
	out, bytes := dag.NoReduceGroups(), bytesOf(done)
	sizes, reported := done, complete && finite(r.Bytes)
	switch {
	case len(done) > 0 && !(reported && bytes < (1-taskcost.NotableRatio)*r.Bytes):
		out.Bytes, out.Implicit = bytes, 0
	case reported:
		sizes = nil
		for _, s := range r.Explicit {
			sizes = append(sizes, dag.GroupPoint{Bytes: s.Bytes, Count: s.Count})
		}
		sizes = bySize(sizes)
		out.Bytes, out.Implicit = r.Bytes, max(r.Bytes-bytesOf(sizes), 0)
	default:
		return out, nil
	}
	for _, k := range r.Top[:min(len(r.Top), dag.MaxTopGroups)] {
		if finite(k.Bytes) && len(k.Key) <= dag.MaxKeyLength {
			out.Top = append(out.Top, k)
		}
	}
	return out, sizes
}

// finite reports whether v is a valid size.
func finite(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

// bySize returns the valid points by size, without instants. Points of one size are joined.
func bySize(points []dag.GroupPoint) []dag.GroupPoint {
	out := slices.Clone(points)
	slices.SortStableFunc(out, func(a, b dag.GroupPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
	n := 0
	for _, p := range out {
		p.At = dag.NoInstant
		switch {
		case !(finite(p.Bytes) && p.Took >= 0 && p.Count > 0) || math.IsInf(p.Count, 1):
		case n > 0 && out[n-1].Bytes == p.Bytes:
			join(&out[n-1], &p)
		default:
			out[n] = p
			n++
		}
	}
	return out[:n]
}

func bytesOf(points []dag.GroupPoint) float64 {
	sum := 0.0
	for _, p := range points {
		sum += p.Bytes * p.Count
	}
	return sum
}

// join adds the groups of p to q. The sums of bytes and of time stay the same.
func join(q, p *dag.GroupPoint) {
	share := p.Count / (q.Count + p.Count)
	q.Bytes += (p.Bytes - q.Bytes) * share
	q.Took += time.Duration(float64(p.Took-q.Took) * share)
	q.Count += p.Count
}

// A piece is a point and its task. A size is a point without time.
type piece struct {
	task int
	dag.GroupPoint
}

// bound joins points until all lists together have at most most. The most/2 largest stay as they are; the others are
// joined in pairs of about the same size. If apart is set, both points of a pair are from one task, and most must be
// at least two for each task.
func bound(lists [][]dag.GroupPoint, most int, apart bool) {
	var all []piece
	for i, list := range lists {
		for _, p := range list {
			all = append(all, piece{i, p})
		}
	}
	if len(all) <= most {
		return
	}
	slices.SortStableFunc(all, func(a, b piece) int { return cmp.Compare(b.Bytes, a.Bytes) })
	large, small := all[:most/2:most/2], all[most/2:]
	if apart {
		slices.SortStableFunc(small, func(a, b piece) int { return cmp.Compare(a.task, b.task) })
	}
	for len(large)+len(small) > most {
		small = halve(small, apart)
	}
	clear(lists)
	for _, p := range append(large, small...) {
		lists[p.task] = append(lists[p.task], p.GroupPoint)
	}
	for i := range lists {
		lists[i] = bySize(lists[i]) // rounded sizes may be equal
	}
}

// halve joins pieces in pairs and rounds their sizes as profiles do.
func halve(pieces []piece, apart bool) []piece {
	n, single := 0, false // single: the last kept piece is not joined yet
	for _, p := range pieces {
		if single = single && (!apart || pieces[n-1].task == p.task); single {
			q := &pieces[n-1].GroupPoint
			join(q, &p.GroupPoint)
			q.Bytes, single = profiles.Round(q.Bytes), false
			continue
		}
		pieces[n], single = p, true
		n++
	}
	return pieces[:n]
}

// boundNames removes the names of all but the learnedPoints largest groups.
func boundNames(g *dag.Groups) {
	var all []float64
	for i := range g.Reduces {
		for _, k := range g.Reduces[i].Top {
			all = append(all, k.Bytes)
		}
	}
	if len(all) <= learnedPoints {
		return
	}
	slices.Sort(all)
	small := all[len(all)-learnedPoints-1]
	for i := range g.Reduces {
		top := &g.Reduces[i].Top
		*top = slices.DeleteFunc(*top, func(k dag.KeyGroup) bool { return k.Bytes <= small })
	}
}
