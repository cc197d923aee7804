// Package whatifview shows the results of whatif: the end of a query under each change, the limits, what a slot is
// worth, and time against slots; as text, as JSON, as a curve in SVG.
package whatifview

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// A View is what is shown.
type View struct {
	Name     string
	ID       string
	State    dag.State   // Blocked for a plan that has not started
	At       dag.Instant // NoInstant for a plan
	Elapsed  time.Duration
	Took     time.Duration // of a finished run, else 0
	Miss     float64       // how much longer its replay is, as a ratio; NaN without one
	Warnings []dag.Warning // of the newest observation
	Room     whatif.Room
	Report   *whatif.Report
}

// heading describes the query and what the times mean.
func (v *View) heading() string {
	name := view.Escape(v.Name)
	if name == "" {
		name = "query"
	}
	where := " on " + room(v.Room)
	switch {
	case v.Took > 0:
		return fmt.Sprintf("%s took %s%s; a replay of it %s", name, units.Exact(v.Took), where, missed(v.Miss))
	case v.State == dag.Blocked:
		return name + ", before it runs," + where
	}
	return fmt.Sprintf("%s after %s%s: changes are from now on, times what is left", name, units.Exact(v.Elapsed),
		where)
}

func missed(r float64) string {
	switch n := math.Round(100 * r); {
	case n == 0:
		return "takes as long"
	case n > 0:
		return "takes " + units.Percent(r) + " longer"
	default:
		return "takes " + units.Percent(-r) + " less"
	}
}

func room(r whatif.Room) string {
	switch {
	case r.Policy == dag.FIFO, r.Cores > 0:
		return r.String()
	case r.Policy == dag.Executors:
		return "an unknown number of cores"
	case r.Containers == 0:
		return "an unknown number of containers"
	}
	return fmt.Sprintf("%s of %d MB", r, r.ContainerMB)
}

// assumedMost is the greatest share that may be assumed. Above it a time is given as a lower bound, as in other
// views.
const assumedMost = 1.0 / 3

// took formats an answer.
func took(a *whatif.Answer) string {
	floor := a.Floor
	switch {
	case a.Remaining != nil && !(a.AssumedRatio > assumedMost): // NaN if assumptions are unknown
		return units.Exact(*a.Remaining)
	case a.Remaining != nil && floor == nil:
		d := time.Duration(float64(*a.Remaining) * (1 - a.AssumedRatio))
		floor = &d
	}
	if floor != nil && *floor >= time.Second {
		return "at least " + units.Exact(*floor)
	}
	return "?"
}
