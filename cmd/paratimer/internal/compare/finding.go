package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Thresholds for a phase that became slower or faster. The change must exceed chance both between tasks and between
// earlier runs, and must be large enough to matter. docs/reports.md has how often noise alone is flagged.
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
	Job    string `json:"job"`
	Phase  string `json:"phase"`
	Slower bool   `json:"slower"`
	// Before and Now are median lengths of a task: the median of the earlier runs' medians, and the subject's.
	Before units.Float `json:"before_seconds"`
	Now    units.Float `json:"seconds"`
	Unit   string      `json:"unit"` // of the cost: record, byte or task
	// Ratio is the cost of a unit divided by the earlier cost, Low and High its 99% interval from the tasks; null if
	// there are few tasks.
	Ratio units.Float `json:"cost_ratio"`
	Low   units.Float `json:"low_ratio"`
	High  units.Float `json:"high_ratio"`
	// Amount is the number of units now, divided by the median of the earlier runs.
	Amount units.Float `json:"amount_ratio"`
	// Earlier is the number of runs compared, Chance the factor by which they differ by chance; null for fewer than
	// three. Doubtful is true if the change may be chance because there are too few earlier runs.
	Earlier  int         `json:"earlier_runs"`
	Chance   units.Float `json:"chance_ratio"`
	Doubtful bool        `json:"doubtful"`
	Says     string      `json:"says"`
}

// costUnits are the possible units of a cost, the best first.
var costUnits = []struct {
	name string
	of   func(Took) float64
}{{"record", recordsOf}, {"byte", bytesOf}, {"task", func(Took) float64 { return 1 }}}

// judge tests a phase against the earlier runs.
func judge(earlier []*Phase, now *Phase) (f Finding, ok bool) {
	for _, unit := range costUnits {
		costs := now.costs(unit.of)
		var pool, medians, amounts, lengths []float64
		for _, p := range earlier {
			if c := p.costs(unit.of); len(c) > 0 {
				pool = append(pool, c...)
				medians = append(medians, medianOf(c))
				amounts = append(amounts, p.sum(unit.of))
				lengths = append(lengths, p.Median())
			}
		}
		if len(costs) == 0 || len(medians) == 0 {
			continue
		}
		f = Finding{
			Unit: unit.name, Before: units.Float(medianOf(lengths)), Now: units.Float(now.Median()),
			Ratio: units.Float(medianOf(costs) / medianOf(medians)), Low: unknown, High: unknown,
			Amount: units.Float(now.sum(unit.of) / medianOf(amounts)), Earlier: len(medians), Chance: unknown,
		}
		worked := medianOf(now.each(workOf))
		return f, f.beyond(costs, pool, medians) && math.Abs(worked-worked/float64(f.Ratio)) >= leastWork
	}
	return f, false
}

// beyond reports whether the cost differs by more than tasks and runs vary by chance.
func (f *Finding) beyond(costs, pool, medians []float64) bool {
	least := units.Float(leastRatio)
	if len(medians) >= enoughRuns {
		f.Chance = units.Float(chanceOf(medians, runsLevel))
	} else {
		f.Doubtful, least = true, leastRatioFew
	}
	byTasks := len(costs) >= enough && len(pool) >= enough
	if byTasks {
		f.Ratio = units.Float(medianOf(costs) / medianOf(pool))
	} else if f.Doubtful {
		return false // the variation is unknown
	}
	f.Slower = f.Ratio > 1
	by := max(f.Ratio, 1/f.Ratio)
	if by < least || by <= f.Chance {
		return false
	}
	if byTasks {
		f.Low, f.High = medianRatio(costs, pool, level)
	}
	return !(f.Low <= 1 && f.High >= 1)
}

// costs returns milliseconds per unit, for the tasks with both known and some work. Times below leastWork are
// mostly noise beside the start-up, so they count as leastWork: a ratio then never exceeds what is certain.
func (p *Phase) costs(of func(Took) float64) (all []float64) {
	for _, t := range p.Took {
		if c := max(t.Work, leastWork) / of(t); t.Work > 0 && !math.IsInf(c, 0) {
			all = append(all, c)
		}
	}
	return all
}

// judge finds phases that became slower or faster than in all earlier runs that succeeded.
func (c *Comparison) judge() {
	run := c.Runs[c.subject]
	for i := range c.Jobs {
		n := c.Jobs[i].index[c.subject]
		if n < 0 {
			continue
		}
		for k := range run.Jobs[n].Phases {
			now := &run.Jobs[n].Phases[k]
			// nearest are the earlier phases that may also match, with the most similar length
			var earlier, nearest []*Phase
			for at, r := range c.Runs[:c.subject] {
				if j := c.Jobs[i].index[at]; j >= 0 && r.Excluded == nil {
					if l := r.Jobs[j].Stage(now.Name); l >= 0 {
						earlier = append(earlier, &r.Jobs[j].Phases[l])
						nearest = append(nearest, r.Jobs[j].nearest(now, l))
					}
				}
			}
			f, ok := judge(earlier, now)
			if least, too := judge(nearest, now); !ok || !too || least.Slower != f.Slower {
				continue // it may be a change of another stage
			}
			f.Job, f.Phase = c.Jobs[i].Node, run.Plan.StageName(n, dag.StageIndex(k)) //nolint:gosec // an index
			f.describe(c.Jobs[i].Name, run.Plan.Jobs[n].IsMapReduce())
			c.Findings = append(c.Findings, f)
			c.Regressed = c.Regressed || f.Slower
		}
	}
}

// describe writes the sentence, and rounds the figures.
func (f *Finding) describe(alias *string, mapReduce bool) {
	tasks, name := f.Phase+"s", f.Job
	if !mapReduce {
		tasks = "stage " + f.Phase
	}
	if alias != nil {
		name += " (" + *alias + ")"
	}
	f.Says = fmt.Sprintf("%s of %s: %s to %s a task, %s: time a %s %s", tasks, name, units.Seconds(f.Before/1000),
		units.Seconds(f.Now/1000), units.More(f.Now/f.Before), f.Unit, units.More(f.Ratio))
	if f.Low.Known() {
		f.Says += fmt.Sprintf(" [%s, %s]", units.More(f.Low), units.More(f.High))
	}
	if f.Amount.Known() && f.Unit != "task" {
		f.Says += fmt.Sprintf(", %ss %s", f.Unit, units.More(f.Amount))
	}
	if f.Doubtful {
		f.Says += fmt.Sprintf("; %s: may be chance", units.Count(f.Earlier, "earlier run"))
	} else {
		f.Says += fmt.Sprintf("; %d earlier runs differ by up to %s", f.Earlier, units.More(f.Chance))
	}
	f.Before, f.Now = seconds(float64(f.Before)), seconds(float64(f.Now))
	for _, v := range []*units.Float{&f.Ratio, &f.Low, &f.High, &f.Amount, &f.Chance} {
		*v = figure(float64(*v))
	}
}

// medianOf returns the median, for an even number the mean of the two middle values; NaN if there are none.
func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// draws is the number of bootstrap samples. The ends of a 99% interval are then its 5th values from either side.
const draws = 1000

// stream separates these random numbers from others with the same seed.
const stream = 0x636f6d70617265

// medianRatio returns the interval of median(b)/median(a) that contains the fraction level of the bootstrap's
// samples (percentile method; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Values
// must be above 0. The same values give the same interval.
func medianRatio(b, a []float64, level float64) (low, high units.Float) {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	random := rand.New(rand.NewPCG(uint64(len(a)), stream^uint64(len(b))))
	drawn := make([]units.Float, draws)
	for i := range drawn {
		drawn[i] = units.Float(medianAgain(b, random) / medianAgain(a, random))
	}
	slices.Sort(drawn)
	tail := int((1 - level) / 2 * draws)
	return drawn[tail], drawn[draws-1-tail]
}

// medianAgain returns the median of a bootstrap sample of the sorted values. It draws the median directly: the k-th
// of n uniform numbers has the distribution Beta(k, n+1-k), and the next one is the least of n-k uniform numbers
// above it.
func medianAgain(sorted []float64, random *rand.Rand) float64 {
	n := len(sorted)
	k := (n + 1) / 2
	u := distuv.Beta{Alpha: float64(k), Beta: float64(n + 1 - k), Src: random}.Rand()
	v := u
	if n%2 == 0 {
		v += (1 - u) * (1 - math.Pow(random.Float64(), 1/float64(n-k)))
	}
	return (at(sorted, u) + at(sorted, v)) / 2
}

func at(sorted []float64, u float64) float64 {
	return sorted[min(int(u*float64(len(sorted))), len(sorted)-1)]
}

// chanceOf returns the factor by which a later value may differ by chance from the geometric mean of the earlier ones:
// a prediction interval of the logarithms, by Student's t. It needs three earlier values.
func chanceOf(earlier []float64, level float64) float64 {
	logs, n := units.Each(earlier, math.Log), float64(len(earlier))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + level) / 2)
	return math.Exp(t * stat.StdDev(logs, nil) * math.Sqrt(1+1/n))
}
