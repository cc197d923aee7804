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
	// manager looks the application up at a cluster manager; known is false if that fails. It is nil if there is none.
	manager    func(context.Context) (l Listed, known bool)
	reportsEnd bool           // the manager reports how the application has ended
	isGone     bool           // the manager reports only that it has ended
	tries      map[string]int // how often pools, and jobs that the driver lacks, were requested
	nextJob    int            // lowest id of a job without a known end
	err        error          // of the newest request
	// answered means that a whole round has succeeded.
	answered         bool
	endRounds        int // rounds since the end is known
	hasHistoryServer bool
	done             bool   // Next has returned a final state
	peeks            bool   // the source polls jobs between observations
	endPeek          func() // stops to poll, and applies what was polled
	newest           bool   // the newest execution of SQL was chosen
}

// NewSource returns a source for the application with an id, or for the only one of the driver if id is "".
func NewSource(driver Driver, id string) *Source {
	_, of := parseID(id)
	return &Source{
		driver: driver, app: NewApp(id), newest: of == unit{sqlUnit, Newest},
		tries: map[string]int{}, endPeek: func() {},
	}
}

var (
	errNoHistory = errors.New("spark: no history server is configured: give --spark-history")
	errBehind    = errors.New("spark: the history server has not read the end yet")
)

// A driver that refuses connections counts as gone after giveUp rounds and refusedFor or writtenFor, or after logFor if
// its manager reports that it is. In that time a history server can read the driver's log. A driver that does not
// answer at all, for example because its host was lost, counts as gone only after silentFor.
const (
	giveUp      = 3
	refusedFor  = 20 * time.Second
	writtenFor  = time.Minute     // if a history server is configured
	logFor      = 3 * time.Second // without one, if the manager reports that it has ended
	silentFor   = 10 * time.Minute
	checkRounds = 10 // rounds between two requests to a history server that does not answer
	lastRounds  = 10 // rounds for the remaining parts from a history server that has the end
)

// Next observes once. It neither waits nor retries. It returns a *dag.MissedError if an observation failed and a
// later one may succeed, a *yarn.NoWorkflowError if the application does not exist, a *NoUnitError if the
// application ended without the watched unit, and io.EOF after a snapshot with a final state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.done {
		return nil, io.EOF
	}
	s.app.round++
	err := s.observe(ctx)
	s.endPeek()
	if d, ok := s.driver.(*webDriver); ok {
		s.app.pages, s.app.historyPages = d.pages(), d.Web.History
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	final := false
	switch {
	case err == nil:
		// Users see a wrong address of the history server before the end of the run depends on it.
		if !s.answered || s.app.historyTrouble != "" && s.app.round%checkRounds == 0 {
			_ = s.askHistory(ctx) // the warnings show the error
			s.app.historyIsOpen = false
		}
		s.answered = true
	case !s.answered && (starting(err) || s.waits(ctx, err)):
		snap, _ := s.app.Snapshot(s.driver.Now(), false)
		if starting(err) {
			snap.Warnings = append(snap.Warnings, remark("Spark is starting up: its driver does not answer yet"))
		} else if why := s.app.managerWhy; why != "" {
			snap.Warnings = append(snap.Warnings, remark("the driver waits: %s", why))
		}
		return snap, nil
	case !s.answered && !s.app.lastSeen.Known() && !s.app.hasEnd:
		return nil, s.missedBy(err)
	case !s.fromHistory(ctx):
		if final = s.lost(); !final {
			return nil, s.missedBy(err)
		}
	}
	snap, ok := s.app.Snapshot(s.driver.Now(), final)
	if e := s.app.noUnit(); !ok && e != nil && (final || s.app.hasEnd) {
		return nil, e
	}
	if s.done = snap.State.Ended(); !s.done && err == nil {
		s.startPeek(ctx)
	}
	return snap, nil
}

// waits reports whether the cluster manager lists the application and its driver was never reachable: the driver
// waits for a container or starts up in one. For an application that has ended, waits returns false, because the
// history server may have it.
func (s *Source) waits(ctx context.Context, err error) bool {
	return !s.app.lastSeen.Known() && gone(err) && s.askManager(ctx)
}

// askManager looks the application up at the cluster manager, and reports whether it is listed without an end.
func (s *Source) askManager(ctx context.Context) bool {
	if s.manager == nil {
		return false
	}
	l, known := s.manager(ctx)
	if known {
		s.app.name, s.app.user, s.app.queue = cmp.Or(s.app.name, l.Name), cmp.Or(s.app.user, l.User), l.Queue
	}
	s.app.managerWhy = l.Why
	switch {
	case !known || !l.State.Ended():
	case s.reportsEnd || l.State != dag.EndedUnconfirmed || !s.app.lastSeen.Known():
		s.app.hasEnd, s.app.ended, s.app.manager = true, l.Ended, l.State
		s.app.isExitCode = !s.reportsEnd // YARN reports success also if a driver outside of its containers was killed
	default: // the jobs of a driver that was seen show more than its manager, but it is gone
		s.app.refusals, s.isGone = max(s.app.refusals, giveUp), true
	}
	return known && !l.State.Ended()
}

// missedBy returns the error of a failed observation.
func (s *Source) missedBy(err error) error {
	return &dag.MissedError{At: s.app.Time(s.driver.Now()), Err: err}
}

// lost reports whether the driver counts as gone although nothing reports its end.
func (s *Source) lost() bool {
	since := s.driver.Now().Sub(s.app.lastSeen)
	least := refusedFor
	switch {
	case s.hasHistoryServer:
		least = writtenFor
	case s.isGone:
		least = logFor
	}
	return s.app.closed() && since >= least || since >= silentFor
}

// observe asks the driver all questions of a round.
func (s *Source) observe(ctx context.Context) error {
	took, err := s.get(ctx, s.driver.Get, root)
	switch {
	case err != nil:
		return err
	case !took:
		return fmt.Errorf("spark: the driver does not run %s", cmp.Or(s.app.id, "an application"))
	}
	return s.ask(ctx, roundQuestions)
}

// fromHistory requests the end from the history server, and reports whether the end is known.
func (s *Source) fromHistory(ctx context.Context) bool {
	s.askManager(ctx)
	err := s.askHistory(ctx)
	// A history server that answers will have the end, and recordings have its responses.
	waits := s.hasHistoryServer && s.app.historyTrouble == "" && !s.lost()
	if !s.app.hasEnd && !s.reportsEnd && !waits {
		s.app.readLocalLog()
	}
	switch {
	case !s.app.hasEnd:
		return false
	case err == nil && !s.app.historyHasEnd && s.app.manager != dag.Killed: // a killed driver never writes its end
		err = errBehind
	case err == nil:
		err = s.ask(ctx, endQuestions)
	}
	// If repeated requests fail, the values that the driver reported stay.
	if s.endRounds++; err != nil && s.hasHistoryServer && s.endRounds < lastRounds {
		return false
	}
	if s.hasHistoryServer {
		_ = s.ask(ctx, gapQuestions) // what is missing stays as the driver reported it
	}
	return true
}

// askHistory requests the application from the history server.
func (s *Source) askHistory(ctx context.Context) error {
	s.app.historyIsOpen = false
	_, err := s.get(ctx, s.driver.History, root+"/"+url.PathEscape(s.app.id))
	s.hasHistoryServer = !errors.Is(err, errNoHistory)
	if s.app.historyTrouble = ""; err != nil && s.hasHistoryServer && rest.Status(err) != http.StatusNotFound {
		s.app.historyTrouble = dag.Clean(err.Error())
	}
	return err
}

// Follows reports that another execution of SQL may follow, if the newest one was chosen.
func (s *Source) Follows() (what string, byDefault bool) {
	if s.newest {
		what = "execution of SQL"
	}
	return what, false
}

// After returns the id of the newest running execution of SQL that began after the watched one, or "". over reports
// that the driver is gone.
func (s *Source) After(ctx context.Context) (id string, over bool, err error) {
	s.endPeek()
	_, err = s.get(ctx, s.driver.Get, s.path("%s", s.newestSQL()))
	if s.app.refusals += one(gone(err)); gone(err) && s.app.closed() {
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	s.app.refusals = 0
	if x, newest := s.app.execution(), s.app.newestExecution(); newest != nil && (x == nil || newest.id > x.id) {
		id = IDOf(s.app.id, fmt.Sprint(newest.id), "")
	}
	return id, false, nil
}

// get requests a path and applies the response. It returns what App.Take returns.
func (s *Source) get(ctx context.Context, server server, path string) (took bool, err error) {
	w, err := answerTo(ctx, s.driver, server, path)
	return s.app.Take(w), err
}

// A server is Driver.Get or Driver.History.
type server func(ctx context.Context, path string) ([]byte, error)

// answerTo requests a path and returns the response, also if it is an error.
func answerTo(ctx context.Context, driver Driver, server server, path string) (*Answer, error) {
	u, _ := url.Parse(path) // its parts are escaped
	body, err := server(ctx, path)
	w := Answer{Status: http.StatusOK, Type: "application/json", Body: func() string { return string(body) }}
	if err != nil {
		w = failure(err)
	}
	w.URL, w.At = u, driver.Now()
	return &w, err
}

// path returns the URL path of a part of the application.
func (s *Source) path(format string, args ...any) string {
	return root + "/" + s.pathID() + "/" + fmt.Sprintf(format, args...)
}

// pathID returns the application and its attempt as they are in paths of URLs.
func (s *Source) pathID() string {
	return strings.TrimSuffix(url.PathEscape(s.app.id)+"/"+url.PathEscape(s.app.turn), "/")
}

// starting reports whether the error is the page that a driver serves at all addresses while it starts.
func starting(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && e.Status == http.StatusOK && strings.Contains(e.Text, "starting up")
}

// failure returns the response of a request that has failed.
func failure(err error) Answer {
	text := ""
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		text = dial.Error()
	} else if e, ok := errors.AsType[*rest.Error](err); ok {
		text = e.Text
	}
	return Answer{Status: rest.Status(err), Body: func() string { return text }}
}

// gone reports whether nothing listens at the driver's address, or the proxy reports that the application has ended.
func gone(err error) bool {
	w := failure(err)
	return w.refused()
}

// A driver often closes within a tenth of a second after its last job. Often nothing else reports how that job
// ended. In that case a source polls the last running job between its observations if it may end soon.

const (
	peekEvery = 50 * time.Millisecond
	// peekAhead is how soon a job must be expected to end to be polled.
	peekAhead = 5 * time.Second
	// peekFor bounds how long a job is polled after an observation.
	peekFor = time.Minute
)

// Peek makes the source poll a job that may end soon between its observations. It returns the source.
func (s *Source) Peek() *Source {
	s.peeks = true
	return s
}

// startPeek starts to poll the only running job if it may end soon and nothing else reports its end. endPeek applies
// the last response if the job has ended: others may be older than that of the newest observation.
func (s *Source) startPeek(ctx context.Context) {
	jobs := s.app.running()
	if !s.peeks || s.reportsEnd || s.hasHistoryServer && s.app.historyTrouble == "" || s.app.hasEnd ||
		len(jobs) != 1 || !s.app.endsSoon(jobs[0], s.app.Time(s.driver.Now())) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, peekFor)
	newest, path := make(chan *Answer, 1), s.path("jobs/%d", jobs[0].id)
	go func() { newest <- poll(ctx, s.driver, path) }()
	s.endPeek = func() {
		stop()
		if a := <-newest; a != nil {
			if s.app.lastSeen = max(s.app.lastSeen, a.At); showsEnd(a) {
				s.app.Take(a)
			}
		}
		s.endPeek = func() {}
	}
}

// poll requests a job until it has ended, a request fails or the context is done, and returns the newest response, or
// nil. A request in flight may finish.
func poll(ctx context.Context, driver Driver, path string) (newest *Answer) {
	for !showsEnd(newest) && sleep(ctx, peekEvery) == nil {
		once, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		a, err := answerTo(once, driver, driver.Get, path)
		cancel()
		if err != nil {
			break
		}
		newest = a
	}
	return newest
}

// showsEnd reports whether a response about a job has its end.
func showsEnd(a *Answer) bool {
	if a == nil {
		return false
	}
	jobs, _ := rows[wireJob](a)
	return len(jobs) == 1 && (&job{status: string(jobs[0].Status)}).hasEnded()
}

// endsSoon reports whether a job may end within peekAhead, judged by the mean duration of its tasks so far. It assumes
// half the time that the remaining tasks take in waves, because running tasks have done a part. In the last wave it
// assumes the rest of the task that began last.
func (a *App) endsSoon(j *job, now dag.Instant) bool {
	left, ended, runMS, began := 0, 0, 0.0, dag.NoInstant
	for _, s := range j.stages {
		if a.planner.lacks[s.id] {
			left += s.tasks
		}
		if !s.ran() {
			continue
		}
		t := s.newest()
		if ended, runMS = ended+t.complete, runMS+t.runMS; t.status != "ACTIVE" {
			continue
		}
		left += t.tasks - t.complete
		for _, k := range t.list {
			began = max(began, k.Start)
		}
	}
	mean, waves := runMS/float64(max(ended, 1)), float64(left)/float64(max(1, a.cores()))
	ms := waves * mean / 2
	if waves <= 1 && began.Known() {
		ms = mean - float64(now-began)
	}
	return ms <= float64(peekAhead.Milliseconds()) && (ended > 0 || waves <= 1)
}

// sleep waits for d or until the context is done. In the second case it returns an error.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}
