package spark

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

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
func (a *App) noUnit() *NoUnitError {
	if a.unit.kind == "" || a.Begun() || a.execution() != nil {
		return nil
	}
	e := &NoUnitError{App: a.id, kind: a.unit.kind, Unit: fmt.Sprintf("job group %q", a.unit.name)}
	if a.unit.kind == groupUnit {
		for _, id := range a.jobIDs {
			if group := fmt.Sprintf("%q", a.jobs[id].group); a.jobs[id].group != "" && !slices.Contains(e.Has, group) {
				e.Has = append(e.Has, group)
			}
		}
		return e
	}
	if e.Unit = "execution " + a.unit.name + " of SQL"; a.unit.name == Newest {
		e.Unit = "execution of SQL that runs"
	}
	for _, id := range sortedKeys(a.executions) {
		has := fmt.Sprint(id)
		if text := []rune(firstLine(a.executions[id].description)); len(text) > 0 {
			has += fmt.Sprintf(" (%s)", string(text[:min(len(text), 40)]))
		}
		e.Has = append(e.Has, has)
	}
	return e
}

// Missing returns why an application cannot be replayed after its whole recording was read: it has run no job, or it
// does not have the unit.
func (a *App) Missing() error {
	if e := a.noUnit(); e != nil {
		return e
	}
	return fmt.Errorf("spark: %s has run no job", a.flowID())
}

// Missing returns why the log does not have a workflow. It returns nil if it does, or if it is another
// application's.
func (l *Log) Missing(id string) error {
	app, of := parseID(id)
	if of.kind == "" || app != "" && app != l.id || l.Holds(id) {
		return nil
	}
	r := l.Reader(l.id + id[len(app):])
	r.At(l.Last)
	return r.app.Missing()
}

// remarkWaiting warns that the unit does not exist yet.
func (a *App) remarkWaiting() []dag.Warning {
	e := a.noUnit()
	if e == nil {
		return nil
	}
	return []dag.Warning{{Code: dag.WarnObservation, Text: "waiting: " + e.words()}}
}
