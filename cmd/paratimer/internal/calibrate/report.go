package calibrate

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/estimators"
)

// A Report has the coverage of the ranges.
type Report struct {
	Seed      uint64 `json:"seed"`
	Runs      int    `json:"runs"`
	Workflows int    `json:"workflows"`
	// FailedRuns did not run to their end. They are neither measured nor learned from.
	FailedRuns int `json:"failed_runs"`
	// RoughRuns came too early in their workflow's history for a corrected 80 % range.
	RoughRuns int `json:"rough_runs"`
	// Coverage is over the runs with enough earlier runs behind the range, Rough over the others.
	Coverage []Coverage `json:"coverage"`
	Rough    []Coverage `json:"rough_coverage"`
}

// Coverage is how often a range contained the true end at one point of the runs.
type Coverage struct {
	AtRatio    float64 `json:"at_ratio"`    // the point, as a ratio of each run's true length
	RangeRatio float64 `json:"range_ratio"` // the target coverage
	// HeldRatio is the actual coverage; null without runs. RawHeldRatio is the coverage without correction.
	HeldRatio    *float64 `json:"held_ratio"`
	RawHeldRatio *float64 `json:"raw_held_ratio"`
	// MeanWidthRatio is the range's mean width, relative to the run's length.
	MeanWidthRatio    *float64 `json:"mean_width_ratio"`
	RawMeanWidthRatio *float64 `json:"raw_mean_width_ratio"`
	Runs              int      `json:"runs"`
}

func report(o Options, results [][]watched) *Report {
	r := &Report{Seed: o.Seed, Workflows: len(results), Coverage: []Coverage{}, Rough: []Coverage{}}
	for _, runs := range results {
		for _, w := range runs {
			r.Runs++
			switch {
			case !w.succeeded:
				r.FailedRuns++
			case w.predictions[0].runs < estimators.MinRuns:
				r.RoughRuns++
			}
		}
	}
	for at := range Ratios {
		for _, level := range estimators.Levels {
			var backed, rough sum
			for _, runs := range results {
				for _, w := range runs {
					s := &w.predictions[at]
					if !w.succeeded || len(s.left) == 0 {
						continue
					}
					to := &rough
					if s.runs >= estimators.RunsFor(level) {
						to = &backed
					}
					to.add(s, level, w.total)
				}
			}
			r.Coverage = append(r.Coverage, backed.coverage(Ratios[at], level))
			r.Rough = append(r.Rough, rough.coverage(Ratios[at], level))
		}
	}
	return r
}

// A sum accumulates runs.
type sum struct {
	runs             int
	held, raw        int
	width, rawWidths float64
}

func (s *sum) add(t *saying, level float64, total time.Duration) {
	s.runs++
	held, width := holds(t.left, level, total-t.elapsed)
	raw, rawWidth := holds(t.raw, level, total-t.elapsed)
	if held {
		s.held++
	}
	if raw {
		s.raw++
	}
	s.width += width.Seconds() / total.Seconds()
	s.rawWidths += rawWidth.Seconds() / total.Seconds()
}

// holds reports whether the range of a level contains a remaining time, and returns the range's width.
func holds(d estimators.Distribution, level float64, remaining time.Duration) (bool, time.Duration) {
	low, high := d.Range(level)
	return low <= remaining && remaining <= high, high - low
}

func (s *sum) coverage(at, level float64) Coverage {
	return Coverage{
		AtRatio: at, RangeRatio: level, Runs: s.runs,
		HeldRatio: s.mean(float64(s.held)), RawHeldRatio: s.mean(float64(s.raw)),
		MeanWidthRatio: s.mean(s.width), RawMeanWidthRatio: s.mean(s.rawWidths),
	}
}

func (s *sum) mean(v float64) *float64 {
	if s.runs == 0 {
		return nil
	}
	v = math.Round(v/float64(s.runs)*1e4) / 1e4
	return &v
}
