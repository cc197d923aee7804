package fit

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A grade is the accuracy of a cost model on a pair: sums over its ticks.
type grade struct {
	ticks, points, ranges, held int     // all ticks; with a point; with an 80 % range; with the truth in that range
	errors, bias                float64 // of the time, in percentage points of progress (estimators.Grade)
	bar                         float64 // error of the share of succeeded tasks, which engines show
	width                       float64 // of the 80 % range, relative to the true remaining time
	crps                        float64 // of the logarithm of the run's length
}

// score grades a model on pairs.
func score(pairs []pair, model estimators.Model, samples int) []grade {
	out := make([]grade, len(pairs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range pairs {
		group.Go(func() error {
			for _, s := range pairs[i].run.ticks {
				out[i].add(pairs[i], s, model, samples)
			}
			return nil
		})
	}
	_ = group.Wait() // the goroutines return no errors
	return out
}

// printTicks prints a model's estimates at each tick of a pair, in seconds.
func printTicks(w io.Writer, kinds []kind, names string, model estimators.Model, samples int) error {
	run, other, _ := strings.Cut(names, ",")
	for _, k := range kinds {
		for _, p := range k.pairs {
			if p.run.name != run || (p.other == nil) != (other == "") || p.other != nil && p.other.name != other {
				continue
			}
			for _, s := range p.run.ticks {
				at := s.At.Sub(p.run.first).Seconds()
				point, distribution := p.estimate(s, model, samples)
				fmt.Fprintf(w, "at %8.1f, left %8.1f", at, p.run.end.Sub(s.At).Seconds())
				if point != nil {
					fmt.Fprintf(w, ", estimated %8.1f", point.Seconds())
				}
				if len(distribution) > 0 {
					low, high := distribution.Range(0.8)
					fmt.Fprintf(w, ", between %8.1f and %8.1f", low.Seconds(), high.Seconds())
				}
				fmt.Fprintln(w)
			}
			return nil
		}
	}
	return fmt.Errorf("no pair of %s", names)
}

// estimate returns the remaining time at a tick, and its distribution; nil if there is none.
func (p *pair) estimate(s *dag.Snapshot, model estimators.Model, samples int) (
	*time.Duration, estimators.Distribution,
) {
	if p.other != nil {
		s = profiles.Attach(s, []*dag.Plan{p.other.profile})
	}
	all := estimators.Shared([]estimators.Scenario{
		estimators.Scenarios()[0], estimators.Corrected(estimators.Sampled()),
	}, model, estimators.Options{Samples: samples})
	run := dag.Run{}.Append(s)
	point, errPoint := all[0].Estimate(run)
	sampled, errRange := all[1].Estimate(run)
	if errPoint != nil {
		point.Remaining = nil
	}
	if errRange != nil {
		sampled.Distribution = nil
	}
	return point.Remaining, sampled.Distribution
}

// values is the number of values of a distribution that are scored.
const values = 64

func (g *grade) add(p pair, s *dag.Snapshot, model estimators.Model, samples int) {
	total, elapsed := float64(p.run.end-p.run.first), float64(s.At-p.run.first)
	g.ticks++
	g.bar += math.Abs(100*barOf(s) - 100*elapsed/total)
	point, distribution := p.estimate(s, model, samples)
	if point != nil {
		g.points++
		d := 100*elapsed/(elapsed+float64(point.Milliseconds())) - 100*elapsed/total
		g.errors, g.bias = g.errors+math.Abs(d), g.bias+d
	}
	if len(distribution) == 0 {
		return
	}
	g.ranges++
	low, high := distribution.Range(0.8)
	l, h, truth := float64(low.Milliseconds()), float64(high.Milliseconds()), total-elapsed
	if l <= truth && truth <= h {
		g.held++
	}
	g.width += (h - l) / truth
	logs := make([]float64, values)
	for i := range logs {
		left := distribution.At((float64(i) + 0.5) / values)
		logs[i] = math.Log((elapsed + float64(left.Milliseconds())) / total)
	}
	g.crps += crps(logs, 0)
}

// crps returns the continuous ranked probability score of equally likely values, ascending (Gneiting and Raftery,
// "Strictly Proper Scoring Rules, Prediction, and Estimation", 2007, equation 21).
func crps(values []float64, truth float64) float64 {
	n, sum := float64(len(values)), 0.0
	for i, v := range values {
		sum += math.Abs(v-truth)/n - v*(2*float64(i)+1-n)/(n*n)
	}
	return sum
}

// barOf returns the share of tasks that have succeeded, over the submitted stages.
func barOf(s *dag.Snapshot) float64 {
	done, all := 0, 0
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			state := &s.Jobs[j].Stages[k]
			if state.Submitted > 0 || len(state.Attempts) > 0 {
				done, all = done+state.Succeeded(), all+s.Plan.Jobs[j].Stages[k].Count()
			}
		}
	}
	return float64(done) / math.Max(1, float64(all))
}
