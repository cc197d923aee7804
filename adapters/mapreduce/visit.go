package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A visit has the requests of one tick about one job, and their responses. They go to the job's master, or to the
// history server once the application has ended. If the application was running and waits for a new master, the only
// request goes to the ResourceManager, for the attempts of the application.
type visit struct {
	job *job
	app *yarn.App

	isListDue bool
	status    wireJob
	err       error // of the status, or of the attempts of the application
	list      tasksBody
	listErr   error
	masters   appAttemptsBody

	pollsTasks bool        // requests about tasks may follow
	incomplete bool        // a response is missing that may still come
	timedOut   atomic.Bool // a request about a task timed out: further requests would wait as long
}

// visit decides which requests about j are due. It returns nil if none is.
func (s *Source) visit(j *job) *visit {
	a := s.view.Known(j.app)
	if a == nil || j.at == jobSettled || !a.Ended && !a.Running && j.state != dag.Running {
		return nil
	}
	v := &visit{job: j, app: a, pollsTasks: readable(a)}
	switch {
	case a.Ended:
		j.at = max(j.at, jobOver)
		j.endedSince = dag.FirstKnown(j.endedSince, s.now)
		v.isListDue = j.at < jobListed
	case a.Running:
		v.isListDue = s.listDue(j)
	}
	return v
}

// base returns the path of the job's resource, as recordings have it.
func (v *visit) base() string {
	if v.app.Ended {
		return "/ws/v1/history/mapreduce/jobs/" + v.job.id
	}
	return "/proxy/" + v.job.app + "/ws/v1/mapreduce/jobs/" + v.job.id
}

// get requests a path below the job's resource. Once a request about a task has timed out, it sends no more of them:
// a service that hangs in the middle of a tick costs one timeout, not one a task.
func (s *Source) get(ctx context.Context, v *visit, path string) (body []byte, err error) {
	switch {
	case v.timedOut.Load():
		return nil, errTimedOut
	case v.app.Ended:
		body, err = s.cluster.JHS(ctx, "mapreduce/jobs/"+v.job.id+path)
	default:
		body, err = s.cluster.AM(ctx, v.job.app, "jobs/"+v.job.id+path)
	}
	if hangs(err) {
		v.timedOut.Store(true)
	}
	return body, err
}

// read requests a path below the job's resource and decodes the response.
func read[T any](ctx context.Context, s *Source, v *visit, path string) (T, error) {
	body, err := s.get(ctx, v, path)
	return yarn.Read[T](v.job.id+path, body, err)
}

// poll sends the requests of a visit.
func (s *Source) poll(ctx context.Context, v *visit) {
	switch {
	case !v.app.Ended && !v.app.Running:
		v.masters, v.err = s.requestMasters(ctx, v.job)
		return
	case !v.app.Ended || v.job.at < jobEnded:
		var b jobBody
		b, v.err = read[jobBody](ctx, s, v, "")
		v.status = b.Job.V
	}
	if v.isListDue && v.err == nil {
		v.list, v.listErr = read[tasksBody](ctx, s, v, "/tasks")
	}
}

// requestMasters requests the attempts of a job's application from the ResourceManager.
func (s *Source) requestMasters(ctx context.Context, j *job) (appAttemptsBody, error) {
	path := j.app + "/appattempts"
	body, err := s.cluster.RM(ctx, "apps/"+path)
	return yarn.Read[appAttemptsBody](path, body, err)
}

// jobsAtOnce bounds the task lists in memory at once.
const jobsAtOnce = 4

// pollJobs polls masters and the history server for the state of the workflow's jobs.
func (s *Source) pollJobs(ctx context.Context) {
	s.visits = nil
	for _, j := range s.member {
		if v := s.visit(j); v != nil {
			s.visits = append(s.visits, v)
		}
	}
	for part := range slices.Chunk(s.visits, jobsAtOnce) {
		yarn.Each(ctx, part, s.poll)
		s.catchUp()
		for _, v := range part {
			switch {
			case v.app.Ended:
				s.takeHistory(v)
			case v.app.Running:
				s.takeMaster(v)
			case v.err == nil:
				s.takeRestart(v)
			}
			v.list = tasksBody{} // frees its memory before the next part
		}
	}
	s.weigh()
}

// takeMaster processes a master's responses. If it does not respond, the last known state stays.
func (s *Source) takeMaster(v *visit) {
	j := v.job
	j.lastRunning = s.now
	if v.err == nil && s.made(v.base()) < j.newMasterAt {
		v.pollsTasks = false // a recording repeats the old master's last response
		return
	}
	// If a list was read before, a list that is too long may have been corrupted on the way, and the known tasks
	// stay.
	isOverlong := errors.Is(v.listErr, rest.ErrTooBig) && j.inList == [2]int{}
	v.pollsTasks = v.err == nil && v.listErr == nil
	if !v.pollsTasks && !isOverlong {
		j.lastAnswer = dag.FirstKnown(j.lastAnswer, s.now)
		if s.now.Sub(j.lastAnswer) > quietLimit {
			s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s", j.id,
				yarn.Brief(errors.Join(v.err, v.listErr)))
		}
		return
	}
	j.at, j.state = jobRunning, dag.Running
	j.lastAnswer, j.attempt = s.now, max(j.attempt, 1)
	if isOverlong {
		j.overlong, j.listTick = true, s.ticks+1
	}
	j.report(&v.status)
	if v.isListDue && !isOverlong {
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
	j := v.job
	n, _ := v.masters.newest()
	// A recorded response may be older than the change. Then a master without a container is a new one, unless
	// observations failed in between: after a failover a master is recovered with its containers.
	stale := s.made("/ws/v1/cluster/apps/"+j.app+"/appattempts") <= j.lastRunning
	if stale && v.app.Containers == 0 && !(s.lastMissed.Known() && s.now.Sub(s.lastMissed) < failover) {
		n = j.attempt + 1
	}
	if j.masters(n, s.now) {
		j.at, j.state, j.started = jobWaiting, dag.Submitted, dag.NoInstant
	}
}

// How long to wait for the history server: if a job ended by itself, if its master was broken off, which leaves no
// history at all (docs/facts/hadoop.md A6), and if the server does not respond at all. A restart of it takes a
// minute.
const (
	historyPatience = 60 * time.Second
	brokenPatience  = 15 * time.Second
	downPatience    = 2 * time.Minute
)

// takeHistory processes the history server's responses about an ended job. Until they arrive the job counts as
// running.
func (s *Source) takeHistory(v *visit) {
	j := v.job
	if j.at < jobEnded {
		state, ended := yarn.EndStates[string(v.status.State)]
		if v.err != nil || !ended {
			v.pollsTasks, v.incomplete = false, !refused(v.err)
			s.waitForHistory(v)
			return
		}
		j.report(&v.status)
		j.at, j.state = jobEnded, state
		j.submitted = dag.FirstKnown(v.status.Submitted.Instant(), j.submitted)
		j.finished = dag.FirstKnown(v.status.Finished.Instant(), v.app.Finished, s.now)
		if state != dag.Succeeded {
			j.diagnosis = string(v.status.Diagnostics)
		}
	}
	if j.at != jobEnded {
		return
	}
	v.pollsTasks = v.listErr == nil
	switch late := s.now.Sub(j.endedSince) > historyPatience; {
	case v.listErr == nil:
		s.takeList(v)
		j.at = jobListed
	case !refused(v.listErr), rest.Status(v.listErr) == http.StatusNotFound && !late:
		v.incomplete = true // a server that reports a job has its tasks: a 404 is a stale response
	case late:
		j.at = jobSettled
	}
}

// waitForHistory uses the ResourceManager's report if the history server is silent. A success is shown soon, but
// does not end the workflow. Any other end, and the workflow's end, are accepted only after a long silence.
func (s *Source) waitForHistory(v *visit) {
	j, a := v.job, v.app
	state, why := a.State, "it has no end of the job"
	if v.err != nil {
		why = yarn.Brief(v.err)
	}
	patience := historyPatience
	switch {
	case v.err != nil && !refused(v.err):
		patience = downPatience
	case !a.EndReported: // FAILED or KILLED, not FINISHED
		patience = brokenPatience
	}
	waited := s.now.Sub(j.endedSince)
	last := s.isLast() || waited >= patience
	switch {
	case last && state == dag.EndedUnconfirmed:
		s.warn(dag.WarnObservation, "neither the ResourceManager nor the history server shows how %s ended: %s", j.id,
			why)
	case last:
		s.warn(dag.WarnObservation,
			"that %s is %s is the ResourceManager's word; what its last tasks did is not known: %s", j.id, state, why)
	case waited <= quietLimit:
		return
	default:
		s.warn(dag.WarnObservation, "%s is over, the history server does not tell how yet: %s", j.id, why)
		if state != dag.Succeeded || !a.Finished.Known() {
			return
		}
	}
	j.state, j.finished, j.at = state, dag.FirstKnown(a.Finished, j.endedSince), jobUnconfirmed
	if last {
		j.at = jobSettled
	}
	if state != dag.Succeeded {
		j.diagnosis = a.Diagnosis
	}
}

// isLast reports whether no later tick comes.
func (s *Source) isLast() bool { return s.target.Final != nil && s.target.Final() }

// A service may be silent this long before ParaTimer warns: at every failover one is silent for a tick or two.
const quietLimit = 5 * time.Second

// lostMasters returns an error if masters that responded before no longer do: then nothing can be reported about the
// workflow. A master is lost if it has been silent for longer than a failover takes. One that denies access is not.
func (s *Source) lostMasters() error {
	var lost error
	for _, v := range s.visits {
		j := v.job
		switch {
		case !v.app.Running:
		case v.err == nil:
			return nil
		case lost == nil && j.state == dag.Running && !yarn.Denied(v.err) && s.now.Sub(j.lastAnswer) > quietLimit:
			lost = fmt.Errorf("the master of %s does not answer any more: %w", j.id, v.err)
		}
	}
	return lost
}

var errTimedOut = errors.New("hadoop: not asked: it has just not answered")

// hangs reports whether the service is unreachable or timed out. A cut connection does not count: it costs no time,
// and the next one may work.
func hangs(err error) bool {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// refused reports whether an error is a response that will not change: not found, or access denied.
func refused(err error) bool {
	st := rest.Status(err)
	return yarn.Denied(err) || st == http.StatusNotFound || st == http.StatusBadRequest
}
