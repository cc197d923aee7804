package cost

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// A task of a MapReduce job includes the start of its own container. Starts of JVMs are work for the cores of their
// node, so each of n tasks that start together there takes alone + each·n (docs/facts/measured.md 4). Starts of the
// first batch of a run take cold more. These are expected times; the run's pace of overhead scales them.

// starts are the expected milliseconds of a task's start, and how many tasks started together in this run.
type starts struct {
	alone, each, cold float64
	first             dag.Instant          // end of the first batch of starts; NoInstant before any
	together          map[*dag.Attempt]int // number of starts at about the same time, its own included
}

// startWindow is the longest time between starts that slow each other down, in milliseconds; the replay uses the
// same.
const startWindow = 1600

// copyMS is the time that a reduce copies if no map is left to wait for, in milliseconds.
const copyMS = 300

// observeStarts counts the starts together with each attempt: up to a startWindow before it and half of one after it,
// which fits real starts best.
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

// at returns the milliseconds of a start at pace 1, for n tasks that start together.
func (l *starts) at(n int, cold bool) float64 {
	took := l.alone + l.each*float64(max(n, 1))
	if cold {
		took += l.cold
	}
	return took
}

// of returns the same for an attempt that has started.
func (l *starts) of(a *dag.Attempt) float64 {
	return l.at(l.together[a], l.isCold(a))
}

// isCold reports whether an attempt belongs to the first batch.
func (l *starts) isCold(a *dag.Attempt) bool { return l.first.Known() && a.Start <= l.first }

// coldOf returns the extra milliseconds of the start of an attempt in the first batch; 0 for other attempts.
func (l *starts) coldOf(a *dag.Attempt) float64 {
	if l.isCold(a) {
		return l.cold
	}
	return 0
}
