package mapreduce

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/tasktable"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A job is what is known of an application that belongs to the workflow, or may belong to it.
type job struct {
	app, id  string
	conf     *mrjob.Settings // nil while unknown
	confTick int             // the first tick in which the configuration may be requested; never if it may not be read

	inputBytes float64 // the size of its input; -1 before it was requested, 0 if the file system did not report it

	lifecycle
	submitted dag.Instant
	started   dag.Instant
	finished  dag.Instant
	attempt   int // number of the newest master
	diagnosis string
	avoids    avoidance

	size
	pending   [2]int // waiting tasks, as the master counts them
	phases    [2]phase
	perRecord float64     // bytes per shuffled record; NaN before a reduce needs it
	grouped   *dag.Groups // of the newest snapshot; shared while nothing changes

	lastAnswer  dag.Instant // the last response of its master
	lastRunning dag.Instant // the last tick that found it RUNNING
	newMasterAt dag.Instant // when its current master was found to be new; earlier responses are the old master's
	endedSince  dag.Instant // the first tick in which it had ended
	backlog     backlog
}

// A phase is the tasks of one kind.
type phase struct {
	tasks  tasktable.Table[task]
	failed int // failed attempts in the newest snapshot
}

// A backlog is what the history server has not reported yet about an ended job.
type backlog struct {
	tasks   int         // tasks with missing data
	movedAt dag.Instant // when that number last changed
	vain    int         // ticks since then
	failed  bool        // in the last tick a response was missing that may still come
}

// update records the state of the backlog after a tick.
func (b *backlog) update(tasks int, failed bool, now dag.Instant) {
	b.failed = failed
	if b.vain++; tasks != b.tasks {
		b.tasks, b.movedAt, b.vain = tasks, now, 0
	}
}

func newJob(app *yarn.App) *job {
	return &job{
		app: app.ID, id: app.Job(), lifecycle: lifecycle{state: dag.Submitted}, submitted: app.Submitted,
		inputBytes: -1, perRecord: math.NaN(), size: size{counted: [2]int{-1, -1}},
		started: dag.NoInstant, finished: dag.NoInstant, lastAnswer: dag.NoInstant, lastRunning: dag.NoInstant,
		newMasterAt: dag.NoInstant, endedSince: dag.NoInstant, backlog: backlog{movedAt: dag.NoInstant},
	}
}

// taskName returns the id of a task in Hadoop's format.
func (j *job) taskName(kind dag.StageIndex, index int32) string {
	letter := "m"
	if kind == dag.Reduce {
		letter = "r"
	}
	return fmt.Sprintf("task_%s_%s_%06d", strings.TrimPrefix(j.id, "job_"), letter, index)
}

// report processes what a master or the history server reports of the whole job.
func (j *job) report(b *wireJob) {
	j.started = or(b.Started.Instant(), j.started)
	if b.Maps.Known && b.Reduces.Known {
		j.counted = [2]int{tasksOf(b.Maps), tasksOf(b.Reduces)}
		j.bound()
	}
	j.pending = [2]int{tasksOf(b.MapsPending), tasksOf(b.ReducesPending)}
}

// or returns the first known instant, NoInstant if there is none.
func or(at ...dag.Instant) dag.Instant {
	for _, t := range at {
		if t.Known() {
			return t
		}
	}
	return dag.NoInstant
}

// masters records the number of masters that the job has had, and reports whether there is a new one.
func (j *job) masters(n int, now dag.Instant) bool {
	isNew := n > j.attempt && j.attempt > 0
	if isNew {
		j.restart(now)
		j.newMasterAt = now
	}
	j.attempt = max(j.attempt, n)
	return isNew
}

// restart undoes what a dead master had under way, and its finished tasks as well if they are not recovered.
func (j *job) restart(at dag.Instant) {
	j.avoids = avoidance{}
	for k := range j.phases {
		p := &j.phases[k]
		p.tasks.ChangeAll()
		for _, t := range p.tasks.All() {
			if !t.done() || j.conf != nil && j.conf.RerunsAll {
				t.restart(at)
			}
		}
	}
}

// endStates are the ends of jobs by the history server's names.
var endStates = map[string]dag.State{
	"SUCCEEDED": dag.Succeeded, "FAILED": dag.Failed, "KILLED": dag.Killed, "ERROR": dag.Failed,
}

// unread reports whether the job's end is known, but part of its history is missing and may still come: the history
// server responds only from time to time. isLast means that no later tick comes.
func (j *job) unread(now dag.Instant, isLast bool) bool {
	waiting := now.Sub(max(j.endedSince, j.backlog.movedAt)) < unreadPatience || j.backlog.vain < unreadTries
	return j.backlog.failed && j.at != jobSettled && !isLast && waiting && now.Sub(j.endedSince) < unreadAtMost
}

// A workflow that has ended waits for missing history until unreadPatience and unreadTries ticks have passed
// without anything new, since each response may be late or fail. It waits unreadAtMost in all.
const (
	unreadPatience = 2 * time.Minute
	unreadTries    = 40
	unreadAtMost   = 10 * time.Minute
)
