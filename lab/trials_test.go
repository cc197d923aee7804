package main

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

// A split puts runs aside for the test.
type split struct {
	rule string
	test func(ernest.Row) bool
}

// splits returns the splits of runs by their machines and by their scales.
func splits(rows []ernest.Row) []split {
	var all, halves []split
	machines := func(r ernest.Row) float64 { return r.Machines }
	for _, axis := range []struct {
		of              func(ernest.Row) float64
		enough          int // values for a part that is extrapolated
		one, half, most string
	}{
		{
			machines, 4, "one inner number of machines left out", "the smaller half of the machines",
			"all but the most machines",
		},
		{
			func(r ernest.Row) float64 { return r.Scale }, 3, "one inner scale left out", "the smaller half of the scales",
			"all but the largest scale",
		},
	} {
		v := values(rows, axis.of)
		n := len(v)
		for i := 1; i+1 < n; i++ {
			all = append(all, split{axis.one, func(r ernest.Row) bool { return axis.of(r) == v[i] }})
		}
		if n >= axis.enough {
			half := split{axis.half, func(r ernest.Row) bool { return axis.of(r) > v[(n-1)/2] }}
			halves = append(halves, half)
			all = append(all, half, split{axis.most, func(r ernest.Row) bool { return axis.of(r) == v[n-1] }})
		}
	}
	if len(halves) == 2 {
		all = append(all, split{"the smaller half of both", func(r ernest.Row) bool {
			return halves[0].test(r) || halves[1].test(r)
		}})
	}
	v := values(rows, machines)
	return append(all, split{"every other number of machines", func(r ernest.Row) bool {
		i := slices.Index(v, r.Machines)
		return i%2 == 1 && i+1 < len(v)
	}})
}

// trials splits the runs of a job in each possible way. A configuration is a number of machines and a scale; all of
// its runs are on the same side.
func trials(j *job) []trial {
	groups := byConfiguration(j.rows)
	var all []trial
	for _, runs := range []string{"all runs", "one run each"} {
		for _, s := range splits(j.rows) {
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
	within     float64    // share of the runs within the range; NaN if there is no range
	errors     [4]float64 // relative to the median run: of Ernest and of the rivals; NaN if there is no prediction
}

// rivals are the methods that Ernest is compared with, in the order of an outcome's errors.
var rivals = []any{"nearest × scale/machines", "Amdahl", "next best"}

// wrong is the error above which a prediction counts as wrong: the threshold of §3.4.
const wrong = 0.20

// predict fits a model and predicts each configuration of the test.
func (t *trial) predict() ([]outcome, error) {
	m, err := ernest.Fit(t.train, ernest.FitOptions{})
	if err != nil {
		return nil, err
	}
	var all []outcome
	for _, group := range byConfiguration(t.test) {
		r := group[0]
		p := m.Predict(r.Point())
		var times Numbers
		within := 0.0
		for _, g := range group {
			times = append(times, Number(g.Seconds))
			if g.Seconds >= p.Low && g.Seconds <= p.High {
				within += 1 / float64(len(group))
			}
		}
		if math.IsNaN(p.High) {
			within = math.NaN()
		}
		next := math.NaN()
		if p.Next != nil {
			next = float64(p.Next.Seconds)
		}
		o := outcome{p, within, [4]float64{p.Seconds, nearest(t.train, r), amdahl(t.train, r), next}}
		for i := range o.errors {
			o.errors[i] = math.Abs(apart(o.errors[i], float64(times.Median())))
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
