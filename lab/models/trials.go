package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A trial trains a model on some of a job's runs and tests it on others.
type trial struct {
	rule        string // how the runs were split
	train, test []ernest.Row
}

// stride is the step between the run indices that are chosen for consecutive configurations. Tables list the runs of
// a configuration in the order of their times, so a fixed index would be biased.
const stride = 3

// trials splits the runs of a job in each possible way. A configuration is a number of machines and a scale; all of
// its runs are on the same side.
func trials(j *job) []trial {
	groups := byConfiguration(j.rows)
	machines := values(j.rows, func(r ernest.Row) float64 { return r.Machines })
	scales := values(j.rows, func(r ernest.Row) float64 { return r.Scale })
	n, k := len(machines), len(scales)
	type split struct {
		rule string
		test func(ernest.Row) bool
	}
	var splits []split
	add := func(rule string, test func(ernest.Row) bool) { splits = append(splits, split{rule, test}) }
	for i := 1; i+1 < n; i++ {
		add("one inner number of machines left out", func(r ernest.Row) bool { return r.Machines == machines[i] })
	}
	add("every other number of machines", func(r ernest.Row) bool {
		i := slices.Index(machines, r.Machines)
		return i%2 == 1 && i+1 < n
	})
	for i := 1; i+1 < k; i++ {
		add("one inner scale left out", func(r ernest.Row) bool { return r.Scale == scales[i] })
	}
	manyMachines := func(r ernest.Row) bool { return r.Machines > machines[(n-1)/2] }
	largeScale := func(r ernest.Row) bool { return r.Scale > scales[(k-1)/2] }
	if n >= 4 {
		add("the smaller half of the machines", manyMachines)
		add("all but the most machines", func(r ernest.Row) bool { return r.Machines == machines[n-1] })
	}
	if k >= 3 {
		add("the smaller half of the scales", largeScale)
		add("all but the largest scale", func(r ernest.Row) bool { return r.Scale == scales[k-1] })
	}
	if n >= 4 && k >= 3 {
		add("the smaller half of both", func(r ernest.Row) bool { return manyMachines(r) || largeScale(r) })
	}
	var all []trial
	for _, runs := range []string{"all runs", "one run each"} {
		for _, s := range splits {
			t := trial{rule: s.rule + ", " + runs}
			for i, group := range groups {
				switch {
				case s.test(group[0]):
					t.test = append(t.test, group...)
				case runs == "all runs":
					t.train = append(t.train, group...)
				default:
					t.train = append(t.train, group[stride*i%len(group)])
				}
			}
			if len(t.test) > 0 && len(t.train) > 0 {
				all = append(all, t)
			}
		}
	}
	for _, n := range []int{6, 8, 12, 20} {
		random := rand.New(rand.NewPCG(uint64(n), uint64(len(j.rows))))
		for i := 0; i < 2 && len(groups) >= n+2; i++ {
			t := trial{rule: fmt.Sprintf("%d runs at random", n)}
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

// byConfiguration groups the runs by machines and scale, in order of first appearance.
func byConfiguration(rows []ernest.Row) [][]ernest.Row {
	var all [][]ernest.Row
	for _, r := range rows {
		at := slices.IndexFunc(all, func(g []ernest.Row) bool { return g[0].Point() == r.Point() })
		if at < 0 {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], r)
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
	prediction ernest.Prediction
	actual     float64   // median of the runs, seconds
	within     float64   // share of the runs within the range; NaN if there is no range
	others     []float64 // predictions of the rivals, seconds; NaN if there is none
}

// wrong is the error above which a prediction counts as wrong: the threshold of §3.4.
const wrong = 0.20

func (o *outcome) off() bool { return !(math.Abs(apart(o.prediction.Seconds, o.actual)) <= wrong) }

// predict fits a model and predicts each configuration of the test.
func (t *trial) predict() ([]outcome, error) {
	m, err := ernest.Fit(t.train, ernest.FitOptions{})
	if err != nil {
		return nil, err
	}
	var all []outcome
	for _, group := range byConfiguration(t.test) {
		r := group[0]
		times := make([]float64, len(group))
		for i := range group {
			times[i] = group[i].Seconds
		}
		slices.Sort(times)
		o := outcome{
			prediction: m.Predict(r.Point()),
			actual:     (times[len(times)/2] + times[(len(times)-1)/2]) / 2, within: math.NaN(),
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
