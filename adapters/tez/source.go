package tez

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/pig"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster serves the requests of a source. *yarn.Client implements it.
type Cluster interface {
	yarn.Cluster
	// Proxy requests a path below /proxy/APPLICATION/ from an application's master.
	Proxy(ctx context.Context, app string, r rest.Request) ([]byte, error)
	// NM requests a path below /ws/v1/node/ from the NodeManager of a host and web port.
	NM(ctx context.Context, node, path string) ([]byte, error)
}

// A Target selects the DAG to watch.
type Target struct {
	// ID is a DAG's or an application's id. For an application it selects the newest DAG; "" selects the newest
	// running application.
	ID string
	// User limits the choice to one user's applications if ID is "". If User is "" too, all users' applications count.
	User string
	// Over is an overview of the application that sources share. If it is nil, the source makes its own.
	Over *yarn.Overview
	// Made and Final are as in yarn.Target.
	Made  func(path string) dag.Instant
	Final func() bool
}

// A Source yields snapshots of one DAG. It is not safe for concurrent use.
type Source struct {
	cluster Cluster
	target  Target
	over    *yarn.Overview
	room    surroundings

	now     dag.Instant
	before  dag.Instant // of the previous observation; NoInstant at first
	firstAt dag.Instant // when the DAG was first seen; NoInstant before
	order   []int32     // of the stages
	ticks   int
	app     yarn.App
	id      string // of the DAG; "" before it is chosen
	g       *graph
	logs    *logs // of the newest master; nil before its container is known
	lines   logReader

	masters   int          // number of masters seen
	masterAt  dag.Instant  // when the newest one was first seen
	asked     bool         // the master has returned the DAG
	gone      bool         // the master does not have the DAG, or no longer
	left      []attemptKey // unknown attempts left over from the previous poll
	awaitedAt dag.Instant  // when awaited began
	awaited   int          // polls since one source reported the DAG's end; another one is to confirm it
	silentAt  dag.Instant  // since when the master does not answer; NoInstant while it does
	silence   error
	plan      *dag.Plan
	ended     bool
	warned    []dag.Warning
}

// surroundings adds facts about the cluster to snapshots. A *yarn.Overview implements it.
type surroundings interface {
	Cluster(app string) dag.Cluster
	Fill(snap *dag.Snapshot, app string)
	Warnings() []dag.Warning
}

// NewSource returns a source for target on cluster.
func NewSource(cluster Cluster, target Target) *Source {
	s := &Source{
		cluster: cluster, target: target, silentAt: dag.NoInstant, before: dag.NoInstant,
		firstAt: dag.NoInstant,
	}
	if s.over = target.Over; s.over == nil {
		s.over = yarn.NewOverview(cluster, target.Made)
	}
	s.room = s.over
	s.lines.node = s.over.NodeIndex
	return s
}

// errEarly means that an application has no DAG yet, or that the vertices or edges of its DAG are not written yet.
var errEarly = errors.New("tez: the plan of the DAG is not written yet")

// mostBack is by how many milliseconds an observation may seem to be earlier than the previous one. Such an
// observation gets the time of the previous one.
const mostBack = 60_000

// early bounds the wait for a plan, in milliseconds. Tez writes the history through a buffer.
const early = 10_000

// shaped reports whether the stages are as complete as they will be. After the first snapshot their order is fixed.
func (s *Source) shaped() bool {
	g := s.g
	if s.plan != nil || dagStates[g.status] != 0 || g.logged != "" || s.app.Ended {
		return true
	}
	if !s.firstAt.Known() {
		s.firstAt = s.now
	}
	refused := false
	if s.logs == nil || s.logs.sizes == nil {
		st := 0
		if s.logs != nil {
			st = rest.Status(s.logs.err)
		}
		refused = st == http.StatusUnauthorized || st == http.StatusForbidden
	}
	begun := !slices.ContainsFunc(g.vertices, func(v *vertex) bool { return !v.begun })
	return len(g.vertices) > 0 && (g.planned || begun || refused || s.now-s.firstAt >= early)
}

var (
	dagID = regexp.MustCompile(`^dag_(\d+_\d+)_(\d{1,9})$`)
	appID = regexp.MustCompile(`^application_(\d+_\d+)$`)
)

// IsDAG reports whether a text is a DAG's id, and returns the id of its application.
func IsDAG(id string) (app string, ok bool) {
	if m := dagID.FindStringSubmatch(id); m != nil {
		return "application_" + m[1], true
	}
	return "", false
}

// number returns the DAG's number in its session, from 1.
func (s *Source) number() int {
	n, _ := strconv.Atoi(s.id[strings.LastIndexByte(s.id, '_')+1:])
	return n
}

// Next observes once. It neither waits nor retries. It returns a *yarn.NoWorkflowError while there is nothing to
// watch, a *dag.MissedError if an observation failed and a later one may succeed, and io.EOF after a snapshot with a
// final state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.ended {
		return nil, io.EOF
	}
	defer func() { s.ticks, s.before = s.ticks+1, s.now }()
	s.warned = nil
	err := s.over.Observe(ctx)
	s.now = s.over.Now()
	if back := s.before - s.now; s.before.Known() && back > 0 && back < mostBack {
		s.now = s.before // a cached response, or responses in a different order
	}
	if err == nil {
		err = s.choose(ctx)
	}
	if err == nil {
		err = s.observe(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, none := errors.AsType[*yarn.NoWorkflowError](err); none {
		return nil, err
	}
	if errors.Is(err, errEarly) || err == nil && !s.shaped() {
		return s.beginning(), nil
	}
	if err != nil {
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	snap := s.snapshot()
	s.ended = snap.State.Ended()
	return snap, nil
}

func (s *Source) warn(code, format string, args ...any) {
	s.warned = append(s.warned, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (s *Source) none() *yarn.NoWorkflowError {
	return &yarn.NoWorkflowError{
		Target: yarn.Target{ID: s.target.ID, User: s.target.User},
		Apps:   len(s.over.Listed()),
	}
}

// choose finds the application and, from its master's files, the DAG.
func (s *Source) choose(ctx context.Context) error {
	id := s.app.ID
	if id == "" {
		id = s.wanted()
	}
	app, known := s.over.App(ctx, id)
	if id == "" || !known {
		return s.none()
	}
	s.app = app
	if app.Container != "" && (s.logs == nil || s.logs.container != app.Container) {
		s.logs = newLogs(app.Node, app.Container)
		s.masters, s.masterAt = max(s.masters, 1, masterOf(app.Container)), s.now
		if s.g != nil {
			s.g.succeed(s.now)
			s.gone = false
		}
	}
	s.listLogs(ctx)
	if s.id == "" {
		s.id = s.wantedDAG()
		s.g = newGraph(s.id)
		s.lines.g = s.g
		if pig.Is(app.Name) {
			s.g.entitle(&planBody{Name: text(app.Name)}) // Pig's DAG names differ only in a number
		}
	}
	return nil
}

// masterOf parses the attempt number of the master from a container id such as
// container_e17_1795366040025_0001_02_000001. It returns 0 if there is none.
func masterOf(container string) int {
	parts := strings.Split(container, "_")
	n, _ := strconv.Atoi(parts[max(0, len(parts)-2)])
	return min(max(n, 0), 1_000)
}

// wanted returns the id of the application that the target selects, or "".
func (s *Source) wanted() string {
	if app, ok := IsDAG(s.target.ID); ok {
		return app
	}
	if s.target.ID != "" {
		return s.target.ID
	}
	best := &yarn.App{}
	for _, a := range s.over.Listed() {
		ours := a.Type == "TEZ" && !a.Ended && (s.target.User == "" || a.User == s.target.User)
		if ours && (best.ID == "" || a.Submitted > best.Submitted) {
			best = a
		}
	}
	return best.ID
}

// wantedDAG returns the DAG that the target names, or else the newest DAG with a log of the master, or the first DAG.
func (s *Source) wantedDAG() string {
	if dagID.MatchString(s.target.ID) {
		return s.target.ID
	}
	prefix := "dag_" + strings.TrimPrefix(s.app.ID, "application_") + "_"
	newest := 1
	if s.logs != nil {
		for name := range s.logs.sizes {
			rest, ok := strings.CutPrefix(name, "syslog_"+prefix)
			if n, err := strconv.Atoi(strings.TrimSuffix(rest, "_post")); ok && err == nil {
				newest = max(newest, n)
			}
		}
	}
	return prefix + strconv.Itoa(newest)
}

// After patience failures in a row, requests are repeated only every retryEach polls.
const (
	patience  = 5
	retryEach = 10
)

// listLogs lists the master's files.
func (s *Source) listLogs(ctx context.Context) {
	if l := s.logs; l != nil && (l.failures < patience || s.ticks%retryEach == 0) {
		l.list(ctx, s.cluster)
	}
}

// observe reads all changes of the DAG.
func (s *Source) observe(ctx context.Context) error {
	s.lines.at = s.now
	s.readLogs(ctx)
	if s.app.Running && !s.gone && s.g.logged == "" && s.mayAsk() {
		s.ask(ctx)
	}
	if _, over := dagStates[s.g.status]; over && s.g.logged == "" {
		s.listLogs(ctx) // for newly written data
		s.readLogs(ctx)
	}
	if !s.asked && !s.logged() && !s.g.submitted.Known() {
		if s.refused() {
			return nil // the ResourceManager still reports the end to this user
		}
		s.silentAt = dag.NoInstant
		if _, named := IsDAG(s.target.ID); !named && !s.app.Ended {
			return errEarly // the master has started and will receive its DAG soon
		}
		none := s.none()
		none.Why = s.without()
		return none
	}
	return nil
}

// without returns why a known application has nothing to watch.
func (s *Source) without() string {
	_, named := IsDAG(s.target.ID)
	switch {
	case s.app.Ended && named:
		return fmt.Sprintf("%s has ended, and nothing is left that tells of %s: is the number right? `paratimer import` reads the history "+
			"that Tez wrote", s.app.ID, s.id)
	case s.app.Ended:
		return fmt.Sprintf("%s has ended, and nothing is left that tells of a DAG: a session may end without one, and its master's files are "+
			"deleted after some hours", s.app.ID)
	}
	return fmt.Sprintf("%s runs, and has no %s: is the number right? Without one, as in `paratimer attach %s`, its newest DAG is watched, or "+
		"the first one awaited", s.app.ID, s.id, s.app.ID)
}

// mayAsk reports whether the DAG has a log, or the list of logs is unknown. A master that is queried for an unknown
// DAG writes an error with a stack trace.
func (s *Source) mayAsk() bool {
	return s.logs == nil || s.logs.sizes == nil || s.logged()
}

// logged reports whether the master has a log of the DAG.
func (s *Source) logged() bool {
	if s.logs == nil {
		return false
	}
	_, ok := s.logs.sizes["syslog_"+s.id]
	return ok
}

// readLogs reads new data of the master's files: the plan from the history, everything else from the log.
func (s *Source) readLogs(ctx context.Context) {
	l := s.logs
	if l == nil || l.sizes == nil || s.g.logged != "" && s.g.planned {
		return
	}
	log := "syslog_" + s.id
	_, hasLog := l.sizes[log]
	if n := s.number(); hasLog && !s.g.submitted.Known() && n > 1 {
		// The submission is written before the DAG has a log of its own.
		before := strings.TrimSuffix(log, strconv.Itoa(n)) + strconv.Itoa(n-1) + "_post"
		l.read(ctx, s.cluster, before, "\n", s.lines.line)
	}
	if hasLog || s.app.Ended {
		if !s.g.planned || !hasLog {
			for _, name := range historyFiles(l.sizes) {
				l.read(ctx, s.cluster, name, historyEnd, s.lines.record)
			}
		}
	}
	if hasLog {
		l.read(ctx, s.cluster, log, "\n", s.lines.line)
	}
}

func historyFiles(sizes map[string]int64) []string {
	var out []string
	for name := range sizes {
		if strings.HasPrefix(name, "history.txt.") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// silentLimit is how long a master may be silent before there is a warning, in milliseconds.
const silentLimit = 5_000

// refused reports whether the master denies this user access.
func (s *Source) refused() bool {
	st := rest.Status(s.silence)
	return st == http.StatusUnauthorized || st == http.StatusForbidden
}

// silent records a failed request to the master.
func (s *Source) silent(err error) {
	s.silence = err
	if !s.silentAt.Known() {
		s.silentAt = s.now
	}
	if rest.Status(err) == http.StatusNotFound && s.asked {
		s.gone = true // the master now runs another DAG
	}
}
