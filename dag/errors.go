package dag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A MissedError means that one observation failed and that a later one may succeed. A watcher repeats its last good
// snapshot, marked stale, and goes on; a recording has the error, so that a replay is stale at the same instants.
// Sources return any other error, except io.EOF, only if no later observation can succeed.
type MissedError struct {
	At  Instant // by the cluster's clock, as exactly as the source can measure
	Err error
	// IsIdle means that nothing failed: the source has nothing newer, as a log that is written in blocks.
	IsIdle bool
}

func (e *MissedError) Error() string { return fmt.Sprintf("observation missed: %v", e.Err) }

func (e *MissedError) Unwrap() error { return e.Err }

// A Place locates a fault in a plan.
type Place struct {
	Job   int    // index into Plan.Jobs; -1: the plan itself or its cluster
	Node  string // the job's name; "" if Job is -1
	Field string // as named in plan files, e.g. "map.cost" or "cluster.map_slots"
	Item  int    // index in the field's list (a task, a dependency); -1: the whole field
}

func whole(field string) Place { return Place{Job: -1, Field: field, Item: -1} }

func ofJob(p *Plan, j int, field string, item int) Place {
	return Place{Job: j, Node: p.Jobs[j].Node, Field: field, Item: item}
}

// Locate returns the place itself. Thus every error of Validate implements interface{ Locate() Place }.
func (p Place) Locate() Place { return p }

func (p Place) String() string {
	var b strings.Builder
	if p.Job >= 0 {
		fmt.Fprintf(&b, "job %q: ", p.Node)
	}
	b.WriteString(p.Field)
	if p.Item >= 0 {
		b.WriteString("[" + strconv.Itoa(p.Item) + "]")
	}
	return b.String()
}

// errNoJobs means that a plan has no job.
var errNoJobs = errors.New("dag: the plan has no jobs: there is nothing to estimate")

// A CycleError means that jobs depend on each other, so that none of them can ever start.
type CycleError struct {
	Place
	Jobs []string // the members, in plan order
}

func (e *CycleError) Error() string {
	if len(e.Jobs) == 1 {
		return fmt.Sprintf("dag: job %q depends on itself and can never start: remove it from its own dependencies",
			e.Jobs[0])
	}
	const shown = 12
	names := make([]string, 0, shown)
	for _, n := range e.Jobs[:min(shown, len(e.Jobs))] {
		names = append(names, strconv.Quote(n))
	}
	more := ""
	if len(e.Jobs) > shown {
		more = fmt.Sprintf(" and %d more", len(e.Jobs)-shown)
	}
	return fmt.Sprintf("dag: a cycle: jobs %s%s depend on each other, none of them can ever start: remove one of these dependencies",
		strings.Join(names, ", "), more)
}

// A PlanError is a fault of a plan at a place.
type PlanError struct {
	Place
	Text string // what is wrong there, and where
}

func (e *PlanError) Error() string { return "dag: " + e.Text }

// faultAt returns a fault; its text begins with the place.
func faultAt(at Place, format string, args ...any) error {
	return &PlanError{at, at.String() + fmt.Sprintf(format, args...)}
}

// tooMany returns the fault that there are more of something than supported.
func tooMany(at Place, what string, have, most float64) error {
	return faultAt(at, ": %.0f %s are more than the supported %.0f", have, what, most)
}

// noJob returns the fault that a job depends on one that is not in the plan.
func noJob(at Place, after int) error {
	return faultAt(at, " is job number %d, which the plan does not have", after)
}
