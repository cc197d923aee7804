package ernest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
)

// A JobRow is a run of a named job.
type JobRow struct {
	Job string
	Row
}

// A Scored is the accuracy of predictions for the jobs' large runs from their small ones.
type Scored struct {
	Jobs []JobScore    // in order of first appearance
	All  []MethodScore // of all jobs' runs together, methods as in a job's
}

// A JobScore is the result for one job.
type JobScore struct {
	Job      string        `json:"job"`
	Train    int           `json:"train"` // runs
	Test     int           `json:"test"`
	Methods  []MethodScore `json:"-"` // ernest, the baselines, ernest-forced
	Runs     []ScoredRun   `json:"-"` // from small to large
	Model    *Model        `json:"-"`
	Err      error         `json:"-"` // why the job could not be scored, or nil
	Warnings []Warning     `json:"-"`
}

// A MethodScore summarizes the errors |predicted/actual - 1| of a method. NaN if it predicted nothing.
type MethodScore struct {
	// Name is ernest (without its refused predictions), one of Baselines, or ernest-forced (with them).
	Name      string      `json:"name"`
	Predicted int         `json:"predicted"` // runs
	Refused   int         `json:"refused"`   // runs without a number from the method
	Mean      units.Float `json:"mean_ratio"`
	Median    units.Float `json:"median_ratio"`
	Max       units.Float `json:"max_ratio"`
	Bias      units.Float `json:"bias_ratio"`    // mean of predicted/actual - 1: above 0 the predictions are too long
	Covered   units.Float `json:"covered_ratio"` // share of the predicted runs within the range; NaN for the baselines
}

// A ScoredRun is a run that was predicted.
type ScoredRun struct {
	Row        Row
	Prediction Prediction // refused or not
	Baselines  []float64  // seconds, in the order of Baselines
}

// Baselines are simple methods that a prediction should beat, in the order of ScoredRun.Baselines: the mean of the
// training runs; the nearest of them; evenly divided work, by the mean of seconds·machines; times in proportion to
// scale; and times in proportion to scale/machines.
var Baselines = []string{"mean", "nearest", "1/machines", "scale", "scale/machines"}

func baselines(train []configuration, r Row) []float64 {
	proportional := func(of func(Row) float64) float64 {
		sum := 0.0
		for _, t := range train {
			sum += t.Seconds / of(t.Row)
		}
		return sum / float64(len(train)) * of(r)
	}
	return []float64{
		proportional(func(Row) float64 { return 1 }),
		nearest(train, &configuration{Row: r}, func(o *configuration) float64 { return o.Seconds }),
		proportional(func(r Row) float64 { return 1 / r.Machines }),
		proportional(Row.scale),
		proportional(func(r Row) float64 { return r.Scale / r.Machines }),
	}
}

// maxJobs limits the jobs of a table.
const maxJobs = 10_000

// Score trains on the small runs of each job and predicts the large ones. An invalid row gives a *RowError. If a job
// cannot be scored, its JobScore.Err has the reason.
func Score(rows []JobRow, split Split, o FitOptions) (*Scored, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("no rows: nothing to score")
	}
	if len(rows) > 10*MaxRows {
		return nil, fmt.Errorf("%d rows: at most %d are taken", len(rows), 10*MaxRows)
	}
	if err := split.check(); err != nil {
		return nil, err
	}
	if err := checkTerms(slices.Concat(o.Terms, o.Extra), nil); err != nil {
		return nil, err
	}
	var names []string
	byJob := map[string][]Row{}
	for i, r := range rows {
		if err := checkRow(i, r.Row); err != nil {
			return nil, err
		}
		if r.Seconds <= 0 {
			return nil, &RowError{i, "seconds", r.Seconds, "a run takes some time: errors are shares of it"}
		}
		if byJob[r.Job] == nil {
			names = append(names, r.Job)
		}
		byJob[r.Job] = append(byJob[r.Job], r.Row)
	}
	if len(names) > maxJobs {
		return nil, fmt.Errorf("%d jobs: at most %d are scored; is the right column named?", len(names), maxJobs)
	}
	s := &Scored{}
	var all []ScoredRun
	for _, name := range names {
		j := scoreJob(name, byJob[name], split, o)
		all = append(all, j.Runs...)
		s.Jobs = append(s.Jobs, j)
	}
	s.All = methods(all)
	return s, nil
}

func scoreJob(name string, rows []Row, split Split, o FitOptions) JobScore {
	j := JobScore{Job: name}
	train, test, warnings, err := split.divide(rows)
	j.Train, j.Test, j.Warnings, j.Err = len(train), len(test), warnings, err
	if err == nil {
		j.Model, j.Err = Fit(train, o)
	}
	if j.Err != nil {
		return j
	}
	j.Warnings = append(j.Warnings, j.Model.Warnings...)
	small := single(train)
	for _, r := range test {
		j.Runs = append(j.Runs, ScoredRun{r, j.Model.Predict(r.Point()), baselines(small, r)})
	}
	j.Methods = methods(j.Runs)
	return j
}

// methods returns the errors of each method over runs.
func methods(runs []ScoredRun) []MethodScore {
	shown := func(r *ScoredRun) bool { return r.Prediction.Refused == nil }
	own := func(r *ScoredRun) float64 { return r.Prediction.Seconds }
	scores := []MethodScore{method("ernest", runs, shown, own)}
	for i, name := range Baselines {
		scores = append(scores, method(name, runs, nil, func(r *ScoredRun) float64 { return r.Baselines[i] }))
	}
	return append(scores, method("ernest-forced", runs, func(*ScoredRun) bool { return true }, own))
}

// method returns the errors of a method. ranged reports whether a run's prediction counts, and its range if it has
// one; it is nil for methods without ranges.
func method(name string, runs []ScoredRun, ranged func(*ScoredRun) bool, of func(*ScoredRun) float64) MethodScore {
	var errors []float64
	sum, bias, within, ranges := 0.0, 0.0, 0.0, 0.0
	for i := range runs {
		r := &runs[i]
		e := of(r)/r.Row.Seconds - 1
		if math.IsNaN(e) || ranged != nil && !ranged(r) {
			continue
		}
		errors = append(errors, math.Abs(e))
		sum, bias = sum+math.Abs(e), bias+e
		if ranged != nil && !math.IsNaN(r.Prediction.High) {
			ranges++
			if r.Row.Seconds >= r.Prediction.Low && r.Row.Seconds <= r.Prediction.High {
				within++
			}
		}
	}
	slices.Sort(errors)
	n := float64(len(errors)) // without predictions, quotients are NaN
	return MethodScore{
		Name: name, Predicted: len(errors), Refused: len(runs) - len(errors),
		Mean: units.Float(sum / n), Median: units.Float(quantile(errors, 0.5)), Max: units.Float(quantile(errors, 1)),
		Bias: units.Float(bias / n), Covered: units.Float(within / ranges),
	}
}

// SplitBy selects the quantity that makes a run large.
type SplitBy uint8

// The quantities to split by.
const (
	ByScale    SplitBy = iota
	ByMachines         // more machines
	ByWork             // machine-seconds, the cost of a training run
)

var splits = []struct {
	name string
	of   func(Row) float64
}{{"scale", Row.scale}, {"machines", Row.machines}, {"machine-seconds", func(r Row) float64 {
	return r.Machines * r.Seconds
}}}

func (b SplitBy) String() string {
	if int(b) < len(splits) {
		return splits[b].name
	}
	return fmt.Sprintf("SplitBy(%d)", uint8(b))
}

// A Split divides the runs of a job into small ones for training and large ones for testing.
type Split struct {
	By SplitBy
	// Below is the threshold: runs of at most this size train. 0: use Quantile.
	Below float64
	// Quantile is the share of the different values that train, at least one and not all; 0 for 0.5.
	Quantile float64
}

func (s *Split) check() error {
	switch {
	case int(s.By) >= len(splits):
		return fmt.Errorf("%v: split by scale, machines or machine-seconds", s.By)
	case !finite(s.Below) || s.Below < 0:
		return fmt.Errorf("split at %s %v: give a number above 0", s.By, s.Below)
	case !finite(s.Quantile) || s.Quantile < 0 || s.Quantile >= 1:
		return fmt.Errorf("split at quantile %v: give a number above 0 and below 1", s.Quantile)
	}
	return nil
}

// divide splits the runs into training and test runs, each sorted from small to large. If all runs have the same
// scale, a split by scale becomes a split by machines.
func (s Split) divide(rows []Row) (train, test []Row, warnings []Warning, err error) {
	values := distinct(rows, splits[s.By].of)
	if byMachines := distinct(rows, Row.machines); s.By == ByScale && s.Below == 0 && len(values) == 1 &&
		len(byMachines) > 1 {
		s.By, values = ByMachines, byMachines
		warnings = append(warnings, warning("split_by_machines",
			"all runs have scale %g: few machines train, many are predicted", rows[0].Scale))
	}
	if s.Below == 0 {
		n := max(1, min(len(values)-1, int(cmp.Or(s.Quantile, 0.5)*float64(len(values))+0.5)))
		s.Below = values[n-1]
	}
	of := splits[s.By].of
	for _, r := range rows {
		if of(r) <= s.Below {
			train = append(train, r)
		} else {
			test = append(test, r)
		}
	}
	for _, part := range [][]Row{train, test} {
		slices.SortStableFunc(part, func(a, b Row) int { return cmp.Compare(of(a), of(b)) })
	}
	switch {
	case len(train) == 0:
		err = fmt.Errorf("no run of %s %g or less to train on: the smallest has %g", s.By, s.Below, values[0])
	case len(test) == 0:
		err = fmt.Errorf("no run of %s above %g to predict: %d runs, up to %g", s.By, s.Below, len(rows),
			values[len(values)-1])
	}
	if err != nil {
		return nil, nil, warnings, err
	}
	return train, test, warnings, nil
}
