package mapreduce

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// Responses about a job. ApplicationMaster and JobHistoryServer use the same names (facts/hadoop.md A4, A5).

// The fields have their names.

type jobBody struct{ Job rest.Box[wireJob] }

type wireJob struct {
	State       input.Label
	Diagnostics input.Diagnosis
	SubmitTime  input.Optional // history server only

	StartTime, FinishTime, MapsTotal, ReducesTotal, MapsCompleted, ReducesCompleted input.Optional

	// Tasks in state SCHEDULED, in the master's response only, like the following.
	MapsPending, ReducesPending                              input.Optional
	MapsRunning, ReducesRunning, MapProgress, ReduceProgress input.Optional
}

type tasksBody struct {
	Tasks rest.Box[struct{ Task rest.List[wireTask] }]
}

type wireTask struct {
	ID, State, SuccessfulAttempt input.Label

	StartTime            input.Optional // of a SCHEDULED task: when it was scheduled
	FinishTime, Progress input.Optional
}

type appAttemptsBody struct {
	Attempts rest.Box[struct {
		Attempt rest.List[struct {
			ID      input.Optional
			Avoided input.Label `json:"blacklistedNodes"`
		}] `json:"appAttempt"`
	}] `json:"appAttempts"`
}

// newest returns the highest attempt number, 0 if there is none, and the hosts that this master avoids.
func (b *appAttemptsBody) newest() (number int, avoided []string) {
	for _, a := range b.Attempts.V.Attempt {
		if n := a.ID.Count(1 << 20); n >= number {
			number, avoided = n, strings.Fields(strings.ReplaceAll(string(a.Avoided), ",", " "))
		}
	}
	return number, avoided
}

type attemptsBody struct {
	TaskAttempts rest.Box[struct{ TaskAttempt rest.List[wireAttempt] }]
}

// mostAttempts bounds the attempts of one task that are kept from a response. By default a task fails with its
// fourth failed attempt.
const mostAttempts = 1000

// of returns copies of the attempts of a task, of very many the newest, which come last.
func (b *attemptsBody) of(kind dag.StageIndex, index int32) []wireAttempt {
	all := b.TaskAttempts.V.TaskAttempt
	var out []wireAttempt
	for _, w := range all[max(0, len(all)-mostAttempts):] {
		k, task, n, ok := AttemptOf(string(w.ID))
		if w.number = n; ok && k == kind && task == index {
			out = append(out, w)
		}
	}
	return out
}

type wireAttempt struct {
	number int32

	ID, State, NodeHTTPAddress      input.Label
	StartTime, FinishTime, Progress input.Optional
	Diagnostics                     input.Diagnosis
	CopyEnd                         input.Optional `json:"shuffleFinishTime"`
	SortEnd                         input.Optional `json:"mergeFinishTime"`
}

// tasksOf returns a number of tasks, within bounds whatever a response claims.
func tasksOf(n input.Optional) int { return n.Count(MaxTasks) }

// count copies a task's counters to the attempt that they belong to; at is when the response was made. Counters that
// went back are copied as they are: the marks only move with a change. final means that they are the attempt's last
// ones.
func (j *job) count(a *dag.Attempt, c *Counts, kind dag.StageIndex, final bool, at dag.Instant) {
	if !c.Reported {
		return
	}
	a.FirstReport = dag.FirstKnown(a.FirstReport, at)
	if kind == dag.Map {
		a.Done[0], a.Out, a.Bytes = c.MapIn, c.MapOut, c.Read
		a.Total[0] = mapTotal(a, j.known() && j.total(dag.Reduce) == 0, final)
	} else {
		a.Done[dag.Copy], a.Total[dag.Copy] = c.Copied, math.NaN()
		if j.known() {
			a.Total[dag.Copy] = float64(j.total(dag.Map))
		}
		a.Done[dag.Work], a.Out, a.Bytes = c.ReduceIn, c.ReduceOut, c.Shuffled
		if final {
			a.Total[dag.Work] = c.ReduceIn
		}
	}
	events.Mark(a, WorkOf(kind), at)
}

// leastRead is the share of its input that a map must have read before its size is estimated. The progress is a
// moment older than the counter, so for a map that has just begun the quotient may be any number (recording etl-1:
// 106,494 records of 400).
const leastRead = 0.02

// mapTotal returns the tuples that a map reads in all: N = K / (progress / 66.7%) while it reads
// (facts/measured.md 4).
func mapTotal(a *dag.Attempt, mapOnly, final bool) float64 {
	k, share := a.Done[0], MapShare
	if mapOnly {
		share = 1
	}
	switch {
	case final:
		return k
	case k > 0 && a.Ratio >= leastRead*share && a.Ratio < share:
		return k / (a.Ratio / share)
	case a.Total[0] < k:
		return k
	}
	return a.Total[0]
}

// WorkOf returns the pipeline in which a task of that kind processes its input.
func WorkOf(kind dag.StageIndex) int {
	if kind == dag.Map {
		return 0
	}
	return dag.Work
}

type sumsBody struct {
	Counters rest.Box[struct {
		Groups rest.List[struct {
			Counters rest.List[struct {
				Name                                input.Label
				MapCounterValue, ReduceCounterValue input.Optional
			}] `json:"counter"`
		}] `json:"counterGroup"`
	}] `json:"jobCounters"`
}

// sums returns the records that all maps, and all reduces, have read and written together.
func (b *sumsBody) sums() (all [2]float64) {
	for _, g := range b.Counters.V.Groups {
		for _, c := range g.Counters {
			switch c.Name {
			case "MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS":
				all[dag.Map] += max(0, c.MapCounterValue.V)
			case "REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS":
				all[dag.Reduce] += max(0, c.ReduceCounterValue.V)
			}
		}
	}
	return all
}

// sum returns the records that the successful attempts of a kind have read and written together, as last seen.
func (j *job) sum(kind dag.StageIndex) (all float64) {
	for _, t := range j.tasks[kind].All() {
		if a := t.best(); a != nil && a.Number == t.success {
			for _, records := range []float64{a.Done[WorkOf(kind)], a.Out} {
				if records > 0 { // not NaN
					all += records
				}
			}
		}
	}
	return all
}

// pollSums compares each fully reported job with the history server's sums over its tasks, once. If they differ, a
// response about a task was stale or missing, and the tasks of that kind are requested again. Requests about a job
// end once nothing is missing.
func (s *Source) pollSums(ctx context.Context) {
	ended := slices.DeleteFunc(slices.Clone(s.due), func(j *job) bool { return !j.app.Ended })
	batch(ctx, s, ended, jobsAtOnce, func(ctx context.Context, j *job) func() {
		var b sumsBody
		var err error
		isDue := j.at == jobListed && s.live() && len(s.dueTasks(j)) == 0
		if isDue {
			b, err = read[sumsBody](ctx, s, j, "/counters")
		}
		return func() {
			if isDue && (err == nil || refused(err)) {
				j.at = jobSummed
				j.compare(b.sums())
			} else if isDue {
				j.incomplete = true
			}
			left := len(s.dueTasks(j))
			if left == 0 && (j.at == jobSummed || j.at == jobListed && !s.live()) {
				j.at = jobSettled
			}
			if left != j.backlog {
				j.backlog, j.movedAt = left, s.now
			}
		}
	})
}

// compare marks the tasks of phases that do not add up to what the history server reports.
func (j *job) compare(reported [2]float64) {
	for k := dag.Map; k <= dag.Reduce; k++ {
		if reported[k] == 0 || reported[k] == j.sum(k) {
			continue
		}
		for _, t := range j.tasks[k].All() {
			if t.state == dag.AttemptSucceeded {
				t.left, j.incomplete = triesAfterEnd, true
			}
		}
	}
}
