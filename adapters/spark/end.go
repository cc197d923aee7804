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

// refused reports whether an answer shows that no driver of the application serves its page any more.
func (w *Answer) refused() bool {
	if w.Status == 0 { // there was no answer, and the text is the error's
		return strings.HasPrefix(w.Body(), "dial ") && !strings.Contains(w.Body(), "timeout")
	}
	return w.Status >= 300 && w.Status < 400 || w.Status == http.StatusNotFound
}

// seen takes note that the driver gave an answer of this Date.
func (a *App) seen(at dag.Instant) { a.refusals, a.lastSeen = 0, at }

// closed reports whether the driver has closed its page, as far as several refusals show.
func (a *App) closed() bool { return a.refusals >= giveUp }

// seenToEnd reports whether an application whose end was not reported has ended as one does that ran to its end: its
// driver closed its page after the last known job, and no job failed, or the last one did. No job of it runs.
func (a *App) seenToEnd(last *job) bool {
	if !a.closed() || a.unfinished || a.unit.kind == sqlUnit || last == nil {
		return false
	}
	if last.status == "FAILED" {
		return true
	}
	for _, id := range a.unitJobs() {
		if a.jobs[id].status != "SUCCEEDED" {
			return false
		}
	}
	return true
}

// inferred reports whether the end of the application, or of its unit, was not reported.
func (a *App) inferred(state dag.State) bool {
	return !a.over && (a.unit.kind == "" || state == dag.EndedUnconfirmed)
}

// remarkEnd warns that the end was not reported, and says what it was inferred from.
func (a *App) remarkEnd(state dag.State) []dag.Warning {
	if !a.inferred(state) {
		return nil
	}
	text := "not confirmed by a history server: "
	open, failed := 0, 0
	ids := a.unitJobs()
	for _, id := range ids {
		switch j := a.jobs[id]; {
		case !j.over():
			open++
		case j.status != "SUCCEEDED":
			failed++
		}
	}
	switch {
	case open > 0:
		text += fmt.Sprintf("the driver of %s was last seen while %s ran", a.id, units.Count(open, "job"))
	case !a.closed():
		text += fmt.Sprintf("the driver of %s no longer answers", a.id)
	case state == dag.Succeeded:
		text += fmt.Sprintf("all %s of %s had succeeded when its driver closed", units.Count(len(ids), "known job"), a.id)
	case failed > 0:
		text += fmt.Sprintf("the driver of %s closed after %s had failed", a.id, units.Count(failed, "job"))
	default:
		text += fmt.Sprintf("the driver of %s closed before its end was seen", a.id)
	}
	switch {
	case a.unfinished:
		text += ", and its event log has no end"
	case a.historyTrouble != "":
		text += "; the history server does not answer: " + a.historyTrouble
	}
	return []dag.Warning{{Code: dag.WarnObservation, Text: text}}
}
