package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A builder makes a job from the events of its history, in their order.
type builder struct {
	job      *Job                // nil before its first event
	attempts map[string]*Attempt // by id
	bad      int                 // unusable events
	stamps   []events.Stamp      // the times of the events
	stamped  [][]*dag.Instant    // by stamp: the event's time in the job, and the times that move with it
}

// transitions are the changes of a job by the kinds of events. Other events repeat facts of these.
var transitions = map[string]func(*builder, event){
	"JOB_SUBMITTED": (*builder).submitted,
	"AM_STARTED":    (*builder).masterStarted,
	"JOB_INITED":    (*builder).launched,
	"JOB_INFO_CHANGED": func(b *builder, e event) {
		b.job.Launched = dag.FirstKnown(e.instant("launchtime"), b.job.Launched)
	},
	"JOB_QUEUE_CHANGED":       func(b *builder, e event) { b.job.Queue = e.label("jobqueuename") },
	"JOB_FINISHED":            func(b *builder, e event) { b.finished(e, dag.Succeeded) },
	"JOB_FAILED":              func(b *builder, e event) { b.finished(e, dag.Failed) },
	"JOB_ERROR":               func(b *builder, e event) { b.finished(e, dag.Failed) },
	"JOB_KILLED":              func(b *builder, e event) { b.finished(e, dag.Killed) },
	"MAP_ATTEMPT_STARTED":     func(b *builder, e event) { b.attemptStarted(e, dag.Map) },
	"MAP_ATTEMPT_FINISHED":    func(b *builder, e event) { b.attemptEnded(e, dag.Map, dag.AttemptSucceeded) },
	"MAP_ATTEMPT_FAILED":      func(b *builder, e event) { b.attemptEnded(e, dag.Map, dag.AttemptFailed) },
	"MAP_ATTEMPT_KILLED":      func(b *builder, e event) { b.attemptEnded(e, dag.Map, dag.AttemptKilled) },
	"REDUCE_ATTEMPT_STARTED":  func(b *builder, e event) { b.attemptStarted(e, dag.Reduce) },
	"REDUCE_ATTEMPT_FINISHED": func(b *builder, e event) { b.attemptEnded(e, dag.Reduce, dag.AttemptSucceeded) },
	"REDUCE_ATTEMPT_FAILED":   func(b *builder, e event) { b.attemptEnded(e, dag.Reduce, dag.AttemptFailed) },
	"REDUCE_ATTEMPT_KILLED":   func(b *builder, e event) { b.attemptEnded(e, dag.Reduce, dag.AttemptKilled) },
}

// takeLine applies an event as Avro has it: {"type": kind, "event": {record: fields}}. It reports whether it is one.
func (b *builder) takeLine(v any) bool {
	line := eventOf(v)
	kind := line.text("type")
	fields, isRecord := line.value("event").(map[string]any)
	if kind == "" || transitions[kind] != nil && !isRecord {
		return false
	}
	b.take(kind, eventOf(fields))
	return true
}

// take applies an event. The first one that changes a job decides which job it is.
func (b *builder) take(kind string, e event) {
	apply := transitions[kind]
	if apply == nil {
		return
	}
	id := e.job()
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
		return nil, fmt.Errorf("jhist: it does not record when %s was submitted", b.job.ID)
	}
	b.job.Torn, b.job.Bad = torn, b.bad
	b.setClock()
	return b.job, nil
}

// stamp records the time of an event, and the times that move with it.
func (b *builder) stamp(isEnd bool, times ...*dag.Instant) {
	b.job.Last = max(b.job.Last, *times[0])
	// After an attempt's end, another task uses its container at once.
	b.stamps = append(b.stamps, events.Stamp{At: *times[0], Began: -1, Took: -1, Soon: isEnd})
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
	shift, steps := events.Straighten(b.stamps)
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
	j.Last = max(j.Submitted, j.Launched, j.Finished)
	for _, a := range j.all() {
		if a.Start.Known() && a.End.Known() {
			a.End = max(a.End, a.Start)
			for _, at := range []*dag.Instant{&a.CopyEnd, &a.SortEnd} {
				if at.Known() {
					*at = min(max(*at, a.Start), a.End)
				}
			}
		}
		j.Last = max(j.Last, a.Start, a.End)
	}
}

func (b *builder) submitted(e event) {
	j := b.job
	j.Name, j.User, j.Queue = naming.JobTitle(e.text("jobname")), e.label("username"), e.label("jobqueuename")
	j.Submitted = e.instant("submittime")
	s := &j.Settings
	s.Workflow, s.Node = e.label("workflowid"), e.label("workflownodename")
	s.WorkflowName = naming.WorkflowTitle(s.Workflow, e.text("workflowname"))
	s.After = adjacencies(e.text("workflowadjacencies"))
	j.Last = max(j.Last, j.Submitted)
}

func (b *builder) masterStarted(e event) {
	m := Master{At: e.instant("starttime"), Node: e.node("nodemanagerhost", "nodemanagerhttpport")}
	b.job.Masters, b.job.Last = append(b.job.Masters, m), max(b.job.Last, m.At)
}

func (b *builder) launched(e event) {
	j, maps, reduces := b.job, e.number("totalmaps"), e.number("totalreduces")
	j.Launched, j.Uber = e.instant("launchtime"), e.value("uberized") == true
	if maps.Known && reduces.Known && min(maps.V, reduces.V) >= 0 {
		j.Sized, j.Maps, j.Reduces = true, maps.Count(dag.MaxTasks), reduces.Count(dag.MaxTasks)
	}
	b.stamp(false, &j.Launched)
}

func (b *builder) finished(e event, state dag.State) {
	j, at := b.job, e.instant("finishtime")
	if !at.Known() {
		return
	}
	j.State, j.Finished, j.Diagnosis = state, at, input.FirstLine(e.text("diagnostics"))
	// Container sizes follow from counters of megabyte-milliseconds and milliseconds (Hadoop 2.4 and later).
	total := map[string]float64{}
	for _, c := range e.counters("totalcounters") {
		total[c.Name] = c.Value
	}
	for kind, mb := range map[string]*int{"MAPS": &j.MapMB, "REDUCES": &j.ReduceMB} {
		*mb = 0
		if size := total["MB_MILLIS_"+kind] / total["MILLIS_"+kind]; size >= 1 && size < dag.MaxMemory {
			*mb = int(math.Round(size))
		}
	}
	b.stamp(false, &j.Finished)
}

// attempt returns the attempt of an event, nil if its id is not one of the kind. Set-up and clean-up tasks have other
// kinds.
func (b *builder) attempt(e event, kind dag.StageIndex) *Attempt {
	id := e.label("attemptid")
	k, task, number, ok := mapreduce.AttemptOf(id)
	if !ok || k != kind {
		b.bad++
		return nil
	}
	a := b.attempts[id]
	if a == nil {
		a = newAttempt(kind, task, number)
		b.attempts[id] = a
		b.job.Attempts[kind] = append(b.job.Attempts[kind], a)
	}
	return a
}

func (b *builder) attemptStarted(e event, kind dag.StageIndex) {
	if a := b.attempt(e, kind); a != nil {
		a.Start, a.Node = e.instant("starttime"), e.node("trackername", "httpport")
		b.stamp(false, &a.Start)
	}
}

func (b *builder) attemptEnded(e event, kind dag.StageIndex, state dag.AttemptState) {
	a, end, why := b.attempt(e, kind), e.instant("finishtime"), input.FirstLine(e.text("error"))
	if a == nil || !end.Known() {
		return
	}
	if a.State == dag.AttemptSucceeded && state != dag.AttemptSucceeded {
		// Its output was lost. The event repeats the attempt's own end. The loss was noticed at the time of the
		// events around it.
		a.Lost, a.LostAs, a.LostWhy = max(b.job.Last, end), state, why
		return
	}
	a.State, a.End, a.Diagnosis = state, end, why
	splits, _ := e.value("clocksplits").([]any)
	a.Splits = units.Each(splits, func(ms any) int32 { return int32(min(max(numberOf(ms).V, -1), math.MaxInt32)) })
	a.CopyEnd, a.SortEnd = e.instant("shufflefinishtime"), e.instant("sortfinishtime")
	a.Node = cmp.Or(a.Node, e.label("hostname"))
	counters := e.counters("counters")
	a.Counts, a.Usage = mapreduce.CountsOf(counters), mapreduce.UsageOf(counters)
	if math.IsNaN(a.Counts.Copied) && b.job.Sized && kind == dag.Reduce && state == dag.AttemptSucceeded {
		a.Counts.Copied = float64(b.job.Maps) // even without a counter
	}
	b.stamp(true, &a.End, &a.CopyEnd, &a.SortEnd)
}

// maxTraced bounds the bytes of a job in a trace. An attempt takes 2 KB.
const maxTraced = 512 << 20

// tracedCounters are the counters of attempts in a trace, by their groups. A trace has their names in lower case, and
// without underscores.
var tracedCounters = map[string]string{
	"FileSystemCounter": "HDFS_BYTES_READ HDFS_BYTES_WRITTEN FILE_BYTES_READ FILE_BYTES_WRITTEN",
	"TaskCounter": "MAP_INPUT_RECORDS MAP_OUTPUT_RECORDS REDUCE_INPUT_RECORDS REDUCE_OUTPUT_RECORDS " +
		"REDUCE_SHUFFLE_BYTES CPU_MILLISECONDS",
}

// tracedEnds are the ends of events' kinds by the outcome of a job or an attempt.
var tracedEnds = map[string]string{"SUCCESS": "FINISHED", "FAILED": "FAILED", "KILLED": "KILLED"}

// readTrace reads the jobs of a Rumen trace: JSON objects of jobs, one after another. If the trace is cut off,
// readTrace returns its complete jobs. Unusable jobs and a cut-off one are left out, and counted in Bad of the last
// job.
func readTrace(r io.Reader) (jobs []*Job, err error) {
	limited := &io.LimitedReader{R: bufio.NewReaderSize(r, 1<<16)}
	d := json.NewDecoder(limited)
	var run input.Streak
	bad := 0
	for n := 1; ; n++ {
		limited.N = maxTraced
		var v any
		err := d.Decode(&v)
		job := eventOf(v)
		torn := errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case limited.N <= 0:
			err = fmt.Errorf("it is longer than %d bytes", maxTraced)
		case n > maxJobs:
			err = fmt.Errorf("more than %d jobs: split the trace", maxJobs)
		case len(jobs) > 0 && (torn || errors.Is(err, io.EOF)):
			if torn {
				bad++ // the cut-off one
			}
			jobs[len(jobs)-1].Bad += bad
			return jobs, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("rumen: no job in the trace that can be used")
		case err == nil && job.label("jobid") != "" && job.instant("submittime").Known():
			run.Good()
			jobs = append(jobs, tracedJob(job))
		case err == nil:
			bad++
			err = run.Bad()
		}
		if err != nil {
			return nil, fmt.Errorf("rumen: job %d of the trace: %w", n, err)
		}
	}
}

// tracedJob converts a job of a trace, by the events of its history. It is Rumen's LoggedJob, a summary of the history:
// of Hadoop 0.20 (no times within attempts), of 0.21 and later (with clockSplits), or of YARN. Most of its fields have
// the names of events. -1 and null mean unknown.
func tracedJob(t event) *Job {
	b := builder{job: newJob(t.label("jobid")), attempts: map[string]*Attempt{}}
	b.job.Slots = beforeYARN.MatchString(b.job.ID)
	t["username"], t["jobqueuename"] = t["user"], t["queue"]
	b.take("JOB_SUBMITTED", t)
	b.take("JOB_INITED", t)
	for _, kind := range []string{"map", "reduce"} {
		for _, task := range eventsOf(t[kind+"tasks"]) {
			for _, a := range eventsOf(task["attempts"]) {
				complete(a)
				kind := strings.ToUpper(kind) + "_ATTEMPT_"
				b.take(kind+"STARTED", a)
				b.take(kind+tracedEnds[a.text("result")], a)
			}
		}
	}
	b.take("JOB_"+tracedEnds[t.text("outcome")], t)
	properties, _ := t["jobproperties"].(map[string]any)
	var list []mapreduce.Property
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value, _ := properties[name].(string)
		list = append(list, mapreduce.Property{Name: input.Raw(name), Value: input.Raw(value)})
	}
	if list != nil {
		b.job.Configure(list)
	}
	b.job.Bad = b.bad
	return b.job
}

// complete gives an attempt of a trace the fields of events.
func complete(a event) {
	host := a.label("hostname")
	host = host[strings.LastIndexByte(host, '/')+1:] // of /rack/host
	a["trackername"] = strings.ReplaceAll(host, `\.`, ".")
	a["shufflefinishtime"], a["sortfinishtime"] = a["shufflefinished"], a["sortfinished"]
	a["cpumilliseconds"] = a["cumulativecpuusage"]
	if cpu := eventOf(a["resourceusagemetrics"]).number("cumulativecpuusage"); cpu.V > 0 { // 0 is not measured
		a["cpumilliseconds"] = cpu.V
	}
	var groups []any
	for group, names := range tracedCounters {
		for name := range strings.FieldsSeq(names) {
			if n := a.number(strings.ToLower(strings.ReplaceAll(name, "_", ""))); n.Known && n.V >= 0 {
				counts := []any{map[string]any{"name": name, "value": n.V}}
				groups = append(groups, map[string]any{"name": group, "counts": counts})
			}
		}
	}
	a["counters"] = map[string]any{"groups": groups}
}

// beforeYARN matches the id of a job from before YARN. A JobTracker's start in it is a date, such as 200904211745, a
// ResourceManager's is in milliseconds since the epoch.
var beforeYARN = regexp.MustCompile(`^[^_]*_[^_]{12}_[^_]*$`)
