// Package attribution explains where the time of a run went: it follows the chain of waits from the run's end back
// to its first submission, and gives each interval of it a cause.
//
// The chain is the critical path of the finished run, task by task (ParaTimer, section 3.1.3, cuts the same path
// into fragments). It begins with the last task to end. The next link is what started that task: a container that
// another task released, the last map of its job, its failed attempt, or its job's submission. The instants come
// from the engine's reports. Reports of progress, which come seconds late, only separate set-up from work. If an
// interval was not observed, its cause is Unknown; nothing is guessed.
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

// A Part is an interval of the chain. Job is an index into the plan; Job, Task and Attempt are -1 if the part has
// none.
type Part struct {
	Cause         Cause
	Job           int
	Stage         dag.StageIndex // of the task
	Task, Attempt int32
	Start, End    dag.Instant
}

// Length returns the length of the part.
func (p *Part) Length() time.Duration { return p.End.Sub(p.Start) }

// An Attribution divides the time of a run into parts. Its parts follow each other without a gap from From, the
// first submission, to To: the end of the run, or the snapshot's instant while it goes on.
//
// Waits are not in any sum: while the job of a part worked, another one of the chain was ready and waited for its
// containers.
type Attribution struct {
	From, To dag.Instant
	Parts    []Part
	Waits    []Wait
}

// A Wait is an interval in which tasks of Job were ready, but the containers that they waited for were used by
// Holder, another job of the query.
type Wait struct {
	Job, Holder int
	Start, End  dag.Instant
}

// Total returns the time from From to To.
func (a *Attribution) Total() time.Duration { return a.To.Sub(a.From) }

// ByCause returns the sum of the parts of each cause; index by Cause.
func (a *Attribution) ByCause() []time.Duration {
	sums := make([]time.Duration, causes)
	for i := range a.Parts {
		sums[a.Parts[i].Cause] += a.Parts[i].Length()
	}
	return sums
}

// ByJob returns the sum of the parts of each of n jobs; parts without a job do not count.
func (a *Attribution) ByJob(n int) []time.Duration {
	sums := make([]time.Duration, n)
	for i := range a.Parts {
		if j := a.Parts[i].Job; j >= 0 && j < n {
			sums[j] += a.Parts[i].Length()
		}
	}
	return sums
}

// Of attributes the time of a run up to a snapshot. Marks are a watcher's notes about earlier snapshots; without
// them the time from a job's submission to its AM's start is Unknown. Before the first submission there are no
// parts. Of returns an error if the snapshot's jobs do not match its plan, or if the plan has no order.
//
// The cost is n log n in attempts and n in jobs for each job of the chain.
func Of(s *dag.Snapshot, marks *Marks) (*Attribution, error) { return of(s, marks, nil) }

// An Attempt identifies an attempt: Job is an index into the plan.
type Attempt struct {
	Job          int
	Stage        dag.StageIndex
	Task, Number int32
}

// Towards is Of for a run that goes on, if a replay of the rest shows which running attempt the end waits for: the
// chain ends with that attempt. If it does not run, or is a reduce that waits for maps, the chain is that of Of: it
// ends with the attempt that has run longest.
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
