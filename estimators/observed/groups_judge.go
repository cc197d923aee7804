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

// A verdict is how far off two ways to predict were on groups that have ended: NearestFit, and the better one of the
// two linear models, time by bytes of the job or of the task. Groups are compared in batches, those of one task between
// two looks: what counts in the end is a sum of groups too. Times are seconds.
type verdict struct {
	took          float64 // of the groups that were predicted
	groups        float64 // how many these were
	batches       int
	nearest       float64 // sums of absolute errors
	byJob, byTask float64
	logs, weight  float64 // of squared logarithms of the errors of whole stretches
}

// What a verdict must rest on, and by how much NearestFit must be better than the linear model. Where the linear model
// is off by less than groupsWorth there is nothing to win. Bursts of counters are no key groups: they must win by more.
const (
	judgedLeast = 4 // seconds of groups
	// of judgedGroups groups at least, in few batches: one reduce may have no more before its first large key
	judgedSmall   = 2
	judgedGroups  = 200
	judgedBatches = 4
	groupsBetter  = 0.8
	groupsWorth   = 0.02
	countsLeast   = 15
	countsBetter  = 0.5
)

// settled says that there is evidence enough.
func (v *verdict) settled(counted bool) bool {
	switch {
	case counted:
		return v.took >= countsLeast && v.batches >= judgedBatches
	case v.groups >= judgedGroups:
		return v.took >= judgedSmall && v.batches >= 2
	}
	return v.took >= judgedLeast && v.batches >= judgedBatches
}

// better says that NearestFit is to be gone by.
func (v *verdict) better(counted bool) bool {
	ratio := groupsBetter
	if counted {
		ratio = countsBetter
	}
	return v.nearest < ratio*v.linear() && v.linear()-v.nearest > groupsWorth*v.took
}

// linear is the error of the better linear model.
func (v *verdict) linear() float64 { return min(v.byJob, v.byTask) }

// common is the standard deviation of the logarithm of what all tasks together took by what was predicted.
func (v *verdict) common() float64 {
	if v.weight == 0 {
		return profileSigma
	}
	return min(max(math.Sqrt(v.logs/v.weight), workSigma/2), wideSigma)
}

// A batch is what was predicted of groups, and what they took.
type batch struct{ groups, took, nearest, byJob, byTask float64 }

func (b *batch) add(o batch) {
	b.groups += o.groups
	b.took, b.nearest, b.byJob, b.byTask = b.took+o.took, b.nearest+o.nearest, b.byJob+o.byJob, b.byTask+o.byTask
}

// count takes in the batches of one stretch, by task.
func (v *verdict) count(batches []batch) {
	var all batch
	for _, b := range batches {
		all.add(b)
		if !(b.took > 0) || math.IsNaN(b.byJob) || math.IsNaN(b.nearest) {
			continue // none, or nothing was known of a byte
		}
		v.batches++
		v.took += b.took
		v.groups += b.groups
		v.nearest += math.Abs(b.nearest - b.took)
		v.byJob += math.Abs(b.byJob - b.took)
		v.byTask += math.Abs(b.byTask - b.took)
	}
	if all.took > 0 && all.nearest > 0 {
		off := math.Log(all.took / all.nearest)
		v.logs += all.took * off * off
		v.weight += all.took
	}
}
