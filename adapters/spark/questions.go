package spark

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A question is a group of requests. Each path may depend on the responses to the paths before it. By default a request
// that fails ends the round.
type question struct {
	// requests calls ask for each path, until ask returns false.
	requests func(s *Source, ask func(path string) bool)
	// most bounds the requests of a round for single jobs or stages, to keep the load on a driver low. The server may
	// not have them any more. 0 is a question for lists.
	most      int
	optional  bool // the snapshot is of use without the response
	ofHistory bool // the history server is asked
	timeout   time.Duration
}

// roundQuestions lists the questions to a driver after the list of applications, in the order of their priority.
var roundQuestions = []question{
	{requests: whole},
	{requests: running},
	{requests: watchedSQL, most: 2},
	{requests: jobs, most: 20},
	{requests: endedStages, most: 20},
	{requests: jobPages, most: 5, optional: true},
	{requests: queryPlans, most: 5, optional: true},
	{requests: historyPages, most: 5, optional: true, ofHistory: true, timeout: pagesTimeout},
	{requests: pools, optional: true},
	{requests: tasks},
}

// endQuestions lists the questions to a history server that has the end, and gapQuestions those that it may leave open.
var (
	endQuestions = []question{{requests: last, ofHistory: true}}
	gapQuestions = []question{
		{requests: watchedSQL, optional: true, ofHistory: true},
		{requests: historyPages, most: 50, optional: true, ofHistory: true, timeout: pagesTimeout},
		{requests: tasks, optional: true, ofHistory: true},
	}
)

const (
	pageTries   = 3    // requests for a job's page, for a pool, and for a job that the driver does not have
	pastRound   = 2    // ended stages whose tasks are requested in a round, or more if they have few tasks
	fewTasks    = 12   // a stage counts as one with so many at least
	pastEnd     = 20   // the same after the application's end
	tasksRound  = 60   // ended tasks of a stage
	runningRow  = 100  // running tasks of a stage; longer lists are requested less often
	manyExecute = 50   // executors; longer lists are requested less often
	seldom      = 5    // rounds
	sqlRow      = 1000 // executions of SQL; a driver keeps the same number
	// pagesTimeout bounds the requests for pages of the history server in a round: the server may read the whole event
	// log for one.
	pagesTimeout = 10 * time.Second
)

// ask asks questions until a request fails that may not.
func (s *Source) ask(ctx context.Context, questions []question) error {
	for i := range questions {
		if err := s.askOne(ctx, &questions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) askOne(ctx context.Context, q *question) error {
	if q.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.timeout)
		defer cancel()
	}
	server := s.driver.Get
	if q.ofHistory {
		server = s.driver.History
	}
	n := 0
	var failed error
	q.requests(s, func(path string) bool {
		if n++; q.most > 0 && n > q.most {
			return false
		}
		_, s.err = s.get(ctx, server, path)
		if lacks := q.most > 0 && rest.Status(s.err) == http.StatusNotFound; !lacks && !q.optional {
			failed = s.err
		}
		return failed == nil
	})
	return failed
}

// whole requests the application in full until a round has succeeded. Later rounds request only what has changed. Of an
// execution of SQL the jobs and stages are requested one by one: a session may have thousands of others.
func whole(s *Source, ask func(string) bool) {
	if s.answered || !ask(s.path("environment")) || s.app.unit.kind == sqlUnit || !ask(s.path("jobs")) ||
		!ask(s.path("stages")) {
		return
	}
	s.nextJob = 1 + s.app.lastJob()
	for id, j := range s.app.jobs {
		if !j.hasEnded() {
			s.nextJob = min(s.nextJob, id)
		}
	}
}

// last requests the final state of the application.
func last(s *Source, ask func(string) bool) {
	_ = ask(s.path("jobs")) && ask(s.path("stages")) && ask(s.path("allexecutors"))
}

// running requests the running jobs, the stages that run or wait, and the executors.
func running(s *Source, ask func(string) bool) {
	if ask(s.path("jobs?status=running")) && ask(s.path("stages?status=active&status=pending")) &&
		(len(s.app.all) <= manyExecute || s.app.round%seldom == 0) {
		ask(s.path("allexecutors"))
	}
}

// sqlList requests all executions of SQL.
var sqlList = fmt.Sprintf("sql?length=%d&details=false&planDescription=false", sqlRow)

// newestSQL requests the executions from the watched one on, or some before it. A driver that keeps n executions drops
// a tenth of them at once.
func (s *Source) newestSQL() string {
	x := s.app.execution()
	if x == nil {
		return sqlList
	}
	return fmt.Sprintf("%s&offset=%d", sqlList, min(x.id, s.app.conf.retained("sql.ui.retainedExecutions", sqlRow)*9/10))
}

// watchedSQL requests the watched execution of SQL, or all executions if there is none.
func watchedSQL(s *Source, ask func(string) bool) {
	if s.app.unit.kind != sqlUnit {
		return
	}
	known := s.app.execution() != nil
	if id := s.app.unit.name; id != Newest && !ask(s.path("sql/%s?details=false&planDescription=false", url.PathEscape(id))) {
		return
	}
	if !known && s.app.execution() == nil {
		ask(s.path("%s", sqlList))
	}
}

// jobs requests jobs that have left the list of running jobs, or were never in it because they started and ended
// between two rounds. Job ids have no gaps. It therefore requests all ids without a response and the id after the last
// one.
func jobs(s *Source, ask func(string) bool) {
	if s.app.unit.kind == sqlUnit {
		x := s.app.execution()
		if x == nil || len(x.jobs) == 0 {
			return
		}
		s.nextJob = max(s.nextJob, sortedKeys(x.jobs)[0])
	}
	last := s.app.lastJob()
	for id := s.nextJob; ; id++ {
		j, path := s.app.jobs[id], s.path("jobs/%d", id)
		open := j == nil && s.tries[path] < pageTries || j != nil && !j.hasEnded() && j.lastListed < s.app.round
		if open && !ask(path) {
			return
		}
		switch j = s.app.jobs[id]; {
		case j == nil && id > last:
			return
		case j == nil && s.tries[path] < pageTries:
			s.tries[path]++
		case id == s.nextJob && (j == nil || j.hasEnded()):
			s.nextJob++
		}
	}
}

// endedStages requests stages that have left the list of running and waiting stages, even if their job still runs.
func endedStages(s *Source, ask func(string) bool) {
	for _, j := range s.app.unitJobs() {
		if j.settled {
			continue
		}
		for _, st := range j.stages {
			if st.status == "COMPLETE" || st.status == "SKIPPED" || st.lastListed == s.app.round ||
				!j.hasEnded() && st.status == "PENDING" {
				continue
			}
			if !ask(s.path("stages/%d?details=false", st.id)) {
				return
			}
		}
		j.settled = j.hasEnded()
	}
}

// jobPage returns the path of a job's page.
func jobPage(id int) string { return "/jobs/job/?id=" + strconv.Itoa(id) }

// jobPages requests the pages of jobs with several stages, and of those of SQL, the newest first. They show the
// dependencies between stages, and the operators in them.
func jobPages(s *Source, ask func(string) bool) { s.pages("", ask) }

// historyPages requests the same pages from the history server, if the driver's do not show the dependencies; after the
// application's end, if those of any job are unknown. If that fails too, the dependencies stay a guess, for which there
// is a separate warning.
func historyPages(s *Source, ask func(string) bool) {
	if !s.app.hasEnd && s.app.round%checkRounds != 0 || !slices.ContainsFunc(s.app.unitJobs(), s.needsHistory) {
		return
	}
	if d, ok := s.driver.(*webDriver); ok {
		d.findHistory(s.app.conf["spark.yarn.historyServer.address"])
	}
	s.pages("/history/"+s.pathID(), ask)
}

// needsHistory reports whether only the history server can still show the dependencies of a job.
func (s *Source) needsHistory(j *job) bool {
	return !j.edgesKnown() && (s.app.hasEnd || j.pageTries[0] >= pageTries)
}

// pages requests the pages of jobs. below is the path before that of a page.
func (s *Source) pages(below string, ask func(string) bool) {
	for _, j := range slices.Backward(s.app.unitJobs()) {
		tries := &j.pageTries[one(below != "")]
		if j.edgesKnown() && !j.lacksScopes() || *tries >= pageTries || below != "" && !s.needsHistory(j) {
			continue
		}
		if !ask(below + jobPage(j.id)) {
			return
		}
		if *tries++; rest.Status(s.err) == http.StatusForbidden {
			*tries = pageTries // it will be refused again
		}
	}
}

// queryPlans requests the plan of each execution of SQL once, the newest first, and again for each new job while it
// runs, because an adaptive plan changes with each job. Ids of executions have no gaps.
func queryPlans(s *Source, ask func(string) bool) {
	isNew := false
	for _, j := range s.app.unitJobs() {
		if j.isSQL() && !j.lacksScopes() && !j.planned {
			j.planned, isNew = true, true
		}
	}
	if len(s.app.executions) == 0 && (!isNew || !ask(s.path("%s", sqlList))) {
		return
	}
	with := func(id int) bool { return ask(s.path("sql/%d?details=false&planDescription=true", id)) }
	ids := sortedKeys(s.app.executions)
	next := 1 + slices.Max(append(ids, -1))
	for isNew && s.app.unit.kind != sqlUnit && with(next) && s.app.executions[next] != nil {
		s.app.executions[next].planned = true
		next++
	}
	for _, id := range slices.Backward(ids) {
		x := s.app.executions[id]
		isWatched := s.app.unit.kind != sqlUnit || x == s.app.execution()
		if isWatched && (isNew && x.status == "RUNNING" || !x.planned && len(x.jobs) > 0) {
			if !with(id) {
				return
			}
			x.planned = true
		}
	}
}

// pools requests the weights of pools that are new since the driver listed them. A pool that is not in a scheduler
// file starts to exist with its first stage.
func pools(s *Source, ask func(string) bool) {
	names, _ := s.app.strangePools()
	isNew := false
	for _, name := range names {
		s.tries["pool "+name]++
		isNew = isNew || s.tries["pool "+name] <= pageTries
	}
	if isNew {
		ask(poolsPage)
	}
}

// tasks requests the running tasks of running stages, and some of the ended ones. After the application's end it
// requests those that ended shortly before the driver closed, such as the failure that ended the application. Tasks
// that the history server does not have stay unchanged.
func tasks(s *Source, ask func(string) bool) {
	past, most, least, each := 0, pastRound*tasksRound, fewTasks, 1+s.app.cores()/runningRow
	if s.app.hasEnd {
		most, least = pastEnd*tasksRound, tasksRound
	}
	for _, st := range s.app.unitStages() {
		t := st.newest()
		if t == nil || t.window.whole {
			continue
		}
		active := t.status == "ACTIVE" && !s.app.hasEnd
		if !active {
			if past += min(max(t.tasks, least), tasksRound); past > most {
				continue
			}
		}
		list := s.path("stages/%d/%d/taskList", st.id, t.number)
		if active && s.app.round%each == 0 && !ask(list+"?status=RUNNING&length="+strconv.Itoa(runningRow*each*2)) ||
			!ask(fmt.Sprintf("%s?offset=%d&length=%d", list, t.offset(), tasksRound)) {
			return
		}
	}
}

// A window is the position in the list of an attempt's tasks. Each round reads a part of the list. All tasks before
// from have ended, and so have those in ends. The next part begins at next.
type window struct {
	from, next int
	ends       map[int]bool
	whole      bool // all tasks have been listed since the attempt ended
}

// offset returns the position of the first task without a known end. The list is in launch order, so all tasks before
// it are unchanged. If one long task blocks the beginning, the next part begins after the last one.
func (t *try) offset() int {
	w := &t.window
	for ; w.ends[w.from]; w.from++ {
		delete(w.ends, w.from)
	}
	at := w.from
	if w.next >= w.from && w.next < w.from+len(t.list)+tasksRound {
		at = w.next
	}
	for w.ends[at] {
		at++
	}
	return at
}

// listed records which tasks of a part of the list have ended.
func (t *try) listed(at int, ended []bool) {
	w, active := &t.window, t.status == "ACTIVE"
	if len(ended) < tasksRound && active && at+len(ended) < t.complete {
		*w = window{} // the driver has dropped the oldest tasks, so that positions have changed
		return
	}
	if w.ends == nil {
		w.ends = map[int]bool{}
	}
	for i, is := range ended {
		w.ends[at+i] = w.ends[at+i] || is
	}
	if w.next = at + len(ended); len(ended) < tasksRound {
		w.next, w.whole = w.from, w.whole || !active && at == w.from
	}
}

// request returns a request to a driver or a history server for a path below base. The response is JSON or, for a job
// and for all stages, a page.
func request(client *yarn.Client, base, path string) rest.Request {
	r := rest.Request{
		Bases: []string{base}, Path: path,
		Advise: func(e *rest.Error, resp *rest.Response) { advise(client, e, resp) },
	}
	path, _, _ = strings.Cut("/"+path, "?")
	if e, _ := endpointOf(path); e != nil {
		// The proxy passes on the driver's Date, which may be another machine's.
		if r.Limit, r.Clock = e.limit, !e.page && base != "" && !strings.Contains(base, "/proxy/"); e.page {
			r.Usable = drawn
		}
	}
	return r
}

// drawn reports whether a page has the graphs of stages or the list of pools. Other pages come from a proxy, or from a
// driver that starts.
func drawn(kind string, body []byte) bool {
	return kind == "text/html" &&
		(bytes.Contains(body, []byte("stage-metadata")) || bytes.Contains(body, []byte("SchedulingMode")))
}

// MasterTitle begins the title of the page that a standalone master returns for any address.
const MasterTitle = "Spark Master at"

// startText is in the page that a driver returns for any address while it starts.
const startText = "Spark is starting up"

var appInPath = regexp.MustCompile(`/(application_\d+_\d+|app-[\w-]+|local-\d+)(/|$)`)

// advise completes the error of a response: it recognizes a driver that starts, and names the user that a driver
// refuses, and what to request.
func advise(client *yarn.Client, e *rest.Error, r *rest.Response) {
	if r == nil {
		return
	}
	page := r.Body[:min(len(r.Body), 4096)]
	if (e.Text == "" || strings.Contains(e.Text, startText)) && bytes.Contains(page, []byte(startText)) {
		e.Text = startText
	}
	if e.Status == http.StatusOK && e.Text == startText {
		e.Hint = "wait until it is up"
	}
	if bytes.Contains(page, []byte("<title>"+MasterTitle)) {
		e.Text = "this is the page of a master"
		e.Hint = "give it by --spark-master, and choose one of its applications"
	}
	u, err := url.Parse(e.URL)
	if err != nil || r.Header.Get("WWW-Authenticate") != "" || !strings.Contains(u.Path, "/api/v1/applications") {
		return
	}
	switch r.Status {
	case http.StatusUnauthorized:
		e.Hint = "a gateway or the filter of Spark's pages (spark.ui.filters) requires a login: give --token-file, " +
			"a user and password, or a ticket"
	case http.StatusForbidden:
		app := "the application"
		if m := appInPath.FindStringSubmatch(u.Path); m != nil {
			app = m[1]
		}
		e.Hint = client.Refused(app, func(user string) string {
			return "its owner can start it with spark.ui.view.acls=" + user
		})
	}
}
