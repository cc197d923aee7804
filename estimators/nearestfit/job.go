package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// A Task is what the maps write for one reduce task.
type Task struct {
	Explicit []dag.GroupSize // groups whose sizes are known one by one
	Implicit float64         // bytes of all other groups
	Bytes    float64         // of all groups
}

// A Job is what is known of the groups of one job's reduces. It is not safe for concurrent use.
//
// Its memory is bounded whatever it is told: at most maxPoints points in the profiles of all tasks together and
// maxTaskPoints in one (minTaskPoints where tasks are very many). Beyond, points of one size become one and then those
// of near sizes, so that counts, bytes and time are conserved. To that comes what the maps wrote.
type Job struct {
	params Params
	tasks  []task
	recent recently
}

// The bounds. A point takes about 80 bytes with its place in the map.
const (
	maxPoints     = 1 << 17
	maxTaskPoints = 4096
	minTaskPoints = 8
)

// What is refused as a measurement: an exabyte and 30,000 years are mistakes, and powers of them overflow. So would
// those of the tiniest sizes, which are none.
const (
	minBytes   = 1e-6
	maxBytes   = 1 << 60
	maxSeconds = 1e12
	maxCount   = 1e15
)

// A task is what a reduce is given and what it has done.
type task struct {
	// profile is what was measured. Marked are groups that matched no explicit size: the histogram of implicit sizes is
	// of these alone, or implicit bytes would be taken for groups of the explicit ones' size, which are the largest.
	profile  *smoothing.Profile
	work     work
	left     *sizes
	implicit float64 // bytes left
	bytes    float64 // of all groups
	last     float64 // p_i: the last arrival, or its start; NaN: neither is known
	recent   recently
}

// New starts a job with these reduce tasks.
func New(tasks []Task, p Params) *Job {
	p = p.sane()
	j := &Job{params: p, tasks: make([]task, len(tasks))}
	limit := min(maxTaskPoints, max(minTaskPoints, maxPoints/max(1, len(tasks))))
	for i, t := range tasks {
		j.tasks[i] = task{
			profile:  smoothing.New(p.SmoothSeconds, limit),
			left:     newSizes(t.Explicit),
			implicit: known(t.Implicit),
			bytes:    known(t.Bytes),
			last:     math.NaN(),
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

// Record says that groups of a task became visible at an instant: count of them, of bytes and seconds each. Calls are
// in the order of arrival. What cannot be measured (negative, not finite, beyond any sense, no such task) changes
// nothing.
//
// A group that is close to an explicit size is taken for it; otherwise it is one of the implicit ones (section 4.2).
func (j *Job) Record(task int, at, bytes, seconds, count float64) {
	if task < 0 || task >= len(j.tasks) || !measurable(bytes, maxBytes) || !measurable(seconds, maxSeconds) ||
		!measurable(count, maxCount) || count == 0 || math.IsNaN(at) || math.IsInf(at, 0) {
		return
	}
	if bytes < minBytes {
		bytes = 0
	}
	t := &j.tasks[task]
	unknown := t.left.take(bytes, count, j.params.MatchRatio)
	t.profile.Add(bytes, seconds, count, unknown)
	t.implicit = positive(t.implicit - bytes*unknown)
	t.last = at
	w := work{bytes * count, seconds * count}
	t.work.add(w)
	if j.params.EWMA > 0 {
		t.recent.add(w, j.params.EWMA)
		j.recent.add(w, j.params.EWMA)
	}
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
