package spark

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
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
	isExitCode     bool        // that is by the exit code of its driver
	managerWhy     string      // why it waits or has failed, by its cluster manager; ""
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
	case f.manager.Ended() && (f.manager != dag.Succeeded || f.isExitCode || !open):
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
	return cmp.Or(why, f.managerWhy)
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
func (c *dateClock) correct(at dag.Instant) dag.Instant { return at.Add(c.behind) }

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

// remark warns if the clocks differ by a second or more.
func (c *dateClock) remark() []dag.Warning {
	if c.behind.Abs() < time.Second {
		return nil
	}
	return []dag.Warning{dag.Warningf(dag.WarnClockSkew,
		"the Date of the driver's answers differs by %s from the driver's own times: times are by the driver's clock",
		units.Elapsed(c.behind.Abs().Round(time.Second)))}
}

// remark returns a warning about what is missing in an observation.
func remark(format string, args ...any) dag.Warning {
	return dag.Warningf(dag.WarnObservation, format, args...)
}

// remarks returns warnings about missing information.
func (f *facts) remarks(state dag.State) (out []dag.Warning) {
	add := func(code, format string, args ...any) { out = append(out, dag.Warningf(code, format, args...)) }
	if f.tooLarge {
		add(dag.WarnTooLarge, "too large to estimate: the application has more jobs, stages or tasks than are read")
	}
	switch {
	case state == dag.EndedUnconfirmed && f.inLog:
		add(dag.WarnObservation, "%s ended while a job ran, and its event log has no end of that job: "+
			"whether it succeeded is unknown", f.id)
		return out
	case state.Ended() && f.inferred(state):
		add(dag.WarnObservation, "not confirmed by a history server: %s", f.evidence())
		return out
	case state.Ended():
		return out
	}
	if f.historyTrouble != "" {
		add(dag.WarnObservation, "the end of this run will not be confirmed, because the history server does not answer: %s",
			f.historyTrouble)
	}
	out = append(out, f.clock.remark()...)
	if strange, all := f.strangePools(); all > 1 && len(strange) > 0 {
		add(dag.WarnObservation, "weights and minimal shares of %s, the first of pool %s, are unknown, because only the "+
			"driver's page /stages/ has them: the replay takes a weight of 1", units.Count(len(strange), "pool"), strange[0])
	}
	if what := f.forgotten(); what != "" {
		add(dag.WarnObservation, "the driver has dropped %s that ended early: the estimate uses the others", what)
	}
	if slices.ContainsFunc(f.running(), func(j *job) bool { return !j.edgesKnown() }) {
		add(dag.WarnNoEdges, "dependencies between stages are guessed: neither the job's page nor the history server shows them")
	}
	return out
}

// evidence returns what shows the end of an application that nothing has reported.
func (f *facts) evidence() string {
	jobs := f.unitJobs()
	text := fmt.Sprintf("%d of %s of %s had succeeded when its driver closed",
		count(jobs, func(j *job) bool { return j.status == "SUCCEEDED" }), units.Count(len(jobs), "known job"), f.id)
	if open := len(f.running()); open > 0 {
		text = fmt.Sprintf("the driver of %s was last seen while %s ran", f.id, units.Count(open, "job"))
	} else if !f.closed() {
		text = fmt.Sprintf("the driver of %s no longer answers", f.id)
	}
	if f.historyIsOpen {
		text += ", and its event log has no end"
	} else if f.historyTrouble != "" {
		text += "; the history server does not answer: " + f.historyTrouble
	}
	return text
}

// forgotten describes the jobs, stages or tasks that the driver dropped before they were read; "" if there are none. A
// driver keeps the newest ones, and drops those that ended first.
func (f *facts) forgotten() string {
	jobs, stages := f.lastJob()+1-len(f.jobs), f.unitStages()
	if x := f.execution(); x != nil {
		jobs = len(x.jobs) - len(f.unitJobs())
	}
	unlisted := count(stages, func(s *stage) bool { return !s.listed() })
	busy := slices.IndexFunc(stages, func(s *stage) bool {
		return s.ran() && s.newest().status == "ACTIVE" && s.newest().complete > f.conf.retained("ui.retainedTasks", 100_000)
	})
	switch {
	case f.inLog:
	case jobs > 0 && f.lastJob() >= f.conf.retained("ui.retainedJobs", 1000):
		return units.Count(jobs, "job") + " (spark.ui.retainedJobs)"
	case unlisted > 0 && len(f.stages) > f.conf.retained("ui.retainedStages", 1000):
		return units.Count(unlisted, "stage") + " (spark.ui.retainedStages)"
	case busy >= 0:
		return fmt.Sprintf("tasks of stage %d (spark.ui.retainedTasks)", stages[busy].id)
	}
	return ""
}

// A NoUnitError means that an application does not have the named execution of SQL or job group.
type NoUnitError struct{ text string }

func (e *NoUnitError) Error() string { return "spark: " + e.text }

// noUnit returns an error if the unit does not exist. It returns nil if it does, or for the whole application.
func (f *facts) noUnit() *NoUnitError {
	if f.unit.kind == "" || len(f.unitJobs()) > 0 || f.execution() != nil {
		return nil
	}
	grouped := input.Only(f.jobList, func(j *job) bool { return j.group != "" })
	has := input.Unique(units.Each(grouped, func(j *job) string { return fmt.Sprintf("%q", j.group) }))
	unit := fmt.Sprintf("job group %q", f.unit.name)
	if f.unit.kind == sqlUnit {
		if unit, has = "execution "+f.unit.name+" of SQL", nil; f.unit.name == Newest {
			unit = "execution of SQL that runs"
		}
		for _, id := range sortedKeys(f.executions) {
			has = append(has, strings.TrimSpace(fmt.Sprintf("%d %.40s", id, firstLine(f.executions[id].description))))
		}
	}
	const most = 5
	if len(has) > most {
		has = append(has[:most-1], has[most-1]+" and "+units.Count(len(has)-most, "other"))
	}
	return &NoUnitError{fmt.Sprintf("%s has no %s; it has %s", f.id, unit,
		cmp.Or(strings.Join(has, ", "), "no other: leave out --"+f.unit.kind))}
}

// Missing returns why an application cannot be replayed after its whole recording was read: it has run no job, or it
// does not have the unit.
func (f *facts) Missing() error {
	if e := f.noUnit(); e != nil {
		return e
	}
	return fmt.Errorf("spark: %s has run no job", f.flowID())
}

// strangePools returns the names of pools with unknown properties that have stages. all counts all pools with
// stages.
func (f *facts) strangePools() (names []string, all int) {
	pools := map[string]bool{}
	for _, s := range f.unitStages() {
		if name := f.poolOf(s); name != "" && !pools[name] {
			pools[name] = true
			if _, known := f.pools[name]; !known {
				names = append(names, name)
			}
		}
	}
	return names, len(pools)
}

// poolOf returns the pool of a stage if pools share the cores, else "". A waiting stage gets the pool of its job's
// other stages, because no response lists the pool of a waiting stage.
func (f *facts) poolOf(s *stage) string {
	if !f.conf.fair() {
		return ""
	}
	pool := s.pool
	for _, j := range s.jobs {
		for _, of := range j.stages {
			pool = cmp.Or(pool, of.pool)
		}
	}
	return cmp.Or(pool, "default")
}
