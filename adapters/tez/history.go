package tez

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A history has the events of DAGs that Tez has written.
type history struct {
	files int                // that were read
	bad   int                // records and files that were left out because they are not events
	dags  map[string][]event // by id
	apps  map[string][]event // of the configuration, masters and containers of an application
}

// errNoDAG means that a history has no DAG.
var errNoDAG = errors.New("no DAG of Tez is in it: SimpleHistoryLoggingService writes history.txt.appattempt_…, ProtoHistoryLoggingService dag_data/date=…/dag_…")

// mostEvents bounds the events of a DAG.
const mostEvents = 4_000_000

var (
	inApp = regexp.MustCompile(`^(?:application|appattempt|container(?:_e\d+)?)_(\d+_\d+)(?:_|$)`)
	inDAG = regexp.MustCompile(`^(?:dag|vertex|task|attempt)_(\d+_\d+_\d{1,9})(?:_|$)`)
)

// add adds an event. It ignores events of other kinds of objects.
func (l *history) add(e *event) error {
	switch e.Kind {
	case appConfigured, "AM_LAUNCHED", "AM_STARTED", "CONTAINER_LAUNCHED":
		if m := inApp.FindStringSubmatch(e.Entity); m != nil && len(l.apps["application_"+m[1]]) < mostContainers {
			l.apps["application_"+m[1]] = append(l.apps["application_"+m[1]], *e)
		}
		return nil
	}
	m := inDAG.FindStringSubmatch(e.Entity)
	if m == nil || !e.at().Known() {
		return nil
	}
	id := "dag_" + m[1]
	if len(l.dags[id]) >= mostEvents {
		return fmt.Errorf("%s has more than %d events", id, mostEvents)
	}
	l.dags[id] = append(l.dags[id], *e)
	return nil
}

// close orders the events by time. It returns errNoDAG if no DAG is complete.
func (l *history) close() error {
	beginnings := []string{"DAG_SUBMITTED", "DAG_STARTED", "DAG_INITIALIZED"}
	for id, all := range l.dags {
		if !slices.ContainsFunc(all, func(e event) bool { return slices.Contains(beginnings, e.Kind) }) {
			delete(l.dags, id) // its beginning is in another file
		}
		slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at(), b.at()) })
	}
	if len(l.dags) == 0 {
		return errNoDAG
	}
	return nil
}

// ids returns the ids of the DAGs, in order.
func (l *history) ids() []string { return slices.SortedFunc(maps.Keys(l.dags), yarn.ByID) }

// A historySource replays a DAG from the history of Tez, in steps of time.
type historySource struct {
	recording.Steps
	st     *state
	events []event
	app    yarn.App
	bad    int

	// The facts about the cluster. The source is the state's surroundings.
	cluster     dag.Cluster
	nodes       []dag.NodeState
	byID        map[text]int32 // nodes
	user, queue string
}

// Defaults of Tez for a history without configuration.
const defaultTaskMB, defaultMasterMB = 1024, 1024

// replay returns a source that replays a DAG. every is the time between snapshots; 0 is a second, or more for a long
// DAG. The source ends with io.EOF, or with a *recording.CutOffError if the history does not have the DAG's end.
func (l *history) replay(id string, every time.Duration) *historySource {
	app, _ := IsDAG(id)
	events := l.dags[id]
	s := &historySource{
		events: events, app: yarn.App{ID: app, Type: "TEZ", Running: true}, bad: l.bad, byID: map[text]int32{},
	}
	last := events[len(events)-1].at()
	s.Steps = recording.NewSteps(events[0].at(), last, every, &recording.CutOffError{At: last})
	s.st = newState(id, s)
	for i := range l.apps[app] {
		s.st.apply(&l.apps[app][i], dag.NoInstant)
	}
	if s.st.settings.taskMB() == 0 {
		s.st.settings.TaskMB = defaultTaskMB
	}
	s.app.MasterMB = cmp.Or(s.st.settings.MasterMB.Count(dag.MaxMemory), defaultMasterMB)
	s.survey()
	return s
}

// survey takes the user, queue and nodes from the events. The cluster gets memory for the master, which runs on the
// first node, and for all attempts that ran at once, spread evenly over the nodes.
func (s *historySource) survey() {
	running := map[dag.Instant]int{} // how the number of attempts that run changes
	for i := range s.events {
		e := &s.events[i]
		s.user, s.queue = cmp.Or(s.user, dag.Clean(string(e.User))), cmp.Or(s.queue, dag.Clean(string(e.QueueName)))
		if _, known := s.byID[e.NodeID]; !known && e.NodeID != "" && len(s.nodes) < mostContainers {
			s.byID[e.NodeID] = int32(len(s.nodes)) //nolint:gosec // G115: bounded
			host, _, _ := strings.Cut(string(e.NodeID), ":")
			s.nodes = append(s.nodes, dag.NodeState{Name: host, LostAt: dag.NoInstant})
		}
		switch {
		case e.Kind == "TASK_ATTEMPT_STARTED":
			running[e.at()]++
		case e.Kind == "TASK_ATTEMPT_FINISHED" && e.StartTime.Instant().Known(): // otherwise it never ran
			running[e.at()]--
		}
	}
	most := max(1, events.Peak(running))
	perNode := most
	for i := range s.nodes {
		perNode = (most + len(s.nodes) - 1) / len(s.nodes)
		s.nodes[i].MemoryMB = perNode * s.st.settings.taskMB()
	}
	if len(s.nodes) > 0 {
		s.nodes[0].MemoryMB += s.app.MasterMB
	}
	s.cluster = dag.Cluster{
		Policy: dag.YARN, MemoryMB: s.app.MasterMB + max(1, len(s.nodes))*perNode*s.st.settings.taskMB(),
	}
}

// Cluster returns the cluster.
func (s *historySource) Cluster(string) dag.Cluster { return s.cluster }

// Fill sets the user, queue and nodes of a snapshot.
func (s *historySource) Fill(snap *dag.Snapshot, _ string) {
	snap.User, snap.Queue, snap.Nodes = s.user, s.queue, s.nodes
}

// NodeIndex returns the index of a node, or -1 if there are too many.
func (s *historySource) NodeIndex(id string) int32 {
	if i, known := s.byID[text(id)]; known {
		return i
	}
	return -1
}

// Next replays one step.
func (s *historySource) Next(ctx context.Context) (*dag.Snapshot, error) {
	return s.Play(ctx, s.at) //nolint:wrapcheck // it is the end's or the context's
}

// at returns the snapshot of an instant, nil before the DAG is submitted.
func (s *historySource) at(now dag.Instant) *dag.Snapshot {
	for len(s.events) > 0 && s.events[0].at() <= now {
		s.st.apply(&s.events[0], s.events[0].at())
		s.events = s.events[1:]
	}
	if len(s.st.vertices) == 0 && !s.st.final.Ended() {
		return nil
	}
	state := cmp.Or(s.st.final, s.st.current())
	if state.Ended() {
		s.Over, s.End = true, io.EOF
	}
	snap := s.st.snapshot(now, &s.app, state, true)
	j := &snap.Jobs[0]
	j.HeldMB = s.app.MasterMB
	for k := range j.Stages {
		j.HeldMB += j.Stages[k].Running() * snap.Plan.Jobs[0].Stages[k].MemoryMB
	}
	if !s.st.hasPlan && !state.Ended() {
		snap.Warnings = append(snap.Warnings, dag.Warningf(dag.WarnNoEdges,
			"the edges between vertices are unknown: the history has no plan of the DAG"))
	}
	if s.bad > 0 {
		snap.Warnings = append(snap.Warnings, dag.Warningf(dag.WarnObservation, "left out: %s of the history that no event "+
			"can be read from", units.Count(s.bad, "part")))
	}
	return snap
}

// NewPastReader returns a reader of the history of DAGs.
func NewPastReader() recording.PastReader { return &pastReader{} }

type pastReader struct{ runs []recording.Run }

// Read reads the DAGs of a place.
func (r *pastReader) Read(ctx context.Context, p recording.Place) (has bool, err error) {
	log, err := readHistory(ctx, p.In, p.File)
	switch {
	case log.files == 0:
		return false, ctx.Err()
	case err != nil:
		return true, err
	}
	for i, id := range log.ids() {
		app, _ := IsDAG(id)
		r.runs = append(r.runs, recording.Run{
			ID: id, Path: p.Name, Noun: "DAG", Text: id, IsFirst: i == 0,
			Match: func(other string) int {
				if other == id || other == app && i == 0 {
					return 2
				}
				return 0
			},
			Open: func(o recording.Options) (recording.Source, error) {
				if o.Workflow != "" && o.Workflow != id && o.Workflow != app {
					return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: log.ids()}
				}
				return log.replay(id, o.Every), nil
			},
		})
	}
	return true, nil
}

// Runs returns a run for each DAG.
func (r *pastReader) Runs() ([]recording.Run, []recording.Skipped) { return r.runs, nil }
