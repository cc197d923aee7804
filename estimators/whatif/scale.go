package whatif

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// scale makes the input so many times as large: of the jobs that read it there are more maps, each as large as it is; reduces get
// larger, and with them the maps that read what they write, one a file. What runs or is done has its input.
func (w *world) scale(by float64) error {
	graph, err := dag.NewGraph(w.s.Plan)
	if err != nil {
		return err
	}
	growth := make([]float64, len(w.s.Plan.Jobs))
	total := 0.0
	for _, j := range graph.Order() {
		growth[j] = w.grow(j, by, growth)
		total += float64(w.s.Plan.Jobs[j].Map.Count() + w.s.Plan.Jobs[j].Reduce.Count())
	}
	if total > dag.MaxTasks {
		return &dag.LimitError{Place: dag.Place{Job: -1, Field: "scale", Item: -1}, What: "tasks", Have: total, Max: dag.MaxTasks}
	}
	return nil
}

// grow makes a job larger and says how much more its reduces get.
func (w *world) grow(j int, by float64, growth []float64) float64 {
	if w.ended(j) {
		return 1
	}
	job, maps := &w.s.Plan.Jobs[j], &w.costs.phases[j][dag.Map]
	begun := w.begun(j)
	n := job.Map.Count()
	g := by
	if len(job.After) > 0 {
		g = w.input(job, growth)
	}
	switch {
	case n == 0:
	case len(job.After) == 0:
		rest := n - begun
		maps.fixed, maps.was = begun, rest
		maps.is = int(math.Round(float64(rest) * g))
		if rest > 0 {
			maps.is = max(maps.is, 1)
			maps.grown = float64(rest) * g / float64(maps.is)
		}
		job.Map.Tasks = begun + maps.is
		g = (float64(begun) + float64(rest)*g) / float64(n)
	case begun > 0: // it has its input
		g = 1
	default:
		w.split(j, g)
	}
	w.costs.phases[j][dag.Reduce].grown = g
	return g
}

// splitBytes is how large a part of a file a map reads at most: HDFS's block, unless the cluster says otherwise.
const splitBytes = 128 << 20

// split gives the maps of a job that reads what others wrote so much more, and makes more of them where their files get larger
// than a split, as far as their size is known.
func (w *world) split(j int, by float64) {
	job, maps := &w.s.Plan.Jobs[j], &w.costs.phases[j][dag.Map]
	maps.grown = by
	n := job.Map.Count()
	size := job.Map.Bytes.Sum(n) / float64(n)
	if !(size > 0 && size <= splitBytes && size*by > splitBytes) {
		return
	}
	parts := int(min(math.Ceil(size*by/splitBytes), math.Ceil(by)))
	maps.is, maps.grown = n*parts, by/float64(parts)
	job.Map.Tasks = maps.is
}

// input is how much more a job reads than it would: the mean over the files that it reads.
func (w *world) input(job *dag.Job, growth []float64) float64 {
	sum, files := 0.0, 0.0
	for _, a := range job.After {
		n := float64(w.s.Plan.Jobs[a].Reduce.Count())
		if n == 0 {
			n = float64(w.s.Plan.Jobs[a].Map.Count())
		}
		sum, files = sum+n*growth[a], files+n
	}
	if files == 0 {
		return 1
	}
	return sum / files
}

// begun is how many maps, from the first on, have an attempt.
func (w *world) begun(j int) int {
	n := 0
	for i := range w.s.Jobs[j].Map.Attempts {
		n = max(n, int(w.s.Jobs[j].Map.Attempts[i].Task)+1)
	}
	return min(n, w.s.Plan.Jobs[j].Map.Count())
}
