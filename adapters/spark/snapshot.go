package spark

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Snapshot tells what is known now; ok is false before the first job. Nothing of it is touched again. final says that
// no better answer will come: an application whose end nobody has told is over all the same.
func (a *App) Snapshot(now dag.Instant, final bool) (snap *dag.Snapshot, ok bool) {
	a.clock.check(now)
	if now = a.clock.correct(now); !a.Begun() {
		return nil, false
	}
	a.conclude(now)
	a.grow()
	if len(a.order) == 0 {
		return nil, false
	}
	t := a.twins()
	lacks := map[int]bool{}
	for _, id := range a.unitJobs() {
		for sid := range a.lacking(a.jobs[id], t) {
			lacks[sid] = true
		}
	}
	state := a.state(final, now)
	if state.Ended() {
		lacks = map[int]bool{}
	}
	var elastic dag.Elastic
	var coming []dag.Capacity
	if !state.Ended() {
		elastic, coming = a.capacity(now)
	}
	snap = &dag.Snapshot{
		Plan: a.planOf(t, lacks, !state.Ended(), elastic), At: now, ID: a.flowID(), User: a.user,
		Queue: a.queue,
		State: state, Stale: dag.NoInstant,
		Jobs: make([]dag.JobState, 1), Nodes: a.nodes(now), Coming: coming,
	}
	j := &snap.Jobs[0]
	*j = dag.JobState{
		ID: a.flowID(), State: state, Attempt: 1, Submitted: min(a.submitted(), now), Started: min(a.submitted(), now),
		Finished: dag.NoInstant, Stages: make([]dag.StageState, len(snap.Plan.Jobs[0].Stages)),
	}
	a.deal()
	a.executorsSeen = a.executorsVersion()
	for i, s := range a.order {
		j.Stages[i].Submitted = a.submission(s, now)
		if s.ran() {
			j.Stages[i].Attempts = a.attempts(s, now)
		}
	}
	if state.Ended() {
		j.Finished = min(max(a.completed(), j.Submitted), now)
		if state == dag.EndedUnconfirmed && !a.lastSeen.Known() {
			j.Finished = now
		}
		snap.Inferred = a.inferred(state)
		stop(j, now)
		j.Diagnosis = a.diagnosis(state)
	}
	snap.Warnings = append(a.remarks(state), a.remarkMissing(now)...)
	return snap, true
}

// stop ends what is told to run although the application is over.
func stop(j *dag.JobState, now dag.Instant) {
	for k := range j.Stages {
		runs := func(at dag.Attempt) bool { return at.State == dag.AttemptRunning }
		if !slices.ContainsFunc(j.Stages[k].Attempts, runs) {
			continue
		}
		j.Stages[k].Attempts = slices.Clone(j.Stages[k].Attempts) // another snapshot may have them
		for i := range j.Stages[k].Attempts {
			if at := &j.Stages[k].Attempts[i]; runs(*at) {
				at.State, at.End = dag.AttemptKilled, max(at.Start, min(j.Finished, now))
			}
		}
	}
}

// submitted is when the first job was submitted.
func (a *App) submitted() dag.Instant { return a.firstOf(a.unitJobs()) }

// firstOf returns when the first of some jobs was submitted, NoInstant if no submission is known.
func (a *App) firstOf(jobs []int) dag.Instant {
	first := dag.NoInstant
	for _, id := range jobs {
		if j := a.jobs[id]; j != nil && j.submitted.Known() && (!first.Known() || j.submitted < first) {
			first = j.submitted
		}
	}
	return first
}

// submission returns when the driver submitted the first job that has a stage, 0 if that is not known.
func (a *App) submission(s *stage, now dag.Instant) dag.Instant {
	if at := a.firstOf(s.jobs); at.Known() {
		return min(max(at, 0), now)
	}
	return 0
}

// stopTime is how long a driver that has nothing left to do takes to stop its application after its last job. It does
// not count, so that a run has one length, whether or not the end of its application was recorded.
const stopTime = 2 * time.Second

// completed returns when the application, or its unit, ended. After the last job the driver may work on: it commits
// files, or writes to a database. A group of jobs has no end of its own, so it ends with its last job. An
// application whose end was not reported ended after it was last seen.
func (a *App) completed() dag.Instant {
	last, jobs := dag.NoInstant, a.unitJobs()
	if !a.over && a.unit.kind == "" {
		last = a.clock.correct(a.lastSeen)
	}
	for _, id := range jobs {
		j := a.jobs[id]
		if !j.completed.Known() {
			last = max(last, a.ended)
		}
		last = max(last, j.completed)
	}
	switch x := a.execution(); {
	case a.unit.kind == "":
		for _, x := range a.executions {
			last = max(last, x.ended)
		}
		if a.ended.Sub(last) > stopTime {
			last = a.ended
		}
	case x != nil:
		last = max(last, x.ended)
	}
	return last
}

// state judges how far the application is. Spark does not report whether an application has succeeded: its last job
// decides.
func (a *App) state(final bool, now dag.Instant) dag.State {
	open := false
	var last *job
	for _, id := range a.unitJobs() {
		j := a.jobs[id]
		open = open || !j.over()
		if last == nil || j.completed >= last.completed {
			last = j
		}
	}
	if a.unit.kind != "" {
		if s := a.unitEnd(open, last, now); s.Ended() {
			return s
		}
	}
	switch {
	case !a.over && !final:
		return dag.Running
	case a.manager.Ended() && (a.manager != dag.Succeeded || !open):
		return a.manager
	case open, !a.over && !a.seenToEnd(last):
		return dag.EndedUnconfirmed
	case last.status == "FAILED":
		return dag.Failed
	}
	return dag.Succeeded
}

// diagnosis is why the application failed: what its last job says, or else the stage that made that job fail.
func (a *App) diagnosis(state dag.State) string {
	if state != dag.Failed {
		return ""
	}
	why, at := "", dag.NoInstant
	for _, id := range a.unitJobs() {
		if j := a.jobs[id]; j.why != "" && j.completed >= at {
			why, at = j.why, j.completed
		}
	}
	if why != "" && !strings.HasPrefix(why, "Job aborted due to stage failure") {
		return why
	}
	for _, s := range a.order {
		if t := s.newest(); t != nil && t.failure != "" {
			why = fmt.Sprintf("stage %d: %s", s.id, t.failure)
		}
	}
	return why
}

// nodes are the executors.
func (a *App) nodes(now dag.Instant) []dag.NodeState {
	out := make([]dag.NodeState, len(a.executors))
	for i, e := range a.executors {
		n := dag.NodeState{Name: nodeName(e), Cores: e.cores, LostAt: dag.NoInstant, Draining: e.excluded}
		if !e.active {
			n.Lost, n.LostAt = true, now
			if e.removed.Known() {
				n.LostAt = min(e.removed, now)
			}
			if strings.Contains(e.reason, "killed by driver") {
				n.Cause = dag.NodeDecommissioned
			}
		}
		out[i] = n
	}
	return out
}

func nodeName(e *executor) string {
	if e.host == "" {
		return "executor " + e.id
	}
	return "executor " + e.id + " on " + e.host
}

// remarks warns of what is missing.
func (a *App) remarks(state dag.State) []dag.Warning {
	var out []dag.Warning
	warn := func(code, format string, args ...any) {
		out = append(out, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if a.dropped {
		warn(dag.WarnTooLarge, "too large to estimate: the application has more jobs, stages or tasks than are read")
	}
	if state.Ended() {
		if state == dag.EndedUnconfirmed && a.inLog {
			warn(dag.WarnObservation, "%s ended while a job ran, and its event log has no end of that job: whether it succeeded is unknown", a.id)
			return out
		}
		return append(out, a.remarkEnd(state)...)
	}
	if a.historyTrouble != "" {
		warn(dag.WarnObservation, "the end of this run will not be confirmed, because the history server does not answer: %s",
			a.historyTrouble)
	}
	out = append(out, a.clock.remark()...)
	if strange, all := a.strangePools(); all > 1 && len(strange) > 0 {
		of := "pool " + strange[0]
		if len(strange) > 1 {
			of = units.Count(len(strange), "pool")
		}
		warn(dag.WarnObservation, "weights and minimal shares of %s are not known, because only the driver's page "+
			"/stages/ has them: the replay takes a weight of 1", of)
	}
	out = append(out, a.remarkForgotten()...)
	guessed := 0
	for _, id := range a.unitJobs() {
		if j := a.jobs[id]; !j.over() && !a.told(j) {
			guessed++
		}
	}
	if guessed > 0 {
		warn(dag.WarnNoEdges, "which stage reads which is a guess: neither the page of the job nor the history server tells it")
	}
	return out
}

// told reports whether the parents of all stages of a job are known.
func (a *App) told(j *job) bool {
	for _, id := range j.stages {
		if s := a.stages[id]; len(j.stages) > 1 && s != nil && !s.known {
			return false
		}
	}
	return true
}
