package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// nearest returns the mean time of the runs that are the fewest doublings away, scaled by scale/machines.
func nearest(train []ernest.Row, r ernest.Row) float64 {
	least, sum, n := math.Inf(1), 0.0, 0.0
	for _, t := range train {
		d := math.Abs(math.Log2(t.Machines/r.Machines)) + math.Abs(math.Log2(t.Scale/r.Scale))
		if d < least-1e-9 {
			least, sum, n = d, 0, 0
		}
		if d <= least+1e-9 {
			sum, n = sum+t.Seconds*r.Scale/t.Scale*t.Machines/r.Machines, n+1
		}
	}
	return sum / n
}

// amdahl fits a constant and divided work with Ernest's own fit.
func amdahl(train []ernest.Row, r ernest.Row) float64 {
	m, err := ernest.Fit(train, ernest.FitOptions{Terms: []ernest.Term{ernest.One, ernest.ScalePerMachine}})
	if err != nil {
		return math.NaN()
	}
	return m.Predict(r.Point()).Seconds
}

// A trial trains a model on some of a job's runs and tests it on others.
type trial struct {
	job   *job
	rule  string // how the runs were split
	train []ernest.Row
	test  []ernest.Row
}

// trials splits the runs of a job in each possible way. A configuration is a number of machines and a scale; all of
// its runs are on the same side.
func trials(j *job) []trial {
	var all []trial
	add := func(rule string, test func(ernest.Row) bool, once bool) {
		t := trial{job: j, rule: rule}
		for i, runs := range byConfiguration(j.rows) {
			switch {
			case test(runs[0]):
				t.test = append(t.test, runs...)
			case once:
				t.train = append(t.train, runs[stride*i%len(runs)])
			default:
				t.train = append(t.train, runs...)
			}
		}
		if len(t.test) > 0 && len(t.train) > 0 {
			all = append(all, t)
		}
	}
	machines, scales := values(j.rows, func(r ernest.Row) float64 { return r.Machines }),
		values(j.rows, func(r ernest.Row) float64 { return r.Scale })
	for _, once := range []bool{false, true} {
		runs := ", all runs"
		if once {
			runs = ", one run each"
		}
		for i := 1; i+1 < len(machines); i++ {
			add("one inner number of machines left out"+runs, func(r ernest.Row) bool {
				return r.Machines == machines[i]
			}, once)
		}
		add("every other number of machines"+runs, func(r ernest.Row) bool {
			i := slices.Index(machines, r.Machines)
			return i%2 == 1 && i+1 < len(machines)
		}, once)
		for i := 1; i+1 < len(scales); i++ {
			add("one inner scale left out"+runs, func(r ernest.Row) bool { return r.Scale == scales[i] }, once)
		}
		if n := len(machines); n >= 4 {
			add("the smaller half of the machines"+runs, func(r ernest.Row) bool {
				return r.Machines > machines[(n-1)/2]
			}, once)
			add("all but the most machines"+runs, func(r ernest.Row) bool { return r.Machines == machines[n-1] }, once)
		}
		if n := len(scales); n >= 3 {
			add("the smaller half of the scales"+runs, func(r ernest.Row) bool { return r.Scale > scales[(n-1)/2] },
				once)
			add("all but the largest scale"+runs, func(r ernest.Row) bool { return r.Scale == scales[n-1] }, once)
		}
		if n, k := len(machines), len(scales); n >= 4 && k >= 3 {
			add("the smaller half of both"+runs, func(r ernest.Row) bool {
				return r.Machines > machines[(n-1)/2] ||
					r.Scale > scales[(k-1)/2]
			}, once)
		}
	}
	for _, n := range []int{6, 8, 12, 20} {
		random := rand.New(rand.NewPCG(uint64(n), uint64(len(j.rows))))
		groups := byConfiguration(j.rows)
		if len(groups) < n+2 {
			continue
		}
		for range 2 {
			t := trial{job: j, rule: fmt.Sprintf("%d runs at random", n)}
			for i, g := range random.Perm(len(groups)) {
				if i < n {
					t.train = append(t.train, groups[g][random.IntN(len(groups[g]))])
				} else {
					t.test = append(t.test, groups[g]...)
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// stride is the step between the run indices that are chosen for consecutive configurations. Tables list the runs of
// a configuration in the order of their times, so a fixed index would be biased.
const stride = 3

// byConfiguration groups the runs by machines and scale, in order of first appearance.
func byConfiguration(rows []ernest.Row) [][]ernest.Row {
	var all [][]ernest.Row
	at := map[[2]float64]int{}
	for _, r := range rows {
		k := [2]float64{r.Machines, r.Scale}
		if _, ok := at[k]; !ok {
			at[k] = len(all)
			all = append(all, nil)
		}
		all[at[k]] = append(all[at[k]], r)
	}
	return all
}

func values(rows []ernest.Row, of func(ernest.Row) float64) []float64 {
	var v []float64
	for _, r := range rows {
		v = append(v, of(r))
	}
	slices.Sort(v)
	return slices.Compact(v)
}

// An outcome is a predicted configuration.
type outcome struct {
	trial      *trial
	prediction ernest.Prediction
	actual     float64   // median of the runs, seconds
	within     float64   // share of the runs within the range; NaN if there is no range
	others     []float64 // predictions of the methods of rivalTitles, seconds; NaN if there is none
}

// wrong is the error above which a prediction counts as wrong: the threshold of §3.4.
const wrong = 0.20

func (o *outcome) off() bool { return !(math.Abs(o.prediction.Seconds/o.actual-1) <= wrong) }

// predict fits a model and predicts each configuration of the test.
func (t *trial) predict(options ernest.FitOptions) ([]outcome, error) {
	m, err := ernest.Fit(t.train, options)
	if err != nil {
		return nil, err
	}
	var all []outcome
	for _, r := range t.test {
		if slices.ContainsFunc(all, func(o outcome) bool {
			return o.prediction.Machines == r.Machines &&
				o.prediction.Scale == r.Scale
		}) {
			continue
		}
		var times []float64
		for _, s := range t.test {
			if s.Machines == r.Machines && s.Scale == r.Scale {
				times = append(times, s.Seconds)
			}
		}
		slices.Sort(times)
		o := outcome{
			trial: t, prediction: m.Predict(r.Point()),
			actual: (times[len(times)/2] + times[(len(times)-1)/2]) / 2, within: math.NaN(),
		}
		next := math.NaN()
		if o.prediction.Next != nil {
			next = float64(o.prediction.Next.Seconds)
		}
		o.others = []float64{nearest(t.train, r), amdahl(t.train, r), next}
		if !math.IsNaN(o.prediction.High) {
			o.within = 0
			for _, s := range times {
				if s >= o.prediction.Low && s <= o.prediction.High {
					o.within += 1 / float64(len(times))
				}
			}
		}
		all = append(all, o)
	}
	return all, nil
}
