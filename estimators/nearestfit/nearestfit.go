// Package nearestfit predicts the times of a reduce's remaining key groups from the finished ones: by groups of
// about the same size if there are any, else by a fitted power law. Time need not grow linearly with size, and the
// largest group may be most of the job.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015: section 3
// has the prediction (its theoretical form knows all keys), section 4 the streaming form, in which only the largest
// keys are known one by one. Comments note decisions that the paper leaves open.
//
// Times are seconds, sizes bytes, both as float64; unknown values are NaN. The package reads no clock, and the same
// calls in the same order give the same results to the bit.
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
	// DeltaBytes is δ: the greatest difference in size of a neighbor. The paper gives no value and no unit; a
	// relative δ leaves small groups without neighbors or blurs large ones.
	DeltaBytes float64
	// MatchRatio is the greatest difference between the sizes of a finished group and of its explicit group, as a
	// share of its own size.
	MatchRatio float64
	// SmoothSeconds is the greatest difference in time between groups of one size in one point (section 5).
	SmoothSeconds float64
	// R2 is the least coefficient of determination of a good fit (rule 2).
	R2 float64
	// Weights of the points of a fit. The paper gives none; with Unit a few odd points ruin the many small groups.
	Weights Weights
	// TaskRatioMin is the share of its bytes above which TaskRatio uses the task's own speed.
	TaskRatioMin float64
	// EWMA smooths the speeds of the ratios: the weight of the newest minute of work, in (0, 1]. 0: the mean of
	// all.
	EWMA float64
	// Use disables a part of the method, to measure its contribution (section 8.6).
	Use Use
	// Pooled makes one fit from the groups of all tasks, for rules 2 and 4. The paper fits each task by itself; if
	// several tasks have few finished groups each, one fit is better.
	Pooled bool
	// Conserve counts explicit groups as done, the smallest first, and then implicit bytes, if more of them are left
	// than bytes. In the paper, a size without a close finished group stays to the end.
	Conserve bool
	// Bounded limits fits by the range of the sizes behind them: their power, and how far beyond that range they are
	// used. Without it, a fit to a few groups of nearly one size may have the power 6 and predict years for a group
	// that is some times as large. The paper has no limit.
	Bounded bool
}

// Weights define the weight of a point in a fit.
type Weights uint8

// The weights.
const (
	Counts Weights = iota // the number of groups in the point
	Unit                  // 1
	// PerSecond is the number of groups divided by the time of one. The noise of a group's time grows with the
	// time: with Counts the noise of a few long groups decides the power, with the square of the time that of small
	// groups, for which times are shares of a burst. This is a deviation from the paper.
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

// Default returns the parameters of the project's measurements: δ is about ten values.
func Default() Params {
	return Params{DeltaBytes: 100, MatchRatio: 0.05, SmoothSeconds: 0.5, R2: 0.9, Weights: Counts, TaskRatioMin: 0.02}
}

// A Rule is the basis of a predicted time of a group (section 3.3, in this order).
type Rule uint8

// The rules.
const (
	NoRule        Rule = iota // no data, no prediction
	OwnNeighbours             // groups of about this size in the same task
	OwnFit                    // the task's own fit, if it is good
	JobNeighbours             // groups of about this size in any task
	BestFit                   // the fit of any task that fits the task's groups best
	Fallback                  // time by bytes: no fit yet
)

// Rules is the number of rules, including NoRule.
const Rules = int(Fallback) + 1

var ruleNames = [Rules]string{"none", "own_neighbours", "own_fit", "job_neighbours", "best_fit", "fallback"}

func (r Rule) String() string { return ruleNames[r] }

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
const maxMeasured = dag.MaxInputBytes // bytes, seconds or groups

// A task is the input and the finished groups of a reduce.
type task struct {
	// profile contains the measurements. Marked are groups that matched no explicit size. The histogram of implicit
	// sizes uses only these; otherwise implicit bytes would count as groups of the explicit sizes, which are the
	// largest.
	profile  *profile
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
			profile:  newProfile(p.SmoothSeconds, limit),
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

// known returns NaN for invalid sizes.
func known(bytes float64) float64 {
	if measurable(bytes, maxMeasured) {
		return bytes
	}
	return math.NaN()
}

// FromGroups makes a job from observed groups. Instants become seconds since the epoch.
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

// An Arrival is groups that a task has finished.
type Arrival struct {
	Task int
	*dag.GroupPoint
}

// Arrivals returns the points of all tasks in order of arrival, those of one instant in order of tasks.
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

// Add records groups of a task. An unknown instant becomes the epoch: a profile keeps no instants.
func (j *Job) Add(task int, d *dag.GroupPoint) {
	at := 0.0
	if d.At.Known() {
		at = float64(d.At) / 1000
	}
	j.Record(task, at, d.Bytes, d.Took.Seconds(), d.Count)
}
