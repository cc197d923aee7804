// Package attribution says where the time of a run went: it follows the chain of what waited for what, from the run's
// end back to its first submission, and gives every stretch of it a cause.
//
// The chain is the critical path of what happened, task by task (ParaTimer, section 3.1.3, cuts the same path into
// fragments): the last task to end, what started it (a container that another task gave back, the last map of its job,
// its attempt that had failed, its job's submission), what started that. It is read from instants that the engine told;
// reports, which come seconds late, only tell set-up from work. What nobody saw has the cause Unknown: nothing is
// guessed.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package attribution

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Part is a stretch of the chain. Job is an index into the plan; Job, Task and Attempt are -1 where it is nobody's.
type Part struct {
	Cause         Cause
	Job           int
	Stage         dag.StageIndex // of the task
	Task, Attempt int32
	Start, End    dag.Instant
}

// Length is how long the part is.
func (p *Part) Length() time.Duration { return p.End.Sub(p.Start) }

// An Attribution is where the time went. Its parts follow each other without a gap from From, the first submission, to
// To: the end of the run, or the snapshot's instant while it goes on.
//
// Waits are in no sum: while the job of a part worked, another one of the chain was ready and waited for its
// containers.
type Attribution struct {
	From, To dag.Instant
	Parts    []Part
	Waits    []Wait
}

// A Wait is a stretch in which tasks of Job were ready and containers that they waited for were held by Holder, another
// job of the query.
type Wait struct {
	Job, Holder int
	Start, End  dag.Instant
}

// Total is the time from From to To.
func (a *Attribution) Total() time.Duration { return a.To.Sub(a.From) }

// ByCause sums the parts of each cause; index by Cause.
func (a *Attribution) ByCause() []time.Duration {
	sums := make([]time.Duration, causes)
	for i := range a.Parts {
		sums[a.Parts[i].Cause] += a.Parts[i].Length()
	}
	return sums
}

// ByJob sums the parts of each of n jobs; what is nobody's is in none.
func (a *Attribution) ByJob(n int) []time.Duration {
	sums := make([]time.Duration, n)
	for i := range a.Parts {
		if j := a.Parts[i].Job; j >= 0 && j < n {
			sums[j] += a.Parts[i].Length()
		}
	}
	return sums
}

// Of accounts for a run up to a snapshot. Marks are what a watcher has noted of the snapshots before; without them the
// time from a job's submission to its AM's start is Unknown. Before the first submission there are no parts. A snapshot
// whose jobs are not its plan's, and a plan without an order, are errors.
//
// The cost is n log n in attempts and n in jobs for each job of the chain.
func Of(s *dag.Snapshot, marks *Marks) (*Attribution, error) { return of(s, marks, nil) }

// An Attempt names an attempt: Job is an index into the plan.
type Attempt struct {
	Job          int
	Stage        dag.StageIndex
	Task, Number int32
}

// Towards is Of for a run that goes on and whose end waits for an attempt that runs, as a replay of the rest tells: the
// chain is what led to that one. Where it does not run, or is a reduce that waits for maps, the chain is Of's: that of
// the attempt that has run longest.
func Towards(s *dag.Snapshot, marks *Marks, a Attempt) (*Attribution, error) { return of(s, marks, &a) }

func of(s *dag.Snapshot, marks *Marks, towards *Attempt) (*Attribution, error) {
	if s.Plan == nil || len(s.Jobs) != len(s.Plan.Jobs) {
		return nil, fmt.Errorf("account: the snapshot tells of %d jobs, its plan of others; take both from one source",
			len(s.Jobs))
	}
	graph, err := dag.NewGraph(s.Plan)
	if err != nil {
		return nil, err
	}
	origin := s.Origin()
	if !origin.Known() {
		return &Attribution{From: s.At, To: s.At}, nil
	}
	w := &walker{
		run: newRun(s), graph: graph, marks: marks, origin: origin, been: make(map[int32]bool),
		done: make([]bool, len(s.Jobs)),
	}
	w.towards = towards
	to := w.walk()
	slices.Reverse(w.parts)
	slices.Reverse(w.waits)
	return &Attribution{From: origin, To: to, Parts: w.parts, Waits: w.waits}, nil
}
