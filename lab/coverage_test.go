package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // hundreds of short replays with small heaps
	m.Run()
}

// coverageRatios are the points of a run at which its range is tested, as ratios of the run's true length.
var coverageRatios = [...]float64{0.10, 0.25, 0.50, 0.75, 0.90}

// A study has the coverage of ranges on simulated runs of workflows.
type study struct {
	Runs, Flows int
	Failed      int // runs that did not end; they are neither measured nor learned from
	Rough       int // runs that came too early in their workflow's history for a corrected 80% range
	Rows        []*coverage
}

// A coverage is that of a range at one point of the runs, over those with enough earlier runs, and
// over the others.
type coverage struct {
	At, Range     Number
	Backed, Rough sum
	Seeds         []sum // Backed of each seed
}

// A sum accumulates runs.
type sum struct {
	Runs               int
	within, raw, width float64
}

// Held, Raw and Width are means in percent.

func (s *sum) Held() Number { return Number(100 * s.within / float64(s.Runs)) }

func (s *sum) Raw() Number { return Number(100 * s.raw / float64(s.Runs)) }

func (s *sum) Width() Number { return Number(100 * s.width / float64(s.Runs)) }

// Extremes returns the lowest and the highest coverage of the seeds.
func (c *coverage) Extremes() string {
	var all Numbers
	for i := range c.Seeds {
		all = append(all, c.Seeds[i].Held())
	}
	return fmt.Sprintf("%v – %v%%", all.Quantile(0), all.Most())
}

func (s *sum) add(t *saying, level float64, total time.Duration) {
	s.Runs++
	left := total - t.elapsed
	low, high := t.left.Range(level)
	if low <= left && left <= high {
		s.within++
	}
	s.width += (high - low).Seconds() / total.Seconds()
	if low, high := t.raw.Range(level); low <= left && left <= high {
		s.raw++
	}
}

// measure simulates runs of workflows for each seed. Each workflow has an estimator of its own, which returns
// distributions, with Estimate.Raw and Estimate.Runs.
func measure(ctx context.Context, runs int, seeds []uint64, estimator func() estimators.Estimator) (*study, error) {
	s := &study{}
	for _, at := range coverageRatios {
		for _, level := range estimators.Levels {
			s.Rows = append(s.Rows, &coverage{At: Number(at), Range: Number(level)})
		}
	}
	for _, seed := range seeds {
		for _, c := range s.Rows {
			c.Seeds = append(c.Seeds, sum{})
		}
		var flows []*workflow
		var share []int
		for left := runs; left > 0; left -= share[len(share)-1] {
			w := newWorkflow(seed, len(flows))
			flows, share = append(flows, w), append(share, min(w.runs, left))
		}
		results := make([][]watched, len(flows))
		if err := Each(len(flows), func(i int) (err error) {
			results[i], err = flows[i].watchAll(ctx, share[i], estimator())
			return err
		}); err != nil {
			return nil, err
		}
		s.Flows += len(flows)
		for _, runs := range results {
			for i := range runs {
				s.add(&runs[i])
			}
		}
	}
	return s, nil
}

// runsFor is the least number of earlier runs behind a range of a level: MinRuns for the 80% range, 39 for the 95%
// range. The best and the worst of n runs bound a range of (n-1)/(n+1).
func runsFor(level float64) int {
	return max(estimators.MinRuns, int(math.Ceil(2/(1-level)-1-1e-9)))
}

// add adds a run of the newest seed.
func (s *study) add(w *watched) {
	s.Runs++
	switch {
	case !w.succeeded:
		s.Failed++
		return
	case w.predictions[0].runs < estimators.MinRuns:
		s.Rough++
	}
	for i, c := range s.Rows {
		switch t := &w.predictions[i/len(estimators.Levels)]; {
		case len(t.left) == 0:
		case t.runs < runsFor(float64(c.Range)):
			c.Rough.add(t, float64(c.Range), w.total)
		default:
			c.Backed.add(t, float64(c.Range), w.total)
			c.Seeds[len(c.Seeds)-1].add(t, float64(c.Range), w.total)
		}
	}
}

var calibrationFile = flag.String("page", "", "write the page to this file: minutes of two cores")

//go:embed calibration.tmpl
var calibrationText string

// TestPage writes docs/evidence/calibration.md, if a flag says so.
func TestPage(t *testing.T) {
	if *calibrationFile == "" {
		t.Skip("-page FILE writes docs/evidence/calibration.md")
	}
	s, err := measure(t.Context(), 2000, []uint64{1, 2, 3}, func() estimators.Estimator {
		return estimators.New(estimators.Corrected(estimators.Sampled()), cost.Costs, estimators.Options{})
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(*calibrationFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(out, calibrationText, s); err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}

// families are the shapes of noise in calibrations. The sampler's own, the lognormal one, is none of them.
var families = [...]simulate.Family{weibull, pareto, bimodal, simulate.Gamma}

// weibull has a thin tail above and a long one towards 0. The logarithm of a Weibull variable of shape k has the
// standard deviation pi/(k sqrt 6).
func weibull(r *rand.Rand, sigma float64) float64 {
	return math.Pow(r.ExpFloat64()/math.Ln2, sigma*math.Sqrt(6)/math.Pi)
}

// pareto has tails that fall like a power on both sides (double Pareto: Reed and Jorgensen 2004).
func pareto(r *rand.Rand, sigma float64) float64 {
	return math.Exp(sigma / math.Sqrt2 * (r.ExpFloat64() - r.ExpFloat64()))
}

// bimodal makes one in five take much longer.
func bimodal(r *rand.Rand, sigma float64) float64 {
	v := math.Exp(sigma / 2 * r.NormFloat64())
	if r.Float64() < 0.2 {
		v *= math.Exp(2 * sigma)
	}
	return v
}

// Medians and standard deviations of the logarithm. By definition they are 0 and sigma; the gamma family's are those of
// log X, psi(k)+log(theta) near -sigma^2/2 and the root of psi'(k) near sigma; the bimodal one's mean is its mixture's.
func TestFamilies(t *testing.T) {
	const sigma, n = 0.4, 40_000
	for name, c := range map[string]struct {
		family          simulate.Family
		median, sd, p99 float64
	}{
		"lognormal": {simulate.Lognormal, 0, 0.4, 0.93}, // 2.326 sigma
		"weibull":   {weibull, 0, 0.4, 0.59},            // log(log(100)/log 2) sigma sqrt(6)/pi
		"pareto":    {pareto, 0, 0.4, 1.11},             // log(50) sigma/sqrt 2
		"bimodal":   {bimodal, 0.07, 0.38, 1.13},
		"gamma":     {simulate.Gamma, -0.054, 0.42, 0.77},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		logs := make([]float64, n)
		sum, squares := 0.0, 0.0
		for i := range logs {
			logs[i] = math.Log(c.family(r, sigma))
			sum += logs[i]
			squares += logs[i] * logs[i]
		}
		slices.Sort(logs)
		sd := math.Sqrt(squares/n - sum/n*sum/n)
		if m := logs[n/2]; math.Abs(m-c.median) > 0.015 || math.Abs(sd-c.sd) > 0.02 ||
			math.Abs(logs[n*99/100]-c.p99) > 0.06 {
			t.Errorf("%v: median of the logarithm %.3f, deviation %.3f, 99%% below %.3f; want %v", name, m, sd,
				logs[n*99/100], c)
		}
	}
}
