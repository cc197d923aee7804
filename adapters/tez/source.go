package tez

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

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

var _ Cluster = (*yarn.Client)(nil)

// A Target selects the DAG to watch.
type Target struct {
	// ID is a DAG's or an application's id. For an application it selects the newest DAG; "" selects the newest
	// running application.
	ID string
	// Over is an overview of the application that sources share. If it is nil, the source makes its own.
	Over *yarn.Overview
	// Made and Final are as in yarn.Target.
	Made  func(path string) dag.Instant
	Final func() bool
}

// A Source yields snapshots of one DAG. Its state is what is known of the DAG, its questions find out more, and its
// view makes the snapshots. It is not safe for concurrent use.
type Source struct {
	target   Target
	overview *yarn.Overview
	q        *questions
	st       *state // nil before the DAG is chosen, as in q and view
	view     view

	now, before dag.Instant // of this observation and of the previous one; before is NoInstant at first
	firstPoll   dag.Instant // of the first observation of an incomplete DAG; NoInstant before
	app         yarn.App
	masters     int         // of the application so far
	masterSince dag.Instant // when the newest master was first observed
	end         confirmation
	session     *Session // for After; nil before its first call
	isFinal     bool     // the newest snapshot has a final state
	warnings    []dag.Warning
}

// NewSource returns a source for target on cluster.
func NewSource(cluster Cluster, target Target) *Source {
	s := &Source{
		target: target, overview: target.Over, q: newQuestions(cluster),
		before: dag.NoInstant, firstPoll: dag.NoInstant,
	}
	if s.overview == nil {
		s.overview = yarn.NewOverview(cluster, target.Made)
	}
	s.view.room = s.overview
	return s
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

// errEarly means that an application has no DAG yet, or that the vertices or edges of its DAG are not written yet.
var errEarly = errors.New("tez: the plan of the DAG is not written yet")

const (
	// mostBack is by how many milliseconds an observation may seem to be earlier than the previous one. Such an
	// observation gets the time of the previous one.
	mostBack = 60_000
	// early bounds the wait for a plan, in milliseconds. Tez writes the history through a buffer.
	early = 10_000
)

// Next observes once. It neither waits nor retries. It returns a *yarn.NoWorkflowError while there is nothing to
// watch, a *dag.MissedError if an observation failed and a later one may succeed, and io.EOF after a snapshot with a
// final state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.isFinal {
		return nil, io.EOF
	}
	defer func() { s.before = s.now; s.q.polls++ }()
	s.warnings = nil
	err := s.overview.Observe(ctx)
	s.now = s.overview.Now()
	if back := s.before - s.now; s.before.Known() && back > 0 && back < mostBack {
		s.now = s.before // a cached response, or responses in a different order
	}
	if err == nil {
		err = s.choose(ctx)
	}
	if err == nil {
		s.q.poll(ctx)
		err = s.checkDAG()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, none := errors.AsType[*yarn.NoWorkflowError](err); none {
		return nil, err
	}
	if errors.Is(err, errEarly) || err == nil && !s.isShaped() {
		return s.beginning(), nil
	}
	if err != nil {
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	snap := s.snapshot()
	s.isFinal = snap.State.Ended()
	return snap, nil
}

// choose finds the application and, from its master's files, the DAG.
func (s *Source) choose(ctx context.Context) error {
	dagApp, _ := IsDAG(s.target.ID)
	id := cmp.Or(s.app.ID, dagApp, s.target.ID)
	if id == "" {
		id = newestApp(s.overview.Listed()).ID
	}
	app, known := s.overview.App(ctx, id)
	if id == "" || !known {
		return s.none()
	}
	s.app = app
	if s.q.begin(app, s.now, s.before) {
		_, number := masterOf(app.Container)
		s.masters, s.masterSince = max(s.masters, 1, number), s.now
		if s.st != nil {
			s.st.newMaster(s.now)
		}
	}
	s.q.listFiles(ctx)
	if s.st == nil {
		s.st = newState(s.chooseDAG(), s.overview.NodeIndex)
		s.view.st = s.st
		s.q.watch(s.st)
		if pig.Is(app.Name) {
			s.st.title = titleOf(s.st.id, &planBody{Name: text(app.Name)}) // Pig's DAG names differ only in a number
		}
	}
	return nil
}

// chooseDAG returns the DAG that the target names, or else the newest DAG with a log of the master, or the first DAG.
func (s *Source) chooseDAG() string {
	if dagID.MatchString(s.target.ID) {
		return s.target.ID
	}
	newest := 1
	prefix := dagsOf(s.app.ID)
	if s.q.files != nil {
		newest = max(newest, s.q.files.newestDAG(prefix))
	}
	return prefix + strconv.Itoa(newest)
}

// checkDAG returns an error if there is no DAG to watch.
func (s *Source) checkDAG() error {
	if s.q.everAnswered || s.q.hasLog() || s.st.submitted.Known() {
		return nil
	}
	if s.q.isRefused() {
		return nil // the ResourceManager still reports the end to this user
	}
	s.q.failedSince = dag.NoInstant
	if _, hasID := IsDAG(s.target.ID); !hasID && !s.app.Ended {
		return errEarly // the master has started and will receive its DAG soon
	}
	none := s.none()
	none.Why = s.whyNone()
	return none
}

func (s *Source) none() *yarn.NoWorkflowError {
	return &yarn.NoWorkflowError{Target: yarn.Target{ID: s.target.ID}, Apps: len(s.overview.Listed())}
}

// whyNone returns why a known application has nothing to watch.
func (s *Source) whyNone() string {
	_, hasID := IsDAG(s.target.ID)
	switch {
	case s.app.Ended && hasID:
		return fmt.Sprintf("%s has ended, and nothing is left that tells of %s: is the number right? `paratimer import` reads the history "+
			"that Tez wrote", s.app.ID, s.st.id)
	case s.app.Ended:
		return fmt.Sprintf("%s has ended, and nothing is left that tells of a DAG: a session may end without one, and its master's files are "+
			"deleted after some hours", s.app.ID)
	}
	return fmt.Sprintf("%s runs, and has no %s: is the number right? Without one, as in `paratimer attach %s`, its newest DAG is watched, or "+
		"the first one awaited", s.app.ID, s.st.id, s.app.ID)
}

// isShaped reports whether the stages are as complete as they will be. After the first snapshot their order is fixed.
func (s *Source) isShaped() bool {
	st := s.st
	if s.view.plan != nil || st.hasEnded() || st.final != "" || s.app.Ended {
		return true
	}
	if !s.firstPoll.Known() {
		s.firstPoll = s.now
	}
	f := s.q.files
	isDeniedFiles := f != nil && f.sizes == nil && isDenied(f.err)
	haveStarted := !slices.ContainsFunc(st.vertices, func(v *vertex) bool { return !v.hasStarted })
	return len(st.vertices) > 0 && (st.hasPlan || haveStarted || isDeniedFiles || s.now-s.firstPoll >= early)
}

// snapshot returns the current state of the DAG.
func (s *Source) snapshot() *dag.Snapshot {
	state := s.outcome()
	if state.Ended() {
		s.st.endWith(state, orNow(s.st.finished, s.now))
	}
	s.st.assumeSubmitted(s.submission())
	return s.complete(s.view.snapshot(s.observation(state)))
}

// beginning returns a snapshot of a DAG with vertices or edges that are not written yet.
func (s *Source) beginning() *dag.Snapshot {
	state := dag.Submitted
	if s.q.isRefused() {
		s.st.assumeSubmitted(s.submission())
		if s.app.Running {
			state = dag.Running
		}
	}
	snap := s.view.beginning(s.observation(state))
	if !s.q.isRefused() {
		snap.Warnings = s.overview.Warnings()
		return snap
	}
	return s.complete(snap)
}

func (s *Source) observation(state dag.State) *observation {
	return &observation{now: s.now, app: &s.app, state: state, masters: s.masters}
}

// complete adds the warnings to a snapshot.
func (s *Source) complete(snap *dag.Snapshot) *dag.Snapshot {
	s.warnAbout(snap)
	snap.Warnings = append(s.warnings, s.overview.Warnings()...)
	return snap
}

// submission returns when the DAG may have been submitted, if neither the files nor the master report it.
func (s *Source) submission() dag.Instant {
	if s.q.isRefused() {
		return orNow(s.app.Submitted, s.now)
	}
	return s.now
}
