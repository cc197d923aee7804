package mapreduce

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// How long to wait for the history server: if a job ended by itself, if its master was broken off, and if the
// server does not respond at all. A restart of the server takes a minute.
const (
	historyPatience = 60 * time.Second
	brokenPatience  = 15 * time.Second
	downPatience    = 2 * time.Minute
)

var jobStates = map[string]dag.State{
	"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed,
	"ERROR": dag.Failed,
}

// takeHistory processes the history server's responses about an ended job. Until they arrive the job counts as
// running.
func (s *Source) takeHistory(v *visit) {
	j := v.job
	if v.askJob {
		b := &v.status.Job.V
		state, ended := jobStates[string(b.State)]
		if v.statusErr != nil || !ended {
			v.get, v.incomplete = nil, !refused(v.statusErr)
			s.withoutHistory(v)
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
	if !v.askTasks {
		return
	}
	if v.listErr == nil {
		s.list(v)
		if !v.bulky || j.dropped {
			j.step(tasksListed)
			return
		}
	}
	v.get = nil
	switch late := s.now.Sub(j.endedSince) > historyPatience; {
	case v.listErr == nil:
	case !refused(v.listErr), rest.Status(v.listErr) == http.StatusNotFound && !late:
		v.incomplete = true // a server that reports a job has its tasks: a 404 is a stale response
	case late:
		j.step(tasksRefused)
	}
}

// withoutHistory uses the ResourceManager's report if the history server is silent. A success is shown soon, but
// does not end the workflow. Any other end, and the workflow's end, are accepted only after a long silence.
func (s *Source) withoutHistory(v *visit) {
	j, a := v.job, v.app
	waited, state, why := s.now.Sub(j.endedSince), a.State, "it has no end of the job"
	if v.statusErr != nil {
		why = yarn.Brief(v.statusErr)
	}
	last := s.target.Final != nil && s.target.Final() || waited >= patienceWith(v.statusErr, a)
	switch {
	case last && state == dag.EndedUnconfirmed:
		s.warn(dag.WarnObservation, "neither the ResourceManager nor the history server tells how %s ended: %s", j.id,
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

// patienceWith returns how long to wait for the history server's report about a job that the ResourceManager lists
// as ended. why is the error so far. A killed master leaves no history at all (docs/facts/hadoop.md A6): the
// ResourceManager lists its application as FAILED or KILLED, not FINISHED.
func patienceWith(why error, a *yarn.App) time.Duration {
	switch {
	case unanswered(why) || rest.Status(why) >= http.StatusInternalServerError:
		return downPatience
	case a.EndReported:
		return historyPatience
	}
	return brokenPatience
}

// takeRestart handles an application that was RUNNING and no longer is: its master died, or another ResourceManager
// took over. Work is lost only if there is a new attempt number (docs/facts/hadoop.md E0: after a failover ACCEPTED
// is seen with nothing lost).
func (s *Source) takeRestart(v *visit) {
	j := v.job
	if v.masterErr != nil {
		return
	}
	n := v.attempts.newest()
	// A recorded response may be older than the change. Then a master without a container is a new one, unless
	// observations failed in between: after a failover a master is recovered with its containers.
	stale := s.made("/ws/v1/cluster/apps/"+j.app+"/appattempts") <= j.lastRunning
	if stale && v.app.Containers == 0 &&
		!(s.missedAt.Known() && s.now.Sub(s.missedAt) < failover) {
		n = j.attempt + 1
	}
	if s.takeMasters(j, n) {
		j.step(masterReplaced)
		j.started = dag.NoInstant
	}
}

// takeChange checks whether a master that contradicted itself is a new one that started between two ticks.
func (s *Source) takeChange(v *visit) {
	if v.askMaster && v.masterErr == nil {
		v.job.step(masterChecked)
		s.takeMasters(v.job, v.attempts.newest())
	}
}

// takeMasters records the number of masters that the job has had, and reports whether there is a new one.
func (s *Source) takeMasters(j *job, n int) bool {
	fresh := n > j.attempt && j.attempt > 0
	if fresh {
		j.restarted(s.now)
		j.bornAt = s.now
	}
	j.attempt = max(j.attempt, n)
	return fresh
}

// failover is how long after a failed observation an application may lack the state RUNNING because of a change of
// ResourceManagers (docs/facts/hadoop.md E0: 13 s until the new one answers, 2 s until applications run again).
const failover = 30 * time.Second

// restarted undoes what a dead master had under way, and its finished tasks as well if they are not recovered.
func (j *job) restarted(at dag.Instant) {
	j.avoids = avoidance{}
	for k := range j.phases {
		p := &j.phases[k]
		p.tasks.ChangeAll()
		for _, t := range p.tasks.All() {
			if t.done() && (j.conf == nil || !j.conf.RerunsAll) {
				continue
			}
			t.state, t.success, t.settled = "SCHEDULED", -1, false
			for i := range t.attempts {
				stop(&t.attempts[i], at)
				t.ranks[i] = -1
			}
		}
	}
}

// When a job has ended, the history server's sums over its tasks are compared with the last seen ones. If they
// differ, a response about a task was stale or missing, and the tasks of that kind are requested again.

type sumBody struct {
	Counters rest.Box[struct {
		Groups rest.List[struct {
			Name     loose.Label `json:"counterGroupName"`
			Counters rest.List[struct {
				Name   loose.Label    `json:"name"`
				Map    loose.Optional `json:"mapCounterValue"`
				Reduce loose.Optional `json:"reduceCounterValue"`
			}] `json:"counter"`
		}] `json:"counterGroup"`
	}] `json:"jobCounters"`
}

// A sum is what the tasks of a phase have read and written together, in tuples; NaN if unknown.
type sum struct{ in, out float64 }

func (b *sumBody) sums() (all [2]sum) {
	none := sum{math.NaN(), math.NaN()}
	all = [2]sum{none, none}
	for _, g := range b.Counters.V.Groups {
		for _, c := range g.Counters {
			switch c.Name {
			case "MAP_INPUT_RECORDS":
				all[dag.Map].in = c.Map.Float()
			case "MAP_OUTPUT_RECORDS":
				all[dag.Map].out = c.Map.Float()
			case "REDUCE_INPUT_RECORDS":
				all[dag.Reduce].in = c.Reduce.Float()
			case "REDUCE_OUTPUT_RECORDS":
				all[dag.Reduce].out = c.Reduce.Float()
			}
		}
	}
	return all
}

// sum returns the totals over the phase's successful attempts, as last seen.
func (p *phase) sum(k dag.StageIndex) sum {
	var all sum
	for _, t := range p.tasks.All() {
		for i := range t.attempts {
			a := &t.attempts[i]
			if a.Number != t.success || a.State != dag.AttemptSucceeded {
				continue
			}
			if k == dag.Map {
				all.in += a.Done[0]
			} else {
				all.in += a.Done[dag.Work]
			}
			all.out += a.Out
		}
	}
	return all
}

// differ reports whether two sums differ. A total that the history server does not report never differs. A total
// that no task reported always does.
func (s sum) differ(seen sum) bool {
	return !math.IsNaN(s.in) && s.in != seen.in || !math.IsNaN(s.out) && s.out != seen.out
}

// observeSums compares each fully reported job with the sums, once, and marks tasks to be requested again.
func (s *Source) observeSums(ctx context.Context, visits []*visit) {
	bodies, errs := make([]sumBody, len(visits)), make([]error, len(visits))
	questions := make([]func(context.Context), len(visits))
	for i, v := range visits {
		questions[i] = func(ctx context.Context) {
			body, err := v.get(ctx, "/counters")
			bodies[i], errs[i] = yarn.Read[sumBody](ctx, v.job.id+"/counters", body, err)
		}
	}
	yarn.Together(ctx, questions...)
	for i, v := range visits {
		switch {
		case errs[i] == nil:
			v.job.step(sumsCompared)
			v.recheck(bodies[i].sums())
		case refused(errs[i]):
			v.job.step(sumsCompared)
		default:
			v.incomplete = true
		}
	}
}

func (v *visit) recheck(reported [2]sum) {
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		p := &v.job.phases[k]
		if !reported[k].differ(p.sum(k)) {
			continue
		}
		for _, t := range p.tasks.All() {
			if t.state == "SUCCEEDED" {
				t.settled, t.tries, v.incomplete = false, 0, true
			}
		}
	}
}
