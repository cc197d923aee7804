package spark

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// remark returns a warning about what is missing in an observation.
func remark(format string, args ...any) dag.Warning {
	return dag.Warning{Code: dag.WarnObservation, Text: fmt.Sprintf(format, args...)}
}

// remarks returns warnings about missing information.
func (f *facts) remarks(state dag.State) []dag.Warning {
	var out []dag.Warning
	if f.tooLarge {
		out = append(out, dag.Warning{
			Code: dag.WarnTooLarge,
			Text: "too large to estimate: the application has more jobs, stages or tasks than are read",
		})
	}
	switch {
	case state == dag.EndedUnconfirmed && f.inLog:
		return append(out, remark("%s ended while a job ran, and its event log has no end of that job: whether it succeeded is unknown", f.id))
	case state.Ended():
		return append(out, f.remarkEnd(state)...)
	}
	if f.historyTrouble != "" {
		out = append(out, remark("the end of this run will not be confirmed, because the history server does not answer: %s",
			f.historyTrouble))
	}
	out = append(out, f.clock.remark()...)
	if strange, all := f.strangePools(); all > 1 && len(strange) > 0 {
		of := "pool " + strange[0]
		if len(strange) > 1 {
			of = units.Count(len(strange), "pool")
		}
		out = append(out, remark("weights and minimal shares of %s are not known, because only the driver's page "+
			"/stages/ has them: the replay takes a weight of 1", of))
	}
	if what := f.forgotten(); what != "" {
		out = append(out, remark("the driver has dropped %s that ended early: the estimate rests on what it still has", what))
	}
	if slices.ContainsFunc(f.unitJobs(), func(id int) bool {
		return !f.jobs[id].hasEnded() && !f.edgesKnown(f.jobs[id])
	}) {
		out = append(out, dag.Warning{
			Code: dag.WarnNoEdges,
			Text: "which stage reads which is a guess: neither the page of the job nor the history server tells it",
		})
	}
	return out
}

// remarkEnd warns that the end was not reported, with the evidence for it.
func (f *facts) remarkEnd(state dag.State) []dag.Warning {
	if !f.inferred(state) {
		return nil
	}
	jobs := f.unitJobs()
	open := f.jobsNot("SUCCEEDED")
	failed := len(jobs) - f.jobsNot("FAILED")
	var text string
	switch open -= failed; {
	case open > 0:
		text = fmt.Sprintf("the driver of %s was last seen while %s ran", f.id, units.Count(open, "job"))
	case !f.closed():
		text = fmt.Sprintf("the driver of %s no longer answers", f.id)
	case state == dag.Succeeded:
		text = fmt.Sprintf("all %s of %s had succeeded when its driver closed", units.Count(len(jobs), "known job"), f.id)
	case failed > 0:
		text = fmt.Sprintf("the driver of %s closed after %s had failed", f.id, units.Count(failed, "job"))
	default:
		text = fmt.Sprintf("the driver of %s closed before its end was seen", f.id)
	}
	switch {
	case f.historyIsOpen:
		text += ", and its event log has no end"
	case f.historyTrouble != "":
		text += "; the history server does not answer: " + f.historyTrouble
	}
	return []dag.Warning{remark("not confirmed by a history server: %s", text)}
}

// forgotten describes the jobs, stages or tasks that the driver dropped before they were read; "" if there are none.
// A driver keeps the newest ones, and drops those that ended first.
func (f *facts) forgotten() string {
	if f.inLog {
		return ""
	}
	jobs, stages := 0, 0
	if last := f.lastJob(); last >= f.conf.retained("retainedJobs", 1000) {
		jobs = last + 1 - len(f.jobs)
		if x := f.execution(); x != nil {
			jobs = len(x.jobs) - len(f.unitJobs())
		}
	}
	ofUnit := sortedKeys(f.unitStages())
	if len(f.stages) > f.conf.retained("retainedStages", 1000) {
		for _, id := range ofUnit {
			if !f.stages[id].listed() {
				stages++
			}
		}
	}
	switch {
	case jobs > 0:
		return units.Count(jobs, "job") + " (spark.ui.retainedJobs)"
	case stages > 0:
		return units.Count(stages, "stage") + " (spark.ui.retainedStages)"
	}
	most := f.conf.retained("retainedTasks", 100_000)
	for _, id := range ofUnit {
		if t := f.stages[id].newest(); t != nil && t.status == "ACTIVE" && t.complete > most {
			return fmt.Sprintf("tasks of stage %d (spark.ui.retainedTasks)", id)
		}
	}
	return ""
}

// A NoUnitError means that an application does not have the named execution of SQL or job group.
type NoUnitError struct {
	App  string
	Unit string   // for messages
	Has  []string // the existing ones, in the order in which they appeared
	kind string
}

// mostUnits bounds how many units an error message lists.
const mostUnits = 5

func (e *NoUnitError) Error() string { return "spark: " + e.words() }

func (e *NoUnitError) words() string {
	s := fmt.Sprintf("%s has no %s", e.App, e.Unit)
	switch n := len(e.Has); {
	case n == 0:
		return s + ", and no other: leave out --" + e.kind
	case n > mostUnits:
		return s + "; it has " + strings.Join(e.Has[:mostUnits], ", ") + " and " + units.Count(n-mostUnits, "other")
	}
	return s + "; it has " + strings.Join(e.Has, ", ")
}

// noUnit returns an error if the unit does not exist. It returns nil if it does, or for the whole application.
func (f *facts) noUnit() *NoUnitError {
	if f.unit.kind == "" || len(f.unitJobs()) > 0 || f.execution() != nil {
		return nil
	}
	e := &NoUnitError{App: f.id, kind: f.unit.kind}
	switch {
	case f.unit.kind == groupUnit:
		e.Unit = fmt.Sprintf("job group %q", f.unit.name)
		for _, id := range f.jobIDs {
			if group := fmt.Sprintf("%q", f.jobs[id].group); f.jobs[id].group != "" && !slices.Contains(e.Has, group) {
				e.Has = append(e.Has, group)
			}
		}
		return e
	case f.unit.name == Newest:
		e.Unit = "execution of SQL that runs"
	default:
		e.Unit = "execution " + f.unit.name + " of SQL"
	}
	for _, id := range sortedKeys(f.executions) {
		has := fmt.Sprint(id)
		if text := []rune(firstLine(f.executions[id].description)); len(text) > 0 {
			has += fmt.Sprintf(" (%s)", string(text[:min(len(text), 40)]))
		}
		e.Has = append(e.Has, has)
	}
	return e
}

// Missing returns why an application cannot be replayed after its whole recording was read: it has run no job, or it
// does not have the unit.
func (f *facts) Missing() error {
	if e := f.noUnit(); e != nil {
		return e
	}
	return fmt.Errorf("spark: %s has run no job", f.flowID())
}
