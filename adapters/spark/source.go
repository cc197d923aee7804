package spark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

// A Driver is where an application is asked about. Its errors are those of hadoop.Client.
type Driver interface {
	// Get asks for a path of the driver's web service, such as /api/v1/applications.
	Get(ctx context.Context, path string) ([]byte, error)
	// History asks the history server for the same; without one it is an error.
	History(ctx context.Context, path string) ([]byte, error)
	Now() dag.Instant
}

// A Source watches one application. It is not safe for concurrent use.
type Source struct {
	driver Driver
	app    *App
	asked  map[int]int // how often a job's page was asked for
	next   int         // the first job that may have come and gone between two rounds
	absent map[int]int // how often a driver did not know a job
	taken  int         // of once, what has been answered
	begun  bool        // a round has been answered
	silent int         // rounds in a row in which nobody listened where the driver was
	heard  dag.Instant // when the driver answered last
	told   int         // of last, what the history server has answered
	named  bool        // there is a history server
	missed int         // rounds in which it was asked for the end that is known
	ticks  int
	done   bool
	// manager is the application as a cluster manager has it; nil: there is none.
	manager func(context.Context) (a hadoop.App, known bool)
}

// NewSource watches the application that a driver runs, or the one of that id.
func NewSource(driver Driver, id string) *Source {
	return &Source{
		driver: driver, app: NewApp(id), asked: map[int]int{}, absent: map[int]int{}, heard: dag.NoInstant,
	}
}

// App returns what is known of the application.
func (s *Source) App() *App { return s.app }

// Bounds of a round, so that a driver has little to answer.
const (
	pageTries   = 3   // of a job's page
	pagesRound  = 5   // pages of jobs
	partsRound  = 20  // stages and jobs that are asked for by their ids
	pastRound   = 2   // stages that have ended of which tasks are asked for
	tasksRound  = 60  // tasks of a stage that have ended
	runningRow  = 100 // tasks of a stage that run: of more, a list comes more seldom
	giveUp      = 3   // rounds in which nobody listens after which the driver is taken to be gone
	manyExecute = 50  // executors: of more, the list comes more seldom
	seldom      = 5
	sqlRow      = 1000 // executions of SQL; a driver keeps as many
)

// once are the parts of an application that are asked for as a whole once; later rounds ask for what has changed.
var once = [...]string{"environment", "jobs", "stages"}

// last are those that a history server is asked for when it knows the end.
var last = [...]string{"jobs", "stages", "allexecutors"}

var (
	errNoHistory = errors.New("spark: no history server is named: give --spark-history")
	errBehind    = errors.New("spark: the history server has not read the end yet")
)

// A driver that nobody listens for is gone after giveUp rounds and some time, in which a history server reads what it
// has written; one that is merely not heard, as where a network or a host has gone, after much longer.
const (
	refusedFor = 20 * time.Second
	writtenFor = time.Minute // where a history server is named
	silentFor  = 10 * time.Minute
	lastRounds = 10 // rounds in which a history server that knows the end is asked for the rest
)

// Next observes once. It neither waits nor retries. Errors: *dag.MissedError where an observation failed and a later
// one may succeed, *hadoop.NoWorkflowError where there is no such application, io.EOF after a snapshot whose state is
// final.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.done {
		return nil, io.EOF
	}
	s.ticks++
	s.app.round = s.ticks
	err := s.observe(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	final := false
	if err != nil {
		if gone(err) {
			s.silent++
		}
		if !s.begun && (starting(err) || s.early(ctx, err)) {
			return s.app.beginning(s.driver.Now()), nil
		}
		if !s.begun && !s.heard.Known() && !s.app.over {
			return nil, &dag.MissedError{At: s.driver.Now(), Err: err}
		}
		if !s.fromHistory(ctx) {
			if final = s.lost(); !final {
				return nil, &dag.MissedError{At: s.driver.Now(), Err: err}
			}
		}
	} else {
		s.begun = true
	}
	snap, ok := s.app.Snapshot(s.driver.Now(), final)
	if !ok {
		snap = s.app.beginning(s.driver.Now())
	}
	s.done = snap.State.Ended()
	return snap, nil
}

// early reports whether the cluster manager has the application and its driver was never there: it waits for a
// container, or starts in one. If it has ended instead, the history server may have it.
func (s *Source) early(ctx context.Context, err error) bool {
	if s.manager == nil || s.heard.Known() || !gone(err) {
		return false
	}
	a, known := s.manager(ctx)
	if !known {
		return false
	}
	s.app.name, s.app.user, s.app.over = cmp.Or(s.app.name, a.Name), cmp.Or(s.app.user, a.User), a.Ended
	return !a.Ended
}

// lost reports whether the driver is taken to be gone, whatever nobody tells of its end.
func (s *Source) lost() bool {
	since := s.driver.Now().Sub(s.heard)
	least := refusedFor
	if s.named {
		least = writtenFor
	}
	return s.silent >= giveUp && since >= least || since >= silentFor
}

// starting reports whether a driver answers by the page that it has for all addresses while it starts.
func starting(err error) bool {
	e, ok := errors.AsType[*hadoop.Error](err)
	return ok && e.Status == http.StatusOK && strings.Contains(e.Text, "starting up")
}

// An elsewhereError says that a driver answers, and runs something else.
type elsewhereError struct{ id string }

func (e *elsewhereError) Error() string {
	return "spark: the driver does not run " + cmp.Or(e.id, "an application")
}

// gone reports whether nobody listens where the driver was, another one does, or its proxy says that it has ended.
func gone(err error) bool {
	if _, ok := errors.AsType[*elsewhereError](err); ok {
		return true
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	e, ok := errors.AsType[*hadoop.Error](err)
	return ok && (e.Status >= 300 && e.Status < 400 || e.Status == http.StatusNotFound)
}

// get asks for a part of the application and takes the answer.
func (s *Source) get(ctx context.Context, ask func(context.Context, string) ([]byte, error), path string) error {
	body, err := ask(ctx, path)
	if err != nil {
		return err
	}
	u, err := url.Parse(path)
	if err != nil {
		return fmt.Errorf("spark: %w", err)
	}
	s.app.Take(&Answer{
		URL: u, At: s.driver.Now(), Status: http.StatusOK, Type: "application/json",
		Body: func() string { return string(body) },
	})
	return nil
}

// path is that of a part of the application.
func (s *Source) path(part string) string {
	p := root + "/" + url.PathEscape(s.app.id)
	if s.app.turn != "" {
		p += "/" + url.PathEscape(s.app.turn)
	}
	return p + "/" + part
}

func (s *Source) observe(ctx context.Context) error {
	body, err := s.driver.Get(ctx, root)
	if err != nil {
		return err
	}
	if !s.app.TakeApplication(body) {
		return &elsewhereError{s.app.id}
	}
	s.silent, s.heard = 0, s.driver.Now()
	ask := s.driver.Get
	for ; s.taken < len(once); s.taken++ {
		if err := s.get(ctx, ask, s.path(once[s.taken])); err != nil {
			return err
		}
		s.next = 1 + s.app.lastJob()
	}
	for _, part := range []string{"jobs?status=running", "stages?status=active&status=pending"} {
		if err := s.get(ctx, ask, s.path(part)); err != nil {
			return err
		}
	}
	if len(s.app.executors) <= manyExecute || s.ticks%seldom == 0 {
		if err := s.get(ctx, ask, s.path("allexecutors")); err != nil {
			return err
		}
	}
	if err := s.askSQL(ctx, ask); err != nil {
		return err
	}
	if err := s.askBrief(ctx); err != nil {
		return err
	}
	if err := s.askEnded(ctx); err != nil {
		return err
	}
	s.askPages(ctx)
	return s.askTasks(ctx)
}

// askSQL asks for the execution that is watched, or for all while it is not known which one that is.
func (s *Source) askSQL(ctx context.Context, ask func(context.Context, string) ([]byte, error)) error {
	if s.app.unit.kind != sqlUnit {
		return nil
	}
	part := "sql?length=" + strconv.Itoa(sqlRow) + "&"
	if x := s.app.execution(); x != nil {
		part = "sql/" + strconv.Itoa(x.id) + "?"
	}
	return s.get(ctx, ask, s.path(part+"details=false&planDescription=false"))
}

// After returns the id of the newest execution of SQL that runs and began after the one that was watched, "" while
// there is none. over says that the driver has gone.
func (s *Source) After(ctx context.Context) (id string, over bool, err error) {
	list := "sql?length=" + strconv.Itoa(sqlRow) + "&details=false&planDescription=false"
	if err = s.get(ctx, s.driver.Get, s.path(list)); err != nil {
		if gone(err) {
			s.silent++
		}
		if s.silent >= giveUp {
			return "", true, nil
		}
		return "", false, err
	}
	s.silent = 0
	x := s.app.execution()
	for n, y := range s.app.executions {
		if y.status == "RUNNING" && (x == nil || n > x.id) {
			x = y
			id = IDOf(s.app.id, strconv.Itoa(n), "")
		}
	}
	return id, false, nil
}

// askBrief asks for jobs that came and ended between two rounds, so that no list of running jobs had them. Jobs are
// numbered without gaps: those that nobody has told, and the one after the last.
func (s *Source) askBrief(ctx context.Context) error {
	last := s.app.lastJob()
	left := partsRound
	for id := s.next; left > 0; id++ {
		if s.app.jobs[id] == nil && s.absent[id] < pageTries {
			left--
			err := s.get(ctx, s.driver.Get, s.path("jobs/"+strconv.Itoa(id)))
			if e, ok := errors.AsType[*hadoop.Error](err); ok && e.Status == http.StatusNotFound {
				if id > last {
					return nil
				}
				s.absent[id]++
				continue
			}
			if err != nil {
				return err
			}
		} else if id > last {
			return nil
		}
		if id == s.next {
			s.next++
		}
	}
	return nil
}

// askEnded asks for jobs that ran in the round before and no longer do, and for stages that have left the list of those
// that run or wait, be it that their job goes on.
func (s *Source) askEnded(ctx context.Context) error {
	left := partsRound
	for _, id := range s.app.unitJobs() {
		j := s.app.jobs[id]
		if j.over() && j.settled {
			continue
		}
		if left <= 0 {
			return nil
		}
		if runs := !j.over() && j.seen == s.ticks && s.ticks > 1; !runs {
			left--
			if err := s.get(ctx, s.driver.Get, s.path("jobs/"+strconv.Itoa(id))); err != nil {
				return err
			}
		}
		open := false
		for _, sid := range j.stages {
			st := s.app.stages[sid]
			if st == nil || st.status == "COMPLETE" || st.status == "SKIPPED" || st.seen == s.ticks {
				continue
			}
			if !j.over() && st.status == "PENDING" {
				continue
			}
			if left--; left < 0 {
				open = true
				break
			}
			if err := s.get(ctx, s.driver.Get, s.path("stages/"+strconv.Itoa(sid)+"?details=false")); err != nil &&
				!gone(err) {
				return err
			}
		}
		j.settled = j.over() && !open
	}
	return nil
}

// askPages asks for the pages of jobs with several stages, the only place where their graphs are told.
func (s *Source) askPages(ctx context.Context) {
	n := 0
	for _, id := range s.app.unitJobs() {
		j := s.app.jobs[id]
		if len(j.stages) < 2 || s.app.told(j) || s.asked[id] >= pageTries || n >= pagesRound {
			continue
		}
		n++
		s.asked[id]++
		if body, err := s.driver.Get(ctx, "/jobs/job/?id="+strconv.Itoa(id)); err == nil {
			s.app.TakePage(string(body), id)
		}
	}
}

// askTasks asks for the tasks of stages that run: those that run, and some of those that have ended.
func (s *Source) askTasks(ctx context.Context) error {
	past := 0
	asked := s.app.unitStages()
	for _, id := range sortedKeys(s.app.stages) {
		if s.app.unit.kind != "" && !asked[id] {
			continue
		}
		st := s.app.stages[id]
		t := st.newest()
		if t == nil || t.whole {
			continue
		}
		if t.status != "ACTIVE" {
			if past++; past > pastRound {
				continue
			}
		}
		list := s.path(fmt.Sprintf("stages/%d/%d/taskList", id, t.number))
		each := 1 + s.app.cores()/runningRow
		if t.status == "ACTIVE" && s.ticks%each == 0 {
			if err := s.get(ctx, s.driver.Get, list+"?status=RUNNING&length="+strconv.Itoa(runningRow*each*2)); err != nil {
				return err
			}
		}
		if err := s.askWindow(ctx, s.driver.Get, t, list); err != nil {
			return err
		}
	}
	return nil
}

// askLate asks the history server for tasks whose end the driver took with it, such as the failure that ended the
// application. What it does not tell stays as it was.
func (s *Source) askLate(ctx context.Context) {
	asked := s.app.unitStages()
	left := partsRound
	for _, id := range sortedKeys(s.app.stages) {
		if t := s.app.stages[id].newest(); t != nil && !t.whole && asked[id] && left > 0 {
			left--
			_ = s.askWindow(ctx, s.driver.History, t, s.path(fmt.Sprintf("stages/%d/%d/taskList", id, t.number)))
		}
	}
}

// askWindow asks for tasks from the first one on whose end is not known. Tasks are listed in the order of their launch,
// so that what is before it has not changed. Where one task holds the beginning, the next window begins behind the last
// one.
func (s *Source) askWindow(ctx context.Context, ask func(context.Context, string) ([]byte, error), t *try, list string,
) error {
	if t.ends == nil {
		t.ends = map[int]bool{}
	}
	for t.ends[t.from] {
		delete(t.ends, t.from)
		t.from++
	}
	at := t.from
	if t.window >= t.from && t.window < t.from+len(t.list)+tasksRound {
		at = t.window
	}
	for t.ends[at] {
		at++
	}
	body, err := ask(ctx, fmt.Sprintf("%s?offset=%d&length=%d", list, at, tasksRound))
	if err != nil {
		return err
	}
	states, ok := s.app.takeWindow(body, t, s.app.stageOf(t), s.driver.Now())
	if !ok {
		return fmt.Errorf("spark: the answer to %s is not what it should be", list)
	}
	for i, ended := range states {
		if ended {
			t.ends[at+i] = true
		}
	}
	if t.window = at + len(states); len(states) < tasksRound {
		t.window = t.from
		if t.status != "ACTIVE" && at == t.from {
			t.whole = true
		}
	}
	return nil
}

// fromHistory asks the history server for the end, and reports whether it has it.
func (s *Source) fromHistory(ctx context.Context) bool {
	if s.manager != nil {
		if a, known := s.manager(ctx); known && a.Ended {
			s.app.over, s.app.ended = true, a.Finished
			s.app.manager = a.State
		}
	}
	err := s.get(ctx, s.driver.History, root+"/"+url.PathEscape(s.app.id))
	s.named = !errors.Is(err, errNoHistory)
	if err == nil && !s.app.recorded && s.app.manager != dag.Killed { // a driver that is killed never writes its end
		err = errBehind
	}
	for ; err == nil && s.app.over && s.told < len(last); s.told++ {
		if err = s.get(ctx, s.driver.History, s.path(last[s.told])); err != nil {
			break
		}
	}
	if !s.app.over {
		return false
	}
	// What it does not tell, asked again and again, stays as the driver had it.
	if s.missed++; err != nil && s.named && s.missed < lastRounds {
		return false
	}
	if s.named {
		_ = s.askSQL(ctx, s.driver.History)
		s.askLate(ctx)
	}
	return true
}

// beginning is a snapshot of an application that has no job yet: one stage stands for all that come.
func (a *App) beginning(now dag.Instant) *dag.Snapshot {
	plan := &dag.Plan{
		Name: a.flowName(), Engine: engine.Spark, Whole: engine.Whole(engine.Spark), Driver: dag.Eager, Open: true,
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: max(1, a.cores())},
		Jobs:    []dag.Job{{Node: a.node(), Name: a.flowName(), Stages: []dag.Stage{{Name: "jobs"}}}},
	}
	snap := &dag.Snapshot{
		Plan: plan, At: now, ID: a.flowID(), User: a.user,
		State: dag.Submitted, Stale: dag.NoInstant,
		Jobs: plan.BlockedJobs(), Nodes: a.nodes(now),
	}
	if a.over {
		if snap.State = dag.Succeeded; a.manager.Ended() {
			snap.State = a.manager
		}
	} else if s := a.unitEnd(false, nil, now); s.Ended() { // it has run no job
		snap.State = s
	}
	snap.Jobs[0].ID, snap.Jobs[0].State = a.flowID(), snap.State
	return snap
}

// A webDriver is a driver at an address.
type webDriver struct {
	client  *hadoop.Client
	base    string
	history string
}

// AtAddress returns a driver at an address such as http://driver:4040. history is the history server's; "" for none.
func AtAddress(client *hadoop.Client, base, history string) Driver {
	return &webDriver{client, base, history}
}

func (d *webDriver) Get(ctx context.Context, path string) ([]byte, error) {
	return d.client.Web(ctx, d.base, path)
}

func (d *webDriver) History(ctx context.Context, path string) ([]byte, error) {
	if d.history == "" {
		return nil, errNoHistory
	}
	return d.client.Web(ctx, d.history, path)
}

func (d *webDriver) Now() dag.Instant { return d.client.Now() }

// A yarnDriver is a driver behind the ResourceManager's proxy.
type yarnDriver struct {
	webDriver
	app string
}

// OnYARN watches an application of Spark on YARN.
func OnYARN(client *hadoop.Client, id, history string) *Source {
	over := hadoop.NewOverview(client, nil)
	unitID := id
	id, _ = AppOf(id)
	s := NewSource(&yarnDriver{webDriver{client: client, history: history}, id}, unitID)
	s.manager = func(ctx context.Context) (a hadoop.App, known bool) {
		if over.Observe(ctx) != nil {
			return a, false
		}
		return over.App(ctx, id)
	}
	return s
}

// Get asks through the proxy. Once the application has ended the proxy names the history server.
func (d *yarnDriver) Get(ctx context.Context, path string) ([]byte, error) {
	body, err := d.client.Proxy(ctx, d.app, strings.TrimPrefix(path, "/"))
	if e, ok := errors.AsType[*hadoop.Error](err); ok && d.history == "" && e.Location != "" {
		if to, bad := url.Parse(e.Location); bad == nil && strings.Contains(to.Path, "/history/") &&
			(to.Scheme == "http" || to.Scheme == "https") {
			before, _, _ := strings.Cut(to.Path, "/history/")
			if d.client.Trusts(to) {
				d.history = to.Scheme + "://" + to.Host + before
			}
		}
	}
	return body, err
}

// NewestOnYARN returns the id of the newest application of Spark that runs of a user, if it is newer than all others
// that can be watched; the target names one that may be of Spark, or none. ok is false where it is not one of Spark.
func NewestOnYARN(ctx context.Context, client *hadoop.Client, target hadoop.Target) (id string, ok bool, err error) {
	if target.ID != "" && !strings.HasPrefix(target.ID, "application_") {
		return "", false, nil
	}
	over := hadoop.NewOverview(client, nil)
	if err := over.Observe(ctx); err != nil {
		return "", false, err
	}
	if target.ID != "" {
		a, known := over.App(ctx, target.ID)
		return target.ID, known && a.Type == "SPARK", nil
	}
	apps := slices.DeleteFunc(over.Listed(), func(a hadoop.App) bool {
		watched := a.Type == "SPARK" || a.Type == "TEZ" || a.Type == "MAPREDUCE"
		return a.Ended || !watched || target.User != "" && a.User != target.User
	})
	if len(apps) == 0 {
		return "", false, nil
	}
	best := slices.MaxFunc(apps, func(x, y hadoop.App) int { return compareInstants(x.Submitted, y.Submitted) })
	return best.ID, best.Type == "SPARK", nil
}

// The ports on which drivers of a machine listen, the first one that is free.
const firstPort, lastPort = 4040, 4050

// OnThisMachine returns the addresses of drivers that listen on this machine.
func OnThisMachine(ctx context.Context, client *hadoop.Client) []string {
	var out []string
	for port := firstPort; port <= lastPort; port++ {
		base := "http://localhost:" + strconv.Itoa(port)
		body, err := client.Web(ctx, base, root)
		if err == nil && NewApp("").TakeApplication(body) {
			out = append(out, base)
		}
	}
	return out
}
