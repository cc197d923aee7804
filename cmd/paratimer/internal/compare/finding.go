package compare

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// When a phase is said to have become slower or faster. Its tasks must show it, and its earlier runs, each beyond
// chance; and it must be worth a look. docs/compare.md has how often noise alone is flagged.
const (
	level      = 0.99 // of the interval of the tasks' medians
	runsLevel  = 0.95 // of what the earlier runs' medians allow a further run
	enoughRuns = 3    // earlier runs that show how far runs differ
	enough     = 4    // tasks that show how far tasks differ
	leastRatio = 1.1  // a tenth more time a record
	leastWork  = 1000 // milliseconds that the median task worked longer
	// With fewer earlier runs than enoughRuns a machine that was busy once looks like a script that became slower.
	leastRatioFew = 1.2
)

// A Finding is a phase whose cost differs from that of earlier runs beyond chance.
type Finding struct {
	Row    int
	Phase  dag.StageIndex
	Unit   string // of the cost: record, byte or task
	Slower bool
	// Before and Now are the median lengths of tasks in milliseconds: of the earlier runs' medians, and of the subject.
	Before, Now float64
	// Ratio is the cost of now in that of the earlier runs' tasks, Low and High its interval by the tasks; NaN of few
	// tasks.
	Ratio, Low, High float64
	// Amount is how many units the phase had now in the median of the earlier runs; NaN unknown.
	Amount float64
	// Earlier is how many runs it is compared with, Chance the factor by which they differ; NaN of fewer than three.
	Earlier int
	Chance  float64
	// Doubtful says that it may be chance: there are too few earlier runs.
	Doubtful bool
}

// units are what a cost may be of, the best first.
var units = []struct {
	name string
	of   func(*cost.Took) float64
}{{"record", recordsOf}, {"byte", bytesOf}, {"task", func(*cost.Took) float64 { return 1 }}}

// judge looks at a phase over the earlier runs and now.
func judge(earlier []*Phase, now *Phase) (f Finding, ok bool) {
	for _, unit := range units {
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

// beyond says whether the cost differs beyond what tasks and runs do by chance.
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
		return false // nothing tells what chance does
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

// costs are milliseconds a unit, of the tasks that tell both and worked at all. What a short task works beside its
// start-up is mostly chance: it counts as the least that can be told, so that no ratio is larger than what is sure of
// it.
func (p *Phase) costs(of func(*cost.Took) float64) []float64 {
	var all []float64
	for i := range p.Took {
		work := p.Took[i].Work
		if c := max(work, leastWork) / of(&p.Took[i]); work > 0 && !math.IsInf(c, 0) {
			all = append(all, c)
		}
	}
	return all
}
