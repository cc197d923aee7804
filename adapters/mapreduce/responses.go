package mapreduce

import (
	"errors"
	"net/http"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// takeMaster processes a master's responses. If it does not respond, the last known state stays.
func (s *Source) takeMaster(v *visit) {
	j := v.job
	if v.masters.isDue && v.masters.err == nil { // it has contradicted itself: it may be a new one
		j.step(masterChecked)
		j.masters(v.masters.response.newest(), s.now)
	}
	j.lastRunning = s.now
	if v.status.err == nil && s.made(v.base()) < j.newMasterAt {
		v.pollsTasks = false // a recording repeats the old master's last response
		return
	}
	overlong := v.isOverlong()
	v.pollsTasks = v.status.err == nil && v.list.err == nil
	if !v.pollsTasks && !overlong {
		if !j.lastAnswer.Known() {
			j.lastAnswer = s.now
		}
		if s.now.Sub(j.lastAnswer) > quietLimit {
			s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s", j.id,
				yarn.Brief(errors.Join(v.status.err, v.list.err)))
		}
		return
	}
	j.step(masterAnswered)
	j.lastAnswer, j.attempt = s.now, max(j.attempt, 1)
	j.report(&v.status.response.Job.V)
	switch {
	case overlong:
		j.listTick = s.ticks + 1
	case v.list.isDue:
		s.takeList(v)
	}
}

// failover is how long after a failed observation an application may lack the state RUNNING because of a change of
// ResourceManagers (docs/facts/hadoop.md E0: 13 s until the new one answers, 2 s until applications run again).
const failover = 30 * time.Second

// takeRestart handles an application that was RUNNING and no longer is: its master died, or another ResourceManager
// took over. Work is lost only if there is a new attempt number (docs/facts/hadoop.md E0: after a failover ACCEPTED
// is seen with nothing lost).
func (s *Source) takeRestart(v *visit) {
	if v.masters.err != nil {
		return
	}
	j, n := v.job, v.masters.response.newest()
	// A recorded response may be older than the change. Then a master without a container is a new one, unless
	// observations failed in between: after a failover a master is recovered with its containers.
	stale := s.made("/ws/v1/cluster/apps/"+j.app+"/appattempts") <= j.lastRunning
	if stale && v.app.Containers == 0 && !(s.lastMissed.Known() && s.now.Sub(s.lastMissed) < failover) {
		n = j.attempt + 1
	}
	if j.masters(n, s.now) {
		j.step(masterReplaced)
		j.started = dag.NoInstant
	}
}

// How long to wait for the history server: if a job ended by itself, if its master was broken off, and if the
// server does not respond at all. A restart of the server takes a minute.
const (
	historyPatience = 60 * time.Second
	brokenPatience  = 15 * time.Second
	downPatience    = 2 * time.Minute
)

// takeHistory processes the history server's responses about an ended job. Until they arrive the job counts as
// running.
func (s *Source) takeHistory(v *visit) {
	j := v.job
	if v.status.isDue {
		b := &v.status.response.Job.V
		state, ended := endStates[string(b.State)]
		if v.status.err != nil || !ended {
			v.pollsTasks, v.incomplete = false, !refused(v.status.err)
			s.waitForHistory(v)
			return
		}
		j.report(b)
		j.end(endReported, state)
		j.submitted = or(b.Submitted.Instant(), j.submitted)
		j.finished = or(b.Finished.Instant(), v.app.Finished, s.now)
		if state != dag.Succeeded {
			j.diagnosis = string(b.Diagnostics)
		}
	}
	if !v.list.isDue {
		return
	}
	if v.list.err == nil {
		s.takeList(v)
		if !v.isListCut || j.dropped {
			j.step(tasksListed)
			return
		}
	}
	v.pollsTasks = false
	switch late := s.now.Sub(j.endedSince) > historyPatience; {
	case v.list.err == nil:
	case !refused(v.list.err), rest.Status(v.list.err) == http.StatusNotFound && !late:
		v.incomplete = true // a server that reports a job has its tasks: a 404 is a stale response
	case late:
		j.step(tasksRefused)
	}
}

// waitForHistory uses the ResourceManager's report if the history server is silent. A success is shown soon, but
// does not end the workflow. Any other end, and the workflow's end, are accepted only after a long silence.
func (s *Source) waitForHistory(v *visit) {
	j, a := v.job, v.app
	waited, state, why := s.now.Sub(j.endedSince), a.State, "it has no end of the job"
	if v.status.err != nil {
		why = yarn.Brief(v.status.err)
	}
	last := s.isLast() || waited >= patienceWith(v.status.err, a)
	switch {
	case last && state == dag.EndedUnconfirmed:
		s.warn(dag.WarnObservation, "neither the ResourceManager nor the history server shows how %s ended: %s", j.id,
			why)
	case last:
		s.warn(dag.WarnObservation,
			"that %s is %s is the ResourceManager's word; what its last tasks did is not known: %s", j.id, state, why)
	case waited <= quietLimit:
		return
	case a.Forgotten:
		s.warn(dag.WarnObservation,
			"the ResourceManager does not know %s any more, and the history server does not tell yet how it ended: %s",
			j.id, why)
		return
	default:
		s.warn(dag.WarnObservation, "%s is over, the history server does not tell how yet: %s", j.id, why)
		if state != dag.Succeeded || !a.Finished.Known() {
			return
		}
	}
	if j.finished = or(a.Finished, j.endedSince); last {
		j.end(endAssumed, state)
	} else {
		j.step(successAssumed)
	}
	if state != dag.Succeeded {
		j.diagnosis = a.Diagnosis
	}
}

// isLast reports whether no later tick comes.
func (s *Source) isLast() bool { return s.target.Final != nil && s.target.Final() }

// patienceWith returns how long to wait for the history server's report about a job that the ResourceManager lists
// as ended. why is the error so far. A killed master leaves no history at all (docs/facts/hadoop.md A6): the
// ResourceManager lists its application as FAILED or KILLED, not FINISHED.
func patienceWith(why error, a *yarn.App) time.Duration {
	e, failed := errors.AsType[*rest.Error](why)
	switch {
	case failed && (e.Status == 0 || e.Status >= http.StatusInternalServerError):
		return downPatience
	case a.EndReported:
		return historyPatience
	}
	return brokenPatience
}
