package main

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// polls are the intervals of reading counters, in seconds.
var polls = []float64{1, 6, 30}

// unseen are the settings with counters only, without group profiles.
var unseen = []synthetic{
	{1, 1.2, 1, 1},
	{2, 1.05, 1, 1},
	{2, 1.2, 1, 1},
	{2, 1.8, 1, 1},
	{2, 1.2, 8, 8},
	{2, 1.4, 8, 8},
	{2, 1.8, 8, 8},
}

func countersExperiment(l lab) experiment {
	e := experiment{title: "From counters alone"}
	var alone, sized []string
	for _, every := range polls {
		alone = append(alone, fmt.Sprintf("each %v s", every))
		sized = append(sized, fmt.Sprintf("each %v s, sizes known", every))
	}
	for _, s := range unseen {
		e.rows = append(e.rows, row{l.run(s), func(run *phase.Run) []*watcher {
			watchers := []*watcher{newWatcher(paper(run.Work), deviating(), run.Seen, nearest(ours), jobRatio(byJob),
				taskRatio(byTask))}
			// The groups of a burst are assumed equal. Small ones are then inaccurate, and must not weigh more.
			p := deviating()
			p.Weights = nearestfit.Counts
			for i, every := range polls {
				seen := run.Counts(every)
				watchers = append(watchers,
					newWatcher(nothing(run.Work), p, seen, nearest(alone[i])),
					newWatcher(everything(run.Work), p, seen, nearest(sized[i])))
			}
			return watchers
		}})
	}
	e.write = func(p printer, r []result) error {
		columns := slices.Concat(alone, sized, []string{ours, byJob, byTask, hadoop})
		head(p, []string{"cost", "σ", "tasks"}, columns)
		for i, s := range unseen {
			p("%s", line(append([]string{s.cost(), fmt.Sprint(s.sigma), fmt.Sprint(s.reduces)},
				r[i].cells(columns)...)...))
		}
		p("")
		p("%s", countersWords)
		return nil
	}
	return e
}
