package cost

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A task of a MapReduce job has a container of its own, whose start is a part of it. Starts of JVMs are work for the
// cores of their node, so n tasks that start together there take alone + each·n (docs/facts/measured.md 4), those of
// the first batch of a run cold more. This is expected; what it takes in this run is the pace of overhead.

// starts are what a task's start is expected to take, in milliseconds, and how many started together in this run.
type starts struct {
	alone, each, cold float64
	first             dag.Instant // until when starts belong to the first batch; NoInstant before any
	together          map[*dag.Attempt]int
}

// startWindow is how close starts must be to slow each other down, in milliseconds; the replay uses the same.
const startWindow = 1600

// copyMS is what a reduce takes to copy when no map is left to wait for.
const copyMS = 300

// observeStarts counts starts together. Of those after a task half of a window counts, which fits real starts best.
func (m *Model) observeStarts() {
	o, l := &m.s.Plan.Overheads, &m.starts
	*l = starts{
		alone: taskcost.MS(m.s.Plan.Cluster.Setup + o.SetupMin), each: taskcost.MS(o.SetupPer),
		cold:  taskcost.MS(o.Cold),
		first: dag.NoInstant,
	}
	if m.s.Plan.Cluster.Policy == dag.FIFO && !m.given { // on the paper's slots all set-ups are alike
		*l = starts{alone: taskcost.MS(m.s.Plan.Cluster.Setup), first: dag.NoInstant}
		if was := m.profile; l.alone == 0 && was != nil {
			l.alone = taskcost.MS(was.Plan.Cluster.Setup)
		}
	}
	var all []*dag.Attempt
	for j := range m.s.Jobs {
		if !m.s.Plan.Jobs[j].IsMapReduce() {
			continue
		}
		for k := range m.s.Jobs[j].Stages {
			for i := range m.s.Jobs[j].Stages[k].Attempts {
				if a := &m.s.Jobs[j].Stages[k].Attempts[i]; a.Start.Known() && a.State != dag.AttemptWaiting {
					all = append(all, a)
					if until := a.Start + startWindow; !l.first.Known() || until < l.first {
						l.first = until
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *dag.Attempt) int {
		if a.Node != b.Node {
			return int(a.Node) - int(b.Node)
		}
		return int(a.Start - b.Start)
	})
	l.together = make(map[*dag.Attempt]int, len(all))
	from, to := 0, 0
	for i, a := range all {
		for from < i && (all[from].Node != a.Node || all[from].Start < a.Start-startWindow) {
			from++
		}
		for to = max(to, i); to < len(all) && all[to].Node == a.Node && all[to].Start <= a.Start+startWindow/2; to++ {
			continue
		}
		l.together[a] = to - from
	}
}

// at is what the start of a task takes that starts with n-1 others, at the pace 1.
func (l *starts) at(n int, cold bool) float64 {
	took := l.alone + l.each*float64(max(n, 1))
	if cold {
		took += l.cold
	}
	return took
}

// of is the same of an attempt that has started.
func (l *starts) of(a *dag.Attempt) float64 {
	return l.at(l.together[a], l.isCold(a))
}

// isCold reports whether an attempt is of the first batch.
func (l *starts) isCold(a *dag.Attempt) bool { return l.first.Known() && a.Start <= l.first }

// coldOf is how much more its start is expected to take for that.
func (l *starts) coldOf(a *dag.Attempt) float64 {
	if l.isCold(a) {
		return l.cold
	}
	return 0
}
