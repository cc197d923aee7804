package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// get requests a path below the job's resource, from its master or, once the application has ended, from the history
// server. Once a request about a task has timed out, it sends no more of them: a service that hangs in the middle of a
// tick costs one timeout, not one a task.
func (s *Source) get(ctx context.Context, j *job, path string) (body []byte, err error) {
	switch {
	case j.timedOut.Load():
		return nil, errTimedOut
	case j.app.Ended:
		body, err = s.cluster.JHS(ctx, "mapreduce/jobs/"+j.id+path)
	default:
		body, err = s.cluster.AM(ctx, j.app.ID, "jobs/"+j.id+path)
	}
	if hangs(err) {
		j.timedOut.Store(true)
	}
	return body, err
}

// read requests a path below the job's resource and decodes the response.
func read[T any](ctx context.Context, s *Source, j *job, path string) (T, error) {
	body, err := s.get(ctx, j, path)
	return yarn.Read[T](j.id+path, body, err)
}

// batch sends the requests about items, part of them at once, which bounds the responses in memory. request returns a
// function that processes its responses. Those functions run one after the other, in the order of the items.
func batch[T any](ctx context.Context, s *Source, items []T, part int,
	request func(ctx context.Context, item T) (take func()),
) {
	for some := range slices.Chunk(items, part) {
		takes, sends := make([]func(), len(some)), make([]func(context.Context), len(some))
		for i, item := range some {
			sends[i] = func(ctx context.Context) { takes[i] = request(ctx, item) }
		}
		yarn.Together(ctx, sends...)
		s.catchUp()
		for _, take := range takes {
			take()
		}
	}
}

// jobsAtOnce bounds the task lists in memory at once.
const jobsAtOnce = 4

// pollJobs polls masters and the history server for the state of the workflow's jobs. If an application was running
// and waits for a new master, the only request goes to the ResourceManager, for the attempts of the application.
func (s *Source) pollJobs(ctx context.Context) {
	s.due = nil
	for _, j := range s.member {
		if a := j.app; j.at == jobSettled || !a.Ended && !a.Running && j.state != dag.Running {
			continue
		}
		s.due = append(s.due, j)
		j.err, j.pollsTasks, j.incomplete = nil, j.app.Running || j.app.Ended, false
		j.timedOut.Store(false)
		if j.app.Ended {
			j.at = max(j.at, jobOver)
			j.endedSince = dag.FirstKnown(j.endedSince, s.now)
		}
	}
	batch(ctx, s, s.due, jobsAtOnce, s.pollJob)
	s.weigh()
}

// An answer has the responses about a job.
type answer struct {
	status  wireJob
	list    *tasksBody // nil if it was not due
	listErr error
}

// pollJob requests the state of a job, and its list of tasks if that is due.
func (s *Source) pollJob(ctx context.Context, j *job) (take func()) {
	if !j.app.Ended && !j.app.Running {
		var masters appAttemptsBody
		masters, j.err = s.requestMasters(ctx, j)
		return func() { s.takeRestart(j, &masters) }
	}
	var b answer
	if !j.app.Ended || j.at < jobEnded {
		var status jobBody
		status, j.err = read[jobBody](ctx, s, j, "")
		b.status = status.Job.V
	}
	if j.err == nil && s.listDue(j) {
		var list tasksBody
		list, b.listErr = read[tasksBody](ctx, s, j, "/tasks")
		b.list = &list
	}
	if j.app.Ended {
		return func() { s.takeHistory(j, &b) }
	}
	return func() { s.takeMaster(j, &b) }
}

// requestMasters requests the attempts of a job's application from the ResourceManager.
func (s *Source) requestMasters(ctx context.Context, j *job) (appAttemptsBody, error) {
	path := j.app.ID + "/appattempts"
	body, err := s.cluster.RM(ctx, "apps/"+path)
	return yarn.Read[appAttemptsBody](path, body, err)
}

// takeMaster processes a master's responses. If it does not respond, the last known state stays.
func (s *Source) takeMaster(j *job, b *answer) {
	j.lastRunning = s.now
	if j.err == nil && s.made(j.base()) < j.newMasterAt {
		j.pollsTasks = false // a recording repeats the old master's last response
		return
	}
	// If a list was read before, a list that is too long may have been corrupted on the way, and the known tasks
	// stay.
	n := j.inList[dag.Map] + j.inList[dag.Reduce]
	isOverlong := errors.Is(b.listErr, rest.ErrTooBig) && (n == 0 || n > mostTasks)
	j.pollsTasks = j.err == nil && b.listErr == nil
	if !j.pollsTasks && !isOverlong {
		j.lastAnswer = dag.FirstKnown(j.lastAnswer, s.now)
		if s.now.Sub(j.lastAnswer) > quietLimit {
			s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s", j.id,
				yarn.Brief(errors.Join(j.err, b.listErr)))
		}
		return
	}
	j.at, j.state = jobRunning, dag.Running
	j.lastAnswer, j.attempt = s.now, max(j.attempt, 1)
	j.report(&b.status)
	switch {
	case isOverlong:
		j.inList, j.listTick = [2]int{mostTasks + 1, 0}, s.ticks+1
	case b.list != nil:
		s.takeList(j, b.list)
	}
}

// failover is how long after a failed observation an application may lack the state RUNNING because of a change of
// ResourceManagers (docs/facts/hadoop.md E0: 13 s until the new one answers, 2 s until applications run again).
const failover = 30 * time.Second

// takeRestart handles an application that was RUNNING and no longer is: its master died, or another ResourceManager
// took over. Work is lost only if there is a new attempt number (docs/facts/hadoop.md E0: after a failover ACCEPTED
// is seen with nothing lost).
func (s *Source) takeRestart(j *job, b *appAttemptsBody) {
	if j.err != nil {
		return
	}
	n, _ := b.newest()
	// A recorded response may be older than the change. Then a master without a container is a new one, unless
	// observations failed in between: after a failover a master is recovered with its containers.
	stale := s.made("/ws/v1/cluster/apps/"+j.app.ID+"/appattempts") <= j.lastRunning
	if stale && j.app.Containers == 0 && !(s.lastMissed.Known() && s.now.Sub(s.lastMissed) < failover) {
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
func (s *Source) takeHistory(j *job, b *answer) {
	if j.at < jobEnded {
		state, ended := yarn.EndStates[string(b.status.State)]
		if j.err != nil || !ended {
			j.pollsTasks, j.incomplete = false, !refused(j.err)
			s.waitForHistory(j)
			return
		}
		j.report(&b.status)
		j.at, j.state = jobEnded, state
		j.submitted = dag.FirstKnown(b.status.Submitted.Instant(), j.submitted)
		j.finished = dag.FirstKnown(b.status.Finished.Instant(), j.app.Finished, s.now)
		if state != dag.Succeeded {
			j.diagnosis = string(b.status.Diagnostics)
		}
	}
	if j.at != jobEnded {
		return
	}
	j.pollsTasks = b.listErr == nil
	switch late := s.now.Sub(j.endedSince) > historyPatience; {
	case b.listErr == nil:
		s.takeList(j, b.list)
		j.at = jobListed
	case !refused(b.listErr), rest.Status(b.listErr) == http.StatusNotFound && !late:
		j.incomplete = true // a server that reports a job has its tasks: a 404 is a stale response
	case late:
		j.at = jobSettled
	}
}

// waitForHistory uses the ResourceManager's report if the history server is silent. A success is shown soon, but
// does not end the workflow. Any other end, and the workflow's end, are accepted only after a long silence.
func (s *Source) waitForHistory(j *job) {
	state, why, patience := j.app.State, "it has no end of the job", historyPatience
	if j.err != nil {
		why = yarn.Brief(j.err)
	}
	switch {
	case j.err != nil && !refused(j.err):
		patience = downPatience
	case !j.app.EndReported: // FAILED or KILLED, not FINISHED
		patience = brokenPatience
	}
	waited := s.now.Sub(j.endedSince)
	isFinal := s.isLast() || waited >= patience
	if !isFinal && waited <= quietLimit {
		return
	}
	known := "reports " + state.String()
	if state == dag.EndedUnconfirmed {
		known = "has no result of it"
	}
	s.warn(dag.WarnObservation, "the history server does not report how %s ended, the ResourceManager %s: %s",
		j.id, known, why)
	if !isFinal && (state != dag.Succeeded || !j.app.Finished.Known()) {
		return
	}
	j.state, j.finished, j.at = state, dag.FirstKnown(j.app.Finished, j.endedSince), jobUnconfirmed
	if isFinal {
		j.at = jobSettled
	}
	if state != dag.Succeeded {
		j.diagnosis = j.app.Diagnosis
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
	for _, j := range s.due {
		switch {
		case !j.app.Running:
		case j.err == nil:
			return nil
		case lost == nil && j.state == dag.Running && !yarn.Denied(j.err) && s.now.Sub(j.lastAnswer) > quietLimit:
			lost = fmt.Errorf("the master of %s does not answer any more: %w", j.id, j.err)
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
