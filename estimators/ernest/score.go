package ernest

import (
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
	if err := checkTerms(append(slices.Clone(o.Terms), o.Extra...), nil); err != nil {
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
		if _, ok := byJob[r.Job]; !ok {
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
	for _, r := range test {
		j.Runs = append(j.Runs, ScoredRun{r, j.Model.Predict(r.Point()), baselines(train, r)})
	}
	j.Methods = methods(j.Runs)
	return j
}

// methods returns the errors of each method over runs.
func methods(runs []ScoredRun) []MethodScore {
	scores := []MethodScore{method("ernest", runs, func(r *ScoredRun) float64 {
		if r.Prediction.Refused != nil {
			return math.NaN()
		}
		return r.Prediction.Seconds
	})}
	for i, name := range Baselines {
		scores = append(scores, method(name, runs, func(r *ScoredRun) float64 { return r.Baselines[i] }))
	}
	scores = append(scores, method("ernest-forced", runs, func(r *ScoredRun) float64 { return r.Prediction.Seconds }))
	for _, i := range []int{0, len(scores) - 1} {
		scores[i].Covered = covered(runs, i > 0)
	}
	return scores
}

func method(name string, runs []ScoredRun, predict func(*ScoredRun) float64) MethodScore {
	nan := units.Float(math.NaN())
	s := MethodScore{Name: name, Mean: nan, Median: nan, Max: nan, Bias: nan, Covered: nan}
	var errors []float64
	sum, bias := 0.0, 0.0
	for i := range runs {
		e := predict(&runs[i])/runs[i].Row.Seconds - 1
		if math.IsNaN(e) {
			s.Refused++
			continue
		}
		errors = append(errors, math.Abs(e))
		sum, bias = sum+math.Abs(e), bias+e
	}
	if s.Predicted = len(errors); s.Predicted > 0 {
		slices.Sort(errors)
		n := float64(len(errors))
		s.Mean, s.Bias = units.Float(sum/n), units.Float(bias/n)
		s.Median, s.Max = units.Float(quantile(errors, 0.5)), units.Float(errors[len(errors)-1])
	}
	return s
}

// covered returns the share of runs within their range, among the runs that have a range.
func covered(runs []ScoredRun, refused bool) units.Float {
	in, of := 0, 0
	for _, r := range runs {
		if math.IsNaN(r.Prediction.High) || r.Prediction.Refused != nil && !refused {
			continue
		}
		of++
		if r.Row.Seconds >= r.Prediction.Low && r.Row.Seconds <= r.Prediction.High {
			in++
		}
	}
	if of == 0 {
		return units.Float(math.NaN())
	}
	return units.Float(in) / units.Float(of)
}
