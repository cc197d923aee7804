package keygroups

import (
	"math"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// Three models predict each finished group from the groups before it: nearestfit, the seconds a byte of the whole
// stage, and the seconds a byte of the task. The model with the smallest errors predicts the remaining groups.

// A verdict is the errors of the three models, in seconds. An error is that of a batch: the sum over the groups of one
// task in one part (see parts). Errors of single groups would partly cancel in the predicted sums.
type verdict struct {
	took, groups  float64 // time and number of the groups that were predicted
	batches       int
	nearest       float64 // sums of absolute errors
	byJob, byTask float64
	logs, weight  float64 // squared logarithms of took/nearest of whole parts, weighted by took, and the weights
}

const (
	// settled is the number of seconds, and of batches, that a verdict needs. Half is enough with manyGroups groups: a
	// task may have no more before its first large key.
	settled    = 4
	manyGroups = 200
	// better is the largest error of nearestfit, as a part of that by bytes, with which it is used.
	better = 0.8
)

// settled reports whether the verdict has enough groups, with all limits multiplied by times.
func (v *verdict) settled(times float64) bool {
	seconds, batches := times*settled, settled
	if v.groups >= manyGroups {
		seconds, batches = seconds/2, batches/2
	}
	return v.took >= seconds && v.batches >= batches
}

// better reports whether nearestfit predicts clearly better than bytes.
func (v *verdict) better() bool {
	return v.nearest < better*v.linear() && v.linear()-v.nearest > taskcost.NotableRatio*v.took
}

// linear returns the smaller error by bytes.
func (v *verdict) linear() float64 { return min(v.byJob, v.byTask) }

// common returns Work.Common: the standard deviation of the logarithm of the actual over the predicted time of parts.
func (v *verdict) common() float64 {
	if v.weight == 0 {
		return unjudged
	}
	return max(math.Sqrt(v.logs/v.weight), LeastSpread)
}

// firstPart is the time of the groups in the first part, in seconds. It is short, since the first key is often large.
const firstPart = settled / 32.

// parts divides points into parts. Each part is predicted from all parts before it. The result is the index of the
// first point of each part, then the number of points. A part ends when the sum of times reaches firstPart,
// 2 firstPart, 4 firstPart and so on. So there are few parts, and all predictions together cost about twice as much as
// the last one.
func parts(points []nearestfit.Arrival) []int {
	cuts := []int{0}
	taken, next := 0.0, firstPart
	for i, a := range points {
		if taken >= next {
			cuts = append(cuts, i)
			for taken >= next && !math.IsInf(next, 1) {
				next *= 2
			}
		}
		taken += a.Took.Seconds() * a.Count
	}
	return append(cuts, len(points))
}

// judge returns the verdict on the points of n tasks. The curve's points are known before all others, as points of the
// last task.
func judge(points []nearestfit.Arrival, n int, curve []dag.GroupPoint, params nearestfit.Params) verdict {
	w := newWitness(n, params)
	for i := range curve {
		w.job.Add(n-1, &curve[i])
	}
	var v verdict
	cuts := parts(points)
	for c := 1; c < len(cuts); c++ {
		part := points[cuts[c-1]:cuts[c]]
		v.compare(w, part)
		for _, a := range part {
			w.add(a)
		}
	}
	return v
}

// folds is the number of parts that a profile's groups are divided into.
const folds = 8

// crossJudge returns the verdict on the groups of a profile, which has no order of time: it divides the tasks into
// folds and predicts each from all others. If there are few tasks, it divides the points of each task.
func crossJudge(g *dag.Groups, params nearestfit.Params) verdict {
	var v verdict
	for f := range folds {
		w := newWitness(1, params)
		var part []nearestfit.Arrival
		for i := range g.Reduces {
			for k := range g.Reduces[i].Done {
				at, a := i, nearestfit.Arrival{GroupPoint: &g.Reduces[i].Done[k]}
				if len(g.Reduces) < settled {
					at = k
				}
				if at%folds == f {
					part = append(part, a)
				} else {
					w.add(a)
				}
			}
		}
		v.compare(w, part)
	}
	return v
}

// A witness has the groups that predictions are computed from, for all three models.
type witness struct {
	job   *nearestfit.Job
	tasks []rate
	all   rate
}

func newWitness(tasks int, params nearestfit.Params) *witness {
	return &witness{job: nearestfit.New(make([]nearestfit.Task, tasks), params), tasks: make([]rate, tasks)}
}

func (w *witness) add(a nearestfit.Arrival) {
	w.job.Add(a.Task, a.GroupPoint)
	w.tasks[a.Task].add(a)
	w.all.add(a)
}

// A rate is seconds a byte.
type rate struct{ seconds, bytes float64 }

func (r *rate) add(a nearestfit.Arrival) {
	r.seconds += a.Took.Seconds() * a.Count
	r.bytes += a.Bytes * a.Count
}

func (r rate) alpha() float64 { return r.seconds / r.bytes } // NaN: there is none

// compare predicts the points of a part, at most about learnedPoints of them, and adds the errors to the verdict.
func (v *verdict) compare(w *witness, points []nearestfit.Arrival) {
	type batch struct{ groups, took, nearest, byJob, byTask float64 }
	batches := make([]batch, len(w.tasks))
	p, all := w.job.Predict(), w.all.alpha()
	stride := len(points)/learnedPoints + 1
	for i := 0; i < len(points); i += stride {
		a := &points[i]
		one, _ := p.Time(a.Task, a.Bytes)
		own := w.tasks[a.Task].alpha()
		if math.IsNaN(own) {
			own = all
		}
		b := &batches[a.Task]
		b.groups += a.Count
		b.took += a.Took.Seconds() * a.Count
		b.nearest += one * a.Count
		b.byJob += all * a.Bytes * a.Count
		b.byTask += own * a.Bytes * a.Count
	}
	took, nearest := 0.0, 0.0
	for _, b := range batches {
		took, nearest = took+b.took, nearest+b.nearest
		if !(b.took > 0) || math.IsNaN(b.byJob) || math.IsNaN(b.nearest) {
			continue // no groups, or no rate is known
		}
		v.took += b.took
		v.groups += b.groups
		v.batches++
		v.nearest += math.Abs(b.nearest - b.took)
		v.byJob += math.Abs(b.byJob - b.took)
		v.byTask += math.Abs(b.byTask - b.took)
	}
	if took > 0 && nearest > 0 {
		off := math.Log(took / nearest)
		v.logs += took * off * off
		v.weight += took
	}
}
