package tez

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Log is a history of DAGs that Tez has written.
type Log struct {
	// Bad counts records and files that were left out because they are not events.
	Bad int

	dags map[string][]event // by id
	apps map[string][]event // of the configuration, masters and containers of an application
}

func newLog() *Log { return &Log{dags: map[string][]event{}, apps: map[string][]event{}} }

// errNoDAG means that a history has no DAG.
var errNoDAG = errors.New("no DAG of Tez is in it: SimpleHistoryLoggingService writes history.txt.appattempt_…, ProtoHistoryLoggingService dag_data/date=…/dag_…")

// mostEvents bounds the events of a DAG.
const mostEvents = 4_000_000

// add adds an event.
func (l *Log) add(e *event) error {
	switch e.kind {
	case appConfigured, "AM_LAUNCHED", "AM_STARTED", "CONTAINER_LAUNCHED":
		if app := idIn("application_", inApp, e.entity); app != "" && len(l.apps[app]) < mostContainers {
			l.apps[app] = append(l.apps[app], *e)
		}
		return nil
	}
	id := idIn("dag_", inDAG, e.entity)
	if id == "" || !e.at.Known() {
		return nil // the event of another kind of object
	}
	if len(l.dags[id]) >= mostEvents {
		return fmt.Errorf("%s has more than %d events", id, mostEvents)
	}
	l.dags[id] = append(l.dags[id], *e)
	return nil
}

var (
	inApp = regexp.MustCompile(`^(?:application|appattempt|container(?:_e\d+)?)_(\d+_\d+)(?:_|$)`)
	inDAG = regexp.MustCompile(`^(?:dag|vertex|task|attempt)_(\d+_\d+_\d{1,9})(?:_|$)`)
)

// idIn returns prefix and the part of an id that the pattern finds, or "" if it does not match.
func idIn(prefix string, pattern *regexp.Regexp, id string) string {
	if m := pattern.FindStringSubmatch(id); m != nil {
		return prefix + m[1]
	}
	return ""
}

// close orders the events by time. It returns errNoDAG if no DAG is complete.
func (l *Log) close() error {
	for id, all := range l.dags {
		if !slices.ContainsFunc(all, func(e event) bool {
			return e.kind == "DAG_SUBMITTED" || e.kind == "DAG_STARTED" || e.kind == "DAG_INITIALIZED"
		}) {
			delete(l.dags, id) // its beginning is in another file
			continue
		}
		slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	}
	if len(l.dags) == 0 {
		return errNoDAG
	}
	return nil
}

// DAGs returns the ids of the DAGs, in order.
func (l *Log) DAGs() []string {
	out := make([]string, 0, len(l.dags))
	for id := range l.dags {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b string) int {
		appA, _ := IsDAG(a)
		appB, _ := IsDAG(b)
		return cmp.Or(yarn.ByID(appA, appB), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return out
}

// Span returns the times of the first and the last event of a DAG.
func (l *Log) Span(id string) (first, last dag.Instant) {
	all := l.dags[id]
	return all[0].at, all[len(all)-1].at
}

// A Player replays the history of one DAG. It is not safe for concurrent use.
type Player struct {
	st      *state
	view    view
	events  []event
	app     yarn.App
	cluster historyCluster
	isFinal bool // the newest snapshot has a final state
}

// Defaults of Tez for a history without configuration.
const defaultTaskMB, defaultMasterMB = 1024, 1024

// Play returns a player for a DAG of the log.
func (l *Log) Play(id string) *Player {
	app, _ := IsDAG(id)
	p := &Player{events: l.dags[id], app: yarn.App{ID: app, Type: "TEZ", Running: true}}
	p.st = newState(id, p.cluster.nodeIndex)
	p.view = view{st: p.st, room: &p.cluster}
	for i := range l.apps[app] {
		p.st.apply(&l.apps[app][i], dag.NoInstant)
	}
	if p.st.settings.taskMB() == 0 {
		p.st.settings.TaskMB = defaultTaskMB
	}
	p.app.MasterMB = cmp.Or(p.st.settings.MasterMB.Count(dag.MaxMemory), defaultMasterMB)
	p.cluster.fill(p.events)
	p.cluster.spread(p.app.MasterMB, p.st.settings.taskMB(), max(1, mostAtOnce(p.events)))
	return p
}

// mostAtOnce returns the highest number of attempts that ran at the same time.
func mostAtOnce(events []event) int {
	var starts, ends []dag.Instant
	for i := range events {
		switch e := &events[i]; {
		case e.kind == "TASK_ATTEMPT_STARTED":
			starts = append(starts, e.at)
		case e.kind == "TASK_ATTEMPT_FINISHED" && e.start.Known(): // otherwise it never ran
			ends = append(ends, e.at)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	most, ended := 0, 0
	for i, at := range starts {
		for ended < len(ends) && ends[ended] <= at {
			ended++
		}
		most = max(most, i+1-ended)
	}
	return most
}

// At returns the snapshot of an instant, which must be later than the previous one. It returns io.EOF after a
// snapshot with a final state. ok is false before the DAG is submitted.
func (p *Player) At(now dag.Instant) (snap *dag.Snapshot, ok bool, err error) {
	if p.isFinal {
		return nil, false, io.EOF
	}
	for len(p.events) > 0 && p.events[0].at <= now {
		p.st.apply(&p.events[0], p.events[0].at)
		p.events = p.events[1:]
	}
	if len(p.st.vertices) == 0 && p.st.final == "" {
		return nil, false, nil
	}
	state, ended := finalStates[p.st.final]
	if ended {
		p.st.endWith(state, orNow(p.st.finished, now))
	} else {
		state = p.st.current()
	}
	p.st.assumeSubmitted(now)
	snap = p.view.snapshot(&observation{now: now, app: &p.app, state: state, masters: 1})
	j := &snap.Jobs[0]
	j.HeldMB = p.app.MasterMB
	for k := range j.Stages {
		j.HeldMB += j.Stages[k].Running() * snap.Plan.Jobs[0].Stages[k].MemoryMB
	}
	snap.Warnings = p.st.warnTooLarge()
	if !p.st.hasPlan && !ended {
		snap.Warnings = append(snap.Warnings, warning(dag.WarnNoEdges,
			"which vertex reads which is not known: the history has no plan of the DAG"))
	}
	p.isFinal = ended
	return snap, true, nil
}

// A historyCluster has the facts of a history about the cluster. It implements surroundings.
type historyCluster struct {
	cluster     dag.Cluster
	nodes       []dag.NodeState
	index       map[string]int32 // of nodes, by id
	user, queue string
}

// fill takes the user, queue and nodes of a DAG's events.
func (c *historyCluster) fill(events []event) {
	c.index = map[string]int32{}
	for i := range events {
		e := &events[i]
		c.user, c.queue = cmp.Or(c.user, dag.Clean(e.user)), cmp.Or(c.queue, dag.Clean(e.queue))
		if _, known := c.index[e.node]; !known && e.node != "" && len(c.nodes) < mostContainers {
			c.index[e.node] = int32(len(c.nodes)) //nolint:gosec // G115: bounded
			host, _, _ := strings.Cut(e.node, ":")
			c.nodes = append(c.nodes, dag.NodeState{Name: host, LostAt: dag.NoInstant})
		}
	}
}

// spread sets the memory: enough for the master and for n tasks, which are spread evenly over the nodes. The first node
// runs the master.
func (c *historyCluster) spread(masterMB, taskMB, n int) {
	c.cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: masterMB + n*taskMB}
	if len(c.nodes) == 0 {
		return
	}
	each := (n + len(c.nodes) - 1) / len(c.nodes) * taskMB
	for i := range c.nodes {
		c.nodes[i].MemoryMB = each
	}
	c.nodes[0].MemoryMB += masterMB
	c.cluster.MemoryMB = masterMB + len(c.nodes)*each
}

func (c *historyCluster) nodeIndex(id string) int32 {
	if i, known := c.index[id]; known {
		return i
	}
	return -1
}

// Cluster returns a cluster with enough memory for all attempts that ran at once.
func (c *historyCluster) Cluster(string) dag.Cluster { return c.cluster }

// Fill sets the user, queue and nodes of a snapshot.
func (c *historyCluster) Fill(snap *dag.Snapshot, _ string) {
	snap.User, snap.Queue, snap.Nodes = c.user, c.queue, c.nodes
}
