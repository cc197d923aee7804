package jhist

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/adapters/hive"
	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/dag"
)

// A history builds a job from events.
type history struct {
	job  *past.Job
	seen map[string]int // index of attempts in the phase, by id
	// For a JobTracker's successful attempts without counters: index in the phase by task id.
	bare map[string]int
	bad  int
	// For a JobTracker's tasks, by number.
	windows *[2]map[int32]window
	// For a master's history: the times of its events.
	stamps []clock.Stamp
	marks  []mark
}

func newHistory(slots bool) *history {
	h := &history{seen: map[string]int{}}
	if slots {
		h.bare, h.windows = map[string]int{}, &[2]map[int32]window{{}, {}}
	}
	return h
}

// over reports whether an event is the first one of the next job.
func (h *history) over(e *event) bool {
	return e.kind == "JOB_SUBMITTED" && h.job != nil && e.body.Job != "" && string(e.body.Job) != h.job.ID
}

// The final states of jobs and attempts, by event.
var (
	jobEnds = map[string]dag.State{
		"JOB_FINISHED": dag.Succeeded, "JOB_FAILED": dag.Failed,
		"JOB_KILLED": dag.Killed, "JOB_ERROR": dag.Failed,
	}
	attemptEnds = map[string]dag.AttemptState{
		"FINISHED": dag.AttemptSucceeded, "FAILED": dag.AttemptFailed,
		"KILLED": dag.AttemptKilled,
	}
)

func (h *history) take(e *event) {
	if !wanted[e.kind] {
		return
	}
	b := &e.body
	if kind, end, ok := strings.Cut(e.kind, "_ATTEMPT_"); ok {
		h.attempt(kind, end, b)
		return
	}
	if e.kind == taskCounted || e.kind == taskTimed {
		h.timed(b)
		h.counted(b)
		return
	}
	id := string(b.Job)
	if e.kind == "AM_STARTED" {
		id = jobOf(string(b.AppAttempt))
	}
	if id == "" {
		h.bad++
		return
	}
	j := h.of(id)
	switch e.kind {
	case "AM_STARTED":
		at := b.Started.instant()
		j.Masters = append(j.Masters, past.Master{At: at, Node: nodeName(b.MasterHost, b.MasterPort)})
		j.Saw(at)
	case "JOB_SUBMITTED":
		h.submitted(b)
	case "JOB_QUEUE_CHANGED":
		j.Queue = string(b.Queue)
	case "JOB_INITED":
		j.Launched, j.Uber = b.Launched.instant(), bool(b.Uber)
		if b.Maps.ok && b.Reduces.ok {
			j.Sized, j.Maps, j.Reduces = true, b.Maps.count(), b.Reduces.count()
		}
		j.Saw(j.Launched)
		h.note(mark{kind: dag.NoStage}, j.Launched)
	case "JOB_INFO_CHANGED":
		if at := b.Launched.instant(); at.Known() {
			j.Launched = at
		}
	default:
		j.State, j.Finished = jobEnds[e.kind], b.Finished.instant()
		j.Diagnosis = firstLine(string(b.Diagnostics))
		j.MapMB, j.ReduceMB = containers(b.Totals)
		j.Saw(j.Finished)
		h.note(mark{kind: dag.NoStage, end: true}, j.Finished)
	}
}

// of returns the job, which its first event creates. A file has one job, so events of other jobs are left out.
func (h *history) of(id string) *past.Job {
	if h.job == nil {
		h.job = past.NewJob(id)
		h.job.Slots = h.bare != nil
	}
	if h.job.ID != id {
		h.bad++
		return past.NewJob(id)
	}
	return h.job
}

func (h *history) submitted(b *body) {
	j := h.of(string(b.Job))
	j.Name, j.User, j.Queue = hive.JobTitle(string(b.JobName)), string(b.User), string(b.Queue)
	j.Submitted = b.Submitted.instant()
	s := &j.Settings
	s.Workflow, s.WorkflowName, s.Node = string(b.Workflow), hive.WorkflowTitle(string(b.Workflow), string(b.Script)),
		string(b.Node)
	s.After = adjacencies(string(b.Adjacencies))
	j.Saw(j.Submitted)
}

// attempt applies events such as MAP_ATTEMPT_FINISHED. Set-up and clean-up tasks are ignored.
func (h *history) attempt(kind, end string, b *body) {
	k, task, number, ok := mrjob.AttemptOf(string(b.Attempt))
	if !ok || (kind == "MAP") != (k == dag.Map) {
		h.bad++
		return
	}
	j := h.of(jobOf(string(b.Attempt)))
	list := &j.Attempts[k]
	at, known := h.seen[string(b.Attempt)]
	if !known || j != h.job {
		at = len(*list)
		*list = append(*list, past.NewAttempt(task, number))
		if j == h.job {
			h.seen[string(b.Attempt)] = at
		}
	}
	a := &(*list)[at]
	if end == "STARTED" {
		a.Start = b.Started.instant()
		a.Node = nodeName(b.Tracker, b.HTTPPort)
		h.saw(a.Start)
		if j == h.job {
			h.note(mark{kind: k, index: at}, a.Start)
		}
		return
	}
	state, finished := attemptEnds[end], b.Finished.instant()
	if a.State == dag.AttemptSucceeded && state != dag.AttemptSucceeded {
		// Its output was lost. The event repeats the attempt's own end. The loss was noticed at the time of the
		// events around it.
		a.Lost, a.LostAs, a.LostWhy = j.Last, state, firstLine(string(b.Error))
		if finished.Known() && finished > a.Lost {
			a.Lost = finished
		}
		return
	}
	a.State, a.End, a.Splits = state, finished, b.Splits
	a.Diagnosis = firstLine(string(b.Error))
	a.CopyEnd, a.SortEnd = b.CopyEnd.instant(), b.SortEnd.instant()
	a.Counts, a.Usage = mrjob.CountsOf(b.Counters), mrjob.UsageOf(b.Counters)
	if a.Node == "" {
		a.Node = string(b.Host)
	}
	if id := string(b.Attempt); h.bare != nil && state == dag.AttemptSucceeded {
		if k == dag.Reduce && j.Sized {
			a.Counts.Copied = float64(j.Maps)
		}
		if b.Counters == nil && j == h.job {
			h.bare["task"+id[len("attempt"):strings.LastIndexByte(id, '_')]] = at
		}
	}
	h.saw(a.End)
	if j == h.job {
		h.note(mark{kind: k, index: at, end: true}, a.End)
	}
}

// saw records an instant of the master's clock. It ignores a JobTracker's attempts, which have the clocks of nodes.
func (h *history) saw(at dag.Instant) {
	if h.windows == nil {
		h.job.Saw(at)
	}
}

// counted sets a task's counters for its successful attempt, because Hadoop 0.18 writes none for attempts.
func (h *history) counted(b *body) {
	at, ok := h.bare[string(b.Task)]
	k, _, is := taskOf(string(b.Task))
	if !ok || !is || b.Counters == nil {
		return
	}
	a := &h.job.Attempts[k][at]
	copied := a.Counts.Copied
	a.Counts, a.Usage = mrjob.CountsOf(b.Counters), mrjob.UsageOf(b.Counters)
	a.Counts.Copied = copied
}

// done returns the job that the events describe.
func (h *history) done(torn bool) (*past.Job, error) {
	switch {
	case h.job == nil:
		return nil, &Error{0, errors.New("no event of a job in it")}
	case !h.job.Submitted.Known():
		return nil, &Error{0, fmt.Errorf("it does not tell when %s was submitted", h.job.ID)}
	}
	h.job.Torn, h.job.Bad = torn, h.bad
	if h.windows != nil {
		h.setClocks()
	} else {
		h.setClock()
	}
	return h.job, nil
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

// jobOf returns the job id of an attempt or application attempt, and "" for other ids.
func jobOf(id string) string {
	part := strings.SplitN(id, "_", 4)
	if len(part) < 4 || part[0] != "attempt" && part[0] != "appattempt" {
		return ""
	}
	return "job_" + part[1] + "_" + part[2]
}

// nodeName returns the name of a node in the form of its web address.
func nodeName(host str, port long) string {
	if host == "" || port.v <= 0 {
		return string(host)
	}
	return fmt.Sprintf("%s:%d", host, port.v)
}

// firstLine returns the first line with content, cut to 200 characters.
func firstLine(s string) string { return loose.FirstLine(s) }
