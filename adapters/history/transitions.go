package history

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A builder makes a job from the events of its history, in their order.
type builder struct {
	job      *Job                // nil before its first event
	attempts map[string]*Attempt // by id
	bad      int                 // unusable events
	stamps   []clock.Stamp       // the times of the events
	stamped  [][]*dag.Instant    // by stamp: the event's time in the job, and the times that move with it
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
	}
	if id == "" || id != b.job.ID {
		b.bad++
		return
	}
	apply(b, e)
}

// finish returns the job after its last event.
func (b *builder) finish(torn bool) (*Job, error) {
	switch {
	case b.job == nil:
		return nil, errors.New("jhist: no event of a job in it")
	case !b.job.Submitted.Known():
		return nil, fmt.Errorf("jhist: it does not tell when %s was submitted", b.job.ID)
	}
	b.job.Torn, b.job.Bad = torn, b.bad
	b.setClock()
	return b.job, nil
}

// stamp records the time of an event, and the times that move with it.
func (b *builder) stamp(isEnd bool, times ...*dag.Instant) {
	b.job.saw(*times[0])
	// After an attempt's end, another task uses its container at once.
	b.stamps = append(b.stamps, clock.Stamp{At: *times[0], Began: -1, Took: -1, Soon: isEnd})
	b.stamped = append(b.stamped, times)
}

// leastStep is the smallest step of a master's clock that is corrected. The master writes events up to some seconds
// after they happened.
const leastStep = time.Minute

// setClock corrects the times if the master's clock was set while the job ran. It skips jobs with several masters,
// because a second master repeats the events of the first one.
func (b *builder) setClock() {
	j := b.job
	if len(j.Masters) > 1 {
		return
	}
	shift, steps := clock.Straighten(b.stamps)
	worst, n := time.Duration(0), 0
	for _, s := range steps {
		if by := s.Ahead.Abs(); by >= leastStep {
			worst, n = max(worst, by), n+s.Entries
		}
	}
	if n == 0 {
		return
	}
	j.Clocks = append(j.Clocks, fmt.Sprintf("the clock of its application master steps, by up to %s: ParaTimer moved %s "+
		"to where their order puts them", units.Exact(worst), units.Count(n, "event")))
	for i, times := range b.stamped {
		if *times[0] != b.stamps[i].At { // a later event has replaced it
			continue
		}
		for _, at := range times {
			if at.Known() {
				*at += shift[i]
			}
		}
	}
	j.Last = dag.NoInstant
	j.saw(j.Submitted, j.Launched, j.Finished)
	for _, a := range j.all() {
		a.clamp()
		j.saw(a.Start, a.End)
	}
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
	b.stamp(false, &j.Launched)
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
	b.stamp(false, &j.Finished)
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
	b.stamp(false, &a.Start)
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
	a.Counts, a.Usage = mrjob.CountsOf(e.Counters), mrjob.UsageOf(e.Counters)
	if math.IsNaN(a.Counts.Copied) && b.job.Sized && kind == dag.Reduce && state == dag.AttemptSucceeded {
		a.Counts.Copied = float64(b.job.Maps) // even if no counter says so
	}
	b.stamp(true, &a.End, &a.CopyEnd, &a.SortEnd)
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
