package hadoop

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A Hub polls a cluster for several sources: Refresh sends the requests that they share once. Sources of a shared
// hub see only the applications that may be of their workflow, and the others' load in sums. Several goroutines may
// use it.
type Hub struct {
	cluster Cluster
	view    atomic.Pointer[view]
	only    *Source // the only source, if any: it refreshes the hub itself, and sees all that the ResourceManager lists

	mu     sync.RWMutex
	confs  map[string]*jobConf // by application
	denied map[string]bool     // applications whose conf may not be read
	flows  map[string][]string // workflow id to applications
	needs  needs               // used by Refresh alone
	whole  dag.Instant         // when applications that have ended were listed last
	room   room                // for the tasks of all sources
}

// NewHub returns a hub that has sent no request yet.
func NewHub(cluster Cluster) *Hub {
	h := &Hub{
		cluster: cluster, confs: map[string]*jobConf{}, denied: map[string]bool{}, flows: map[string][]string{},
		needs: needs{}, whole: dag.NoInstant,
	}
	h.view.Store(&view{err: fmt.Errorf("hadoop: the applications have not been listed yet")})
	return h
}

// Source returns a source for the workflow of an application. The source itself polls the masters and the history
// server.
func (h *Hub) Source(app string) *Source { return h.source(Target{ID: app}) }

func (h *Hub) source(target Target) *Source {
	return &Source{
		cluster: h.cluster, target: target, hub: h, apps: map[string]*wireApp{}, jobs: map[string]*job{},
		state: newClusterState(), missedAt: dag.NoInstant,
	}
}

const (
	// wholeEach is how many rounds lie between two lists of ended applications: a short job may start and end
	// between two rounds. A hub with an only source requests them while its workflow is between two jobs.
	wholeEach = 3
	// Queues change seldom. The metrics show nodes that come and go.
	nodesEach, queuesEach = 60, 10
	// busy is how many applications make a list long. Pending requests take two thirds of an application's 4 KB,
	// and long lists leave them out.
	busy = 100
)

// appList returns the path of a list of applications in these states, or in any for "".
func appList(states string, brief bool) string {
	path := "apps?deSelects=resourceRequests"
	if brief {
		path += ",resourceInfo,timeouts,appNodeLabelExpression,amNodeLabelExpression"
	}
	if states != "" {
		path += "&states=" + states
	}
	return path
}

const (
	statesRunning = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
	statesEnded   = "FINISHED,FAILED,KILLED"
)

// endedLate is how far the list of ended applications reaches back before the previous list. The ResourceManager
// publishes an end some time after its timestamp, and after a failover the clock is another ResourceManager's.
const endedLate = time.Minute

// maxEnded bounds the applications that are remembered after their end; a ResourceManager keeps 1,000 by default.
const maxEnded = 10_000

// Refresh lists the applications and the state of the cluster. After an error sources miss their observations.
func (h *Hub) Refresh(ctx context.Context) error {
	old := h.view.Load()
	v := &view{round: old.round + 1, w: old.w, nodes: old.nodes, queues: old.queues, state: old.state}
	v.w.nodes = nodesBody{}
	err := h.ask(ctx, v, old)
	if err != nil {
		failed := *old
		failed.round, failed.err = v.round, err
		v = &failed
	}
	h.view.Store(v)
	return err
}

// wanted returns which applications a round lists: those in these states, "" for all, and in addition those that
// have ended.
func (h *Hub) wanted(v, old *view) (states string, ended bool) {
	due := v.round%wholeEach == 1
	switch {
	case h.only == nil:
		return statesRunning, due || old.apps == nil
	case old.err != nil || due && h.only.idle():
		return "", false
	}
	return statesRunning, false
}

// ask requests the applications and the state of the cluster. Without the applications there is no view. If another
// request fails, its last response stays.
func (h *Hub) ask(ctx context.Context, v, old *view) error {
	var runs, ended appsBody
	var runsErr, endedErr error
	v.at = h.cluster.Now()
	states, whole := h.wanted(v, old)
	questions := []func(context.Context){
		func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, appList(states, len(old.listed) > busy))
			runs, runsErr = get[appsBody](ctx, "apps", body, err)
		},
		func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, "metrics")
			v.w.metricsErr = answer(ctx, "metrics", body, err, &v.w.metrics)
		},
	}
	if whole {
		path := appList(statesEnded, true)
		if h.whole.Known() {
			path += fmt.Sprintf("&finishedTimeBegin=%d", int64(h.whole)-endedLate.Milliseconds())
		}
		questions = append(questions, func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, path)
			ended, endedErr = get[appsBody](ctx, "apps", body, err)
		})
	}
	nodes := func(ctx context.Context) {
		body, err := h.cluster.RM(ctx, "nodes")
		if answer(ctx, "nodes", body, err, &v.w.nodes) == nil {
			v.nodes = v.round
		}
	}
	nodesDue := v.round%nodesEach == 1 || old.nodes == 0
	if nodesDue {
		questions = append(questions, nodes)
	}
	if v.round%queuesEach == 1 || old.queues == 0 {
		questions = append(questions, func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, "scheduler")
			if answer(ctx, "scheduler", body, err, &v.w.queues) == nil {
				v.queues = v.round
			}
		})
	}
	ask(ctx, questions...)
	if whole && endedErr == nil {
		h.whole = v.at
	}
	if runsErr != nil {
		return runsErr
	}
	if old.apps == nil {
		v.at = h.cluster.Now() // the cluster's clock was unknown before the first response
	}
	if !nodesDue && (v.moved(old) || h.only != nil && h.only.state.guessing()) {
		ask(ctx, nodes)
	}
	if h.only != nil {
		v.takeAll(&runs)
		return nil
	}
	if v.nodes == v.round {
		v.list(h.cluster.Now())
	}
	v.take(old, &runs, &ended)
	v.miss(old, whole && endedErr == nil)
	h.observeNeeds(ctx, v)
	h.forget(v)
	h.room.keep(func(app string) bool { return v.known(app) != nil })
	return nil
}

// answer decodes a response into the one before, which stays if that fails.
func answer[T any](ctx context.Context, what string, body []byte, err error, to *T) error {
	v, err := get[T](ctx, what, body, err)
	if err == nil {
		*to = v
	}
	return err
}

// forget drops the confs of applications that are gone.
func (h *Hub) forget(v *view) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for app, c := range h.confs {
		if v.known(app) != nil {
			continue
		}
		delete(h.confs, app)
		if left := slices.DeleteFunc(slices.Clone(h.flows[c.workflow]), func(id string) bool { return id == app }); len(
			left) > 0 {
			h.flows[c.workflow] = left
		} else {
			delete(h.flows, c.workflow)
		}
	}
	maps.DeleteFunc(h.denied, func(app string, _ bool) bool { return v.known(app) == nil })
}

// deny records that an application's conf may not be read, so that no source waits for it.
func (h *Hub) deny(app string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.denied[app] = true
}

func (h *Hub) conf(app string) *jobConf {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.confs[app]
}

// keep remembers an application's conf for all sources. The only source of a hub keeps what it needs by itself.
func (h *Hub) keep(app string, c *jobConf) {
	if h.only != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.confs[app] == nil && c.workflow != "" {
		h.flows[c.workflow] = append(slices.Clip(h.flows[c.workflow]), app)
	}
	h.confs[app] = c
}

// serve passes the newest responses about its workflow to a source. The only source of a hub gets all responses.
func (h *Hub) serve(s *Source) error {
	v := h.view.Load()
	if v.err != nil {
		return v.err
	}
	ids, w := v.listed, v.w
	w.newNodes, w.newQueues = v.nodes > s.round, v.queues > s.round
	if h.only == nil {
		ids = h.related(v, s)
		if w.newNodes && v.state != nil && !s.state.adopt(v.state) {
			s.state.relist(v.state)
		}
		w.newNodes = false
	}
	s.listed = s.listed[:0]
	for _, id := range ids {
		s.apps[id] = v.known(id).after(s.apps[id])
		s.listed = append(s.listed, id)
	}
	slices.SortFunc(s.listed, byID)
	s.listed = slices.Compact(s.listed)
	s.seenAt, s.round = v.at, v.round
	s.state.take(&w, s)
	return nil
}

// related returns the applications that are of a source's workflow, or may be: those with its id in their conf, and
// those that look like its first one and have no known conf.
func (h *Hub) related(v *view, s *Source) []string {
	var out []string
	add := func(id string) {
		// A source itself requests applications that it knows and that are not listed.
		if v.apps[id] != nil || v.missed[id] != nil && s.apps[id] == nil {
			out = append(out, id)
		}
	}
	add(s.target.ID)
	for _, j := range s.member {
		add(j.app)
	}
	first := s.apps[s.target.ID]
	if first == nil {
		first = v.known(s.target.ID)
	}
	if first == nil || !first.mapReduce() {
		return out
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	workflow, since := s.workflow, first.Started.instant()
	if c := h.confs[s.target.ID]; c != nil {
		if c.workflow == "" {
			return out // a job by itself
		}
		workflow = c.workflow
		if at := number(c.launch).instant(); at.Known() {
			since = min(since, at)
		}
	}
	since = since.Add(-lookBack)
	for _, id := range h.flows[workflow] {
		add(id)
	}
	for _, id := range v.names[keyOf(first)] {
		a, c := v.apps[id], h.confs[id]
		if c == nil && !(a.ended() && a.Started.instant() < since) || c != nil && c.workflow == workflow &&
			workflow != "" {
			add(id)
		}
	}
	return out
}

// Identify requests a running application's conf, once. If the conf may not be read, the application counts as a
// single job.
func (h *Hub) Identify(ctx context.Context, app string) error {
	a := h.view.Load().apps[app]
	if a == nil || h.conf(app) != nil {
		return nil
	}
	ctx, done := rest.Keep(ctx)
	defer done()
	body, err := h.cluster.AM(ctx, app, "jobs/"+a.job()+"/conf")
	conf, err := getConf(ctx, a.job()+"/conf", body, err)
	switch st := rest.Status(err); {
	case st == http.StatusUnauthorized || st == http.StatusForbidden:
		h.deny(app)
		return nil
	case err != nil:
		return err
	}
	h.keep(app, conf.conf())
	return nil
}
