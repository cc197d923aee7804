package mapreduce

import (
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/adapters/mrjob"
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

// A job is what is known of an application that belongs to the workflow, or may belong to it.
type job struct {
	app  *yarn.App // by the ResourceManager's newest report
	id   string
	conf *mrjob.Settings // nil while unknown

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
	tasks   [2]tasktable.Table[task]
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
	j.started = dag.FirstKnown(b.Started.Instant(), j.started)
	if b.Maps.Known && b.Reduces.Known {
		j.counted = [2]int{tasksOf(b.Maps), tasksOf(b.Reduces)}
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
