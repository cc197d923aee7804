package skewed

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/sketch"
)

// A form is a variant of NearestFit: its parameters, and the key groups of reduces that it knows.
type form struct {
	Params nearestfit.Params
	// Lambda is how many of its largest keys a map reports, Entries the capacity of the Space-Saving that joins them.
	Lambda, Entries int
	// Keys is "all" if all keys are known (the theoretical form, section 3), "counts" if keys have the counts of the
	// Space-Saving as sizes, which are upper bounds, in place of their certain bytes (docs/facts/nearestfit.md N7).
	Keys string
	// Still is set if groups take exactly what their size says.
	Still bool
}

// streaming returns the paper's streaming form (sections 4 and 8.1).
func streaming() form { return form{Params: nearestfit.Default(), Lambda: 2000, Entries: 70_000} }

// tasks returns what the form knows of the reduces.
func (f *form) tasks(w *work) []nearestfit.Task {
	profiles := make([]sketch.Profile[int], len(w.maps))
	for m, parts := range w.maps {
		profiles[m].Bytes = make([]float64, len(w.order))
		for _, p := range parts {
			task := w.groups[p.key].task
			profiles[m].Bytes[task] += p.bytes
			profiles[m].Keys = append(profiles[m].Keys, sketch.Key[int]{Key: p.key, Reduce: task, Bytes: p.bytes})
		}
	}
	sizes := make([][]float64, len(w.order))
	switch f.Keys {
	case "all":
		for _, g := range w.groups {
			sizes[g.task] = append(sizes[g.task], g.bytes)
		}
	case "counts":
		heavy := sketch.New[int](f.Entries)
		for _, m := range profiles {
			slices.SortFunc(m.Keys, func(a, b sketch.Key[int]) int {
				return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
			})
			for _, k := range m.Keys[:min(f.Lambda, len(m.Keys))] {
				heavy.Add(k.Key, k.Bytes)
			}
		}
		for _, e := range heavy.Entries() {
			sizes[w.groups[e.Key].task] = append(sizes[w.groups[e.Key].task], e.Count)
		}
	default:
		return nearestfit.Explicit(profiles, len(w.order), f.Lambda, f.Entries)
	}
	tasks := make([]nearestfit.Task, len(w.order))
	for i := range tasks {
		slices.Sort(sizes[i])
		tasks[i] = nearestfit.Task{Bytes: w.bytes[i], Explicit: counted(sizes[i])}
		tasks[i].Implicit = max(0, w.bytes[i]-bytesOf(tasks[i].Explicit))
	}
	return tasks
}

// counted merges equal sizes of an ascending list.
func counted(sizes []float64) []dag.GroupSize {
	var out []dag.GroupSize
	for _, s := range sizes {
		if last := len(out) - 1; last >= 0 && out[last].Bytes == s {
			out[last].Count++
			continue
		}
		out = append(out, dag.GroupSize{Bytes: s, Count: 1})
	}
	return out
}

func bytesOf(sizes []dag.GroupSize) float64 {
	sum := 0.0
	for _, s := range sizes {
		sum += s.Bytes * s.Count
	}
	return sum
}

// A watcher receives the points of a run when they become visible, and predicts from them in one form.
type watcher struct {
	*run
	job        *nearestfit.Job
	unseen     []point
	done       []int // number of groups in the visible points, by task
	prediction *nearestfit.Prediction
}

// until makes all points up to an instant visible.
func (w *watcher) until(t float64) {
	for task, start := range w.start {
		if start <= t {
			w.job.Start(task, start)
		}
	}
	for len(w.unseen) > 0 && w.unseen[0].at <= t {
		p := w.unseen[0]
		w.job.Record(p.task, p.at, p.bytes, p.seconds, p.count)
		w.done[p.task] += int(p.count)
		w.unseen = w.unseen[1:]
	}
	w.prediction = w.job.Predict()
}

// A method predicts the seconds of work that are left of a task, counted from the arrival of its last groups.
type method struct {
	form string
	left func(w *watcher, task int) float64
}

// methods are the methods in the tables that are not the name of a form.
var methods = map[string]method{
	"job_ratio":        {"stream", func(w *watcher, task int) float64 { return w.prediction.JobRatio(task) }},
	"task_ratio":       {"stream", func(w *watcher, task int) float64 { return w.prediction.TaskRatio(task) }},
	"job_ratio, EWMA":  {"EWMA", func(w *watcher, task int) float64 { return w.prediction.JobRatio(task) }},
	"task_ratio, EWMA": {"EWMA", func(w *watcher, task int) float64 { return w.prediction.TaskRatio(task) }},
	// The exact time of each group except for the noise. Other methods can beat it only by chance.
	"curve known": {"theory", func(w *watcher, task int) float64 {
		sum := 0.0
		for _, key := range w.order[task][w.done[task]:] {
			sum += w.groups[key].expected
		}
		return sum
	}},
}

func nearest(w *watcher, task int) float64 { return w.prediction.Remaining(task).Seconds }

// endBy returns the time at which the last task stops according to a method, NaN if it has no prediction.
func (w *watcher) endBy(m method, t float64) float64 {
	turns := make([]nearestfit.Turn, len(w.start))
	for task := range turns {
		switch {
		case w.stop[task] <= t:
			turns[task] = nearestfit.Turn{State: nearestfit.Finished, At: w.stop[task]}
		case w.start[task] <= t:
			at := w.prediction.Remaining(task).At
			turns[task] = nearestfit.Turn{State: nearestfit.Running, At: at, Seconds: m.left(w, task)}
		default:
			turns[task] = nearestfit.Turn{State: nearestfit.Unscheduled, Seconds: m.left(w, task)}
		}
	}
	return nearestfit.End(turns, w.slots, t)
}

// rules are the rules of section 3.3 by their names in a table.
var rules = map[string]nearestfit.Rule{
	"neighbours in the task": nearestfit.OwnNeighbours, "the task's fit": nearestfit.OwnFit,
	"neighbours in others": nearestfit.JobNeighbours, "the best fit": nearestfit.BestFit, "bytes": nearestfit.Fallback,
}

// share returns the share of the remaining time that a rule predicts, NaN if no time remains.
func (w *watcher) share(rule nearestfit.Rule, t float64) float64 {
	part, all := 0.0, 0.0
	for task := range w.stop {
		if w.stop[task] <= t {
			continue
		}
		for _, s := range w.prediction.Remaining(task).Shares {
			all += s.Seconds
			if s.Rule == rule {
				part += s.Seconds
			}
		}
	}
	if !(all > 0) {
		return math.NaN()
	}
	return part / all
}

func newWatcher(r *run, f form) *watcher {
	job := nearestfit.New(f.tasks(r.work), f.Params)
	return &watcher{run: r, job: job, unseen: r.seen, done: make([]int, len(r.start))}
}
