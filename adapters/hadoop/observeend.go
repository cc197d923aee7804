package hadoop

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// historyPatience is how long the history server may say nothing of a job that the ResourceManager calls over.
// A master that was killed leaves no history at all (facts A6): the ResourceManager calls it FAILED or KILLED, not FINISHED.
const historyPatience, brokenPatience = 60 * time.Second, 15 * time.Second

var jobStates = map[string]dag.State{"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed, "ERROR": dag.Failed}

// takeHistory takes the history server's answers about a job that has ended. Until it answers the job counts as running.
func (s *Source) takeHistory(v *visit) {
	j := v.job
	if v.askJob {
		b := &v.status.Job.v
		state, ended := jobStates[string(b.State)]
		if v.statusErr != nil || !ended {
			v.get, v.trouble = nil, !refused(v.statusErr)
			s.withoutHistory(v)
			return
		}
		j.tell(b)
		j.state = state
		j.submitted = or(b.Submitted.instant(), j.submitted)
		j.finished = or(b.Finished.instant(), v.app.Finished.instant(), s.now)
		if state != dag.Succeeded {
			j.diagnosis = firstLine(string(b.Diagnostics))
		}
	}
	switch {
	case !v.askTasks:
	case v.listErr == nil:
		s.list(v)
		j.listed = true
	case !refused(v.listErr):
		v.trouble = true
	case s.now.Sub(j.overSince) > historyPatience:
		j.settled = true
	}
	if !j.listed {
		v.get = nil
	}
}

// withoutHistory takes the ResourceManager's word once the history server has been silent for long.
func (s *Source) withoutHistory(v *visit) {
	j, a := v.job, v.app
	waited := s.now.Sub(j.overSince)
	if waited > hush && v.statusErr != nil {
		s.warn(dag.WarnObservation, "%s is over, the history server does not tell how yet: %s", j.id, firstLine(v.statusErr.Error()))
	}
	final := s.target.Final != nil && s.target.Final()
	if !final && (waited < brokenPatience || waited < historyPatience && a.State == "FINISHED") {
		return
	}
	j.state, j.settled, j.finished = dag.Failed, true, or(a.Finished.instant(), j.overSince)
	switch {
	case a.FinalStatus == "SUCCEEDED":
		j.state = dag.Succeeded
	case a.State == "KILLED" || a.FinalStatus == "KILLED":
		j.state = dag.Killed
	}
	if j.state != dag.Succeeded {
		j.diagnosis = firstLine(string(a.Diagnostics))
	}
}

// takeRestart looks at an application that was RUNNING and is not: its master died, or the ResourceManager changed.
// Only a new attempt number says that work is lost (facts E0: after a failover ACCEPTED is seen with nothing lost).
func (s *Source) takeRestart(v *visit) {
	j := v.job
	if v.masterErr != nil {
		return
	}
	n := v.attempts.newest()
	// A recorded answer may be older than the change. Then a master without a container tells: after a failover one is
	// recovered with the others, and somebody failed to answer in between.
	stale := s.made("/ws/v1/cluster/apps/"+j.app+"/appattempts") <= j.seenUp
	if stale && v.app.Containers.ok && v.app.Containers.v <= 0 && !(s.missedAt.Known() && s.now.Sub(s.missedAt) < failover) {
		n = j.attempt + 1
	}
	if s.takeMasters(j, n) {
		j.state, j.started = dag.Submitted, dag.NoInstant
	}
}

// takeChange looks at whether a master whose answers went back is a new one, that came while nobody looked.
func (s *Source) takeChange(v *visit) {
	if v.askMaster && v.masterErr == nil {
		v.job.doubted = false
		s.takeMasters(v.job, v.attempts.newest())
	}
}

// takeMasters takes the number of masters that the job has had, and says whether there is a new one.
func (s *Source) takeMasters(j *job, n int) bool {
	fresh := n > j.attempt && j.attempt > 0
	if fresh {
		j.restarted(s.now)
		j.bornAt = s.now
	}
	j.attempt = max(j.attempt, n)
	return fresh
}

// failover is how long after a failed observation an application that is not RUNNING may still be what a change of
// ResourceManagers left (facts E0: 13 s until the new one answers, 2 s until applications run again).
const failover = 30 * time.Second

// restarted takes back what a master that died had under way, and what it had done where nothing of it is recovered.
func (j *job) restarted(at dag.Instant) {
	for k := range j.phases {
		p := &j.phases[k]
		p.dirty = true
		for _, t := range p.tasks {
			if t.done() && (j.conf == nil || !j.conf.noRecov) {
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
