package spark

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Outside YARN only a history server or the event log reports how an application ended. Without them the end is
// inferred: a driver closes its web page when its application ends, and reports its jobs until then.

// ending is the end of an application and the evidence for it.
type ending struct {
	hasEnd         bool        // the history server or a cluster manager has reported the end
	historyHasEnd  bool        // the history server has the end
	historyIsOpen  bool        // the history server has the application without its end
	ended          dag.Instant // when
	manager        dag.State   // how the application ended, by its cluster manager; Blocked before
	lastSeen       dag.Instant // when the driver last responded
	refusals       int         // consecutive polls in which the driver's page was closed
	historyTrouble string      // error of the history server; ""
}

// closed reports whether the driver has closed its page, judged by giveUp refusals.
func (e *ending) closed() bool { return e.refusals >= giveUp }

// state returns the state of the workflow. Spark does not report whether an application has succeeded, so the last
// job decides.
func (f *facts) state(final bool, now dag.Instant) dag.State {
	open := len(f.running()) > 0
	var last *job
	for _, j := range f.unitJobs() {
		if last == nil || j.completed >= last.completed {
			last = j
		}
	}
	switch x := f.execution(); { // an execution or a group may end before its application
	case !open && x != nil && x.status == "COMPLETED":
		return dag.Succeeded
	case !open && x != nil && x.status == "FAILED":
		return dag.Failed
	case !open && f.unit.kind == groupUnit && last != nil && last.completed.Known() && now.Sub(last.completed) >= quiet:
		return last.result()
	case !f.hasEnd && !final:
		return dag.Running
	case f.manager.Ended() && (f.manager != dag.Succeeded || !open):
		return f.manager
	case open, !f.hasEnd && !f.seenToEnd(last):
		return dag.EndedUnconfirmed
	}
	return last.result()
}

// seenToEnd reports whether an application without a reported end seems to have run to its end. Its driver has
// closed its page, no job runs, and either no job has failed or the last one has.
func (f *facts) seenToEnd(last *job) bool {
	return f.closed() && !f.historyIsOpen && f.unit.kind != sqlUnit && last != nil &&
		(last.status == "FAILED" || !slices.ContainsFunc(f.unitJobs(), func(j *job) bool { return j.status != "SUCCEEDED" }))
}

// quiet is how long a job group must have no running job before it counts as ended. Nothing reports the end of a
// group, and a driver may compute for a while between two jobs.
const quiet = 15 * time.Second

// result returns the state of a job that has ended. No job is a success.
func (j *job) result() dag.State {
	if j != nil && j.status == "FAILED" {
		return dag.Failed
	}
	return dag.Succeeded
}

// inferred reports whether the end of the application, or of its unit, was inferred and not reported.
func (f *facts) inferred(state dag.State) bool {
	return !f.hasEnd && (f.unit.kind == "" || state == dag.EndedUnconfirmed)
}

// stopTime is how long an idle driver may take to stop its application after the last job. It does not count, so
// that the length of a run does not depend on whether the application's end was recorded.
const stopTime = 2 * time.Second

// completed returns when the application, or its unit, ended. After the last job the driver may still work, for
// example commit files or write to a database. A job group ends with its last job, because nothing reports its own
// end. An application without a reported end ended when it was last seen.
func (f *facts) completed() dag.Instant {
	last := dag.NoInstant
	if !f.hasEnd && f.unit.kind == "" {
		last = f.clock.correct(f.lastSeen)
	}
	for _, j := range f.unitJobs() {
		if last = max(last, j.completed); !j.completed.Known() {
			last = max(last, f.ended)
		}
	}
	if x := f.execution(); x != nil {
		return max(last, x.ended)
	}
	if f.unit.kind == "" {
		for _, x := range f.executions {
			last = max(last, x.ended)
		}
		if f.ended.Sub(last) > stopTime {
			last = f.ended
		}
	}
	return last
}

// diagnosis returns why the application failed: the error of its last failed job, or of the stage that caused it.
func (f *facts) diagnosis(state dag.State, stages []*stage) string {
	if state != dag.Failed {
		return ""
	}
	why, at := "", dag.NoInstant
	for _, j := range f.unitJobs() {
		if j.why != "" && j.completed >= at {
			why, at = j.why, j.completed
		}
	}
	if why != "" && !strings.HasPrefix(why, "Job aborted due to stage failure") {
		return why
	}
	for _, s := range stages {
		if t := s.newest(); t != nil && t.failure != "" {
			why = fmt.Sprintf("stage %d: %s", s.id, t.failure)
		}
	}
	return why
}

// A dateClock converts between two clocks: the Date headers of responses, and the driver's own timestamps in them,
// such as launch times. A proxy's Date may be hours off. The driver's timestamps define the time, because all
// durations are differences of them.
type dateClock struct {
	reported dag.Instant   // the driver's time by its newest response
	behind   time.Duration // added to a Date, it gives the driver's time; 0 while the clocks agree
	newest   dag.Instant   // the driver's newest timestamp
	checked  dag.Instant   // the Date at the last check
	before   dag.Instant   // the driver's newest timestamp at the last check
	doubted  bool          // the time that the driver reports is not usable
}

const (
	// skewLeast is the difference of the clocks from which it is corrected. Dates have a resolution of 1 s and come
	// late.
	skewLeast = 10 * time.Second
	// lagMost bounds the age of the newest timestamp when it is first seen. Responses list events since the previous
	// poll, and some lists are requested less often.
	lagMost = 2 * time.Minute
)

// correct converts an instant by the Date headers to the driver's clock.
func (c *dateClock) correct(at dag.Instant) dag.Instant {
	if !at.Known() {
		return at
	}
	return at.Add(c.behind)
}

// stamp records a timestamp of the driver.
func (c *dateClock) stamp(at dag.Instant) { c.newest = max(c.newest, at) }

// report compares the time that the driver reports with the Date of the response. It ignores the reported time of
// drivers on which it stands still.
func (c *dateClock) report(date dag.Instant) {
	switch now := c.reported; {
	case c.doubted || !now.Known():
	case now < c.newest:
		c.doubted, c.behind = true, 0
	case now.Sub(c.correct(date)).Abs() >= skewLeast:
		c.behind += now.Sub(c.correct(date))
	}
}

// check compares the Date at the end of a poll with the driver's timestamps. None may be later than the Date. A new
// one may not be much older than the Date.
func (c *dateClock) check(date dag.Instant) {
	if c.newest.Known() {
		off := c.newest.Sub(c.correct(date))
		isNew := c.before.Known() && c.newest > c.before
		if off > skewLeast || off > 0 && c.behind != 0 || isNew && -off > lagMost+max(0, date.Sub(c.checked)) {
			c.behind += off
		}
	}
	c.checked, c.before = date, c.newest
}

// remark warns if the clocks differ.
func (c *dateClock) remark() []dag.Warning {
	if c.behind == 0 {
		return nil
	}
	return []dag.Warning{dag.Warningf(dag.WarnClockSkew,
		"the Date of the driver's answers differs by %s from the driver's own times: times are by the driver's clock",
		units.Elapsed(c.behind.Abs().Round(time.Second)))}
}
