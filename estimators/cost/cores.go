package cost

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// cores describes what ran on each core of executors, and in each container that runs one task after another.
type cores struct {
	firsts map[int32]dag.Instant   // start of the first task; NoInstant: in a container that an earlier DAG has left
	ends   map[int32][]dag.Instant // ends of tasks, ascending
	quiet  dag.Instant             // since when no task runs; NoInstant while any does
}

// heldFor is the time after a DAG's submission in which no container can have been launched for it. Tasks that start
// by then run in containers that an earlier DAG has left.
const heldFor = time.Second

func coresOf(s *dag.Snapshot) cores {
	c := cores{firsts: map[int32]dag.Instant{}, ends: map[int32][]dag.Instant{}, quiet: dag.NoInstant}
	running := false
	for j := range s.Jobs {
		reused := s.Plan.Jobs[j].Rules == dag.AncestorsFirst
		if !reused && s.Plan.Cluster.Policy != dag.Executors {
			continue
		}
		for k := range s.Jobs[j].Stages {
			for i := range s.Jobs[j].Stages[k].Attempts {
				a := &s.Jobs[j].Stages[k].Attempts[i]
				running = running || a.State == dag.AttemptRunning
				if a.End.Known() {
					c.quiet = max(c.quiet, a.End)
				}
				if a.Slot < 0 || !a.Start.Known() {
					continue
				}
				if t, ok := c.firsts[a.Slot]; !ok || a.Start < t {
					c.firsts[a.Slot] = a.Start
				}
				if a.End.Known() {
					c.ends[a.Slot] = append(c.ends[a.Slot], a.End)
				}
			}
		}
		for slot, t := range c.firsts {
			if at := s.Jobs[j].Submitted; reused && at.Known() && t < at.Add(heldFor) {
				c.firsts[slot] = dag.NoInstant
			}
		}
	}
	for _, ends := range c.ends {
		slices.Sort(ends)
	}
	if running {
		c.quiet = dag.NoInstant
	}
	return c
}

// freeBefore returns when a core became free before an instant; NoInstant if nothing ran on it.
func (c *cores) freeBefore(slot int32, at dag.Instant) dag.Instant {
	ends := c.ends[slot]
	n, found := slices.BinarySearch(ends, at)
	switch {
	case found:
		return at
	case n == 0:
		return dag.NoInstant
	}
	return ends[n-1]
}

// isFirst reports whether an attempt is the first one on its core or in its container, given when the first ones
// started.
func isFirst(firsts map[int32]dag.Instant, a *dag.Attempt) bool {
	t, ok := firsts[a.Slot]
	return ok && t == a.Start
}

// headsOf returns the index below which waiting tasks would be the first of a stage on a core. free is the number of
// cores that have run none of it.
func headsOf(attempts []dag.Attempt, n, free int) int {
	heads := 0
	for i, at := 0, 0; free > 0 && i < n; i++ {
		busy := false
		for ; at < len(attempts) && int(attempts[at].Task) == i; at++ {
			busy = busy || attempts[at].State == dag.AttemptRunning || attempts[at].State == dag.AttemptSucceeded
		}
		if heads = i + 1; !busy {
			free--
		}
	}
	return heads
}

// requestedSince returns from when on containers may have been launched for the waiting tasks of a stage: since its
// edges let it start, and since an attempt of the job was lost.
func (o *observations) requestedSince(st *stage) dag.Instant {
	js := &o.s.Jobs[st.j]
	since := js.Submitted
	if !since.Known() {
		return since
	}
	since = since.Add(o.s.Plan.Overheads.Launch)
	for _, e := range st.plan.After {
		if e.Kind == dag.SlowStart || e.Kind == dag.Barrier {
			since = max(since, succeededAt(&js.Stages[e.From], max(e.Ratio, e.Full), st.job.Stages[e.From].Count()))
		}
	}
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			if a := &js.Stages[k].Attempts[i]; (a.State == dag.AttemptFailed || a.State == dag.AttemptKilled) &&
				a.End.Known() && !js.Stages[k].Overtaken(i) {
				since = max(since, a.End)
			}
		}
	}
	return since
}

// succeededAt returns when the given ratio of a stage's n tasks had succeeded. If fewer have, it returns the last
// success; NoInstant if there is none.
func succeededAt(s *dag.StageState, ratio float64, n int) dag.Instant {
	var ends []dag.Instant
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.State == dag.AttemptSucceeded && a.End.Known() {
			ends = append(ends, a.End)
		}
	}
	if len(ends) == 0 {
		return dag.NoInstant
	}
	slices.Sort(ends)
	need := n
	if ratio > 0 && ratio < 1 {
		need = int(math.Ceil(ratio * float64(n)))
	}
	return ends[min(max(need, 1), len(ends))-1]
}
