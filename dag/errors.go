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

// ErrNoJobs means that a plan has no job.
var ErrNoJobs = errors.New("dag: the plan has no jobs: there is nothing to estimate")

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

// A DependencyError means that a job depends on one that is not in the plan.
type DependencyError struct {
	Place
	After int // an index without a job
}

func (e *DependencyError) Error() string {
	return fmt.Sprintf("dag: %v is job number %d, which the plan does not have", e.Place, e.After)
}

// A DuplicateError means that a name is used twice.
type DuplicateError struct {
	Place
	Name  string
	First int // index of the first job, or node, with that name
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("dag: %v: the name %q is taken by number %d already: names must be unique", e.Place, e.Name,
		e.First+1)
}

// A NumberError means that a number is not finite, or outside its range.
type NumberError struct {
	Place
	Value    float64
	Unit     string // of all three numbers; may be ""
	Min, Max float64
}

func (e *NumberError) Error() string {
	return fmt.Sprintf("dag: %v is %v%s: it must lie between %v and %v%s", e.Place, e.Value, e.Unit, e.Min, e.Max,
		e.Unit)
}

// A ShapeError means that parts of a plan do not fit together.
type ShapeError struct {
	Place
	Why string
}

func (e *ShapeError) Error() string { return fmt.Sprintf("dag: %v: %s", e.Place, e.Why) }

// A CapacityError means that tasks can never run on the plan's cluster.
type CapacityError struct {
	Place        // the setting that is too small
	For   string // the first affected job
	Stage string // the name of the stage
	Why   string
}

func (e *CapacityError) Error() string {
	return fmt.Sprintf("dag: the %s tasks of job %q can never run: %v %s", e.Stage, e.For, e.Place, e.Why)
}

// A LimitError means that a plan is larger than supported.
type LimitError struct {
	Place
	What      string // the quantity, with its unit
	Have, Max float64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("dag: %v: %.0f %s are more than the supported %.0f", e.Place, e.Have, e.What, e.Max)
}
