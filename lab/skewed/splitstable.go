package skewed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// mapsTitle is the title of the section about maps.
const mapsTitle = "Maps whose cost is not linear (section 3.6)"

// splittings returns the distributions of record lengths over splits.
func splittings() []splitting {
	usual := func(rng *rand.Rand) float64 { return math.Exp(0.5 * rng.NormFloat64()) }
	bySplit := func(rng *rand.Rand, typical, _, _ float64) float64 { return typical * usual(rng) }
	var all []splitting
	for _, n := range []int{containers, 4 * containers} {
		all = append(
			all,
			splitting{"alike in all splits", n, 2, bySplit, 0},
			splitting{"split by split, σ 0.5", n, 2, bySplit, 0.5},
			splitting{"split by split, σ 1", n, 2, bySplit, 1},
			splitting{"split by split, σ 1", n, 1, bySplit, 1},
			splitting{"split by split, σ 1", n, 0, bySplit, 1},
			splitting{
				"growing to 4 times from the first split to the last", n, 2,
				func(rng *rand.Rand, _, split, _ float64) float64 { return math.Pow(4, split-0.5) * usual(rng) }, 0,
			},
			splitting{
				"shrinking to a quarter from the first split to the last", n, 2,
				func(rng *rand.Rand, _, split, _ float64) float64 { return math.Pow(4, 0.5-split) * usual(rng) }, 0,
			},
			splitting{"growing to 4 times within each split", n, 2, func(rng *rand.Rand, _, _, place float64) float64 {
				return math.Pow(4, place-0.5) * usual(rng)
			}, 0},
			splitting{"a few very long (Pareto, exponent 1.2)", n, 2, func(rng *rand.Rand, _, _, _ float64) float64 {
				return 0.2 * math.Pow(1-rng.Float64(), -1/1.2)
			}, 0},
		)
	}
	return all
}

// mapMethods are the columns of the table.
var mapMethods = []string{
	"standard", "standard, records alone", "bytes", "running splits sampled",
	"all splits sampled", "all records known",
}

// costNames are the costs of a record of length l, by the power.
var costNames = []string{"the same", "l", "l²"}

// mapTick is the interval of predictions for a run of maps.
const mapTick = 5 // seconds

// scores runs a splitting and scores the methods along it.
func (s splitting) scores(seed uint64) (map[string]score, error) {
	r := playedMaps(s.make(seed))
	rng := rand.New(rand.NewPCG(seed, 37))
	none, some, all := make([]look, len(r.splits)), make([]look, len(r.splits)), make([]look, len(r.splits))
	for i := range r.splits {
		some[i], all[i] = r.splits[i].sampled(rng), r.splits[i].exactly()
	}
	var ticks []float64
	for t := float64(mapTick); t < r.over; t += mapTick {
		ticks = append(ticks, t)
	}
	standard, err := r.standardEnds(ticks, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	records, err := r.standardEnds(ticks, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	out := map[string]score{}
	for i, t := range ticks {
		for k, end := range []float64{
			standard[i], records[i], r.byPace(t, none, none), r.byPace(t, some, none),
			r.byPace(t, some, some), r.byPace(t, all, all),
		} {
			got := out[mapMethods[k]]
			got.add(t/end, t/r.over)
			out[mapMethods[k]] = got
		}
	}
	return out, nil
}

func mapsExperiment(l lab) experiment {
	return experiment{title: mapsTitle, write: func(p printer, _ []result) error {
		p("%s", strings.TrimRight(fmt.Sprintf(mapsIntro, containers, taskSeconds, setupSeconds, splitBytes/1e6,
			recordBytes, reportSeconds, mapTick, samples), "\n"))
		p("")
		head(p, []string{"lengths of records", "a record takes", "maps"}, mapMethods)
		all := splittings()
		seeds := make([]map[string]score, len(all)*l.seeds)
		errs := make([]error, len(seeds))
		each(len(seeds), func(i int) {
			seeds[i], errs[i] = all[i/l.seeds].scores(uint64(i%l.seeds) +
				1)
		}) //nolint:gosec // a handful
		for i, s := range all {
			cells := []string{s.name, costNames[int(s.power)], fmt.Sprint(s.splits)}
			for _, m := range mapMethods {
				var of []score
				for k := i * l.seeds; k < (i+1)*l.seeds; k++ {
					if errs[k] != nil {
						return errs[k]
					}
					of = append(of, seeds[k][m])
				}
				cells = append(cells, over(of).String())
			}
			p("%s", line(cells...))
		}
		p("")
		p("%s", mapsWords)
		return nil
	}}
}
