package mapreduce

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// A lifeState is how far ParaTimer has followed a job. It decides which service is queried about the job, and for
// what.
type lifeState uint8

const (
	// jobWaiting is a job with a master that has not responded yet: a new job, or one with a replaced master. No
	// requests are sent until the ResourceManager lists the job as RUNNING.
	jobWaiting lifeState = iota
	// jobRunning is a job with a master that has responded. Requests for the job, its tasks and their attempts go
	// to the master. If the ResourceManager no longer lists the job as RUNNING, it is queried for a new master.
	jobRunning
	// jobDoubted is a running job with a master that contradicted its own earlier response. The ResourceManager is
	// also queried for a new master. Its response ends the doubt.
	jobDoubted
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
	lifeStates int = iota
)

var lifeNames = [lifeStates]string{
	"waiting", "running", "doubted", "over", "unconfirmed", "ended", "listed", "summed", "settled",
}

func (s lifeState) String() string { return lifeNames[s] }

// A lifeEvent is what a response means for a job's life.
type lifeEvent uint8

const (
	masterAnswered lifeEvent = iota // the master reported the job
	answerWentBack                  // a response about a task contradicts an earlier one of the same master
	masterChecked                   // the ResourceManager reported the attempts of the application
	masterReplaced                  // there is a new attempt, and its master has not responded yet
	appEnded                        // the ResourceManager lists the application as ended
	successAssumed                  // the application succeeded, and the history server does not respond yet
	endAssumed                      // the wait for the history server timed out
	endReported                     // the history server reported how the job ended
	tasksListed                     // the history server reported the tasks
	tasksRefused                    // the history server will not report the tasks
	sumsCompared                    // the history server's sums were read, or it will not report them
	tasksComplete                   // nothing is left to request about the tasks
	listForgotten                   // tasks that were dropped as too many are needed after all
	lifeEvents     int       = iota
)

// transitions are the states that events lead to. An event that is not listed for a state cannot happen in it.
//
// A ResourceManager that has lost its state may list an application again after it seemed to have ended. Then its
// master may respond, or be replaced, in states after jobOver, and everything that follows an end is requested
// again.
var transitions = [lifeEvents]map[lifeState]lifeState{
	masterAnswered: {
		jobWaiting: jobRunning, jobRunning: jobRunning, jobDoubted: jobDoubted,
		jobOver: jobRunning, jobUnconfirmed: jobRunning, jobEnded: jobRunning, jobListed: jobRunning,
		jobSummed: jobRunning,
	},
	answerWentBack: {
		jobRunning: jobDoubted, jobDoubted: jobDoubted, jobEnded: jobEnded, jobListed: jobListed, jobSummed: jobSummed,
	},
	masterChecked:  {jobDoubted: jobRunning},
	masterReplaced: {jobRunning: jobWaiting, jobDoubted: jobWaiting, jobOver: jobWaiting},
	appEnded: {
		jobWaiting: jobOver, jobRunning: jobOver, jobDoubted: jobOver,
		jobOver: jobOver, jobUnconfirmed: jobUnconfirmed, jobEnded: jobEnded, jobListed: jobListed,
		jobSummed: jobSummed,
	},
	successAssumed: {jobOver: jobUnconfirmed, jobUnconfirmed: jobUnconfirmed},
	endAssumed:     {jobOver: jobSettled, jobUnconfirmed: jobSettled},
	endReported:    {jobOver: jobEnded, jobUnconfirmed: jobEnded},
	tasksListed:    {jobEnded: jobListed},
	tasksRefused:   {jobEnded: jobSettled},
	sumsCompared:   {jobListed: jobSummed},
	tasksComplete:  {jobListed: jobSettled, jobSummed: jobSettled},
	listForgotten: {
		jobWaiting: jobWaiting, jobRunning: jobRunning, jobDoubted: jobDoubted,
		jobOver: jobOver, jobUnconfirmed: jobUnconfirmed,
		jobEnded: jobEnded, jobListed: jobEnded, jobSummed: jobEnded, jobSettled: jobEnded,
	},
}

// A lifecycle is the state of a job, and what snapshots show of it. Only step and end change it.
type lifecycle struct {
	at    lifeState
	state dag.State
}

// impossible is called for transitions that cannot happen. They change nothing; tests make it panic.
var impossible = func(string) {}

// step applies an event that does not report how the job ended, and returns whether the event can happen.
func (l *lifecycle) step(e lifeEvent) bool {
	next, ok := transitions[e][l.at]
	if !ok {
		impossible(fmt.Sprintf("event %d of a job that is %v", e, l.at))
		return false
	}
	l.at = next
	switch e {
	case masterAnswered:
		l.state = dag.Running
	case masterReplaced:
		l.state = dag.Submitted
	case successAssumed:
		l.state = dag.Succeeded
	}
	return true
}

// end applies an event that reports how the job ended: endReported or endAssumed.
func (l *lifecycle) end(e lifeEvent, as dag.State) {
	if l.step(e) {
		l.state = as
	}
}
