package nearestfit

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// A Task is the maps' output for one reduce task.
type Task struct {
	Explicit []dag.GroupSize // groups with individually known sizes
	Implicit float64         // bytes of all other groups
	Bytes    float64         // of all groups
}

// A Job collects the groups of one job's reduces. It is not safe for concurrent use.
//
// Its memory is bounded: at most maxPoints points in the profiles of all tasks together and maxTaskPoints in one
// (minTaskPoints if there are very many tasks). Beyond, points of one size are joined and then those of near sizes,
// so that counts, bytes and time are conserved. The maps' output is stored in addition.
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

// Bounds of valid measurements: an exabyte and 30,000 years are mistakes, and their powers overflow. So would
// powers of the tiniest sizes, which count as 0.
const (
	minBytes   = 1e-6
	maxBytes   = 1 << 60
	maxSeconds = 1e12
	maxCount   = 1e15
)

// A task is the input and the finished groups of a reduce.
type task struct {
	// profile contains the measurements. Marked are groups that matched no explicit size. The histogram of implicit
	// sizes uses only these; otherwise implicit bytes would count as groups of the explicit sizes, which are the
	// largest.
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

// Start sets the start of a task: p_i before its first groups arrive. It is ignored once p_i is known.
func (j *Job) Start(task int, at float64) {
	if task >= 0 && task < len(j.tasks) && math.IsNaN(j.tasks[task].last) {
		j.tasks[task].last = at
	}
}

// Record adds groups of a task that became visible at an instant: count groups of bytes and seconds each. Calls
// must be in the order of arrival. Invalid measurements (negative, not finite, out of bounds, no such task) are
// ignored.
//
// A group with a size close to an explicit one counts as that one; otherwise it is an implicit one (section 4.2).
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
	t.implicit = max(0, t.implicit-bytes*unknown) // NaN stays
	t.last = at
	w := work{bytes * count, seconds * count}
	t.work.add(w)
	if j.params.EWMA > 0 {
		t.recent.add(w, j.params.EWMA)
		j.recent.add(w, j.params.EWMA)
	}
}

func measurable(v, limit float64) bool { return v >= 0 && v <= limit }

// known returns NaN for invalid sizes.
func known(bytes float64) float64 {
	if measurable(bytes, maxBytes) {
		return bytes
	}
	return math.NaN()
}
