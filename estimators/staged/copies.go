package staged

import (
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// copied is what is left of a running attempt of a stage if its task is copied because it is slow, in milliseconds: a
// copy begins once so many tasks have succeeded, none waits and a core is free, and takes as long as the others of its
// stage. It is infinite if no copy is to come.
func (m *Model) copied(l *law, a *dag.Attempt) float64 {
	c := &m.snapshot.Plan.Cluster.Copies
	twin := func(b *dag.Attempt) bool { return b != a && b.Task == a.Task }
	if !(c.Times > 0) || len(l.seen.ended) == 0 || !(l.rate > 0) || slices.ContainsFunc(l.seen.running, twin) {
		return math.Inf(1)
	}
	usual := l.usual
	done, running := len(l.seen.ended), len(l.seen.running)
	before := max(len(l.size)-done-running, int(c.Ratio*float64(len(l.size)))-done, 0)
	wait := 0.0
	if cores := m.snapshot.Plan.Cluster.Cores; before > 0 || running >= cores {
		wait = usual * (float64(before)/float64(max(1, cores)) + 0.5)
	}
	wait = max(wait, c.Times*usual-float64(m.snapshot.At-a.Start))
	return wait + zero(l.rate*l.sizeOf(int(a.Task))+l.every)
}

// learnUsual finds the median time of the tasks of each stage that have ended, against which copies are started.
func (m *Model) learnUsual() {
	if !(m.snapshot.Plan.Cluster.Copies.Times > 0) {
		return
	}
	m.each(func(_ int, _ dag.StageIndex, l *law) {
		took := make([]float64, len(l.seen.ended))
		for i := range took {
			took[i] = float64(l.seen.ended[i].end - l.seen.ended[i].start)
		}
		if slices.Sort(took); len(took) > 0 {
			l.usual = took[len(took)/2]
		}
	})
}
