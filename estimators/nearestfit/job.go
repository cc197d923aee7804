package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// A Task is what the maps promise one reduce task.
type Task struct {
	Explicit []dag.GroupSize // groups whose sizes are known one by one
	Implicit float64         // bytes of all other groups
	Bytes    float64         // of all groups
}

// A Job is what is known of the groups of one job's reduces. It is not safe for concurrent use.
//
// Its memory is bounded whatever it is told: maxPoints points in the profiles of all tasks together, each task at most
// maxTaskPoints, the job's own at most maxJobPoints, half of it again for the histograms of implicit sizes. Beyond, points
// of one size become one and then those of near sizes, so that counts, bytes and time are conserved. To that comes what the
// maps promised.
type Job struct {
	params Params
	tasks  []task
	all    measured
	speed  speed
}

// The bounds. A point takes about 100 bytes with its place in the map.
const (
	maxPoints     = 1 << 17
	maxTaskPoints = 4096
	maxJobPoints  = 8192
	minTaskPoints = 8
)

// What is refused as a measurement: an exabyte and 30,000 years are mistakes, and powers of them overflow.
const (
	maxBytes   = 1 << 60
	maxSeconds = 1e12
	maxCount   = 1e15
)

// A task is what is promised to a reduce and what it has done.
type task struct {
	measured
	left     *sizes
	implicit float64 // bytes left
	bytes    float64 // of all groups
	last     float64 // p_i: the last arrival, or its start; NaN: neither is known
	speed    speed
}

// measured is what was seen of a task or of the job.
type measured struct {
	profile *smoothing.Profile
	// implicit counts the groups by size that matched no explicit one. The histogram is of these alone: the explicit sizes
	// are the largest, and implicit bytes would be taken for groups of their size.
	implicit       *smoothing.Profile
	seconds, bytes float64
}

func newMeasured(p Params, limit int) measured {
	return measured{smoothing.New(p.SmoothSeconds, limit), smoothing.New(0, limit/2), 0, 0}
}

// New starts a job with these reduce tasks.
func New(tasks []Task, p Params) *Job {
	p = p.sane()
	j := &Job{params: p, tasks: make([]task, len(tasks)), all: newMeasured(p, maxJobPoints), speed: newSpeed()}
	limit := min(maxTaskPoints, max(minTaskPoints, maxPoints/max(1, len(tasks))))
	for i, t := range tasks {
		j.tasks[i] = task{
			measured: newMeasured(p, limit),
			left:     newSizes(t.Explicit),
			implicit: known(t.Implicit),
			bytes:    known(t.Bytes),
			last:     math.NaN(),
			speed:    newSpeed(),
		}
	}
	return j
}

// Start says when a task started: p_i before its first groups arrive. Later calls than these change nothing.
func (j *Job) Start(task int, at float64) {
	if task >= 0 && task < len(j.tasks) && math.IsNaN(j.tasks[task].last) {
		j.tasks[task].last = at
	}
}

// Record says that groups of a task became visible at an instant: count of them, of bytes and seconds each. Calls are in
// the order of arrival. What cannot be measured (negative, not finite, beyond any sense, no such task) changes nothing.
//
// A group that is close to an explicit size is taken for it; otherwise it is one of the implicit ones (section 4.2).
func (j *Job) Record(task int, at, bytes, seconds, count float64) {
	if task < 0 || task >= len(j.tasks) || !measurable(bytes, maxBytes) || !measurable(seconds, maxSeconds) ||
		!measurable(count, maxCount) || count == 0 || math.IsNaN(at) || math.IsInf(at, 0) {
		return
	}
	t := &j.tasks[task]
	unknown := t.left.take(bytes, count, j.params.MatchRatio)
	for _, m := range []*measured{&t.measured, &j.all} {
		m.profile.Add(bytes, seconds, count)
		m.bytes += bytes * count
		m.seconds += seconds * count
		if unknown > 0 {
			m.implicit.Add(bytes, 0, unknown)
		}
	}
	t.speed.report(at, bytes*count, seconds*count, j.params.EWMA)
	j.speed.report(at, bytes*count, seconds*count, j.params.EWMA)
	t.implicit = positive(t.implicit - bytes*unknown)
	t.last = at
}

func measurable(v, limit float64) bool { return v >= 0 && v <= limit }

// known is NaN for what is no size.
func known(bytes float64) float64 {
	if measurable(bytes, maxBytes) {
		return bytes
	}
	return math.NaN()
}

// positive is max(0, v), NaN where v is.
func positive(v float64) float64 {
	if v < 0 {
		return 0
	}
	return v
}
