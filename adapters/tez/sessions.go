package tez

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A submittedDAG is one of the DAGs that were submitted to a session.
type submittedDAG struct {
	id    string
	title title // zero if the master's history file cannot be read
	ended bool
}

// A session lists the DAGs of an application, which run one after another.
type session struct {
	cluster Cluster
	app     string
	prefix  string                       // of the DAGs' ids
	newest  atomic.Pointer[submittedDAG] // of the newest complete observation; nil before the first DAG

	mu    sync.Mutex // held for an observation
	files files
	dags  []submittedDAG // by number
}

func newSession(cluster Cluster, app string) *session {
	return &session{
		cluster: cluster, app: app, prefix: dagsOf(app),
		files: files{cluster: cluster, progress: map[string]*fileProgress{}},
	}
}

// mostDAGs bounds the stored DAGs of a session.
const mostDAGs = 100_000

// observe returns the DAGs of an application by number. It reads new data of the master's files. If the NodeManager
// does not serve them, observe queries the master for the next DAG. A master without that DAG writes an error into
// its log, so call observe rarely in this case. If the ResourceManager's proxy refuses too, observe returns its error.
// It is safe for concurrent use.
func (s *session) observe(ctx context.Context, app *yarn.App) ([]submittedDAG, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	s.files.follow(app)
	if s.files.list(ctx); s.files.sizes != nil {
		s.grow(s.files.newestDAG(s.prefix))
		s.files.readHistories(ctx, s.record)
	} else {
		err = s.askNext(ctx)
	}
	for i := range s.dags {
		if d := &s.dags[i]; d.title.name == "" && naming.IsPig(app.Name) && s.files.sizes != nil {
			d.title = titleOf(d.id, &planBody{DAGName: text(app.Name)}) // Pig's DAG names differ only in a number
		}
	}
	dags := slices.Clone(s.dags)
	if n := len(dags); n > 0 {
		s.newest.Store(&dags[n-1])
	}
	return dags, err
}

// grow records that there are at least n DAGs.
func (s *session) grow(n int) {
	for k := len(s.dags) + 1; k <= min(n, mostDAGs); k++ {
		s.dags = append(s.dags, submittedDAG{id: s.prefix + strconv.Itoa(k)})
	}
}

// statusBody is a master's report of a DAG.
type statusBody struct{ DAG struct{ ID, Status text } }

// request requests one of the master's lists about the n-th DAG.
func request[T any](ctx context.Context, s *session, n int, what, query string, limit int64) (T, error) {
	path := fmt.Sprintf("ws/v2/tez/%s?dagID=%d%s", what, n, query)
	body, err := s.cluster.Proxy(ctx, s.app, rest.Request{Path: path, Limit: limit})
	return yarn.Read[T](what, body, err)
}

// askNext queries the master for the first unknown DAG.
func (s *session) askNext(ctx context.Context) error {
	n := len(s.dags) + 1
	b, err := request[statusBody](ctx, s, n, "dagInfo", "", 0)
	if rest.Status(err) == http.StatusNotFound {
		return nil
	}
	if err == nil && string(b.DAG.ID) == s.prefix+strconv.Itoa(n) && n <= mostDAGs {
		s.grow(n)
		_, s.dags[n-1].ended = yarn.EndStates[string(b.DAG.Status)]
	}
	return err
}

// record applies a record of the history. Only those about the beginning and the end of a DAG are decoded.
func (s *session) record(record string) {
	if !strings.Contains(record, "DAG_SUBMITTED") && !strings.Contains(record, "DAG_FINISHED") ||
		!strings.Contains(record[:min(len(record), 200)], s.prefix) {
		return
	}
	events, _ := recordEvents([]byte(record))
	for _, e := range events {
		n := numberOf(e.Entity)
		if e.Entity != s.prefix+strconv.Itoa(n) || n < 1 || n > mostDAGs {
			return
		}
		s.grow(n)
		d := &s.dags[n-1]
		d.ended = d.ended || e.Kind == "DAG_FINISHED"
		if e.Kind == "DAG_SUBMITTED" && e.DAGPlan != nil {
			d.title = titleOf(d.id, e.DAGPlan)
		}
	}
}

// mostSessions bounds the sessions that are searched for a query.
const mostSessions = 20

// Resolve returns the DAG that an id of Tez's own names. For the id of a Hive query that is the DAG that runs it. Hive
// tags a session with the id of its first query, so sessions with that tag come first. If no file names the query,
// Resolve returns the tagged application. If neither exists, ok is false, and found is the workflow's id in Hive on
// MapReduce.
func Resolve(ctx context.Context, c Cluster, apps []*yarn.App, id string) (found string, ok bool) {
	if _, isDAG := IsDAG(id); isDAG {
		return id, true
	}
	query := strings.TrimPrefix(id, "hive_")
	found = "hive_" + query
	sessions := slices.DeleteFunc(apps, func(a *yarn.App) bool { return a.Type != "TEZ" || a.Container == "" })
	slices.SortStableFunc(sessions, func(a, b *yarn.App) int { return cmp.Compare(b.Submitted, a.Submitted) })
	untagged := slices.DeleteFunc(slices.Clone(sessions), func(a *yarn.App) bool { return a.Tagged(query) })
	tagged := slices.DeleteFunc(sessions, func(a *yarn.App) bool { return !a.Tagged(query) })
	sessions = append(tagged, untagged...)
	for _, a := range sessions[:min(len(sessions), mostSessions)] {
		if a.Tagged(query) {
			found, ok = a.ID, true
		}
		dags, _ := newSession(c, a.ID).observe(ctx, a) // the query may be in another session
		for _, d := range dags {
			if d.title.queryID == query {
				return d.id, true
			}
		}
	}
	return found, ok
}

// Sessions finds the DAGs that the applications of a hub run. It is safe for concurrent use.
type Sessions struct {
	cluster Cluster
	hub     *yarn.Hub

	mu  sync.Mutex
	all map[string]*session // by application
}

// NewSessions returns sessions without requests so far. The caller refreshes the hub.
func NewSessions(cluster Cluster, hub *yarn.Hub) *Sessions {
	return &Sessions{cluster: cluster, hub: hub, all: map[string]*session{}}
}

// Update does nothing: Identify requests what a session runs.
func (s *Sessions) Update(context.Context) {}

// Submitted returns the Tez applications of the hub's newest poll, by id. An application includes the newest DAG that
// Identify has found, unless that DAG has ended: only the masters report which DAG they run.
func (s *Sessions) Submitted() []yarn.Submitted {
	apps := s.hub.Submitted(func(a *yarn.App) bool { return a.Type == "TEZ" })
	s.mu.Lock()
	defer s.mu.Unlock()
	left := make(map[string]*session, len(apps))
	for i := range apps {
		a := &apps[i]
		a.Engine = naming.Tez
		session := s.all[a.App]
		if session == nil {
			continue
		}
		left[a.App] = session
		if d := session.newest.Load(); d != nil && !d.ended {
			a.Read, a.Workflow, a.Title = true, d.id, d.title.name
		}
	}
	s.all = left
	return apps
}

// Identify finds the newest DAG of an application.
func (s *Sessions) Identify(ctx context.Context, app string) error {
	a := s.hub.App(app)
	if a == nil || a.Type != "TEZ" {
		return nil
	}
	s.mu.Lock()
	if s.all[app] == nil {
		s.all[app] = newSession(s.cluster, app)
	}
	session := s.all[app]
	s.mu.Unlock()
	_, err := session.observe(ctx, a)
	return err
}

// Source returns a source of a DAG. It reuses the results of the hub's newest poll.
func (s *Sessions) Source(id string) recording.Source {
	app, _ := IsDAG(id)
	source := NewSource(s.cluster, yarn.Target{ID: id})
	source.overview = s.hub.Overview(func() []string { return []string{app} })
	return source
}

// Owns reports whether an id is that of a DAG or of a Hive query.
func Owns(id string) bool {
	_, is := IsDAG(id)
	return is || IsQuery(id)
}

// Follows reports that another DAG of the session may follow. By default one does if Pig runs the session.
func (s *Source) Follows() (what string, byDefault bool) {
	return "DAG of the session", naming.IsPig(s.app.Name)
}

// After returns the id of the session's next DAG after the watched one, or "" while there is none. over reports that
// no DAG can follow: the application has ended. After observes once.
func (s *Source) After(ctx context.Context) (id string, over bool, err error) {
	if s.st == nil {
		return "", true, nil
	}
	if err := s.overview.Observe(ctx); err != nil {
		return "", false, err
	}
	app, known := s.overview.App(ctx, s.app.ID)
	if !known {
		return "", true, nil
	}
	n := numberOf(s.st.id)
	s.grow(n)
	dags, err := s.observe(ctx, &app)
	if len(dags) > n {
		return dags[n].id, false, nil
	}
	return "", app.Ended, err
}

// Doctor tests all requests that are needed to observe a DAG, with the newest running Tez application. Each check has
// a result and, if it fails, a hint. Without such an application there are no checks.
func Doctor(ctx context.Context, c Cluster) []yarn.Check {
	s := NewSource(c, yarn.Target{})
	_, err := s.Next(ctx)
	if s.app.ID == "" {
		return nil
	}
	var e yarn.Examination
	e.Say("tez", yarn.OK, "", "the newest application is %s of %s", s.app.ID, s.app.User)
	switch _, none := errors.AsType[*yarn.NoWorkflowError](err); {
	case s.failure != nil:
		e.Broken("tez master", yarn.Fail, s.failure)
	case s.st.reported != "":
		e.Say("tez master", yarn.OK, "", "%s is %s: %d vertices", s.st.id, s.st.reported, len(s.st.vertices))
	case none:
		e.Say("tez master", yarn.OK, "", "not tried: the session has no DAG yet")
	default:
		e.Say("tez master", yarn.OK, "", "not tried: %s has ended", s.st.id)
	}
	hint := ""
	if yarn.Denied(s.files.err) {
		hint = "without these files the DAG has no edges and its times are those of observations: have tez.am.view-acls of the " +
			"session name this user, or give --user " + s.app.User
	}
	if s.files.err != nil {
		e.Say("tez files", yarn.Warn, hint, "%v", s.files.err)
	} else {
		e.Say("tez files", yarn.OK, "", "the NodeManager %s gives %d files of the master", s.files.node, len(s.files.sizes))
	}
	switch {
	case err != nil || s.files.sizes == nil:
	case s.st.hasPlan:
		e.Say("tez plan", yarn.OK, "", "the plan of %s is read", s.st.id)
	default:
		e.Say("tez plan", yarn.Warn, "try again in some seconds; if that does not help, set "+
			"tez.history.logging.service.class to org.apache.tez.dag.history.logging.impl.SimpleHistoryLoggingService, or "+
			"give a --profile of an earlier run", "the plan of %s is not in a history file of the master", s.st.id)
	}
	return e.Checks
}
