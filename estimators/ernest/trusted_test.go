package ernest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// What no model of the base terms is: the doubts of other laws, where their runs show it.
var foreignLaws = []struct {
	law
	design string
	codes  []string // what the doubt may be
}{
	{law{"memory cliff: dearer above a share", func(m, s float64) float64 {
		return 5 + 200*s/m + m/2 +
			600*max(0, s/m-.05)
	}}, "grid", []string{"memory_cliff"}},
	{law{"memory cliff: three times as long", func(m, s float64) float64 {
		if s/m > .08 {
			return 3 * (5 + 200*s/m + m/2)
		}
		return 5 + 200*s/m + m/2
	}}, "grid", []string{"memory_cliff", "does_not_fit"}},
	{law{"memory cliff: from small runs on", func(m, s float64) float64 {
		if s/m > .0165 {
			return 2 * (5 + 200*s/m + m/2)
		}
		return 5 + 200*s/m + m/2
	}}, "rcv1", []string{"memory_cliff", "does_not_fit"}},
	{
		law{"quadratic reducer", func(m, s float64) float64 { return 5 + 200*s/m + m/2 + 300*s*s }},
		"grid",
		[]string{"faster_than_scale"},
	},
	{
		law{"quadratic reducer alone", func(m, s float64) float64 { return 2 + 50*s/m + 3000*s*s }},
		"rcv1",
		[]string{"faster_than_scale"},
	},
	{
		law{"quadratic reducer alone", func(m, s float64) float64 { return 2 + 50*s/m + 3000*s*s }},
		"640 parts",
		[]string{"faster_than_scale"},
	},
	{
		law{"one reducer", func(m, s float64) float64 { return 2 + 20*s/m + 300*s }},
		"grid",
		[]string{"faster_than_scale"},
	},
	{
		law{"one reducer", func(m, s float64) float64 { return 2 + 20*s/m + 300*s }},
		"640 parts",
		[]string{"faster_than_scale"},
	},
	{
		law{"pairs of records", func(m, s float64) float64 { return 2 + 300*s*s/m }},
		"diagonal",
		[]string{"faster_than_scale"},
	},
	{
		law{"machines talk in pairs", func(m, s float64) float64 { return 5 + 100*s/m + m*m/2 }},
		"diagonal",
		[]string{"machines_grow"},
	},
	{
		law{"machines talk in pairs", func(m, s float64) float64 { return 5 + 100*s/m + m*m/2 }},
		"640 parts",
		[]string{"machines_grow"},
	},
	{
		law{"superlinear speed-up", func(m, s float64) float64 { return 2 + 300*s/math.Pow(m, 1.6) }},
		"diagonal",
		[]string{"machines_divide", "superlinear_speedup", "slower_than_scale", "does_not_fit"},
	},
}

var trials = fixtures.Long(4, 12)

// doubts counts why models of a law are doubted, "" where they are trusted.
func doubts(t *testing.T, l law, where [][2]float64, noise float64) map[string]int {
	t.Helper()
	count := map[string]int{}
	for seed := range uint64(trials) {
		if seed > 0 && noise == 0 { // all are the same
			for code := range count {
				count[code] = trials
			}
			break
		}
		m, err := Fit(measure(l.at, where, noise, rand.New(rand.NewPCG(seed, 11))), FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if m.Doubt == nil {
			count[""]++
			continue
		}
		count[m.Doubt.Code]++
		if p := m.Predict(Point{8, 1, 0}); p.Refused == nil {
			t.Errorf("%s: a doubted model's prediction is not refused", l.name)
		}
	}
	return count
}

// Models of the right form are trusted: always without noise and nearly so with 5%, mostly with 20%.
func TestTrusted(t *testing.T) {
	for _, d := range designs {
		for _, c := range []struct{ noise, least float64 }{{0, 1}, {0.05, 0.95}, {0.2, 0.8}} {
			noise, least, all := c.noise, int(c.least*float64(trials*len(ernestLaws))), map[string]int{}
			for _, l := range ernestLaws {
				for code, n := range doubts(t, l, d.at, noise) {
					all[code] += n
				}
			}
			trusted := all[""]
			t.Logf("%-9s noise %2.0f%%: %3d of %d models trusted, doubts %v", d.name, 100*noise, trusted,
				len(ernestLaws)*trials, all)
			if trusted < least {
				t.Errorf("%s, noise %g: %d of %d models are trusted, want %d", d.name, noise, trusted,
					len(ernestLaws)*trials, least)
			}
		}
	}
}

// Five runs, as few as can be checked, predict each other badly where they are noisy: that is no doubt of the model.
func TestTrustedOfFew(t *testing.T) {
	five := [][2]float64{{1, .0625}, {1, .25}, {2, .125}, {3, .1875}, {3, .25}}
	const tables = 100
	for _, c := range []struct {
		noise float64
		least int
	}{{0.05, 95}, {0.1, 90}} {
		trusted := 0
		for seed := range uint64(tables) {
			if must(t, measure(theta(20, 330, 3, 0), five, c.noise, rand.New(rand.NewPCG(seed, 19))),
				FitOptions{}).Doubt == nil {
				trusted++
			}
		}
		t.Logf("noise %2.0f%%: %d of %d models of five runs trusted", 100*c.noise, trusted, tables)
		if trusted < c.least {
			t.Errorf("noise %g: %d of %d models of five runs are trusted, want %d", c.noise, trusted, tables, c.least)
		}
	}
}

// Models of another form are recognized: of runs of the whole input hardly one is more than 20% off unless it is
// refused, is within its range, or has a warning that names the pattern or the risk.
func TestDoubted(t *testing.T) {
	for _, f := range foreignLaws {
		d := designs[slices.IndexFunc(designs, func(d struct {
			name string
			at   [][2]float64
		},
		) bool {
			return d.name == f.design
		})]
		for _, noise := range []float64{0, 0.05, 0.2} {
			refused, held, warned, right, silent := 0, 0, 0, 0, 0
			for seed := range uint64(trials) {
				m := must(t, measure(f.at, d.at, noise, rand.New(rand.NewPCG(seed, 11))), FitOptions{})
				for _, machines := range []float64{8, 16} {
					p, actual := m.Predict(Point{machines, 1, 0}), f.at(machines, 1)
					known := append(codes(m.Warnings), codes(p.Warnings)...)
					switch {
					case p.Refused != nil:
						refused++
					case math.Abs(p.Seconds/actual-1) <= DefaultRefuseAbove:
						right++
					case p.Low <= actual && actual <= p.High:
						held++
					case slices.ContainsFunc(known, func(c string) bool {
						return slices.Contains(f.codes, c) || c == "likely_off" || c == "extra_term" || c == "relative_errors" ||
							c == "more_per_machine" || c == "range_wide"
					}):
						warned++
					default:
						silent++
					}
				}
			}
			t.Logf("%-36s %-9s noise %2.0f%%: of %d runs %d refused, %d right, %d within the range, %d warned of, %d wrong", f.name, d.name, 100*noise, 2*trials, refused, right, held, warned, silent)
			if silent > 2*trials/10 {
				t.Errorf("%s, %s, noise %g: %d of %d runs are silently wrong", f.name, d.name, noise, silent, 2*trials)
			}
		}
	}
}
