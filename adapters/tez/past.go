package tez

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Log is a history of DAGs that Tez has written.
type Log struct {
	// Bad counts records and files that were left out because they are not events.
	Bad int

	steps map[string][]written // by DAG
	apps  map[string]*logApp
}

// A logApp has the facts of a history about an application.
type logApp struct {
	taskMB, amMB int
	min, max     float64   // slow-start fractions by the configuration; NaN unknown
	reduces      float64   // slow start of MapReduce's reduces
	containers   []written // launched and stopped
	master       boot
}

func newLog() *Log { return &Log{steps: map[string][]written{}, apps: map[string]*logApp{}} }

// errNoDAG means that a history has no DAG.
var errNoDAG = errors.New("no DAG of Tez is in it: SimpleHistoryLoggingService writes history.txt.appattempt_…, ProtoHistoryLoggingService dag_data/date=…/dag_…")

// add adds an event.
func (l *Log) add(w *written) error {
	w.tally()
	switch {
	case w.kind == "APP_LAUNCHED":
		l.configure(w)
		return nil
	case w.kind == "AM_LAUNCHED", w.kind == "AM_STARTED":
		if parts := strings.Split(w.entity, "_"); len(parts) >= 4 {
			n := len(parts)
			l.app("application_"+parts[n-3]+"_"+parts[n-2]).master.event(w.kind, w.at)
		}
		return nil
	case strings.HasPrefix(w.entity, "container_"):
		if parts := strings.Split(strings.TrimPrefix(w.entity, "container_"), "_"); len(parts) >= 4 && w.at.Known() {
			n := len(parts)
			a := l.app("application_" + parts[n-4] + "_" + parts[n-3])
			if len(a.containers) < mostContainers {
				a.containers = append(a.containers, *w)
			}
		}
		return nil
	}
	id := dagOf(w.entity)
	if id == "" || !w.at.Known() {
		return nil // the event of a master, or of another kind of object
	}
	if len(l.steps[id]) >= mostEvents {
		return fmt.Errorf("%s has more than %d events", id, mostEvents)
	}
	l.steps[id] = append(l.steps[id], *w)
	return nil
}

// dagOf returns the DAG of a DAG, vertex, task or attempt id, and "" for other ids.
func dagOf(id string) string {
	kind, rest, _ := strings.Cut(id, "_")
	switch kind {
	case "dag", "vertex", "task", "attempt":
	default:
		return ""
	}
	parts := strings.Split(rest, "_")
	if len(parts) < 3 {
		return ""
	}
	found := "dag_" + strings.Join(parts[:3], "_")
	if !dagID.MatchString(found) {
		return ""
	}
	return found
}

func (l *Log) app(id string) *logApp {
	a := l.apps[id]
	if a == nil {
		a = &logApp{min: math.NaN(), max: math.NaN(), reduces: math.NaN()}
		l.apps[id] = a
	}
	return a
}

// configure applies an application's configuration.
func (l *Log) configure(w *written) {
	if !appID.MatchString(w.entity) {
		return
	}
	a, o := l.app(w.entity), &w.other
	for _, name := range []string{"hive.tez.container.size", "tez.task.resource.memory.mb"} {
		if a.taskMB == 0 {
			a.taskMB = number(o.setting(name)).Count(dag.MaxMemory)
		}
	}
	a.amMB = number(o.setting("tez.am.resource.memory.mb")).Count(dag.MaxMemory)
	a.min, a.max = o.setting("tez.shuffle-vertex-manager.min-src-fraction"),
		o.setting("tez.shuffle-vertex-manager.max-src-fraction")
	a.reduces = o.setting("mapreduce.job.reduce.slowstart.completedmaps")
}

// fractions returns the slow-start fractions: when tasks of a vertex may start, as shares of the source tasks. Pig
// passes MapReduce's setting on to its vertices.
func (a *logApp) fractions(pig bool) (least, most float64) {
	share := func(v, or float64) float64 {
		if v >= 0 && v <= 1 {
			return v
		}
		return or
	}
	if pig && a.reduces >= 0 && a.reduces <= 1 {
		return a.reduces, a.reduces
	}
	least = share(a.min, defaultMin)
	return least, max(least, share(a.max, defaultMax))
}

// close orders the events by time. It returns errNoDAG if no DAG is complete.
func (l *Log) close() error {
	for id, all := range l.steps {
		if !slices.ContainsFunc(all, func(w written) bool {
			return w.kind == "DAG_SUBMITTED" || w.kind == "DAG_STARTED" || w.kind == "DAG_INITIALIZED"
		}) {
			delete(l.steps, id) // its beginning is in another file
			continue
		}
		slices.SortStableFunc(all, func(a, b written) int { return cmp.Compare(a.at, b.at) })
	}
	if len(l.steps) == 0 {
		return errNoDAG
	}
	return nil
}

// DAGs returns the ids of the DAGs, in order.
func (l *Log) DAGs() []string {
	out := make([]string, 0, len(l.steps))
	for id := range l.steps {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(yarn.ByID("application_"+a[4:strings.LastIndexByte(a, '_')], "application_"+
			b[4:strings.LastIndexByte(b, '_')]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return out
}

// Span returns the times of the first and the last event of a DAG.
func (l *Log) Span(id string) (first, last dag.Instant) {
	all := l.steps[id]
	return all[0].at, all[len(all)-1].at
}

// A Player replays the history of one DAG. It is not safe for concurrent use.
type Player struct {
	src   Source
	steps []written
	room  past
	app   *logApp
}

// past has the facts of a history about the cluster.
type past struct {
	cluster dag.Cluster
	nodes   []dag.NodeState
	index   map[string]int32
	user    string
	queue   string
}

// Cluster returns a cluster with enough memory for all attempts that ran at once.
func (p *past) Cluster(string) dag.Cluster { return p.cluster }

// Fill sets the user, queue and nodes of a snapshot.
func (p *past) Fill(snap *dag.Snapshot, _ string) {
	snap.User, snap.Queue, snap.Nodes = p.user, p.queue, p.nodes
}

// share splits the cluster's memory evenly between the nodes, and adds the master's memory to the first one.
func (p *past) share(amMB, taskMB int) {
	n := len(p.nodes)
	if n == 0 {
		return
	}
	tasks := (p.cluster.MemoryMB - amMB) / taskMB
	for i := range p.nodes {
		p.nodes[i].MemoryMB = (tasks + n - 1) / n * taskMB
	}
	p.nodes[0].MemoryMB += amMB
	p.cluster.MemoryMB = 0
	for i := range p.nodes {
		p.cluster.MemoryMB += p.nodes[i].MemoryMB
	}
}

// Warnings returns no warnings.
func (p *past) Warnings() []dag.Warning { return nil }

// Defaults of Tez for a history without configuration.
const defaultTaskMB, defaultMasterMB = 1024, 1024

// Play returns a player for a DAG of the log.
func (l *Log) Play(id string) *Player {
	app, _ := IsDAG(id)
	p := &Player{steps: l.steps[id], app: l.app(app)}
	taskMB, amMB := cmp.Or(p.app.taskMB, defaultTaskMB), cmp.Or(p.app.amMB, defaultMasterMB)
	p.room.index = map[string]int32{}
	p.room.cluster = dag.Cluster{Policy: dag.YARN, MemoryMB: amMB + max(1, p.atOnce())*taskMB}
	for i := range p.steps {
		w := &p.steps[i]
		p.room.user = cmp.Or(p.room.user, dag.Clean(w.user))
		p.room.queue = cmp.Or(p.room.queue, dag.Clean(string(w.other.Queue)))
		if _, known := p.room.index[w.node]; !known && w.node != "" && len(p.room.nodes) < mostContainers {
			p.room.index[w.node] = int32(len(p.room.nodes)) //nolint:gosec // G115: bounded
			host, _, _ := strings.Cut(w.node, ":")
			p.room.nodes = append(p.room.nodes, dag.NodeState{Name: host, LostAt: dag.NoInstant})
		}
	}
	p.room.share(amMB, taskMB)
	p.src = Source{
		room: &p.room, silentAt: dag.NoInstant, before: dag.NoInstant, firstAt: dag.NoInstant, asked: true, masters: 1,
		id: id, g: newGraph(id),
		app: yarn.App{ID: app, Type: "TEZ", Running: true, MasterMB: amMB},
	}
	p.src.g.taskMB, p.src.g.master = taskMB, p.app.master
	p.src.lines = logReader{g: p.src.g, node: func(id string) int32 {
		if i, known := p.room.index[id]; known {
			return i
		}
		return -1
	}}
	for i := range p.app.containers {
		// A container that an earlier DAG has left was not launched for this one.
		if w := &p.app.containers[i]; w.kind == "CONTAINER_LAUNCHED" && len(p.steps) > 0 && w.at >= p.steps[0].at {
			if c := p.src.g.container(w.entity); c != nil {
				c.launched = w.at
			}
		}
	}
	return p
}

// atOnce returns the highest number of attempts that ran at the same time.
func (p *Player) atOnce() int {
	type edge struct {
		at   dag.Instant
		step int
	}
	var all []edge
	for i := range p.steps {
		switch w := &p.steps[i]; w.kind {
		case "TASK_ATTEMPT_STARTED":
			all = append(all, edge{w.at, 1})
		case "TASK_ATTEMPT_FINISHED":
			if w.other.Start > 0 { // otherwise it never ran
				all = append(all, edge{w.at, -1})
			}
		}
	}
	slices.SortFunc(all, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
	most, n := 0, 0
	for _, e := range all {
		n += e.step
		most = max(most, n)
	}
	return most
}

// At returns the snapshot of an instant, which must be later than the previous one. It returns io.EOF after a
// snapshot with a final state. ok is false before the DAG is submitted.
func (p *Player) At(now dag.Instant) (snap *dag.Snapshot, ok bool, err error) {
	s := &p.src
	if s.ended {
		return nil, false, io.EOF
	}
	for len(p.steps) > 0 && p.steps[0].at <= now {
		p.take(&p.steps[0])
		p.steps = p.steps[1:]
	}
	s.now, s.lines.at, s.warned = now, now, nil
	if len(s.g.vertices) == 0 && s.g.logged == "" {
		return nil, false, nil
	}
	s.app.HeldMB = s.app.MasterMB
	snap = s.snapshot()
	for k := range snap.Jobs[0].Stages {
		snap.Jobs[0].HeldMB += snap.Jobs[0].Stages[k].Running() * snap.Plan.Jobs[0].Stages[k].MemoryMB
	}
	s.ended = snap.State.Ended()
	return snap, true, nil
}

// take applies an event.
func (p *Player) take(w *written) {
	g, r := p.src.g, &p.src.lines
	r.at = w.at
	switch w.kind {
	case "DAG_SUBMITTED":
		g.submitted = earliest(g.submitted, w.at)
		if w.other.Plan != nil {
			g.plan(w.other.Plan)
		}
	case "DAG_STARTED":
		g.started = w.at
	case "DAG_FINISHED":
		end := w.other.End.Instant()
		if !end.Known() {
			end = w.at
		}
		g.over(string(w.other.Status), end, string(w.other.Diagnostics))
	case "VERTEX_INITIALIZED", "VERTEX_CONFIGURE_DONE":
		v := r.vertex(w.entity)
		if v == nil {
			return
		}
		g.call(v, dag.Clean(string(w.other.Name)))
		if w.other.Tasks >= 0 && w.other.Tasks <= dag.MaxTasks {
			v.setTasks(w.other.Tasks.Count(dag.MaxTasks), true)
		}
		v.min, v.max = p.app.fractions(g.pig)
	case "VERTEX_STARTED":
		if v := r.vertex(w.entity); v != nil {
			v.begun = true
		}
	case "TASK_ATTEMPT_STARTED":
		if k, ok := parseID(w.entity, "attempt", g.id, 3); ok {
			r.begin(k, w.at, w.container, w.node)
		}
	case "TASK_ATTEMPT_FINISHED":
		p.finish(w)
	}
}

// finish applies the end of an attempt, with its counters.
func (p *Player) finish(w *written) {
	g, r := p.src.g, &p.src.lines
	k, ok := parseID(w.entity, "attempt", g.id, 3)
	state, ended := attemptStates[string(w.other.Status)]
	if !ok || !ended || g.find(k) == nil && !w.other.Start.Instant().Known() {
		return // it was never launched
	}
	end := w.other.End.Instant()
	if !end.Known() {
		end = w.at
	}
	r.finish(k, state, w.other.Allocated.Instant(), w.other.Start.Instant(), end,
		reason(string(w.other.Diagnostics)))
	if a := g.find(k); a != nil {
		g.count(g.vertices[k.vertex], a, &w.counters, w.at)
		a.settled = w.counters.any && state == dag.AttemptSucceeded
	}
}
