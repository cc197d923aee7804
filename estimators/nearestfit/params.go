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
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package nearestfit

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
