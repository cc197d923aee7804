package cost

import (
	"math"
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

// startsOf counts the starts together with each attempt: up to a startWindow before it and half of one after it,
// which fits real starts best.
func (o *observations) startsOf() starts {
	plan := o.s.Plan
	l := starts{alone: taskcost.MS(plan.Cluster.Setup), first: dag.NoInstant}
	if plan.Cluster.Policy != dag.FIFO || o.given {
		l.alone = taskcost.MS(plan.Cluster.Setup + plan.Overheads.SetupMin)
		l.each, l.cold = taskcost.MS(plan.Overheads.SetupPer), taskcost.MS(plan.Overheads.Cold)
	} else if was := o.profile; l.alone == 0 && was != nil { // on the paper's slots all set-ups are alike
		l.alone = taskcost.MS(was.Plan.Cluster.Setup)
	}
	var all []*dag.Attempt
	for j := range o.s.Jobs {
		if !plan.Jobs[j].IsMapReduce() {
			continue
		}
		for k := range o.s.Jobs[j].Stages {
			for i := range o.s.Jobs[j].Stages[k].Attempts {
				if a := &o.s.Jobs[j].Stages[k].Attempts[i]; a.Start.Known() && a.State != dag.AttemptWaiting {
					all, l.first = append(all, a), earlier(l.first, a.Start+startWindow)
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
	return l
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

// learnStarts fits the line of starts (alone + each·n) to what this run has shown. In containers the expected line is
// the prior. The observations are the start-ups in reports. In jobs without such reports they are the lengths of
// tasks of different sizes.
func (l *learner) learnStarts() {
	if l.s.Plan.Cluster.Setup > 0 || l.given {
		return
	}
	fifo, fit, shortest := l.s.Plan.Cluster.Policy == dag.FIFO, taskcost.Line{}, math.Inf(1)
	if !fifo {
		for _, n := range []float64{1, 5, 9} {
			fit.Add(1, n, l.starts.alone+l.starts.each*n)
		}
	}
	for _, st := range l.ordered {
		reported := false
		for _, e := range st.ended {
			shortest = min(shortest, e.took)
		}
		for i := range st.state.Attempts {
			a := &st.state.Attempts[i]
			if up := l.startOf(st, a); up >= 0 && a.State != dag.AttemptWaiting {
				fit.Add(1, float64(l.starts.together[a]), max(0, up-l.starts.coldOf(a)))
				reported = true
			}
		}
		if st.maps && !reported || !st.maps && fifo {
			fit.AddRated(l.starts.lengths(st))
		}
	}
	if l.starts.alone, l.starts.each = fit.Fit(); fifo {
		l.starts.alone = min(l.starts.alone, shortest)
	}
	l.pace.loaded = 1
	for _, st := range l.ordered {
		for _, e := range st.ended {
			if e.over > 0 || fifo {
				e.over = l.starts.of(e.attempt)
			}
		}
	}
}

// A start-up that was seen has the weight 1 and the standard deviation startNoise, in milliseconds.
const (
	startNoise  = 400
	lengthNoise = 0.05 // relative standard deviation of a task's length given its size
)

// lengths returns the whole lengths of the finished tasks of a stage, with their units and the starts at the same
// time.
func (l *starts) lengths(st *stage) []taskcost.Rated {
	var out []taskcost.Rated
	for _, e := range st.ended {
		length := float64(e.attempt.End-e.attempt.Start) - l.coldOf(e.attempt)
		if st.records && e.units > 0 && length > 0 {
			w := 1 / (1 + math.Pow(lengthNoise*length/startNoise, 2))
			out = append(out, taskcost.Rated{Weight: w, Units: e.units, X: float64(l.together[e.attempt]), Y: length})
		}
	}
	return out
}
