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
	// All keys are known if both are 0 (the theoretical form, section 3).
	Lambda, Entries int
	// Counts is set if keys have the counts of the Space-Saving as sizes, which are upper bounds, in place of their
	// certain bytes (docs/facts/nearestfit.md N7).
	Counts bool
	// Still is set if groups take exactly what their size says.
	Still bool
}

// streaming returns the paper's streaming form (sections 4 and 8.1).
func streaming() form { return form{Params: nearestfit.Default(), Lambda: 2000, Entries: 70_000} }

// tasks returns what the form knows of the reduces.
func (f *form) tasks(w *work) []nearestfit.Task {
	join := sketch.NewJoin[int](len(w.order), f.Lambda, f.Entries)
	heavy := sketch.New[int](max(1, f.Entries))
	for _, parts := range w.maps {
		p := sketch.Profile[int]{Bytes: make([]float64, len(w.order))}
		for _, part := range parts {
			task := w.groups[part.key].task
			p.Bytes[task] += part.bytes
			p.Keys = append(p.Keys, sketch.Key[int]{Key: part.key, Reduce: task, Bytes: part.bytes})
		}
		if f.Counts {
			largest := slices.SortedFunc(slices.Values(p.Keys), func(a, b sketch.Key[int]) int {
				return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
			})
			for _, k := range largest[:min(f.Lambda, len(largest))] {
				heavy.Add(k.Key, k.Bytes)
			}
		}
		join.Add(p)
	}
	tasks := make([]nearestfit.Task, len(w.order))
	for i, input := range join.Inputs() {
		tasks[i] = nearestfit.Task{Bytes: input.Bytes, Implicit: w.bytes[i]}
		if f.Counts {
			continue
		}
		tasks[i].Implicit = input.Implicit
		for _, k := range input.Explicit {
			tasks[i].Explicit = append(tasks[i].Explicit, dag.GroupSize{Bytes: k.Bytes, Count: 1})
		}
	}
	if !f.Counts {
		return tasks
	}
	entries := slices.Collect(heavy.All())
	slices.SortFunc(entries, func(a, b sketch.Entry[int]) int { return cmp.Compare(a.Count, b.Count) })
	for _, e := range entries {
		t := &tasks[w.groups[e.Key].task]
		t.Explicit = append(t.Explicit, dag.GroupSize{Bytes: e.Count, Count: 1})
		t.Implicit = max(0, t.Implicit-e.Count)
	}
	return tasks
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

// A method has a value at each tick of a run that is watched in a form: the error of its progress, or the share of a
// rule. NaN if there is none.
type method struct {
	form  string
	value func(w *watcher, t float64) float64
}

// methods are the methods in the tables that are not the name of a form.
var methods = map[string]method{
	"job_ratio":        {"stream", off(jobRatio)},
	"task_ratio":       {"stream", off(taskRatio)},
	"job_ratio, EWMA":  {"EWMA", off(jobRatio)},
	"task_ratio, EWMA": {"EWMA", off(taskRatio)},
	"curve known":      {"theory", off((*watcher).known)},
	"Hadoop":           {"stream", func(w *watcher, t float64) float64 { return math.Abs(w.hadoop(t) - t/w.end) }},
	// The rules of section 3.3.
	"neighbours in the task": {"stream", share(nearestfit.OwnNeighbours)},
	"the task's fit":         {"stream", share(nearestfit.OwnFit)},
	"neighbours in others":   {"stream", share(nearestfit.JobNeighbours)},
	"the best fit":           {"stream", share(nearestfit.BestFit)},
	"bytes":                  {"stream", share(nearestfit.Fallback)},
}

// methodOf returns a method by its name, which may be that of a form of NearestFit.
func methodOf(name string) method {
	if m, ok := methods[name]; ok {
		return m
	}
	return method{name, off(nearest)}
}

// These return the seconds of work that are left of a task, counted from the arrival of its last groups.
func jobRatio(w *watcher, task int) float64  { return w.prediction.JobRatio(task) }
func taskRatio(w *watcher, task int) float64 { return w.prediction.TaskRatio(task) }
func nearest(w *watcher, task int) float64   { return w.prediction.Remaining(task).Seconds }

// known has the exact time of each group except for the noise. Other methods can beat it only by chance.
func (w *watcher) known(task int) float64 {
	sum := 0.0
	for _, key := range w.order[task][w.done[task]:] {
		sum += w.groups[key].expected
	}
	return sum
}

// off is the error of progress if the last task ends by the work that is left of each.
func off(left func(w *watcher, task int) float64) func(w *watcher, t float64) float64 {
	return func(w *watcher, t float64) float64 {
		return math.Abs(t/w.ends(left, t) - t/w.end)
	}
}

// ends returns the end of the last task by list scheduling: running tasks go on, and the others start in the order of
// their index, each on the slot that is free first (sections 3.2 and 3.6). It is NaN if the work of a task is unknown.
func (w *watcher) ends(left func(w *watcher, task int) float64, t float64) float64 {
	var free []float64 // instants at which slots are free
	for task, start := range w.start {
		if start <= t && w.stop[task] > t {
			free = append(free, max(t, w.prediction.Remaining(task).At+left(w, task)))
		}
	}
	for len(free) < w.slots {
		free = append(free, t)
	}
	for task, start := range w.start {
		if start <= t {
			continue
		}
		first := slices.Min(free)
		if math.IsNaN(first) {
			return first
		}
		free[slices.Index(free, first)] += left(w, task)
	}
	return slices.Max(free)
}

// share is the share of the remaining time that a rule predicts.
func share(rule nearestfit.Rule) func(w *watcher, t float64) float64 {
	return func(w *watcher, t float64) float64 {
		part, all := 0.0, 0.0
		for task := range w.stop {
			if w.stop[task] <= t {
				continue
			}
			shares := w.prediction.Remaining(task).Shares
			for _, s := range shares {
				all += s.Seconds
			}
			part += shares[rule].Seconds
		}
		return part / all
	}
}

func newWatcher(r *run, f form) *watcher {
	job := nearestfit.New(f.tasks(r.work), f.Params)
	return &watcher{run: r, job: job, unseen: r.seen, done: make([]int, len(r.start))}
}
