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

	"github.com/paratimer/paratimer/adapters/hadoop"
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
	// poolAsked is how often the driver was asked for what is known of a pool.
	poolAsked map[string]int
	next      int         // the first job that may have come and gone between two rounds
	absent    map[int]int // how often a driver did not know a job
	taken     int         // of once, what has been answered
	begun     bool        // a round has been answered
	silent    int         // rounds in a row in which nothing listened where the driver was
	told      int         // of last, what the history server has answered
	named     bool        // there is a history server
	missed    int         // rounds in which it was asked for the end that is known
	ticks     int
	done      bool
	planned   [2]int // which jobs there were when the plans of executions of SQL were asked for
	offset    int    // how many of the first executions are over
	// manager is the application as a cluster manager has it; nil: there is none.
	manager func(context.Context) (a hadoop.App, known bool)
	peeks   bool  // jobs are looked at between observations
	peek    *peek // nil: none is
}

// NewSource watches the application that a driver runs, or the one of that id.
func NewSource(driver Driver, id string) *Source {
	return &Source{
		driver: driver, app: NewApp(id), asked: map[int]int{}, poolAsked: map[string]int{}, absent: map[int]int{},
	}
}

// App returns what is known of the application.
func (s *Source) App() *App { return s.app }

// Bounds of a round, so that a driver has little to answer.
const (
	pageTries   = 3   // of a job's page, and of what is known of a pool
	pagesRound  = 5   // pages of jobs
	partsRound  = 20  // stages and jobs that are asked for by their ids
	pastRound   = 2   // stages that have ended of which tasks are asked for
	tasksRound  = 60  // tasks of a stage that have ended
	runningRow  = 100 // tasks of a stage that run: of more, a list comes more seldom
	giveUp      = 3   // rounds in which nothing listens after which the driver is taken to be gone
	manyExecute = 50  // executors: of more, the list comes more seldom
	seldom      = 5
	sqlRow      = 1000 // executions of SQL; a driver keeps as many
	plansRound  = 5    // plans of executions
)

// once are the parts of an application that are asked for as a whole once; later rounds ask for what has changed.
var once = [...]string{"environment", "jobs", "stages"}

// last are those that a history server is asked for when it knows the end.
var last = [...]string{"jobs", "stages", "allexecutors"}

var (
	errNoHistory = errors.New("spark: no history server is named: give --spark-history")
	errBehind    = errors.New("spark: the history server has not read the end yet")
)

// A driver at whose address nothing listens is gone after giveUp rounds and some time, in which a history server reads
// what the driver has written. One that does not answer, as after the loss of a host, is gone after much longer.
const (
	refusedFor  = 20 * time.Second
	writtenFor  = time.Minute // where a history server is named
	silentFor   = 10 * time.Minute
	checkRounds = 10 // rounds between two questions to a history server that does not answer
	lastRounds  = 10 // rounds in which a history server that knows the end is asked for the rest
)

// Next observes once. It neither waits nor retries. Errors: *dag.MissedError where an observation failed and a later
// one may succeed, *hadoop.NoWorkflowError where there is no such application, *NoUnitError where it has ended without
// the unit that is watched, io.EOF after a snapshot whose state is final.
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

// early reports whether the cluster manager has the application and its driver was never there: it waits for a
// container, or starts in one. If it has ended instead, the history server may have it.
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

// missedBy says that an observation failed.
func (s *Source) missedBy(err error) error {
	return &dag.MissedError{At: s.app.Time(s.driver.Now()), Err: err}
}

// lost reports whether the driver is taken to be gone, although nothing reports its end.
func (s *Source) lost() bool {
	since := s.driver.Now().Sub(s.app.lastSeen)
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

// gone reports whether nothing listens where the driver was, another one does, or its proxy says that it has ended.
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

// closed reports whether nothing listens where the driver was, so that it has closed its page: a host that does not
// answer may only be out of reach.
func closed(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return gone(err) && !(ok && dial.Timeout())
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

// fromHistory asks the history server for the end, and reports whether it has it.
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
	// What it does not have, asked again and again, stays as the driver had it.
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

// askHistory asks the history server for the application.
func (s *Source) askHistory(ctx context.Context) error {
	s.app.unfinished = false
	err := s.get(ctx, s.driver.History, root+"/"+url.PathEscape(s.app.id))
	s.named = !errors.Is(err, errNoHistory)
	if s.app.historyTrouble = ""; err != nil && s.named && !missing(err) {
		s.app.historyTrouble = dag.Clean(err.Error())
	}
	return err
}

// missing reports whether a service answers that it does not know what it was asked for.
func missing(err error) bool {
	e, ok := errors.AsType[*hadoop.Error](err)
	return ok && e.Status == http.StatusNotFound
}

// checkHistory asks the history server in the first round, and now and then while it does not answer: a wrong address
// is to be known before the end of the run depends on it.
func (s *Source) checkHistory(ctx context.Context) {
	if !s.begun || s.app.historyTrouble != "" && s.ticks%checkRounds == 0 {
		_ = s.askHistory(ctx) // what is wrong is in the warnings
		s.app.unfinished = false
	}
}

// beginning is a snapshot of an application that has no job yet: one stage stands for all that come.
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
