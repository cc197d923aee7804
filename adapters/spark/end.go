package spark

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Off YARN nothing but a history server or the event log reports how an application ended. Without them the end is
// inferred: a driver closes its web page when its application ends, and has reported its jobs until then.

// An outcome is how an application ends, and what that is known from.
type outcome struct {
	*facts
	over           bool        // the history server has its end, or a cluster manager
	recorded       bool        // the history server has it
	unfinished     bool        // the history server has the application, and not its end
	ended          dag.Instant // when
	manager        dag.State   // how the application ended, by its cluster manager; Blocked before
	lastSeen       dag.Instant // when the driver answered last
	refusals       int         // rounds in a row in which the driver's page was closed
	historyTrouble string      // why the history server cannot be asked; ""
}

// refused reports whether an answer shows that no driver of the application serves its page any more.
func (w *Answer) refused() bool {
	if w.Status == 0 { // there was no answer, and the text is the error's
		return strings.HasPrefix(w.Body(), "dial ") && !strings.Contains(w.Body(), "timeout")
	}
	return w.Status >= 300 && w.Status < 400 || w.Status == http.StatusNotFound
}

// seen takes note that the driver gave an answer of this Date.
func (o *outcome) seen(at dag.Instant) { o.refusals, o.lastSeen = 0, at }

// closed reports whether the driver has closed its page, as far as several refusals show.
func (o *outcome) closed() bool { return o.refusals >= giveUp }

// seenToEnd reports whether an application whose end was not reported has ended as one does that ran to its end: its
// driver closed its page after the last known job, and no job failed, or the last one did. No job of it runs.
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

// inferred reports whether the end of the application, or of its unit, was not reported.
func (o *outcome) inferred(state dag.State) bool {
	return !o.over && (o.unit.kind == "" || state == dag.EndedUnconfirmed)
}

// remarkEnd warns that the end was not reported, and says what it was inferred from.
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
