package tez

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// A Source yields snapshots of one DAG. Its requests (requests.go) add to the state of the DAG. It is not safe for
// concurrent use.
type Source struct {
	cluster  Cluster
	target   yarn.Target
	overview *yarn.Overview
	st       *state // nil before the DAG is chosen
	files    *files // of the newest master; nil before its container is known
	lines    lineReader

	polls       int
	now, before dag.Instant // of this poll and of the previous one; before is NoInstant at first
	firstPoll   dag.Instant // of an incomplete DAG; NoInstant before
	app         yarn.App
	masters     int         // of the application so far
	masterSince dag.Instant // when the newest master was first observed

	everAnswered bool        // the master has returned the DAG in any poll
	runsAnother  bool        // the master does not have the DAG, or no longer
	failedSince  dag.Instant // since when the master does not answer; NoInstant while it does
	failure      error
	backlog      []attemptKey // unknown attempts to request

	endSince dag.Instant // since when the DAG's end waits for a second source that reports it
	endPolls int         // of this wait
	session  *session    // for After; nil before its first call
	isFinal  bool        // the newest snapshot has a final state
	warnings []dag.Warning
}

// NewSource returns a source for a DAG's or an application's id. For an application it selects the newest DAG; ""
// selects the newest running application of any user.
func NewSource(cluster Cluster, target yarn.Target) *Source {
	return &Source{
		cluster: cluster, target: target, overview: yarn.NewOverview(cluster, target.Made),
		before: dag.NoInstant, firstPoll: dag.NoInstant, failedSince: dag.NoInstant, endSince: dag.NoInstant,
	}
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
	defer func() {
		s.before = s.now
		s.polls++
	}()
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
		s.poll(ctx)
		err = s.checkDAG()
	}
	_, none := errors.AsType[*yarn.NoWorkflowError](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case none:
		return nil, err
	case errors.Is(err, errEarly), err == nil && !s.isShaped():
		return s.beginning(), nil
	case err != nil:
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	state := s.outcome()
	s.isFinal = state.Ended()
	if s.isFinal {
		s.st.endWith(state, dag.FirstKnown(s.st.finished, s.now))
	}
	if s.isRefused() {
		s.st.assumeSubmitted(s.app.Submitted)
	}
	s.st.assumeSubmitted(s.now)
	snap := s.st.snapshot(s.now, &s.app, state)
	snap.Jobs[0].Attempt = max(1, s.masters)
	return s.complete(snap), nil
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
		return s.none("")
	}
	s.app = app
	earlier := s.files
	if s.files = filesOf(s.cluster, &app, earlier); s.files != earlier {
		_, number := masterOf(app.Container)
		s.masters, s.masterSince, s.runsAnother = max(s.masters, 1, number), s.now, false
		if s.st != nil {
			s.st.newMaster(s.now)
		}
	}
	s.listFiles(ctx)
	if s.st != nil {
		return nil
	}
	id = s.target.ID
	if dagApp == "" { // the newest DAG with a log of the master, or the first one
		id = dagsOf(app.ID) + strconv.Itoa(max(1, s.files.newestDAG(dagsOf(app.ID))))
	}
	s.st = newState(id, s.overview)
	s.lines.st = s.st
	if pig.Is(app.Name) {
		s.st.title = titleOf(id, &planBody{Name: text(app.Name)}) // Pig's DAG names differ only in a number
	}
	return nil
}

// checkDAG returns an error if there is no DAG to watch.
func (s *Source) checkDAG() error {
	if s.everAnswered || s.hasLog() || s.st.submitted.Known() {
		return nil
	}
	if s.isRefused() {
		return nil // the ResourceManager still reports the end to this user
	}
	s.failedSince = dag.NoInstant
	what := "a DAG"
	if dagID.MatchString(s.target.ID) {
		what = s.st.id
	}
	switch {
	case s.app.Ended:
		return s.none("%s has ended, and no file of %s is left: a master's files are deleted after some hours. "+
			"`paratimer import` reads the history that Tez wrote", s.app.ID, what)
	case what == s.st.id:
		return s.none("%s runs, and has no %s: is the number right? Without one, as in `paratimer attach %s`, "+
			"its newest DAG is watched, or the first one awaited", s.app.ID, what, s.app.ID)
	}
	return errEarly // the master has started and will receive its DAG soon
}

// none returns the error that there is nothing to watch, and why if the application is known.
func (s *Source) none(why string, args ...any) error {
	return &yarn.NoWorkflowError{
		Target: yarn.Target{ID: s.target.ID}, Apps: len(s.overview.Listed()), Why: fmt.Sprintf(why, args...),
	}
}

// isShaped reports whether the stages are as complete as they will be. After the first snapshot their order is fixed.
func (s *Source) isShaped() bool {
	st := s.st
	if st.plan != nil || st.hasEnded() || st.final != "" || s.app.Ended {
		return true
	}
	s.firstPoll = dag.FirstKnown(s.firstPoll, s.now)
	isDeniedFiles := s.files != nil && s.files.sizes == nil && yarn.Denied(s.files.err)
	haveStarted := !slices.ContainsFunc(st.vertices, func(v *vertex) bool { return !v.hasStarted })
	return len(st.vertices) > 0 && (st.hasPlan || haveStarted || isDeniedFiles || s.now-s.firstPoll >= early)
}

// beginning returns a snapshot of a DAG with vertices or edges that are not written yet.
func (s *Source) beginning() *dag.Snapshot {
	if !s.isRefused() {
		snap := s.st.beginning(s.now, &s.app, dag.Submitted)
		snap.Warnings = s.overview.Warnings()
		return snap
	}
	state := dag.Submitted
	if s.app.Running {
		state = dag.Running
	}
	s.st.assumeSubmitted(dag.FirstKnown(s.app.Submitted, s.now))
	return s.complete(s.st.beginning(s.now, &s.app, state))
}

// complete adds the warnings to a snapshot.
func (s *Source) complete(snap *dag.Snapshot) *dag.Snapshot {
	s.warnAbout(snap)
	snap.Warnings = append(s.warnings, s.overview.Warnings()...)
	return snap
}

// If one source reports the DAG's end, waitPolls is how many polls it waits for a better one. waitFiles is the wait
// in milliseconds if files that could be read before cannot be read now.
const (
	waitPolls = 3
	waitFiles = 120_000
)

// outcome returns the state of the DAG. The end comes from the master's web service, log or history. If the
// application ends without any of these, it comes from the ResourceManager.
func (s *Source) outcome() dag.State {
	if state, ended := yarn.EndStates[s.st.final]; ended {
		return state
	}
	state, reported := yarn.EndStates[s.st.reported]
	if !reported && !s.app.Ended {
		return s.st.current()
	}
	isLast := s.target.Final != nil && s.target.Final()
	if !isLast && s.awaitsEnd(!reported || len(s.backlog) > 0 || s.files.areListed()) {
		return dag.Running
	}
	if reported {
		return state
	}
	return s.endByManager()
}

// awaitsEnd reports whether an end that only one source reports waits for another one. It waits waitPolls polls if
// more data can come, and up to waitFiles while the master's files cannot be read.
func (s *Source) awaitsEnd(hasMore bool) bool {
	s.endPolls++
	s.endSince = dag.FirstKnown(s.endSince, s.now)
	if hasMore && s.endPolls <= waitPolls {
		return true
	}
	f := s.files
	return f != nil && s.now-s.endSince <= waitFiles && f.err != nil && !yarn.Denied(f.err) &&
		rest.Status(f.err) != http.StatusNotFound
}

// sessionStats matches the summary of DAGs in a session's final diagnostics.
var sessionStats = regexp.MustCompile(`submittedDAGs=(\d+), successfulDAGs=(\d+), failedDAGs=(\d+), killedDAGs=(\d+)`)

// endByManager ends the DAG as far as the ResourceManager's final diagnostics show how.
func (s *Source) endByManager() dag.State {
	s.st.finished, s.st.diagnosis = s.app.Finished, s.app.Diagnosis
	state, stats := s.app.State, ""
	if m := sessionStats.FindStringSubmatch(s.app.Diagnosis); m != nil {
		state, stats = dag.EndedUnconfirmed, " ("+m[0]+")"
		submitted, _ := strconv.Atoi(m[1])
		for i, each := range []dag.State{dag.Succeeded, dag.Failed, dag.Killed} {
			if m[i+2] == m[1] && submitted >= numberOf(s.st.id) { // the same for all of the session
				state = each
			}
		}
	} else if state == dag.Succeeded && numberOf(s.st.id) > 1 {
		state = dag.EndedUnconfirmed
	}
	if state == dag.EndedUnconfirmed {
		s.warn(dag.WarnObservation, "%s is over, and neither the files of its master nor the ResourceManager tell how "+
			"%s ended%s", s.app.ID, s.st.id, stats)
	} else {
		s.warn(dag.WarnObservation, "that %s is %s is the ResourceManager's word", s.st.id, state)
	}
	return state
}
