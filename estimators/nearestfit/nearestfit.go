// Package nearestfit predicts the time of a reduce task's remaining key groups from those that are finished. The
// time of a group is the mean of groups of about its size, or the value of a fitted power of the size if there are
// none. So it is right for reduces whose time does not grow linearly with bytes. A Job collects groups; its
// Prediction has the times.
//
// The method is that of E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators",
// SoCC 2015. In the theoretical form (section 3) the sizes of all groups are known, in the streaming form (section
// 4) only the largest, the explicit groups; all others are implicit. Comments name what the paper leaves open.
//
// Times are seconds and sizes bytes, both as float64; NaN is unknown. The package reads no clock. The same calls in
// the same order give exactly the same results.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (CONTRIBUTING.md).
package nearestfit

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
)

// Params are the parameters of the method. The zero value is not useful: start from Default.
type Params struct {
	// DeltaBytes is δ: groups whose sizes differ by at most so many bytes are neighbors. The paper gives neither
	// value nor unit. With a share of the size, small groups would have no neighbors, or large ones too many.
	DeltaBytes float64
	// MatchRatio is the largest difference in size, as a share of the finished group's, with which a finished group
	// counts as an explicit one.
	MatchRatio float64
	// SmoothSeconds is the largest difference in time with which groups of one size become one point (section 5).
	SmoothSeconds float64
	// R2 is the lowest coefficient of determination with which a task's fit is used (OwnFit).
	R2 float64
	// Weights are those of points in a fit. The paper gives none. With Unit, a few unusual points outweigh many
	// groups.
	Weights Weights
	// TaskRatioMin is the share of a task's bytes that must be done before TaskRatio uses the task's own speed.
	TaskRatioMin float64
	// EWMA is the weight of the last minute of work in the speeds of JobRatio and TaskRatio, up to 1; 0: all work
	// weighs the same.
	EWMA float64
	// Use selects parts of the method, to measure what each contributes (section 8.6).
	Use Use
	// Pooled makes one fit of the groups of all tasks. The paper makes one for each task, which is worse if each has
	// few finished groups.
	Pooled bool
	// Conserve removes remaining groups if they are more than the task's remaining bytes: the smallest explicit ones,
	// then implicit bytes. In the paper, an explicit group remains until a finished one matches it.
	Conserve bool
	// Bounded limits the power of a fit, and its use for larger groups, by the range of the sizes it is fitted to.
	// The paper has no limit. Then a fit of a few groups of about one size may have the power 6 and predict years
	// for a group ten times as large.
	Bounded bool
}

// Weights select the weight of a point in a fit.
type Weights uint8

// The weights.
const (
	Counts Weights = iota // the number of its groups
	Unit                  // 1
	// PerSecond is the number of groups divided by the mean time. Times of longer groups vary more, so with Counts a
	// few of them decide the power. Divided by the square of the time, small groups would decide it, whose times are
	// not measured one by one. The paper does not have this.
	PerSecond
)

// Use selects the parts of the method.
type Use uint8

// The uses.
const (
	Both Use = iota
	FitOnly
	NeighboursOnly
)

// Default returns the parameters that were measured. Its δ is the size of about ten values.
func Default() Params {
	return Params{DeltaBytes: 100, MatchRatio: 0.05, SmoothSeconds: 0.5, R2: 0.9, Weights: Counts, TaskRatioMin: 0.02}
}

// A Rule is how the time of a group was predicted: the first one that applies (section 3.3).
type Rule uint8

// The rules.
const (
	NoRule        Rule = iota // not predicted
	OwnNeighbours             // 1: the mean of the task's groups of about this size
	OwnFit                    // 2: the task's fit, if its R2 is high enough
	JobNeighbours             // 3: the mean of all tasks' groups of about this size
	BestFit                   // 4: the fit, of any task, with the smallest error for the task's groups
	Fallback                  // 5: the job's mean seconds a byte, without any fit
)

// Rules is the number of rules, including NoRule.
const Rules = int(Fallback) + 1

var ruleNames = [Rules]string{"none", "own_neighbours", "own_fit", "job_neighbours", "best_fit", "fallback"}

func (r Rule) String() string { return ruleNames[r] }

// A Task is the input of one reduce task.
type Task struct {
	Explicit []dag.GroupSize // groups with known sizes
	Implicit float64         // bytes of all other groups
	Bytes    float64         // of all groups
}

// A Job collects the groups of one job's reduces. It is not safe for concurrent use.
//
// Its memory is bounded by the input's explicit groups and maxPoints points of finished groups. If a task has too
// many points, those of about one size are joined; the sums of groups, bytes and time stay the same.
type Job struct {
	params Params
	tasks  []task
	recent recently
}

// Limits of points, each about 80 bytes with its entry in the map.
const (
	maxPoints     = 1 << 17 // of all tasks, unless there are more than maxPoints/minTaskPoints tasks
	maxTaskPoints = 4096
	minTaskPoints = 8
)

// maxMeasured is the largest valid size, time and number of groups. Larger ones are errors, and their powers
// overflow.
const maxMeasured = dag.MaxInputBytes

// A task is the input and the finished groups of a reduce.
type task struct {
	// profile has the finished groups. Marked are the implicit ones, since remaining implicit bytes are expected to
	// have the sizes of these alone: explicit groups are larger.
	profile  *profile
	work     work
	left     *sizes
	implicit float64 // bytes left
	bytes    float64 // of all groups
	last     float64 // p_i: the last arrival, before that the start; NaN: unknown
	recent   recently
}

// New returns a job with these tasks, none of whose groups is finished.
func New(tasks []Task, p Params) *Job {
	j := &Job{params: p, tasks: make([]task, len(tasks))}
	limit := min(maxTaskPoints, max(minTaskPoints, maxPoints/max(1, len(tasks))))
	for i, t := range tasks {
		j.tasks[i] = task{
			profile:  newProfile(p.SmoothSeconds, limit),
			left:     newSizes(t.Explicit),
			implicit: known(t.Implicit),
			bytes:    known(t.Bytes),
			last:     math.NaN(),
		}
	}
	return j
}

// Start sets Left.At of a task until its first groups arrive. It does nothing if that is known already.
func (j *Job) Start(task int, at float64) {
	if task >= 0 && task < len(j.tasks) && math.IsNaN(j.tasks[task].last) {
		j.tasks[task].last = at
	}
}

// Record adds count finished groups of a task, of bytes and seconds each, that arrived at an instant. Calls must be
// in the order of arrival. Invalid values are ignored: negative or too large ones, and tasks that the job does not
// have.
//
// A finished group of about the size of an explicit one counts as that one, else it is implicit (section 4.2).
func (j *Job) Record(task int, at, bytes, seconds, count float64) {
	if task < 0 || task >= len(j.tasks) || !measurable(bytes, maxMeasured) || !measurable(seconds, maxMeasured) ||
		!measurable(count, maxMeasured) || count == 0 || math.IsNaN(at) || math.IsInf(at, 0) {
		return
	}
	if bytes < taskcost.LeastCounted {
		bytes = 0
	}
	t := &j.tasks[task]
	unknown := t.left.take(bytes, count, j.params.MatchRatio)
	t.profile.add(bytes, seconds, count, unknown)
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

// known returns a size, NaN if it is invalid.
func known(bytes float64) float64 {
	if measurable(bytes, maxMeasured) {
		return bytes
	}
	return math.NaN()
}

// FromGroups returns a job with the tasks and the finished groups of g. Left.At is in seconds since the epoch.
func FromGroups(g *dag.Groups, p Params) *Job {
	tasks := make([]Task, len(g.Reduces))
	for i := range g.Reduces {
		r := &g.Reduces[i]
		tasks[i] = Task{Explicit: r.Explicit, Implicit: r.Implicit, Bytes: r.Bytes}
	}
	j := New(tasks, p)
	for _, a := range Arrivals(g) {
		j.Add(a.Task, a.GroupPoint)
	}
	return j
}

// An Arrival is finished groups and their task.
type Arrival struct {
	Task int
	*dag.GroupPoint
}

// Arrivals returns the finished groups of all tasks by their instants, those of one instant by task.
func Arrivals(g *dag.Groups) []Arrival {
	var all []Arrival
	for i := range g.Reduces {
		for k := range g.Reduces[i].Done {
			all = append(all, Arrival{i, &g.Reduces[i].Done[k]})
		}
	}
	slices.SortStableFunc(all, func(a, b Arrival) int { return cmp.Compare(a.At, b.At) })
	return all
}

// Add records finished groups. Groups from a profile have no instant; theirs becomes the epoch.
func (j *Job) Add(task int, d *dag.GroupPoint) {
	at := 0.0
	if d.At.Known() {
		at = float64(d.At) / 1000
	}
	j.Record(task, at, d.Bytes, d.Took.Seconds(), d.Count)
}
