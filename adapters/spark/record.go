package spark

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

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

// IsTick reports whether an address is the first request of every poll: the list of applications.
func IsTick(u *url.URL) bool { return strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), root) }

// Concerns reports whether an address belongs to Spark, and returns its application, or "" if it names none.
func Concerns(u *url.URL) (app string, ok bool) {
	if i := strings.Index(u.Path, root); i >= 0 {
		rest := strings.Trim(u.Path[i+len(root):], "/")
		app, _, _ = strings.Cut(rest, "/")
		return app, true
	}
	return "", strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/jobs/job") || isPoolsPage(u.Path)
}

// OfManager reports whether an address is that of one application in YARN's ResourceManager.
func OfManager(u *url.URL) bool {
	_, app, found := strings.Cut(u.Path, "/ws/v1/cluster/apps/")
	return found && strings.HasPrefix(app, "application_") && !strings.Contains(app, "/")
}

// takeManager applies the ResourceManager's report of an application's end. It returns false for a successful
// application, because the history server has more details.
func (o *outcome) takeManager(body []byte) bool {
	var w struct {
		App struct {
			ID, State, FinalStatus text
			FinishedTime           number
		}
	}
	if json.Unmarshal(body, &w) != nil || string(w.App.ID) != o.id || !(w.App.FinishedTime > 0) {
		return false
	}
	state, known := map[text]dag.State{
		"KILLED": dag.Killed, "FAILED": dag.Failed, "SUCCEEDED": dag.Succeeded,
	}[w.App.FinalStatus]
	if !known {
		return false
	}
	o.over, o.manager, o.ended = true, state, dag.Instant(min(float64(w.App.FinishedTime), 1<<43))
	return state != dag.Succeeded
}

// Take applies a response. It reports whether the response shows progress of the application. A history server's
// response without the end does not.
func (a *answers) Take(w *Answer) bool {
	if w.Status != http.StatusOK {
		a.takeFailure(w)
		return false
	}
	if OfManager(w.URL) {
		return a.takeManager([]byte(w.Body()))
	}
	if strings.HasSuffix(strings.TrimSuffix(w.URL.Path, "/"), "/jobs/job") {
		id, err := strconv.Atoi(w.URL.Query().Get("id"))
		return err == nil && a.TakePage(w.Body(), id)
	}
	if isPoolsPage(w.URL.Path) {
		return a.TakePools(w.Body())
	}
	i := strings.Index(w.URL.Path, root)
	if i < 0 || !strings.Contains(w.Type, "json") {
		return false // a driver that starts responds with an HTML page
	}
	parts := strings.Split(strings.Trim(w.URL.Path[i+len(root):], "/"), "/")
	if parts[0] == "" {
		return a.takeTick(w)
	}
	if len(parts) == 1 {
		return a.takeHistory(w)
	}
	if a.id != "" && parts[0] != a.id {
		return false
	}
	if _, err := strconv.Atoi(parts[1]); err == nil { // the attempt number of an application on YARN
		if parts = append(parts[:1:1], parts[2:]...); len(parts) == 1 {
			return a.takeHistory(w)
		}
	}
	return a.takePart(parts[1:], w)
}

// takeTick applies the list of applications, the first response of a poll.
func (a *answers) takeTick(w *Answer) bool {
	if !a.TakeApplication([]byte(w.Body())) {
		a.refusals++ // another application's driver has the address
		return false
	}
	a.clock.report(a.reported, w.At)
	a.seen(w.At)
	return true
}

// takeHistory applies the history server's entry of the application. It reports whether the entry has the end.
func (a *answers) takeHistory(w *Answer) bool {
	is := a.TakeApplication([]byte(w.Body()))
	a.unfinished = is && !a.recorded
	return is && a.recorded
}

// takeFailure counts a refused request for the list of applications.
func (a *answers) takeFailure(w *Answer) {
	if IsTick(w.URL) && w.refused() {
		a.refusals++
	}
}

func (a *answers) takePart(parts []string, w *Answer) bool {
	at := a.clock.correct(w.At)
	body := func() []byte { return []byte(w.Body()) }
	number := func(i int) int {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return -1
		}
		return n
	}
	switch {
	case parts[0] == "jobs" && len(parts) <= 2:
		return a.TakeJobs(body())
	case parts[0] == "stages" && len(parts) <= 3:
		return a.TakeStages(body())
	case parts[0] == "stages" && len(parts) == 4 && parts[3] == "taskList":
		return a.TakeTasks(body(), number(1), number(2), strings.ToUpper(w.URL.Query().Get("status")), at)
	case parts[0] == "executors" || parts[0] == "allexecutors":
		return a.TakeExecutors(body())
	case parts[0] == "sql" && len(parts) <= 2:
		return a.TakeSQL(body())
	case parts[0] == "logs" && len(parts) == 1:
		return a.TakeLog(body())
	case parts[0] == "environment":
		return a.TakeEnvironment(body())
	}
	return false
}
