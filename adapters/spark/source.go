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
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Driver serves the REST API of an application. Its errors are those of rest.Client.
type Driver interface {
	// Get requests a path of the driver's web service, such as /api/v1/applications.
	Get(ctx context.Context, path string) ([]byte, error)
	// History requests the same path from the history server. It returns an error if there is no history server.
	History(ctx context.Context, path string) ([]byte, error)
	Now() dag.Instant
}

// A Source watches one application. It is not safe for concurrent use.
type Source struct {
	driver Driver
	app    *App
	asked  map[int]int // how often each job's page was requested
	// poolAsked counts the requests for each pool's properties.
	poolAsked map[string]int
	next      int         // lowest id of a job that may have started and ended between two polls
	absent    map[int]int // how often the driver had no job of an id
	taken     int         // index into once of the next part to request
	begun     bool        // a poll has succeeded
	silent    int         // consecutive polls in which nothing listened at the driver's address
	told      int         // index into last of the next part to request
	named     bool        // a history server is configured
	missed    int         // polls of the history server since the end is known
	ticks     int
	done      bool
	planned   [2]int // lastJob and running when SQL plans were last requested
	offset    int    // how many of the first executions have ended
	// manager looks the application up at a cluster manager. It is nil if there is none.
	manager func(context.Context) (a yarn.App, known bool)
	peeks   bool  // the source polls jobs between observations
	peek    *peek // nil if none is running
}

// NewSource returns a source for the application with an id, or for the only one of the driver if id is "".
func NewSource(driver Driver, id string) *Source {
	return &Source{
		driver: driver, app: NewApp(id), asked: map[int]int{}, poolAsked: map[string]int{}, absent: map[int]int{},
	}
}

// App returns the state of the application.
func (s *Source) App() *App { return s.app }

// Bounds of one poll. They keep the load on a driver low.
const (
	pageTries   = 3   // requests for a job's page, and for a pool
	pagesRound  = 5   // pages of jobs
	partsRound  = 20  // requests for single jobs and stages
	pastRound   = 2   // ended stages whose tasks are requested
	tasksRound  = 60  // ended tasks of a stage
	runningRow  = 100 // running tasks of a stage; longer lists are requested less often
	giveUp      = 3   // refused polls after which a driver may count as gone
	manyExecute = 50  // executors; longer lists are requested less often
	seldom      = 5
	sqlRow      = 1000 // executions of SQL; a driver keeps the same number
	plansRound  = 5    // plans of executions
)

// once lists the parts of an application that are requested in full once. Later polls request only what has changed.
var once = [...]string{"environment", "jobs", "stages"}

// last lists the parts that are requested from a history server once it has the end.
var last = [...]string{"jobs", "stages", "allexecutors"}

var (
	errNoHistory = errors.New("spark: no history server is named: give --spark-history")
	errBehind    = errors.New("spark: the history server has not read the end yet")
)

// A driver that refuses connections counts as gone after giveUp polls and refusedFor or writtenFor. In that time a
// history server can read the driver's log. A driver that does not answer at all, for example because its host was
// lost, counts as gone only after silentFor.
const (
	refusedFor  = 20 * time.Second
	writtenFor  = time.Minute // if a history server is configured
	silentFor   = 10 * time.Minute
	checkRounds = 10 // polls between two requests to a history server that does not answer
	lastRounds  = 10 // polls for the remaining parts from a history server that has the end
)

// Next observes once. It neither waits nor retries. It returns a *dag.MissedError if an observation failed and a
// later one may succeed, a *yarn.NoWorkflowError if the application does not exist, a *NoUnitError if the
// application ended without the watched unit, and io.EOF after a snapshot with a final state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.done {
		return nil, io.EOF
	}
	s.ticks++
	s.app.round = s.ticks
	err := s.observe(ctx)
	s.endPeek()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	final := false
	if err != nil {
		if gone(err) {
			s.silent++
		}
		if !s.begun && (starting(err) || s.early(ctx, err)) {
			snap := s.app.beginning(s.driver.Now())
			if starting(err) {
				snap.Warnings = append(snap.Warnings, dag.Warning{
					Code: dag.WarnObservation, Text: "Spark is starting up: its driver does not answer questions yet",
				})
			}
			return snap, nil
		}
		if !s.begun && !s.app.lastSeen.Known() && !s.app.over {
			return nil, s.missedBy(err)
		}
		if !s.fromHistory(ctx) {
			if final = s.lost(); !final {
				return nil, s.missedBy(err)
			}
		}
	} else {
		s.checkHistory(ctx)
		s.begun = true
	}
	snap, ok := s.app.Snapshot(s.driver.Now(), final)
	if !ok {
		if e := s.app.noUnit(); e != nil && (final || s.app.over) {
			return nil, e
		}
		if snap = s.app.beginning(s.driver.Now()); final && !snap.State.Ended() {
			snap.State, snap.Jobs[0].State = dag.EndedUnconfirmed, dag.EndedUnconfirmed
		}
	}
	if s.done = snap.State.Ended(); !s.done && err == nil {
		s.startPeek(ctx)
	}
	return snap, nil
}

// early reports whether the cluster manager lists the application and its driver was never reachable: the driver
// waits for a container or starts up in one. For an application that has ended, early returns false, because the
// history server may have it.
func (s *Source) early(ctx context.Context, err error) bool {
	if s.manager == nil || s.app.lastSeen.Known() || !gone(err) {
		return false
	}
	a, known := s.manager(ctx)
	if !known {
		return false
	}
	s.app.name, s.app.user, s.app.over = cmp.Or(s.app.name, a.Name), cmp.Or(s.app.user, a.User), a.Ended
	s.app.queue = a.Queue
	return !a.Ended
}

// missedBy returns the error of a failed observation.
func (s *Source) missedBy(err error) error {
	return &dag.MissedError{At: s.app.Time(s.driver.Now()), Err: err}
}

// lost reports whether the driver counts as gone although nothing reports its end.
func (s *Source) lost() bool {
	since := s.driver.Now().Sub(s.app.lastSeen)
	least := refusedFor
	if s.named {
		least = writtenFor
	}
	return s.silent >= giveUp && since >= least || since >= silentFor
}

// starting reports whether the error is the page that a driver serves at all addresses while it starts.
func starting(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Status == http.StatusOK && strings.Contains(e.Text, "starting up")
}

// An elsewhereError means that a driver answers, but runs another application.
type elsewhereError struct{ id string }

func (e *elsewhereError) Error() string {
	return "spark: the driver does not run " + cmp.Or(e.id, "an application")
}

// gone reports whether nothing listens at the driver's address, another driver does, or the proxy says that the
// application has ended.
func gone(err error) bool {
	if _, ok := errors.AsType[*elsewhereError](err); ok {
		return true
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	e, ok := errors.AsType[*rest.Error](err)
	return ok && (e.Status >= 300 && e.Status < 400 || e.Status == http.StatusNotFound)
}

// closed reports whether nothing listens at the driver's address, which means that the driver has closed its web
// server. A connection that times out does not count: the host may only be unreachable.
func closed(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return gone(err) && !(ok && dial.Timeout())
}

// get requests a part of the application and applies the response.
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

// path returns the URL path of a part of the application.
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
		if closed(err) {
			s.app.refusals++
		}
		return err
	}
	if !s.app.takeTick(&Answer{At: s.driver.Now(), Body: func() string { return string(body) }}) {
		return &elsewhereError{s.app.id}
	}
	s.silent = 0
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
	if len(s.app.all) <= manyExecute || s.ticks%seldom == 0 {
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
	s.askLog(ctx, false)
	s.askPlans(ctx)
	s.askPools(ctx)
	return s.askTasks(ctx)
}

// fromHistory requests the end from the history server, and reports whether the end is known.
func (s *Source) fromHistory(ctx context.Context) bool {
	if s.manager != nil {
		if a, known := s.manager(ctx); known && a.Ended {
			s.app.over, s.app.ended = true, a.Finished
			s.app.manager = a.State
		}
	}
	err := s.askHistory(ctx)
	if !s.app.over && s.manager == nil {
		s.app.readLocalLog()
	}
	if err == nil && !s.app.recorded && s.app.manager != dag.Killed { // a killed driver never writes its end
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
	// If repeated requests fail, the values that the driver reported stay.
	if s.missed++; err != nil && s.named && s.missed < lastRounds {
		return false
	}
	if s.named {
		_ = s.askSQL(ctx, s.driver.History)
		s.askLog(ctx, true)
		s.askLate(ctx)
	}
	return true
}

// askHistory requests the application from the history server.
func (s *Source) askHistory(ctx context.Context) error {
	s.app.unfinished = false
	err := s.get(ctx, s.driver.History, root+"/"+url.PathEscape(s.app.id))
	s.named = !errors.Is(err, errNoHistory)
	if s.app.historyTrouble = ""; err != nil && s.named && !missing(err) {
		s.app.historyTrouble = dag.Clean(err.Error())
	}
	return err
}

// missing reports whether the server responded that the requested object does not exist.
func missing(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Status == http.StatusNotFound
}

// checkHistory requests the application from the history server in the first poll, and every checkRounds polls while
// the server does not answer. Users see a wrong address this way before the end of the run depends on it.
func (s *Source) checkHistory(ctx context.Context) {
	if !s.begun || s.app.historyTrouble != "" && s.ticks%checkRounds == 0 {
		_ = s.askHistory(ctx) // the warnings show the error
		s.app.unfinished = false
	}
}

// beginning returns a snapshot of an application without jobs. One stage stands for all stages to come.
func (a *App) beginning(now dag.Instant) *dag.Snapshot {
	a.clock.check(now)
	now = a.clock.correct(now)
	plan := a.outline()
	plan.Open, plan.Cluster.Cores, plan.Jobs[0].Stages = true, max(1, a.cores()), []dag.Stage{{Name: "jobs"}}
	snap := &dag.Snapshot{
		Plan: plan, At: now, ID: a.flowID(), User: a.user, Queue: a.queue,
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
	snap.Warnings = a.remarkWaiting()
	return snap
}
