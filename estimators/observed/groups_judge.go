package observed

import (
	"cmp"
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/runs"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// An arrival is a point of a task.
type arrival struct {
	task int
	*dag.GroupPoint
}

func (a *arrival) seconds() float64 { return a.Took.Seconds() * a.Count }

func (a *arrival) recordIn(job *nearestfit.Job) {
	job.Record(a.task, float64(a.At)/1000, a.Bytes, a.Took.Seconds(), a.Count)
}

// arrivals are the points of all reduces in the order in which they became visible.
func arrivals(g *dag.Groups) []arrival {
	each := make([][]arrival, len(g.Reduces))
	for i := range g.Reduces {
		done := g.Reduces[i].Done
		each[i] = make([]arrival, len(done))
		for k := range done {
			each[i][k] = arrival{i, &done[k]}
		}
	}
	return runs.Merge(each, func(a, b arrival) int { return cmp.Compare(a.At, b.At) })
}

// The looks that a job is judged by. The first is made when groups have taken firstLook seconds, each other when they
// have taken twice as many as at the one before: what is to come is as much again, and all looks cost little more than
// the last. Of a stretch between two looks at most stretchMost points are compared, and of many looks the newest
// looksMost are made.
const (
	firstLook   = 0.125
	looksMost   = 20
	stretchMost = 2000
)

// stretches cuts arrivals where looks are made: the indices of the first point of each.
func stretches(points []arrival) []int {
	cuts := []int{0}
	seconds, next := 0.0, firstLook
	for i := range points {
		if seconds >= next {
			cuts = append(cuts, i)
			for seconds >= next && !math.IsInf(next, 1) {
				next *= 2
			}
		}
		seconds += points[i].seconds()
	}
	if n := len(cuts) - 1 - looksMost; n > 0 {
		cuts = append(cuts[:1], cuts[1+n:]...)
	}
	return append(cuts, len(points))
}

// A judge records groups in a job, and predicts each stretch of them from what came before it.
type judge struct {
	job  *nearestfit.Job
	seen []spent // by task
	all  spent
	verdict
}

// spent is what was seen of groups.
type spent struct{ seconds, bytes float64 }

func (s *spent) add(d *dag.GroupPoint) {
	s.seconds += d.Took.Seconds() * d.Count
	s.bytes += d.Bytes * d.Count
}

func (s spent) alpha() float64 { return s.seconds / s.bytes } // NaN: nothing seen

// record feeds the points of n tasks. known says that the job has groups of an earlier run: then the first stretch is
// predicted too.
func (g *judge) record(points []arrival, n int, known bool) {
	g.seen = make([]spent, n)
	cuts := stretches(points)
	for c := 1; c < len(cuts); c++ {
		stretch := points[cuts[c-1]:cuts[c]]
		if c > 1 || known {
			g.compare(stretch, n)
		}
		for i := range stretch {
			p := &stretch[i]
			p.recordIn(g.job)
			g.seen[p.task].add(p.GroupPoint)
			g.all.add(p.GroupPoint)
		}
	}
}

// compare predicts points from what has been recorded.
func (g *judge) compare(points []arrival, n int) {
	p := g.job.Predict()
	batches := make([]batch, n)
	stride := len(points)/stretchMost + 1
	for i := 0; i < len(points); i += stride {
		a := &points[i]
		one, _ := p.Time(a.task, a.Bytes)
		own := g.seen[a.task].alpha()
		if math.IsNaN(own) {
			own = g.all.alpha()
		}
		batches[a.task].add(batch{
			a.Count, a.seconds(), one * a.Count, g.all.alpha() * a.Bytes * a.Count,
			own * a.Bytes * a.Count,
		})
	}
	g.count(batches)
}
