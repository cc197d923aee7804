// Package paper has the costs of the ParaTimer paper, and the estimators that ParaTimer is compared with: the paper's
// static tracking, Parallax, the bars of engines, indicators of databases, and NearestFit's forms.
//
// [Model] makes the costs; package estimators replays them. [Others] are the estimators.
//
// # Stability
//
// Young: names may change in a minor version (docs/api.md).
package paper

import (
	"slices"

	"github.com/paratimer/paratimer/estimators"
)

// Others returns scenarios for comparison: the paper's static tracking and its cheap variants, more failures, and
// other indicators.
func Others() []estimators.Scenario {
	return slices.Concat([]estimators.Scenario{
		{
			Name:     "standard_static",
			Meaning:  "the critical path of the last plan, made at the start and at each failure, is tracked",
			Estimate: standardStatic(trackAll),
		},
		{
			Name:     "standard_static_thread",
			Meaning:  "as standard_static, but one slot's tasks of each path fragment are tracked",
			Estimate: standardStatic(trackThread),
		},
		{
			Name: "standard_static_subset", Meaning: "as standard_static, but few tasks of each round are tracked",
			Estimate: standardStatic(trackSubset),
		},
	}, estimators.Variants(), []estimators.Scenario{
		{
			Name: "parallax", Meaning: "jobs one after another, at the average width of what is left (Parallax)",
			Estimate: parallax,
		},
		{Name: "parallax_rounds", Meaning: "as parallax, round by round", Estimate: parallaxRounds},
		{
			Name: "parallax_aggregate", Meaning: "as parallax, at the cluster's speed in the last minute",
			Estimate: parallaxAggregate,
		},
		{Name: "pig", Meaning: "Pig's own percentage", Estimate: pig},
		{Name: "hadoop", Meaning: "Hadoop's own percentages, averaged over tasks", Estimate: hadoop},
		{Name: "dne", Meaning: "the share of input tuples read (driver node)", Estimate: dne},
		{Name: "gnm", Meaning: "the share of getnext calls made", Estimate: gnm},
		{Name: "luo", Meaning: "what is left at the speed of the last ten seconds (Luo)", Estimate: luo},
		inForm("nearestfit", "reduces by their key groups, every key known (NearestFit)", estimators.FormTheory),
		inForm("nearestfit_stream",
			"reduces by their key groups, the largest keys known (NearestFit's streaming form)", estimators.FormStream),
		inForm("job_ratio", "reduces by their job's time for a byte", estimators.FormJobRatio),
		inForm("task_ratio", "reduces by their own time for a byte", estimators.FormTaskRatio),
		inForm("job_ratio_ewma",
			"as job_ratio, the newest minute of work weighing most", estimators.FormJobRatioSmoothed),
		inForm("task_ratio_ewma",
			"as task_ratio, the newest minute of work weighing most", estimators.FormTaskRatioSmoothed),
		inForm("nearestfit_fit_only", "as nearestfit, by its fitted curves alone", estimators.FormFitOnly),
		inForm("nearestfit_neighbours_only",
			"as nearestfit, by its nearest neighbours alone", estimators.FormNeighboursOnly),
	})
}
