package estimators

import "github.com/paratimer/paratimer/dag"

// hadoopAttempts is how often Hadoop tries a task before the job fails (mapreduce.map.maxattempts): one task can
// fail three times and the query still end.
const hadoopAttempts = 4

// worstFailures is the pessimistic scenario (section 3.2.1, docs/facts/paratimer.md P17): k failures, each of the
// longest unfinished task right before it finishes, when all that it did is lost. Each adds the task's full duration,
// whether it runs or not. A task fails at most three times, else the job would fail; further failures fall to the next
// longest.
func worstFailures(k int) func(*ReplayContext) (Estimate, error) {
	return func(w *ReplayContext) (Estimate, error) {
		ms, err := w.standardMS()
		if err != nil {
			return Estimate{}, err
		}
		return w.supposing(k, w.scenario(ms+w.worstMS(k))), nil
	}
}

// worstMS is the sum of the full durations that the k worst failures repeat.
func (w *ReplayContext) worstMS(k int) float64 {
	var sum float64
	left := k
	for _, full := range w.longest((k + hadoopAttempts - 2) / (hadoopAttempts - 1)) {
		n := min(left, hadoopAttempts-1)
		sum += float64(n) * full
		left -= n
	}
	return sum
}

// longest returns the full durations of the n longest unfinished tasks, longest first.
func (w *ReplayContext) longest(n int) []float64 {
	var top []float64
	w.eachPhase(func(_ int, _ dag.StageIndex, p *phase) {
		for g := range p.all() {
			for range min(g.Count, n) {
				if len(top) == n && g.Full <= top[n-1] {
					break
				}
				top = insert(top, g.Full, n)
			}
		}
	})
	return top
}

// insert puts v into a descending list and keeps its n largest.
func insert(top []float64, v float64, n int) []float64 {
	top = append(top, v)
	for i := len(top) - 1; i > 0 && top[i] > top[i-1]; i-- {
		top[i], top[i-1] = top[i-1], top[i]
	}
	return top[:min(len(top), n)]
}
