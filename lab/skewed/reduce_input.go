package skewed

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
	"github.com/paratimer/paratimer/sketch"
)

// The paper's parameters (section 8.1): the lambda largest keys of each map, and a Space-Saving of 35 lambda entries.
const (
	lambda  = 2000
	entries = 35
)

// everything returns the reduces' profiles if all keys are known: the theoretical form.
func everything(w *phase.Work) []nearestfit.Task {
	tasks := make([]nearestfit.Task, len(w.Order))
	for i, bytes := range w.Bytes() {
		tasks[i].Bytes = bytes
		var sizes []float64
		for _, key := range w.Order[i] {
			sizes = append(sizes, w.Groups[key].Bytes)
		}
		slices.Sort(sizes)
		tasks[i].Explicit = counted(sizes)
	}
	return tasks
}

// nothing returns the reduces' profiles from counters alone: only their bytes.
func nothing(w *phase.Work) []nearestfit.Task {
	tasks := make([]nearestfit.Task, len(w.Order))
	for i, bytes := range w.Bytes() {
		tasks[i] = nearestfit.Task{Bytes: bytes, Implicit: bytes}
	}
	return tasks
}

// largest returns the reduces' profiles from the maps' largest keys.
func largest(w *phase.Work, lambda, capacity int) []nearestfit.Task {
	return nearestfit.Explicit(profiles(w), len(w.Order), lambda, capacity)
}

func profiles(w *phase.Work) []sketch.Profile[int] {
	maps := make([]sketch.Profile[int], len(w.Maps))
	for m, parts := range w.Maps {
		maps[m] = sketch.Profile[int]{Bytes: make([]float64, len(w.Order)), Keys: make([]sketch.Key[int], len(parts))}
		for i, p := range parts {
			task := w.Groups[p.Key].Task
			maps[m].Bytes[task] += p.Bytes
			maps[m].Keys[i] = sketch.Key[int]{Key: p.Key, Reduce: task, Bytes: p.Bytes}
		}
	}
	return maps
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
