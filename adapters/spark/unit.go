package spark

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A unit is a part of an application that is a workflow by itself: an execution of SQL or a group of jobs. The zero
// unit is the whole application. Notebooks, Thrift servers and streams never end, but their units do.
type unit struct{ kind, name string }

const (
	sqlUnit, groupUnit = "sql", "group"
	// Newest names the execution of SQL that began last of those that run.
	Newest = "newest"
)

// IDOf returns the id of a unit of an application, as in app-1/sql/3 and app-1/group/nightly. Without either it is the
// application's own. An application of "" is the one that is found.
func IDOf(app, sql, group string) string {
	if sql != "" {
		app += "/" + sqlUnit + "/" + sql
	}
	if group != "" {
		app += "/" + groupUnit + "/" + group
	}
	return app
}

// CheckID says what is wrong with the id of a unit.
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

// AppOf returns the application of an id, and what follows it in the id of a unit: /sql/3.
func AppOf(id string) (app, rest string) {
	for _, kind := range []string{sqlUnit, groupUnit} {
		if before, _, found := strings.Cut(id, "/"+kind+"/"); found && !strings.Contains(before, "/") {
			return before, id[len(before):]
		}
	}
	return id, ""
}

func parseID(id string) (app string, u unit) {
	app, rest := AppOf(id)
	if kind, name, found := strings.Cut(strings.TrimPrefix(rest, "/"), "/"); found {
		u = unit{kind, name}
	}
	return app, u
}

// quiet is how long no job of a group runs before it counts as over: nothing reports when a group ends, and a driver
// may compute for a while between two jobs.
const quiet = 15 * time.Second

// mostSQL bounds the executions of SQL that are kept.
const mostSQL = 10_000

// An execution is one of SQL.
type execution struct {
	id               int
	description      string
	status           string // RUNNING, COMPLETED, FAILED
	submitted, ended dag.Instant
	jobs             map[int]bool
	plan             *sqlPlan // while it runs; nil: not known
}

type wireSQL struct {
	ID             number
	Status         text
	Description    text
	SubmissionTime *moment
	Duration       number
	RunningJobIDs  []number
	SuccessJobIDs  []number
	FailedJobIDs   []number
	// The text of the plan, where it was asked for.
	PlanDescription string
}

// TakeSQL takes an answer of sql, or of one execution, and reports whether it is one.
func (a *answers) TakeSQL(body []byte) bool {
	ids, _ := a.takeExecutions(body)
	return ids != nil
}

// takeExecutions takes the same, and returns the ids, nil if it is none, and how many of the first ones are over.
func (a *answers) takeExecutions(body []byte) (ids []int, over int) {
	list, ok := oneOrList[wireSQL](body)
	if !ok {
		return nil, 0
	}
	ids = make([]int, 0, len(list))
	for i := range list {
		w := &list[i]
		if string(w.Status) != "RUNNING" && over == i {
			over++
		}
		ids = append(ids, w.ID.ID())
		x := a.executionAt(w.ID.ID())
		if x == nil {
			continue
		}
		x.description, x.status = described(string(w.Description)), string(w.Status)
		if x.submitted = w.SubmissionTime.at(); x.status != "RUNNING" && x.submitted.Known() && w.Duration >= 0 {
			x.ended = x.submitted + dag.Instant(min(float64(w.Duration), 1<<43))
		}
		for _, id := range slices.Concat(w.RunningJobIDs, w.SuccessJobIDs, w.FailedJobIDs) {
			if len(x.jobs) < mostJobs {
				x.jobs[id.ID()] = true
			}
		}
		x.planned(w.PlanDescription)
	}
	return ids, over
}

// planned takes the text of the execution's plan, if the answer has it.
func (x *execution) planned(text string) {
	if x.status != "RUNNING" {
		x.plan = nil
	} else if text != "" {
		x.plan = parsePlan(text)
	}
}

// described is the description of an execution of SQL. That of a batch of a stream is the stream's name: the rest,
// which is other in each batch and each run, is left out.
func described(s string) string {
	if head, _, _ := strings.Cut(s, "\n"); strings.Contains(s, "runId = ") && strings.Contains(s, "\nbatch = ") {
		s = head
		if strings.HasPrefix(s, "id = ") { // the stream has none
			s = ""
		}
	}
	return dag.Clean(s)
}

// executionAt returns an execution, nil if there are too many.
func (f *facts) executionAt(id int) *execution {
	x := f.executions[id]
	if x == nil && id >= 0 && len(f.executions) < mostSQL {
		x = &execution{id: id, submitted: dag.NoInstant, ended: dag.NoInstant, jobs: map[int]bool{}}
		f.executions[id] = x
	}
	return x
}

// execution is the one that is the unit; nil while it is not known.
func (f *facts) execution() *execution {
	if f.unit.kind != sqlUnit {
		return nil
	}
	if f.unit.name == Newest {
		newest := -1
		for id, x := range f.executions {
			if x.status == "RUNNING" {
				newest = max(newest, id)
			}
		}
		if newest < 0 {
			return nil
		}
		f.unit.name = strconv.Itoa(newest)
	}
	id, err := strconv.Atoi(f.unit.name)
	if err != nil {
		return nil
	}
	return f.executions[id]
}

// unitJobs are the ids of the jobs of the unit, ascending. The caller must not change them.
func (f *facts) unitJobs() []int {
	switch f.unit.kind {
	case sqlUnit:
		x := f.execution()
		return f.jobsWhere(func(id int) bool { return x != nil && x.jobs[id] })
	case groupUnit:
		return f.jobsWhere(func(id int) bool { return f.jobs[id].group == f.unit.name })
	}
	return f.jobIDs
}

func (f *facts) jobsWhere(is func(id int) bool) []int {
	return slices.DeleteFunc(slices.Clone(f.jobIDs), func(id int) bool { return !is(id) })
}

// unitStages marks the stages of the jobs of the unit.
func (f *facts) unitStages() map[int]bool {
	out := map[int]bool{}
	for _, id := range f.unitJobs() {
		for _, s := range f.jobs[id].stages {
			out[s] = true
		}
	}
	return out
}

// unitEnd returns the state of the SQL execution or job group, which may end before its application does; dag.Running
// until then. open says that one of its jobs still runs.
func (o *outcome) unitEnd(open bool, last *job, now dag.Instant) dag.State {
	switch x := o.execution(); {
	case open:
	case x != nil && x.status == "COMPLETED":
		return dag.Succeeded
	case x != nil && x.status == "FAILED":
		return dag.Failed
	case o.unit.kind == groupUnit && last != nil && last.completed.Known() && now.Sub(last.completed) >= quiet:
		if last.status == "FAILED" {
			return dag.Failed
		}
		return dag.Succeeded
	}
	return dag.Running
}

// flowID is the id of the workflow: that of the application, or of its unit.
func (f *facts) flowID() string {
	switch f.unit.kind {
	case sqlUnit:
		return IDOf(f.id, f.unit.name, "")
	case groupUnit:
		return IDOf(f.id, "", f.unit.name)
	}
	return f.id
}

// flowName is what people call the workflow: an execution has its text as a name, a group its description.
func (f *facts) flowName() string {
	name := f.name
	switch x := f.execution(); {
	case x != nil && x.description != "":
		name = callSite(x.description)
	case f.unit.kind == groupUnit:
		name = f.unit.name
		if ids := f.unitJobs(); len(ids) > 0 && f.jobs[ids[0]].description != "" {
			name = f.jobs[ids[0]].description
		}
	}
	if name == "" {
		name = f.flowID()
	}
	return dag.Clean(name)
}

// node is what the only job of the plan is.
func (f *facts) node() string {
	if f.unit.kind != "" {
		return f.unit.kind
	}
	return "application"
}

// firstRDD is what ids of RDDs are counted from: in a unit, those of an application that goes on change from run to
// run.
func (f *facts) firstRDD() int {
	if f.unit.kind == "" {
		return 0
	}
	if f.base < 0 {
		for id := range f.unitStages() {
			if s := f.stages[id]; s != nil && len(s.rdds) > 0 && (f.base < 0 || s.rdds[0] < f.base) {
				f.base = s.rdds[0]
			}
		}
	}
	return max(f.base, 0)
}
