// Package nearestfit predicts what the key groups that a reduce has left will take, from those that are done: by groups
// of about the same size where there are any, else by a fitted power law. Time need not grow linearly with size, and
// the largest group may be most of the job.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015: section 3 has
// the prediction (its theoretical form knows all keys), section 4 the streaming form, where only the largest keys are
// known one by one. Where the paper leaves something open, comments say what was decided.
//
// Times are seconds, sizes bytes, both as float64; what is not known is NaN. The package reads no clock, and the same
// calls in the same order give the same results to the bit.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package nearestfit

import "math"

// Params are the parameters of the method. The zero value is not useful: start from Default.
type Params struct {
	// DeltaBytes is δ: how far a neighbour's size may be away. The paper gives no value and no unit; a relative δ
	// leaves small groups without neighbours or blurs large ones.
	DeltaBytes float64
	// MatchRatio is how far the size of a finished group may be away from an explicit one, as a share of its own, to be
	// taken for it.
	MatchRatio float64
	// SmoothSeconds is how far times of groups of one size may lie apart to be kept as one point (section 5).
	SmoothSeconds float64
	// R2 is from which coefficient of determination on a task's own fit is believed (rule 2).
	R2 float64
	// Weights of the points of a fit. The paper does not say; with Unit a few odd points ruin the many small groups.
	Weights Weights
	// TaskRatioMin is from which share of its bytes on TaskRatio believes the task's own speed.
	TaskRatioMin float64
	// EWMA smooths the speeds of the ratios: the weight of the newest minute of work, in (0, 1]. 0: the mean over all.
	EWMA float64
	// Use leaves a part of the method out, to see what it is worth (section 8.6).
	Use Use
	// Pooled makes one fit from the groups of all tasks, for rules 2 and 4. The paper fits each task by itself; with
	// several tasks that have seen little each, one fit is better.
	Pooled bool
	// Conserve takes explicit groups for done, the smallest first, where there are more of them left than bytes. In the
	// paper a size that no finished group came close to stays to the end.
	Conserve bool
}

// Weights says what a point of a fit weighs.
type Weights uint8

// The weights.
const (
	Counts Weights = iota // how many groups it stands for
	Unit                  // 1
	// PerSecond is how many groups it stands for, over what one of them takes. The times of groups vary by a share of
	// themselves: with Counts the noise of a few long groups decides on the power, with the square of the time that of
	// small groups, whose times are shares of a burst. This is a deviation from the paper.
	PerSecond
)

// Use says which parts of the method are used.
type Use uint8

// The uses.
const (
	Both Use = iota
	FitOnly
	NeighboursOnly
)

// Default returns the parameters that the project's measurements were made with: δ is about ten values.
func Default() Params {
	return Params{DeltaBytes: 100, MatchRatio: 0.05, SmoothSeconds: 0.5, R2: 0.9, Weights: Counts, TaskRatioMin: 0.02}
}

// sane replaces what is negative or not a number by its default.
func (p Params) sane() Params {
	d := Default()
	for _, f := range []struct {
		value *float64
		or    float64
	}{
		{&p.DeltaBytes, d.DeltaBytes},
		{&p.MatchRatio, d.MatchRatio},
		{&p.SmoothSeconds, d.SmoothSeconds},
		{&p.TaskRatioMin, d.TaskRatioMin},
		{&p.EWMA, d.EWMA},
	} {
		if !(*f.value >= 0) {
			*f.value = f.or
		}
	}
	if math.IsNaN(p.R2) {
		p.R2 = d.R2
	}
	p.EWMA = min(p.EWMA, 1)
	return p
}

// A Rule says what the time of a group was predicted from (section 3.3, in this order).
type Rule uint8

// The rules.
const (
	NoRule        Rule = iota // nothing is known: there is no prediction
	OwnNeighbours             // groups of about this size in the same task
	OwnFit                    // the task's own fit, if it is good
	JobNeighbours             // groups of about this size in any task
	BestFit                   // of all fits the one that suits the task's groups best
	Fallback                  // time by bytes: no fit yet
)

// Rules is how many rules there are, NoRule included.
const Rules = int(Fallback) + 1

func (r Rule) String() string {
	switch r {
	case OwnNeighbours:
		return "own_neighbours"
	case OwnFit:
		return "own_fit"
	case JobNeighbours:
		return "job_neighbours"
	case BestFit:
		return "best_fit"
	case Fallback:
		return "fallback"
	default:
		return "none"
	}
}
