package spark

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

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
		add(dag.WarnObservation, "weights and minimal shares of %s, the first of pool %s, are not known, because only the "+
			"driver's page /stages/ has them: the replay takes a weight of 1", units.Count(len(strange), "pool"), strange[0])
	}
	if what := f.forgotten(); what != "" {
		add(dag.WarnObservation, "the driver has dropped %s that ended early: the estimate rests on what it still has", what)
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
		return s.ran() && s.newest().status == "ACTIVE" && s.newest().complete > f.conf.retained("retainedTasks", 100_000)
	})
	switch {
	case f.inLog:
	case jobs > 0 && f.lastJob() >= f.conf.retained("retainedJobs", 1000):
		return units.Count(jobs, "job") + " (spark.ui.retainedJobs)"
	case unlisted > 0 && len(f.stages) > f.conf.retained("retainedStages", 1000):
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
	unit, has := fmt.Sprintf("job group %q", f.unit.name), []string{}
	for _, j := range f.jobList {
		if j.group != "" {
			has = append(has, fmt.Sprintf("%q", j.group))
		}
	}
	slices.Sort(has)
	if f.unit.kind == sqlUnit {
		if unit, has = "execution "+f.unit.name+" of SQL", nil; f.unit.name == Newest {
			unit = "execution of SQL that runs"
		}
		for _, id := range sortedKeys(f.executions) {
			has = append(has, strings.TrimSpace(fmt.Sprintf("%d %.40s", id, firstLine(f.executions[id].description))))
		}
	}
	const most = 5
	if has = slices.Compact(has); len(has) > most {
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
