package spark

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Outside YARN only a history server or the event log reports how an application ended. Without them the end is
// inferred: a driver closes its web page when its application ends, and reports its jobs until then.

// An outcome is the end of an application and the evidence for it.
type outcome struct {
	*facts
	over           bool        // the history server or a cluster manager has reported the end
	recorded       bool        // the history server has the end
	unfinished     bool        // the history server has the application without its end
	ended          dag.Instant // when
	manager        dag.State   // how the application ended, by its cluster manager; Blocked before
	lastSeen       dag.Instant // when the driver last responded
	refusals       int         // consecutive polls in which the driver's page was closed
	historyTrouble string      // error of the history server; ""
}

// closed reports whether the driver has closed its page, judged by giveUp refusals.
func (o *outcome) closed() bool { return o.refusals >= giveUp }

// seenToEnd reports whether an application without a reported end seems to have run to its end. Its driver has
// closed its page, no job runs, and either no job has failed or the last one has.
func (o *outcome) seenToEnd(last *job) bool {
	if !o.closed() || o.unfinished || o.unit.kind == sqlUnit || last == nil {
		return false
	}
	if last.status == "FAILED" {
		return true
	}
	for _, id := range o.unitJobs() {
		if o.jobs[id].status != "SUCCEEDED" {
			return false
		}
	}
	return true
}

// inferred reports whether the end of the application, or of its unit, was inferred and not reported.
func (o *outcome) inferred(state dag.State) bool {
	return !o.over && (o.unit.kind == "" || state == dag.EndedUnconfirmed)
}

// remarkEnd warns that the end was not reported, with the evidence for it.
func (o *outcome) remarkEnd(state dag.State) []dag.Warning {
	if !o.inferred(state) {
		return nil
	}
	text := "not confirmed by a history server: "
	open, failed := 0, 0
	ids := o.unitJobs()
	for _, id := range ids {
		switch j := o.jobs[id]; {
		case !j.over():
			open++
		case j.status != "SUCCEEDED":
			failed++
		}
	}
	switch {
	case open > 0:
		text += fmt.Sprintf("the driver of %s was last seen while %s ran", o.id, units.Count(open, "job"))
	case !o.closed():
		text += fmt.Sprintf("the driver of %s no longer answers", o.id)
	case state == dag.Succeeded:
		text += fmt.Sprintf("all %s of %s had succeeded when its driver closed", units.Count(len(ids), "known job"), o.id)
	case failed > 0:
		text += fmt.Sprintf("the driver of %s closed after %s had failed", o.id, units.Count(failed, "job"))
	default:
		text += fmt.Sprintf("the driver of %s closed before its end was seen", o.id)
	}
	switch {
	case o.unfinished:
		text += ", and its event log has no end"
	case o.historyTrouble != "":
		text += "; the history server does not answer: " + o.historyTrouble
	}
	return []dag.Warning{{Code: dag.WarnObservation, Text: text}}
}
