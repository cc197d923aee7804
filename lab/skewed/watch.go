package skewed

import (
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// tick is the interval of predictions for a run.
const tick = 60 // seconds

// A watcher receives the points of a run when they become visible, and makes its methods' predictions from them.
type watcher struct {
	job     *nearestfit.Job
	seen    []phase.Point
	done    []float64 // number of groups in those points, by task
	methods []method
	shares  bool // also record the shares of the rules in the prediction
}

func newWatcher(tasks []nearestfit.Task, p nearestfit.Params, seen []phase.Point, methods ...method) *watcher {
	return &watcher{nearestfit.New(tasks, p), seen, make([]float64, len(tasks)), methods, false}
}

// A method returns the remaining seconds of work of a task, counted from the arrival of its last groups.
type method struct {
	name string
	left func(w *watcher, p *nearestfit.Prediction, task int) float64
}

func nearest(name string) method {
	return method{name, func(_ *watcher, p *nearestfit.Prediction, task int) float64 {
		return p.Remaining(task).Seconds
	}}
}

func jobRatio(name string) method {
	return method{name, func(_ *watcher, p *nearestfit.Prediction, task int) float64 { return p.JobRatio(task) }}
}

func taskRatio(name string) method {
	return method{name, func(_ *watcher, p *nearestfit.Prediction, task int) float64 { return p.TaskRatio(task) }}
}

// foreseen returns a method with the exact time of each group except for the noise. Other methods can beat it only by
// chance.
func foreseen(name string, w *phase.Work) method {
	left := make([][]float64, len(w.Order)) // by task and number of groups done
	for task, order := range w.Order {
		left[task] = make([]float64, len(order)+1)
		for i := len(order) - 1; i >= 0; i-- {
			left[task][i] = left[task][i+1] + w.Groups[order[i]].Expected
		}
	}
	return method{name, func(w *watcher, _ *nearestfit.Prediction, task int) float64 {
		return left[task][int(w.done[task])]
	}}
}

// hadoop is the name of Hadoop's own progress, which predicts no end.
const hadoop = "Hadoop"

// watch replays a run to its watchers and scores each of their methods, by name, and Hadoop's progress.
func watch(run *phase.Run, watchers []*watcher) map[string]score {
	scores := make(map[string]score)
	count := func(name string, predicted, actual float64) {
		s := scores[name]
		s.add(predicted, actual)
		scores[name] = s
	}
	gauge := run.Gauge()
	for i := 1; tick*float64(i) < run.Over; i++ {
		t := tick * float64(i)
		actual := t / run.Over
		count(hadoop, gauge.At(t), actual)
		for _, w := range watchers {
			w.until(run, t)
			p := w.job.Predict()
			for _, m := range w.methods {
				count(m.name, t/w.end(run, t, p, m), actual)
			}
			if !w.shares {
				continue
			}
			for i, share := range byRule(run, t, p) {
				count(shareColumns[i].name, share, 0)
			}
		}
	}
	return scores
}

// until records everything that is visible at an instant.
func (w *watcher) until(run *phase.Run, t float64) {
	for task, start := range run.Start {
		if start <= t {
			w.job.Start(task, start)
		}
	}
	for len(w.seen) > 0 && w.seen[0].At <= t {
		p := w.seen[0]
		w.job.Record(p.Task, p.At, p.Bytes, p.Seconds, p.Count)
		w.done[p.Task] += p.Count
		w.seen = w.seen[1:]
	}
}

// end returns the time at which the last task stops according to a method, NaN if it has no prediction.
func (w *watcher) end(run *phase.Run, t float64, p *nearestfit.Prediction, m method) float64 {
	turns := make([]nearestfit.Turn, len(run.Start))
	for task := range turns {
		switch {
		case run.Stop[task] <= t:
			turns[task] = nearestfit.Turn{State: nearestfit.Finished, At: run.Stop[task]}
		case run.Start[task] <= t:
			turns[task] = nearestfit.Turn{
				State: nearestfit.Running, At: p.Remaining(task).At,
				Seconds: m.left(w, p, task),
			}
		default:
			turns[task] = nearestfit.Turn{State: nearestfit.Unscheduled, Seconds: m.left(w, p, task)}
		}
	}
	return nearestfit.End(turns, run.Slots, t)
}
