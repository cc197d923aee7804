package compare

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// Thresholds for a phase that became slower or faster. The change must exceed chance both between tasks and between
// earlier runs, and must be large enough to matter. docs/compare.md has how often noise alone is flagged.
const (
	level      = 0.99 // level of the interval from the tasks' medians
	runsLevel  = 0.95 // level of the prediction interval from the earlier runs' medians
	enoughRuns = 3    // least number of earlier runs to estimate the variation between runs
	enough     = 4    // least number of tasks to estimate the variation between tasks
	leastRatio = 1.1  // ten percent more time per record
	leastWork  = 1000 // least change of the median task's work, in milliseconds
	// With fewer than enoughRuns earlier runs, one busy machine looks like a slower script.
	leastRatioFew = 1.2
)

// A Finding is a phase with a significant change of cost from earlier runs.
type Finding struct {
	Row    int
	Phase  dag.StageIndex
	Unit   string // of the cost: record, byte or task
	Slower bool
	// Before and Now are median task lengths in milliseconds: the median of the earlier runs' medians, and the
	// subject's.
	Before, Now float64
	// Ratio is the cost now divided by the earlier cost, Low and High its interval from the tasks; NaN if there are
	// few tasks.
	Ratio, Low, High float64
	// Amount is the number of units now, divided by the median of the earlier runs; NaN unknown.
	Amount float64
	// Earlier is the number of runs compared, Chance the factor by which they differ by chance; NaN for fewer than
	// three.
	Earlier int
	Chance  float64
	// Doubtful is true if the change may be chance because there are too few earlier runs.
	Doubtful bool
}

// costUnits are the possible units of a cost, the best first.
var costUnits = []struct {
	name string
	of   func(*Took) float64
}{{"record", recordsOf}, {"byte", bytesOf}, {"task", func(*Took) float64 { return 1 }}}

// judge tests a phase against the earlier runs.
func judge(earlier []*Phase, now *Phase) (f Finding, ok bool) {
	for _, unit := range costUnits {
		amount := now.sum(unit.of)
		costs := now.costs(unit.of)
		var pool, medians, amounts, lengths []float64
		for _, p := range earlier {
			if c := p.costs(unit.of); len(c) > 0 {
				pool = append(pool, c...)
				medians = append(medians, medianOf(c))
				amounts = append(amounts, p.sum(unit.of))
				lengths = append(lengths, medianOf(p.each(lengthOf)))
			}
		}
		if len(costs) == 0 || len(medians) == 0 {
			continue
		}
		f = Finding{
			Unit: unit.name, Before: medianOf(lengths), Now: medianOf(now.each(lengthOf)),
			Amount:  amount / medianOf(amounts),
			Earlier: len(medians), Low: math.NaN(), High: math.NaN(), Chance: math.NaN(),
		}
		f.Ratio = medianOf(costs) / medianOf(medians)
		worked := medianOf(now.each(workOf))
		return f, f.beyond(costs, pool, medians) && math.Abs(worked-worked/f.Ratio) >= leastWork
	}
	return f, false
}

// beyond reports whether the cost differs by more than tasks and runs vary by chance.
func (f *Finding) beyond(costs, pool, medians []float64) bool {
	least := leastRatio
	if len(medians) >= enoughRuns {
		_, f.Chance = outside(medianOf(costs), medians, runsLevel)
	} else {
		f.Doubtful, least = true, leastRatioFew
	}
	byTasks := len(costs) >= enough && len(pool) >= enough
	if byTasks {
		f.Ratio = medianOf(costs) / medianOf(pool)
	} else if f.Doubtful {
		return false // the variation is unknown
	}
	f.Slower = f.Ratio > 1
	by := max(f.Ratio, 1/f.Ratio)
	if by < least || by <= f.Chance {
		return false
	}
	if byTasks {
		in := medianRatio(costs, pool, level)
		f.Low, f.High = in.low, in.high
	}
	return !(f.Low <= 1 && f.High >= 1)
}

// costs returns milliseconds per unit, for the tasks with both known and some work. Times below leastWork are
// mostly noise beside the start-up, so they count as leastWork: a ratio then never exceeds what is certain.
func (p *Phase) costs(of func(*Took) float64) []float64 {
	var all []float64
	for i := range p.Took {
		work := p.Took[i].Work
		if c := max(work, leastWork) / of(&p.Took[i]); work > 0 && !math.IsInf(c, 0) {
			all = append(all, c)
		}
	}
	return all
}
