package hadoop

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// A lifeState is how far ParaTimer has followed a job. It decides which service is asked about the job, and for what.
type lifeState uint8

const (
	// jobWaiting is a job without a master that has answered: a new one, or one whose master was replaced.
	// Nothing is asked until the ResourceManager lists it as RUNNING.
	jobWaiting lifeState = iota
	// jobRunning is a job whose master has answered. The master is asked for the job, its tasks and their
	// attempts. If the ResourceManager does not list the job as RUNNING any more, it is asked whether there is a
	// new master.
	jobRunning
	// jobDoubted is a running job whose master contradicted an earlier answer of its own. The ResourceManager is
	// asked as well whether there is a new master. Its answer ends the doubt.
	jobDoubted
	// jobOver is a job that the ResourceManager lists as ended. The history server is asked how it ended. Until
	// it answers, or patience with it ends, snapshots show the job as they did before.
	jobOver
	// jobUnconfirmed is a job that succeeded according to the ResourceManager alone. Snapshots show that, but
	// the workflow cannot end by it. The history server is still asked.
	jobUnconfirmed
	// jobEnded is a job whose end the history server has reported. The server is asked for the list of its tasks.
	jobEnded
	// jobListed is an ended job with a complete list of tasks. The server is asked for the attempts and counters
	// of each, and then, live, for the sums over all tasks.
	jobListed
	// jobSummed is a listed job whose tasks were compared with the sums. Tasks are asked again where they differed.
	jobSummed
	// jobSettled is a job about which nothing is asked any more, because all is reported or patience has ended.
	jobSettled
	lifeStates int = iota
)

var lifeNames = [lifeStates]string{
	"waiting", "running", "doubted", "over", "unconfirmed", "ended", "listed", "summed", "settled",
}

func (s lifeState) String() string { return lifeNames[s] }

// A lifeEvent is what an answer means for a job's life.
type lifeEvent uint8

const (
	masterAnswered lifeEvent = iota // the master reported the job
	answerWentBack                  // an answer about a task contradicts an earlier one of the same master
	masterChecked                   // the ResourceManager reported the attempts of the application
	masterReplaced                  // and there is a new one, which has not answered yet
	appEnded                        // the ResourceManager lists the application as ended
	successAssumed                  // as ended well, and the history server does not answer yet
	endAssumed                      // patience with the history server is over
	endReported                     // the history server reported how the job ended
	tasksListed                     // and its tasks
	tasksRefused                    // or it will not report them
	sumsCompared                    // the history server's sums were read, or it will not report them
	tasksComplete                   // nothing is left to ask about the tasks
	listForgotten                   // tasks that were dropped as too many are wanted after all
	lifeEvents     int       = iota
)

// transitions are the states that events lead to. An event that is not listed for a state cannot happen in it.
//
// A ResourceManager that has lost its state may list an application again after it seemed to have ended. Then
// its master may answer, or be replaced, in states after jobOver, and everything that follows an end is asked
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

// impossible is called with transitions that cannot happen. They change nothing; tests let them panic.
var impossible = func(string) {}

// step follows an event that does not report how the job ended, and returns whether the event can happen.
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

// end follows an event that reports how the job ended: endReported or endAssumed.
func (l *lifecycle) end(e lifeEvent, as dag.State) {
	if l.step(e) {
		l.state = as
	}
}
