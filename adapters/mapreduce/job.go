package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A lifeState is how far ParaTimer has followed a job. It decides which service is queried about the job, and for
// what. A ResourceManager that has lost its state may list a job again after it seemed to have ended. Then the job
// runs again, and everything that follows an end is requested again.
type lifeState uint8

const (
	// jobWaiting is a job with a master that has not responded yet: a new job, or one with a replaced master. No
	// requests are sent until the ResourceManager lists the job as RUNNING.
	jobWaiting lifeState = iota
	// jobRunning is a job with a master that has responded. Requests for the job, its tasks and their attempts go
	// to the master. If the ResourceManager no longer lists the job as RUNNING, it is queried for a new master.
	jobRunning
	// jobOver is a job that the ResourceManager lists as ended. The history server is queried for how it ended.
	// Until the server responds, or the wait for it times out, snapshots show the job as before.
	jobOver
	// jobUnconfirmed is a job that succeeded according to the ResourceManager alone. Snapshots show that, but the
	// workflow cannot end by it. The history server is still queried.
	jobUnconfirmed
	// jobEnded is a job with an end that the history server has reported. The list of its tasks is requested next.
	jobEnded
	// jobListed is an ended job with a complete list of tasks. The attempts and counters of each task are requested
	// next, and then, on a live cluster, the sums over all tasks.
	jobListed
	// jobSummed is a listed job that was compared with the sums. If they differ, tasks are requested again.
	jobSummed
	// jobSettled is a job without further requests: all is reported, or the wait for it timed out.
	jobSettled
)

// A job is the state of an application that belongs to the workflow, or may belong to it.
type job struct {
	app  *yarn.App // by the ResourceManager's newest report
	id   string
	conf *Settings // nil while unknown

	at        lifeState
	state     dag.State // as snapshots show it
	submitted dag.Instant
	started   dag.Instant
	finished  dag.Instant
	attempt   int // number of the newest master
	diagnosis string
	avoids    avoidance

	size
	pending [2]int // waiting tasks, as the master counts them
	tasks   [2]events.Table[task]
	failed  int // failed attempts in the newest snapshot

	lastAnswer  dag.Instant // the last response of its master
	lastRunning dag.Instant // the last tick that found it RUNNING
	newMasterAt dag.Instant // when its current master was found to be new; earlier responses are the old master's
	endedSince  dag.Instant // the first tick in which it had ended

	// The last tick with requests about the job.
	err        error       // of the request for its state, or for the attempts of its application
	pollsTasks bool        // requests about tasks may follow
	incomplete bool        // a response is missing that may still come
	timedOut   atomic.Bool // a request about a task timed out: further requests would wait as long

	// What the history server has not reported yet about the ended job: how many tasks have missing data, and when that
	// number last changed.
	backlog int
	movedAt dag.Instant
}

func newJob(app *yarn.App) *job {
	return &job{
		app: app, id: app.Job(), state: dag.Submitted, submitted: app.Submitted,
		size:    size{counted: [2]int{-1, -1}},
		started: dag.NoInstant, finished: dag.NoInstant, lastAnswer: dag.NoInstant, lastRunning: dag.NoInstant,
		newMasterAt: dag.NoInstant, endedSince: dag.NoInstant, movedAt: dag.NoInstant,
	}
}

// base returns the path of the job's resource, as recordings have it.
func (j *job) base() string {
	if j.app.Ended {
		return "/ws/v1/history/mapreduce/jobs/" + j.id
	}
	return "/proxy/" + j.app.ID + "/ws/v1/mapreduce/jobs/" + j.id
}

// report processes what a master or the history server reports of the whole job.
func (j *job) report(b *wireJob) {
	j.started = dag.FirstKnown(b.StartTime.Instant(), j.started)
	if b.MapsTotal.Known && b.ReducesTotal.Known {
		j.counted = [2]int{tasksOf(b.MapsTotal), tasksOf(b.ReducesTotal)}
	}
	j.pending = [2]int{tasksOf(b.MapsPending), tasksOf(b.ReducesPending)}
}

// masters records the number of masters that the job has had, and reports whether there is a new one. A dead master
// loses what it had under way, and its finished tasks as well if they are not recovered.
func (j *job) masters(n int, now dag.Instant) (isNew bool) {
	if isNew = n > j.attempt && j.attempt > 0; isNew {
		j.newMasterAt, j.avoids = now, avoidance{}
		for k := range j.tasks {
			tasks := &j.tasks[k]
			tasks.ChangeAll()
			for _, t := range tasks.All() {
				if !t.done() || j.conf != nil && j.conf.RerunsAll {
					t.restart(now)
				}
			}
		}
	}
	j.attempt = max(j.attempt, n)
	return isNew
}

// unreadPatience is how long a workflow that has ended waits for missing history without anything new, since each
// response may be late or fail.
const unreadPatience = 2 * time.Minute

// unread reports whether the job's end is known, but part of its history is missing and may still come: the history
// server responds only from time to time. isLast means that no later tick comes.
func (j *job) unread(now dag.Instant, isLast bool) bool {
	return j.incomplete && j.at != jobSettled && !isLast && now.Sub(max(j.endedSince, j.movedAt)) < unreadPatience
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
			s.warn(dag.WarnObservation, "the master of %s cannot be read, its last state is shown: %s", j.id,
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
// ResourceManagers (facts/hadoop.md E0: 13 s until the new one answers, 2 s until applications run again).
const failover = 30 * time.Second

// takeRestart handles an application that was RUNNING and no longer is: its master died, or another ResourceManager
// took over. Work is lost only if there is a new attempt number (facts/hadoop.md E0: after a failover ACCEPTED
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
// history at all (facts/hadoop.md A6), and if the server does not respond at all. A restart of it takes a
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
		j.submitted = dag.FirstKnown(b.status.SubmitTime.Instant(), j.submitted)
		j.finished = dag.FirstKnown(b.status.FinishTime.Instant(), j.app.Finished, s.now)
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
			lost = fmt.Errorf("the master of %s no longer answers: %w", j.id, j.err)
		}
	}
	return lost
}
