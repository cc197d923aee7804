// Package tez observes one DAG of Apache Tez, as Hive and Pig run it, over REST. The ResourceManager reports the
// application. Its master, behind the proxy, reports the progress of tasks. The master's NodeManager serves the
// master's files, which are the only source of names, edges and times.
//
// The log, the history files and the web service of a master change the state of a DAG (transitions.go), and so does a
// history that Tez has written. A [Source] sends the requests that can add something to the state (requests.go), and
// returns a snapshot of it per call (snapshot.go). [NewPastReader] reads a history to replay.
//
// A workflow is a DAG: a plan with one job that has the vertices as stages. A temporary failure is a *dag.MissedError.
// The end of a DAG comes from its master, its master's log or history, or the ResourceManager.
package tez

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
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
	lines    lineReader
	*session // of the application; nil before it is chosen

	polls       int
	now, before dag.Instant // of this poll and of the previous one; NoInstant before
	firstPoll   dag.Instant // of an incomplete DAG; NoInstant before
	app         yarn.App
	masterSince dag.Instant // when the newest master was first observed

	runsAnother bool        // the master no longer has the DAG
	failedSince dag.Instant // since when the master does not answer; NoInstant while it does
	failure     error
	backlog     []string // unknown attempts to request, as short ids

	endSince dag.Instant // since when the DAG's end waits for a second source that reports it
	endPolls int         // of this wait
	isFinal  bool        // the newest snapshot has a final state
	warnings []dag.Warning
}

// NewSource returns a source for a DAG's or an application's id. For an application it selects the newest DAG; ""
// selects the newest running application of any user.
func NewSource(cluster Cluster, target yarn.Target) *Source {
	return &Source{
		cluster: cluster, target: target, overview: yarn.NewOverview(cluster, target.Made), now: dag.NoInstant,
		firstPoll: dag.NoInstant, failedSince: dag.NoInstant, endSince: dag.NoInstant,
	}
}

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
	s.polls++
	s.before, s.warnings = s.now, nil
	err := s.overview.Observe(ctx)
	s.now = s.overview.Now()
	if back := s.before - s.now; s.before.Known() && back > 0 && back < mostBack {
		s.now = s.before // a cached response, or responses in a different order
	}
	if err != nil {
		err = &dag.MissedError{At: s.now, Err: err}
	} else if err = s.choose(ctx); err == nil {
		s.poll(ctx)
		err = s.checkDAG()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	isShaped, isRefused, state := s.isShaped(), yarn.Denied(s.failure), dag.Submitted
	switch {
	case isShaped:
		state = s.outcome()
	case isRefused && s.app.Running:
		state = dag.Running
	}
	s.isFinal = state.Ended()
	if isRefused {
		s.st.submitted = dag.FirstKnown(s.st.submitted, s.st.started, s.app.Submitted, s.now)
	}
	snap := s.st.snapshot(s.now, &s.app, state, isShaped)
	if isShaped || isRefused {
		s.warnAbout(snap)
	}
	snap.Warnings = slices.Concat(s.warnings, snap.Warnings, s.overview.Warnings())
	return snap, nil
}

// choose finds the application and, from its master's files, the DAG.
func (s *Source) choose(ctx context.Context) error {
	dagApp, _ := IsDAG(s.target.ID)
	id := cmp.Or(s.app.ID, dagApp, s.target.ID)
	if id == "" { // the newest application that has not ended
		newest := dag.NoInstant
		for _, a := range s.overview.Listed() {
			if a.Type == "TEZ" && !a.Ended && (id == "" || a.Submitted > newest) {
				id, newest = a.ID, a.Submitted
			}
		}
	}
	app, known := s.overview.App(ctx, id)
	if id == "" || !known {
		return s.none("")
	}
	s.app = app
	if s.session == nil {
		s.session = newSession(s.cluster, id)
	}
	isNew := s.files.follow(&app)
	s.listFiles(ctx)
	if s.st == nil {
		id = s.target.ID
		if dagApp == "" { // the newest DAG with a log of the master, or the first one
			id = s.prefix + strconv.Itoa(max(1, s.files.newestDAG(s.prefix)))
		}
		s.st = newState(id, s.overview)
		s.lines.st = s.st
		if naming.IsPig(app.Name) {
			s.st.title = titleOf(id, &planBody{DAGName: text(app.Name)}) // Pig's DAG names differ only in a number
		}
	}
	if isNew {
		_, number := masterOf(app.Container)
		s.masterSince, s.runsAnother = s.now, false
		s.st.newMaster(number, s.now)
	}
	return nil
}

// isFound reports whether the DAG was submitted, as far as the files and the master show.
func (s *Source) isFound() bool { return s.st.reported != "" || s.hasLog() || s.st.submitted.Known() }

// checkDAG returns an error if there is no DAG to watch. If the master refuses this user, the ResourceManager still
// reports the end.
func (s *Source) checkDAG() error {
	what, isDAG := "a DAG", dagID.MatchString(s.target.ID)
	if isDAG {
		what = s.st.id
	}
	switch {
	case s.isFound(), yarn.Denied(s.failure):
	case s.app.Ended:
		return s.none("%s has ended, and no file of %s is left: a master's files are deleted after some hours. "+
			"`paratimer history add` reads the history that Tez wrote", s.app.ID, what)
	case isDAG:
		return s.none("%s runs, and has no %s: is the number right? Without one, as in `paratimer attach %s`, "+
			"its newest DAG is watched, or the first one awaited", s.app.ID, what, s.app.ID)
	}
	return nil // otherwise the master has started and will receive its DAG soon
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
	if st.plan != nil || st.hasEnded() || st.final.Ended() || s.app.Ended {
		return true
	}
	if s.isFound() {
		s.firstPoll = dag.FirstKnown(s.firstPoll, s.now)
	}
	haveStarted := !slices.ContainsFunc(st.vertices, func(v *vertex) bool { return !v.hasStarted })
	return len(st.vertices) > 0 && (st.hasPlan || haveStarted || yarn.Denied(s.files.err) && s.files.sizes == nil ||
		s.firstPoll.Known() && s.now-s.firstPoll >= early)
}

// If one source reports the DAG's end, waitPolls is how many polls it waits for a better one. waitFiles is the wait
// in milliseconds if files that could be read before cannot be read now.
const (
	waitPolls = 3
	waitFiles = 120_000
)

// outcome returns the state of the DAG. The end comes from the master's web service, log or history. If the
// application ends without any of these, it comes from the ResourceManager. An end that only one source reports waits
// for another one, unless this is the last observation.
func (s *Source) outcome() dag.State {
	reported, isReported := yarn.EndStates[s.st.reported]
	switch {
	case s.st.final.Ended():
		return s.st.final
	case !isReported && !s.app.Ended:
		return s.st.current()
	}
	s.endPolls++
	s.endSince = dag.FirstKnown(s.endSince, s.now)
	hasMore := !isReported || len(s.backlog) > 0 || s.files.sizes != nil
	areDown := s.files.container != "" && s.files.err != nil && !yarn.Denied(s.files.err) &&
		rest.Status(s.files.err) != http.StatusNotFound
	switch {
	case s.target.Final != nil && s.target.Final():
	case hasMore && s.endPolls <= waitPolls, areDown && s.now-s.endSince <= waitFiles:
		return dag.Running
	}
	if isReported {
		return reported
	}
	return s.endByManager()
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
	s.warn(dag.WarnObservation, "only the ResourceManager reports that %s is %s: its master and the files of its "+
		"master lack its end%s", s.st.id, state, stats)
	return state
}

const (
	// recovery is how long a new master may take to read the recovery data of the previous one, in milliseconds.
	recovery = 20_000
	// mostSilence is how long a master may not answer before there is a warning, in milliseconds.
	mostSilence = 5_000
)

func (s *Source) warn(code, format string, args ...any) {
	s.warnings = append(s.warnings, dag.Warningf(code, format, args...))
}

// warnTooLarge returns a warning about a DAG that is too large to estimate, if it is.
func (st *state) warnTooLarge() []dag.Warning {
	n := 0
	for _, v := range st.vertices {
		if v.hasTasks {
			n = min(n+v.tasks, dag.MaxTasks)
		}
	}
	if n = max(n, st.attempts); n <= mostAttempts {
		return nil
	}
	return []dag.Warning{dag.Warningf(dag.WarnTooLarge,
		"too large to estimate: it has %d tasks or attempts, and %d is the limit of a workflow", n, mostAttempts)}
}

// warnAbout adds warnings about missing information in a snapshot.
func (s *Source) warnAbout(snap *dag.Snapshot) {
	s.warnings = append(s.warnings, yarn.LoadWarning(snap.Load)...)
	if snap.State.Ended() {
		return
	}
	s.warnAboutNodes(snap)
	if s.st.masters > 1 {
		s.warn(dag.WarnMasterRestarted, "%s runs in its application master's attempt %d; tasks that the last one did "+
			"not finish, or that were not recovered, run again", s.app.ID, s.st.masters)
		if s.app.Running && s.files.sizes != nil && !s.hasLog() && s.now-s.masterSince > recovery {
			s.warn(dag.WarnObservation, "the new master of %s has recovered nothing of %s: "+
				"submit the query again", s.app.ID, s.st.id)
		}
	}
	if s.failedSince.Known() && s.now-s.failedSince > mostSilence && !s.runsAnother {
		s.warn(dag.WarnObservation, "the master of %s cannot be read, its last state is shown: %s",
			s.app.ID, input.FirstLine(s.failure.Error()))
	}
	hasSources := func(v *vertex) bool { return len(v.sources) > 0 }
	switch why := "it is in no file of the application's master yet"; {
	case s.st.hasPlan:
	case slices.ContainsFunc(s.st.vertices, hasSources) && s.files.err == nil:
		s.warn(dag.WarnNoEdges, "the edges are from the log of the application's master, which lacks their kinds: its "+
			"history file has no plan")
	default:
		if s.files.err != nil {
			why = input.FirstLine(s.files.err.Error())
		}
		s.warn(dag.WarnNoEdges, "the edges between vertices are unknown: %s", why)
	}
	if lost := s.files.progressOf(s.log()).lost; lost > 0 {
		s.warn(dag.WarnObservation, "%d bytes of the log of the application's master were skipped: some attempts have "+
			"the times of their first observation", lost)
	}
}

// warnAboutNodes warns about attempts on nodes that are lost or being decommissioned.
func (s *Source) warnAboutNodes(snap *dag.Snapshot) {
	for n, count := range yarn.OnClosed(snap, snap.Jobs[0].Stages...) {
		tasks := units.Count(count, "task")
		switch {
		case n.Lost:
			why := map[dag.NodeCause]string{dag.NodeUnhealthy: "unhealthy", dag.NodeDecommissioned: "decommissioned"}[n.Cause]
			s.warn(dag.WarnNodeLost, "node %s is %s with %s of %s, which run again elsewhere, as do ended tasks "+
				"with output that is still needed", n.Name, cmp.Or(why, "lost"), tasks, s.st.id)
		case n.Draining:
			s.warn(dag.WarnNodeClosed, "node %s is being decommissioned: %s of %s on it may run until its timeout, "+
				"new ones start elsewhere", n.Name, tasks, s.st.id)
		}
	}
}
