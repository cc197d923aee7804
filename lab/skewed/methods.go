package skewed

import (
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// The names of the methods in the tables.
const (
	theory       = "theory"
	stream       = "stream"
	onefit       = "one fit"
	ours         = "ours"
	foreknown    = "curve known"
	byJob        = "job_ratio"
	byTask       = "task_ratio"
	smoothedJob  = "job_ratio, EWMA"
	smoothedTask = "task_ratio, EWMA"
)

// ewma is the weight of the newest report in the smoothed ratio.
const ewma = .3

// all returns the watchers of every method.
func all(run *phase.Run) []*watcher {
	params := nearestfit.Default()
	pool, smooth := params, params
	pool.Pooled = true
	smooth.EWMA, smooth.Use = ewma, nearestfit.NeighboursOnly // no method uses its fits
	promised := paper(run.Work)
	return []*watcher{
		newWatcher(everything(run.Work), params, run.Seen, nearest(theory), foreseen(foreknown, run.Work)),
		newWatcher(promised, params, run.Seen, nearest(stream), jobRatio(byJob), taskRatio(byTask)),
		newWatcher(promised, pool, run.Seen, nearest(onefit)),
		newWatcher(promised, deviating(), run.Seen, nearest(ours)),
		newWatcher(promised, smooth, run.Seen, jobRatio(smoothedJob), taskRatio(smoothedTask)),
	}
}

// deviating returns NearestFit's parameters with all additions to the paper; see the notes of nearestfit.Params.
func deviating() nearestfit.Params {
	p := nearestfit.Default()
	p.Pooled, p.Conserve, p.Weights = true, true, nearestfit.PerSecond
	return p
}
