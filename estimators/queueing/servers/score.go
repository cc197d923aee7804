package servers

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
)

// A MethodScore summarizes the errors |predicted/actual - 1| of a method over the test rows. NaN if it predicted
// nothing.
type MethodScore struct {
	Name      string      `json:"name"` // mva, mva-threads, or one of Baselines
	Predicted int         `json:"predicted"`
	Refused   int         `json:"refused"`
	Mean      units.Float `json:"mean_ratio"`
	Median    units.Float `json:"median_ratio"`
	Max       units.Float `json:"max_ratio"`
	Bias      units.Float `json:"bias_ratio"` // mean of predicted/actual - 1: above 0 the predictions are too long
	Model     *Model      `json:"model"`      // nil for the baselines
}

// Baselines are simple methods that a prediction should beat: the mean of the training rows, the row with the most
// jobs, and times that grow in proportion to jobs from there.
var Baselines = []string{"mean", "nearest", "jobs"}

// Score trains on the rows with at most upTo jobs and predicts the others.
//
// An error is a *RowError, or reports that no rows are left to train on or to predict.
func Score(rows []Row, upTo int, o Options) ([]MethodScore, error) {
	if _, err := check(rows, o); err != nil {
		return nil, err
	}
	var train, test []Row
	for _, r := range rows {
		if r.Jobs <= upTo {
			train = append(train, r)
		} else {
			test = append(test, r)
		}
	}
	if len(train) == 0 || len(test) == 0 {
		return nil, fmt.Errorf("%d rows of up to %d jobs to train on and %d of more to predict: both are needed",
			len(train), upTo, len(test))
	}
	var scores []MethodScore
	for _, threads := range []bool{false, true} {
		name := "mva"
		if threads {
			name = "mva-threads"
		}
		m, err := Fit(train, Options{Servers: o.Servers, Threads: threads})
		if err != nil {
			return nil, err
		}
		s := method(name, test, func(jobs int) float64 {
			seconds, err := m.Predict(jobs)
			if err != nil {
				return math.NaN()
			}
			return seconds
		})
		s.Model = m
		scores = append(scores, s)
	}
	mean, nearest := naive(train)
	last := slices.MaxFunc(train, func(a, b Row) int { return a.Jobs - b.Jobs }).Jobs
	for i, predict := range []func(int) float64{
		func(int) float64 { return mean },
		func(int) float64 { return nearest },
		func(jobs int) float64 { return nearest * float64(jobs) / float64(last) },
	} {
		scores = append(scores, method(Baselines[i], test, predict))
	}
	return scores, nil
}

// naive returns the mean of all rows, and the mean of those with the most jobs.
func naive(rows []Row) (mean, nearest float64) {
	last, n := 0, 0.0
	for _, r := range rows {
		mean += r.Seconds / float64(len(rows))
		if r.Jobs > last {
			last, nearest, n = r.Jobs, 0, 0
		}
		if r.Jobs == last {
			nearest, n = nearest+r.Seconds, n+1
		}
	}
	return mean, nearest / n
}

func method(name string, test []Row, predict func(jobs int) float64) MethodScore {
	nan := units.Float(math.NaN())
	s := MethodScore{Name: name, Mean: nan, Median: nan, Max: nan, Bias: nan}
	var errors []float64
	sum, bias := 0.0, 0.0
	for _, r := range test {
		e := predict(r.Jobs)/r.Seconds - 1
		if math.IsNaN(e) {
			s.Refused++
			continue
		}
		errors = append(errors, math.Abs(e))
		sum, bias = sum+math.Abs(e), bias+e
	}
	n := len(errors)
	if s.Predicted = n; n > 0 {
		slices.Sort(errors)
		s.Mean, s.Bias = units.Float(sum/float64(n)), units.Float(bias/float64(n))
		s.Median, s.Max = units.Float(errors[(n-1)/2]+errors[n/2])/2, units.Float(errors[n-1])
	}
	return s
}
