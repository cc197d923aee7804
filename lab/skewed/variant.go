package skewed

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
	"github.com/paratimer/paratimer/sketch"
)

// A variant is the streaming form with a change. Fields that are nil keep the default.
type variant struct {
	name      string
	params    func(p *nearestfit.Params)
	profile   func(w *phase.Work) []nearestfit.Task
	spec      func(s *phase.Spec)
	reference references
}

func (v variant) row(l lab, s synthetic) row {
	run := l.run(s)
	if v.spec != nil {
		run = func(seed uint64) *phase.Run {
			spec := l.spec(s, seed)
			v.spec(&spec)
			return phase.Play(phase.Make(spec), s.slots)
		}
	}
	return row{run, func(run *phase.Run) []*watcher {
		p := nearestfit.Default()
		if v.params != nil {
			v.params(&p)
		}
		profile := v.profile
		if profile == nil {
			profile = paper
		}
		return []*watcher{newWatcher(profile(run.Work), p, run.Seen, nearest(v.name))}
	}}
}

// paper returns the reduces' profiles with the paper's parameters.
func paper(w *phase.Work) []nearestfit.Task { return largest(w, lambda, entries*lambda) }

// keys returns a function for the reduces' profiles with other parameters.
func keys(lambda, capacity int) func(w *phase.Work) []nearestfit.Task {
	return func(w *phase.Work) []nearestfit.Task { return largest(w, lambda, capacity) }
}

// counts uses the Space-Saving's counts as sizes, which are upper bounds, instead of the certain bytes of a key
// (docs/facts/nearestfit.md N7).
func counts(lambda, capacity int) func(w *phase.Work) []nearestfit.Task {
	return func(w *phase.Work) []nearestfit.Task {
		heavy := sketch.New[int](capacity)
		for _, m := range profiles(w) {
			slices.SortFunc(m.Keys, func(a, b sketch.Key[int]) int {
				return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Key, b.Key))
			})
			for _, k := range m.Keys[:min(lambda, len(m.Keys))] {
				heavy.Add(k.Key, k.Bytes)
			}
		}
		sizes := make([][]float64, len(w.Order))
		for _, e := range heavy.Entries() {
			task := w.Groups[e.Key].Task
			sizes[task] = append(sizes[task], e.Count)
		}
		tasks := nothing(w)
		for i := range tasks {
			slices.Sort(sizes[i])
			tasks[i].Explicit = counted(sizes[i])
			tasks[i].Implicit = max(0, tasks[i].Bytes-bytesOf(tasks[i].Explicit))
		}
		return tasks
	}
}

func bytesOf(sizes []dag.GroupSize) float64 {
	sum := 0.0
	for _, s := range sizes {
		sum += s.Bytes * s.Count
	}
	return sum
}
