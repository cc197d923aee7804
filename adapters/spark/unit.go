package spark

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// A unit is a part of an application that is a workflow by itself: an execution of SQL or a group of jobs. The zero
// unit is the whole application. Notebooks, Thrift servers and streams do not end, but their units do.
type unit struct{ kind, name string }

const (
	sqlUnit, groupUnit = "sql", "group"
	// Newest names the running execution of SQL that began last.
	Newest = "newest"
)

// path returns the unit as a part of an id, such as /sql/3; "" for the whole application.
func (u unit) path() string {
	if u.kind == "" {
		return ""
	}
	return "/" + u.kind + "/" + u.name
}

// IDOf returns the id of a unit of an application, such as app-1/sql/3 or app-1/group/nightly. Without sql and group
// it returns app. If app is "", the id matches the application that is found.
func IDOf(app, sql, group string) string {
	if sql != "" {
		app += unit{sqlUnit, sql}.path()
	}
	if group != "" {
		app += unit{groupUnit, group}.path()
	}
	return app
}

// CheckID returns an error if the id of a unit is invalid.
func CheckID(id string) error {
	_, u := parseID(id)
	if u.kind == sqlUnit && strings.Contains(u.name, "/"+groupUnit+"/") {
		return errors.New("an execution of SQL and a job group exclude each other: give one of --sql and --group")
	}
	if _, err := strconv.ParseUint(u.name, 10, 31); u.kind == sqlUnit && u.name != Newest && err != nil {
		return fmt.Errorf("%q is no execution of SQL: give its number, or newest, and no job group beside it", u.name)
	}
	return nil
}

// AppOf splits an id into the id of the application and the rest, such as /sql/3, which is "" for a whole
// application.
func AppOf(id string) (app, rest string) {
	app, _ = parseID(id)
	return app, id[len(app):]
}

func parseID(id string) (app string, u unit) {
	for _, kind := range []string{sqlUnit, groupUnit} {
		if app, name, found := strings.Cut(id, "/"+kind+"/"); found && !strings.Contains(app, "/") {
			return app, unit{kind, name}
		}
	}
	return id, unit{}
}

// mostSQL bounds the executions of SQL that are kept.
const mostSQL = 10_000

// An execution is an execution of SQL.
type execution struct {
	id          int
	description string
	status      string // RUNNING, COMPLETED, FAILED
	ended       dag.Instant
	jobs        map[int]bool
}

// addJob adds a job to the execution, which may be nil.
func (x *execution) addJob(id int) {
	if x != nil && len(x.jobs) < mostJobs {
		x.jobs[id] = true
	}
}

// described returns the description of an execution of SQL. For a batch of a stream it returns the name of the
// stream only, because the rest differs in each batch and each run.
func described(s string) string {
	if head, _, _ := strings.Cut(s, "\n"); strings.Contains(s, "runId = ") && strings.Contains(s, "\nbatch = ") {
		s = head
		if strings.HasPrefix(s, "id = ") { // the stream has no name
			s = ""
		}
	}
	return dag.Clean(s)
}

// executionAt returns an execution, or nil if there are too many.
func (f *facts) executionAt(id int) *execution {
	x := f.executions[id]
	if x == nil && id >= 0 && len(f.executions) < mostSQL {
		x = &execution{id: id, ended: dag.NoInstant, jobs: map[int]bool{}}
		f.executions[id] = x
	}
	return x
}

// newestExecution returns the running execution that began last, or nil.
func (f *facts) newestExecution() *execution {
	var newest *execution
	for _, x := range f.executions {
		if x.status == "RUNNING" && (newest == nil || x.id > newest.id) {
			newest = x
		}
	}
	return newest
}

// execution returns the execution that is the unit, or nil while it is unknown.
func (f *facts) execution() *execution {
	if f.unit == (unit{sqlUnit, Newest}) {
		x := f.newestExecution()
		if x == nil {
			return nil
		}
		f.unit.name = strconv.Itoa(x.id)
	}
	id, err := strconv.Atoi(f.unit.name)
	if err != nil || f.unit.kind != sqlUnit {
		return nil
	}
	return f.executions[id]
}

// inUnit reports whether a job belongs to the unit.
func (f *facts) inUnit(j *job) bool {
	switch f.unit.kind {
	case groupUnit:
		return j.group == f.unit.name
	case sqlUnit:
		x := f.execution()
		return x != nil && x.jobs[j.id]
	}
	return true
}

// unitJobs returns the unit's jobs, by id. The caller must not change the list.
func (f *facts) unitJobs() []*job {
	if f.unit.kind == "" {
		return f.jobList
	}
	return only(f.jobList, f.inUnit)
}

// unitStages returns the stages of the unit's jobs, by id.
func (f *facts) unitStages() []*stage {
	return only(f.stageList, func(s *stage) bool { return slices.ContainsFunc(s.jobs, f.inUnit) })
}

// flowID returns the id of the workflow: the application's, or the unit's.
func (f *facts) flowID() string { return f.id + f.unit.path() }

// flowName returns the display name of the workflow: the text of an execution, the description of a group, or the
// application's name.
func (f *facts) flowName() string {
	name := f.name
	if x := f.execution(); x != nil && x.description != "" {
		name = callSite(x.description)
	}
	if f.unit.kind == groupUnit {
		name = f.unit.name
		if jobs := f.unitJobs(); len(jobs) > 0 {
			name = cmp.Or(jobs[0].description, name)
		}
	}
	return dag.Clean(cmp.Or(name, f.flowID()))
}
