package history

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A builder makes a job from the events of its history, in their order.
type builder struct {
	job      *Job                // nil before its first event
	attempts map[string]*Attempt // by id
	bad      int                 // unusable events
	tasks    map[taskID]*task    // a JobTracker's records; nil for other histories
	stamps   []clock.Stamp       // the times of a master's events
	stamped  []stamped           // what the stamps are the times of
}

func newBuilder(from events) *builder {
	b := &builder{attempts: map[string]*Attempt{}}
	if _, ok := from.(*trackerEvents); ok {
		b.tasks = map[taskID]*task{}
	}
	return b
}

// transitions are the changes of a job by the kinds of events. Other events repeat facts of these.
var transitions = map[string]func(*builder, *event){
	"JOB_SUBMITTED":           (*builder).submitted,
	"AM_STARTED":              (*builder).masterStarted,
	"JOB_INITED":              (*builder).launched,
	"JOB_INFO_CHANGED":        (*builder).relaunched,
	"JOB_QUEUE_CHANGED":       func(b *builder, e *event) { b.job.Queue = string(e.Queue) },
	"JOB_FINISHED":            func(b *builder, e *event) { b.finished(e, dag.Succeeded) },
	"JOB_FAILED":              func(b *builder, e *event) { b.finished(e, dag.Failed) },
	"JOB_ERROR":               func(b *builder, e *event) { b.finished(e, dag.Failed) },
	"JOB_KILLED":              func(b *builder, e *event) { b.finished(e, dag.Killed) },
	"MAP_ATTEMPT_STARTED":     func(b *builder, e *event) { b.attemptStarted(e, dag.Map) },
	"MAP_ATTEMPT_FINISHED":    func(b *builder, e *event) { b.attemptEnded(e, dag.Map, dag.AttemptSucceeded) },
	"MAP_ATTEMPT_FAILED":      func(b *builder, e *event) { b.attemptEnded(e, dag.Map, dag.AttemptFailed) },
	"MAP_ATTEMPT_KILLED":      func(b *builder, e *event) { b.attemptEnded(e, dag.Map, dag.AttemptKilled) },
	"REDUCE_ATTEMPT_STARTED":  func(b *builder, e *event) { b.attemptStarted(e, dag.Reduce) },
	"REDUCE_ATTEMPT_FINISHED": func(b *builder, e *event) { b.attemptEnded(e, dag.Reduce, dag.AttemptSucceeded) },
	"REDUCE_ATTEMPT_FAILED":   func(b *builder, e *event) { b.attemptEnded(e, dag.Reduce, dag.AttemptFailed) },
	"REDUCE_ATTEMPT_KILLED":   func(b *builder, e *event) { b.attemptEnded(e, dag.Reduce, dag.AttemptKilled) },
	taskRecord:                (*builder).taskRecorded,
}

// begins reports whether an event is the first one of the next job. Only files of JobTrackers have several jobs.
func (b *builder) begins(e *event) bool {
	return b.tasks != nil && e.kind == "JOB_SUBMITTED" && b.job != nil && e.Job != "" && string(e.Job) != b.job.ID
}

// take applies an event. The first one that changes a job decides which job it is.
func (b *builder) take(e *event) {
	apply := transitions[e.kind]
	if apply == nil {
		return
	}
	id := string(e.Job)
	for _, other := range []label{e.Master, e.Attempt, e.Task} {
		if id == "" {
			id = jobOf(string(other))
		}
	}
	if b.job == nil && id != "" {
		b.job = newJob(id)
		b.job.Slots = b.tasks != nil
	}
	if id == "" || id != b.job.ID {
		b.bad++
		return
	}
	apply(b, e)
}

// finish completes the job after its last event.
func (b *builder) finish(torn bool) error {
	switch {
	case b.job == nil:
		return errors.New("jhist: no event of a job in it")
	case !b.job.Submitted.Known():
		return fmt.Errorf("jhist: it does not tell when %s was submitted", b.job.ID)
	}
	b.job.Torn, b.job.Bad = torn, b.bad
	if b.tasks != nil {
		b.setNodeClocks()
	} else {
		b.setMasterClock()
	}
	return nil
}

func (b *builder) submitted(e *event) {
	j := b.job
	j.Name, j.User, j.Queue = hive.JobTitle(e.JobName.v), string(e.User), string(e.Queue)
	j.Submitted = e.Submitted.instant()
	s := &j.Settings
	s.Workflow, s.Node, s.After = string(e.Workflow), string(e.Node), adjacencies(e.Adjacencies.v)
	s.WorkflowName = hive.WorkflowTitle(s.Workflow, e.Script.v)
	j.saw(j.Submitted)
}

func (b *builder) masterStarted(e *event) {
	at := e.Started.instant()
	b.job.Masters = append(b.job.Masters, Master{At: at, Node: nodeName(e.MasterHost, e.MasterPort)})
	b.job.saw(at)
}

func (b *builder) launched(e *event) {
	j := b.job
	j.Launched, j.Uber = e.Launched.instant(), e.Uber.v
	if e.Maps.Known && e.Reduces.Known && min(e.Maps.V, e.Reduces.V) >= 0 {
		j.Sized, j.Maps, j.Reduces = true, e.Maps.Count(dag.MaxTasks), e.Reduces.Count(dag.MaxTasks)
	}
	j.saw(j.Launched)
	b.stamp(j.Launched, stamped{})
}

func (b *builder) relaunched(e *event) {
	if at := e.Launched.instant(); at.Known() {
		b.job.Launched = at
	}
}

func (b *builder) finished(e *event, state dag.State) {
	j, at := b.job, e.Finished.instant()
	if !at.Known() {
		return
	}
	j.State, j.Finished = state, at
	j.Diagnosis = loose.FirstLine(e.Diagnostics.v)
	j.MapMB, j.ReduceMB = containers(e.Totals)
	j.saw(j.Finished)
	b.stamp(j.Finished, stamped{end: true})
}

// attempt returns the attempt of an event, nil if its id is not one of the kind. Set-up and clean-up tasks have other
// kinds.
func (b *builder) attempt(e *event, kind dag.StageIndex) *Attempt {
	k, task, number, ok := mrjob.AttemptOf(string(e.Attempt))
	if !ok || k != kind {
		b.bad++
		return nil
	}
	a := b.attempts[string(e.Attempt)]
	if a == nil {
		a = newAttempt(kind, task, number)
		b.attempts[string(e.Attempt)] = a
		b.job.Attempts[kind] = append(b.job.Attempts[kind], a)
	}
	return a
}

func (b *builder) attemptStarted(e *event, kind dag.StageIndex) {
	a := b.attempt(e, kind)
	if a == nil {
		return
	}
	a.Start, a.Node = e.Started.instant(), nodeName(e.Tracker, e.HTTPPort)
	b.attemptAt(a.Start, stamped{attempt: a})
}

func (b *builder) attemptEnded(e *event, kind dag.StageIndex, state dag.AttemptState) {
	a, end := b.attempt(e, kind), e.Finished.instant()
	if a == nil || !end.Known() {
		return
	}
	why := loose.FirstLine(e.Error.v)
	if a.State == dag.AttemptSucceeded && state != dag.AttemptSucceeded {
		// Its output was lost. The event repeats the attempt's own end. The loss was noticed at the time of the
		// events around it.
		a.Lost, a.LostAs, a.LostWhy = max(b.job.Last, end), state, why
		return
	}
	a.State, a.End, a.Diagnosis, a.Splits = state, end, why, nil
	for _, n := range e.Splits.v {
		a.Splits = append(a.Splits, int32(min(max(n.V, -1), math.MaxInt32)))
	}
	a.CopyEnd, a.SortEnd = e.CopyEnd.instant(), e.SortEnd.instant()
	if a.Node == "" {
		a.Node = string(e.Host)
	}
	b.count(a, e.Counters)
	if b.tasks != nil && state == dag.AttemptSucceeded && e.Counters == nil {
		b.taskOf(taskID{kind, a.Task}).uncounted = a
	}
	b.attemptAt(a.End, stamped{attempt: a, end: true})
}

// attemptAt records the time of an attempt's event. A JobTracker's attempts have the clocks of their nodes.
func (b *builder) attemptAt(at dag.Instant, what stamped) {
	if b.tasks == nil {
		b.job.saw(at)
	}
	b.stamp(at, what)
}

// count sets an attempt's counters. A successful reduce has copied the outputs of all maps, even if no counter says so.
func (b *builder) count(a *Attempt, list counters) {
	a.Counts, a.Usage = mrjob.CountsOf(list), mrjob.UsageOf(list)
	if math.IsNaN(a.Counts.Copied) && b.job.Sized && a.Kind == dag.Reduce && a.State == dag.AttemptSucceeded {
		a.Counts.Copied = float64(b.job.Maps)
	}
}

// containers returns the container sizes in MB from a job's counters: megabyte-milliseconds divided by milliseconds
// (Hadoop 2.4 and later).
func containers(totals counters) (mapMB, reduceMB int) {
	of := map[string]float64{}
	for _, c := range totals {
		of[c.Name] = c.Value
	}
	size := func(kind string) int {
		mb := of["MB_MILLIS_"+kind] / of["MILLIS_"+kind]
		if !(mb >= 1 && mb < dag.MaxMemory) {
			return 0
		}
		return int(math.Round(mb))
	}
	return size("MAPS"), size("REDUCES")
}

// jobOf returns the job id of a task, an attempt or an application attempt, and "" for other ids.
func jobOf(id string) string {
	part := strings.SplitN(id, "_", 4)
	if len(part) < 4 || part[0] != "task" && part[0] != "attempt" && part[0] != "appattempt" {
		return ""
	}
	return "job_" + part[1] + "_" + part[2]
}

// nodeName returns the name of a node in the form of its web address.
func nodeName(host label, port number) string {
	if host == "" || port.V <= 0 {
		return string(host)
	}
	return fmt.Sprintf("%s:%d", host, int64(port.V))
}

// hostOf returns the host of a TaskTracker's name (tracker_host:localhost/127.0.0.1:38958) or location (/rack/host).
func hostOf(name label) label {
	s, _, _ := strings.Cut(strings.TrimPrefix(string(name), "tracker_"), ":")
	if strings.HasPrefix(s, "/") {
		s = path.Base(s)
	}
	s, _, _ = strings.Cut(s, "/")
	return label(strings.ReplaceAll(s, `\.`, ".")) // Rumen escapes dots
}
