package spark

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// root is the prefix of the paths of Spark's REST service.
const root = "/api/v1/applications"

// An Answer is a response of a driver or a history server.
type Answer struct {
	URL    *url.URL
	At     dag.Instant // when it arrived
	Status int         // 0 if there was no response; Body is then the error
	Type   string      // Content-Type
	Body   func() string
}

// refused reports whether a response shows that the application's driver does not serve its page any more. A
// connection that times out does not count: the host may only be unreachable.
func (w *Answer) refused() bool {
	if w.Status == 0 { // no response: the text is the error
		return strings.HasPrefix(w.Body(), "dial") && !strings.Contains(w.Body(), "timeout")
	}
	return w.Status >= 300 && w.Status < 400 || w.Status == http.StatusNotFound ||
		(w.Status == http.StatusServiceUnavailable || w.Status == http.StatusBadRequest) &&
			podRefuses.MatchString(w.Body())
}

// podRefuses matches the errors of a Kubernetes API server's proxy for a port at which nothing listens (status 503),
// and for a pod without an address (status 400).
var podRefuses = regexp.MustCompile(
	`error trying to reach service: dial .*(?:connection refused|no route to host)|address not allowed`)

// An endpoint is a kind of responses, by the path of their URL. The first group of the path is the application.
type endpoint struct {
	path    *regexp.Regexp
	limit   int64 // of the bytes of a response, as in rest.Request
	page    bool  // HTML, not JSON
	manager bool  // of YARN's ResourceManager, which has other applications too
	take    func(a *App, w *Answer, args []string) bool
}

// part begins the path of a part of an application. Of an application on YARN the attempt may follow.
const part = root + `/([^/]+)(?:/\d+)?/`

// endpoints are the responses that are read.
var endpoints = []endpoint{
	{path: regexp.MustCompile(root + `/?$`), take: (*App).takeTick},
	{path: regexp.MustCompile(root + `/([^/]+)(?:/\d+)?/?$`), take: (*App).takeHistory},
	{path: regexp.MustCompile(part + `jobs(?:/[^/]+)?/?$`), limit: rest.Middle, take: each((*App).takeJobRow)},
	{path: regexp.MustCompile(part + `stages(?:/[^/]+){0,2}/?$`), limit: rest.Middle, take: each((*App).takeStageRow)},
	{path: regexp.MustCompile(part + `stages/(\d{1,9})/(\d{1,9})/taskList/?$`), limit: rest.Middle, take: (*App).takeTasks},
	{path: regexp.MustCompile(part + `(?:all)?executors/?$`), limit: rest.Middle, take: (*App).takeExecutors},
	{path: regexp.MustCompile(part + `sql(?:/[^/]+)?/?$`), limit: rest.Middle, take: each((*App).takeExecutionRow)},
	{path: regexp.MustCompile(part + `environment/?$`), limit: rest.Middle, take: each((*App).takeEnvironment)},
	{path: regexp.MustCompile(`/ws/v1/cluster/apps/(application_[^/]+)$`), manager: true, take: (*App).takeManager},
	{path: regexp.MustCompile(`/jobs/job/?$`), page: true, take: (*App).takePage},
	{path: regexp.MustCompile(`/stages/?$`), page: true, take: (*App).takePools},
}

// endpointOf returns the endpoint of a URL's path, or nil, and the groups of its expression.
func endpointOf(path string) (e *endpoint, args []string) {
	for i := range endpoints {
		if args = endpoints[i].path.FindStringSubmatch(path); args != nil {
			return &endpoints[i], args
		}
	}
	return nil, nil
}

// IsTick reports whether an address is the first request of every poll: the list of applications.
func IsTick(u *url.URL) bool { return strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), root) }

// Take applies a response. It reports whether the response shows progress of the application. A history server's
// response without the end does not.
func (a *App) Take(w *Answer) bool {
	e, args := endpointOf(w.URL.Path)
	switch {
	case w.Status != http.StatusOK:
		a.refusals += one(IsTick(w.URL) && w.refused())
		return false
	case e == nil || len(args) > 1 && a.id != "" && args[1] != a.id:
		return false
	case !e.page && !strings.Contains(w.Type, "json"):
		return false // a driver that starts responds with an HTML page
	}
	return e.take(a, w, args)
}

// rows decodes a response that is either one row or a list of rows. It returns no row of an invalid response.
func rows[T any](w *Answer) (list rest.List[T], ok bool) {
	list, err := rest.Read[rest.List[T]]("the answer", []byte(w.Body()), nil)
	return list, err == nil
}

// each returns a function that applies each row of a response.
func each[T any](take func(a *App, row *T)) func(*App, *Answer, []string) bool {
	return func(a *App, w *Answer, _ []string) bool {
		list, ok := rows[T](w)
		for i := range list {
			take(a, &list[i])
		}
		return ok
	}
}

// takeTick applies the list of applications, the first response of a poll.
func (a *App) takeTick(w *Answer, _ []string) bool {
	if !a.TakeApplication([]byte(w.Body())) {
		a.refusals++ // another application's driver has the address
		return false
	}
	a.clock.report(w.At)
	a.refusals, a.lastSeen = 0, w.At
	return true
}

// takeHistory applies the history server's entry of the application. It reports whether the entry has the end.
func (a *App) takeHistory(w *Answer, _ []string) bool {
	is := a.TakeApplication([]byte(w.Body()))
	a.historyIsOpen = is && !a.historyHasEnd
	return is && a.historyHasEnd
}

// TakeApplication applies a response to /api/v1/applications or for one application. It reports whether the response
// contains this application.
func (a *App) TakeApplication(body []byte) bool {
	list, _ := rows[wireApp](&Answer{Body: func() string { return string(body) }})
	i := slices.IndexFunc(list, func(w wireApp) bool {
		id := dag.Clean(string(w.ID))
		return id != "" && (a.id == "" || id == a.id)
	})
	if i < 0 {
		return false
	}
	w := &list[i]
	a.id, a.name = dag.Clean(string(w.ID)), dag.Clean(string(w.Name))
	if len(w.Attempts) > 0 {
		at := &w.Attempts[0] // the newest
		a.user, a.version, a.turn = dag.Clean(string(at.SparkUser)), string(at.Version), string(at.AttemptID)
		a.began, a.clock.reported = at.StartTime.At(), dag.NoInstant
		if a.began.Known() && at.Duration > 0 && !at.Completed {
			a.clock.reported = a.began + millis(at.Duration)
		}
		if at.Completed {
			a.hasEnd, a.historyHasEnd, a.ended = true, true, at.EndTime.At()
		}
	}
	return true
}

// takeManager applies the ResourceManager's report of an application's end. It returns false for a successful
// application, because the history server has more details.
func (a *App) takeManager(w *Answer, _ []string) bool {
	list, _ := yarn.Apps([]byte(`{"apps":`+w.Body()+"}"), nil)
	if len(list) != 1 || list[0].ID != a.id || !list[0].Finished.Known() || list[0].State == dag.EndedUnconfirmed {
		return false
	}
	a.hasEnd, a.manager, a.ended = true, list[0].State, list[0].Finished
	return a.manager != dag.Succeeded
}

func (a *App) takeJobRow(w *wireJob) {
	a.clock.stamp(max(w.SubmissionTime, w.CompletionTime).At())
	a.takeJob(w)
}

func (a *App) takeStageRow(w *stageRow) {
	a.clock.stamp(max(w.Submitted, w.Completed).At())
	a.takeStage(w).lastListed = a.round
}

// takeTasks applies a list of tasks of a stage attempt. With status=RUNNING the list
// contains all running tasks; with an offset it is a part of the whole list.
func (a *App) takeTasks(w *Answer, path []string) bool {
	var list []wireTask
	if json.Unmarshal([]byte(w.Body()), &list) != nil {
		return false
	}
	t, at, query := a.tryOf(atoi(path[2]), atoi(path[3])), a.clock.correct(w.At), w.URL.Query()
	listed, ended := make(map[int]bool, len(list)), make([]bool, len(list))
	for i := range list {
		listed[idOf(list[i].TaskID)] = true
		ended[i] = a.takeTask(t, &list[i], at)
	}
	if offset := idIn(query.Get("offset")); offset >= 0 {
		t.listed(offset, ended)
	}
	if strings.EqualFold(query.Get("status"), "RUNNING") {
		for _, k := range t.running() {
			if !listed[k.id] {
				k.End = at
				k.become(dag.AttemptSucceeded, true) // the task has ended; a full list will show how
			}
		}
	}
	return true
}

var taskStates = map[text]dag.AttemptState{
	"RUNNING": dag.AttemptRunning, "GET RESULT": dag.AttemptRunning, "GETTING RESULT": dag.AttemptRunning,
	"SUCCESS": dag.AttemptSucceeded, "FAILED": dag.AttemptFailed, "KILLED": dag.AttemptKilled,
}

// commitDenied is Spark's reason for an attempt that ended because another attempt of the task had committed its
// output. Spark does not count it as a failure.
const commitDenied = "TaskCommitDenied"

// takeTask applies a row of a list of tasks. It reports whether the task has ended.
func (a *App) takeTask(t *try, w *wireTask, at dag.Instant) (ended bool) {
	state, known := taskStates[w.Status]
	ended = known && state != dag.AttemptRunning
	if !known {
		return false
	}
	k, _ := a.taskAt(t, idOf(w.TaskID))
	k.identify(w.part(), w.LaunchTime.At(), a.executorAt(string(w.ExecutorID)))
	a.clock.stamp(k.Start)
	if k.State != dag.AttemptRunning && !ended && (!k.guessed || t.settled) {
		return false // an older response, or the driver has missed the task's end
	}
	k.End = dag.NoInstant
	if ended {
		k.impliedSince = dag.NoInstant
		if k.Start.Known() {
			k.End = at
			if w.Duration != nil && *w.Duration >= 0 {
				k.End = k.Start + millis(*w.Duration)
			}
		}
	}
	if state == dag.AttemptFailed || state == dag.AttemptKilled {
		k.Diagnosis = cause(string(w.Error))
	}
	if state == dag.AttemptFailed && strings.HasPrefix(string(w.Error), commitDenied) {
		state = dag.AttemptKilled
	}
	k.become(state, false)
	if m := w.Metrics; m != nil {
		if ended {
			k.Metrics = m.of(lasted(w.GettingResult), 0)
		}
		k.observe(m, at)
		// SPARK-54505: metrics of tasks that have not succeeded are in the wrong fields.
		if push := &m.Read.Push; state != dag.AttemptSucceeded && !t.push && (push.Requests > 0 || push.Blocks > 0) {
			k.read, k.Out = float64(push.Requests), positive(m.Write.Records)
		}
	}
	return ended
}

func (a *App) takeExecutors(answer *Answer, _ []string) bool {
	list, ok := rows[wireExecutor](answer)
	slices.SortStableFunc(list, func(x, y wireExecutor) int { return cmp.Compare(x.AddTime.At(), y.AddTime.At()) })
	for i := range list {
		w := &list[i]
		if w.ID == "driver" && !(w.MaxTasks > 0) {
			continue
		}
		n := a.executorAt(string(w.ID))
		if n < 0 {
			a.tooLarge = a.tooLarge || w.ID != ""
			continue
		}
		e := a.all[n]
		e.host, e.excluded, e.cores = dag.Clean(string(w.HostPort)), w.IsExcluded, w.MaxTasks.Count(mostCores)
		e.added = w.AddTime.At()
		a.set(e, w.IsActive, w.RemoveTime.At(), firstLine(string(w.RemoveReason)))
	}
	return ok
}

func (a *App) takeExecutionRow(w *wireSQL) {
	x := a.executionAt(idOf(w.ID))
	x.description, x.status = described(string(w.Description)), string(w.Status)
	for _, id := range slices.Concat(w.RunningJobIDs, w.SuccessJobIDs, w.FailedJobIDs) {
		a.addExecutionJob(x, id.ID())
	}
	if plan := parsePlan(string(w.Plan)); plan != nil {
		x.plan = plan
		a.planner.retitle()
	}
	if x.status != "RUNNING" && w.SubmissionTime > 0 && w.Duration >= 0 {
		x.ended = w.SubmissionTime.At() + millis(w.Duration)
	}
}

func (a *App) takeEnvironment(w *struct{ SparkProperties [][]text }) {
	for _, kv := range w.SparkProperties {
		if len(kv) == 2 {
			a.conf[string(kv[0])] = string(kv[1])
		}
	}
	a.changes++
}

// idsOf returns the valid ids of a list, ascending.
func idsOf(list []number) []int {
	out := make([]int, 0, len(list))
	for _, n := range list {
		if id := n.ID(); id >= 0 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// firstLine returns the first line of a text without control characters.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return dag.Clean(s[:min(len(s), 1000)])
}

// unindented matches the first line that is not indented.
var unindented = regexp.MustCompile(`(?m)^[^ \t\r\n].*`)

// cause returns the first line of an error. If that line only announces a Python traceback, cause returns the
// exception at the end of the traceback instead.
func cause(s string) string {
	head, rest, _ := strings.Cut(s, "\n")
	before, python := strings.CutSuffix(strings.TrimSpace(head), "Traceback (most recent call last):")
	if line := unindented.FindString(rest); python && line != "" {
		return firstLine(strings.TrimSuffix(before, "org.apache.spark.api.python.PythonException: ") + line)
	}
	return firstLine(s)
}
