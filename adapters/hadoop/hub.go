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

	"github.com/paratimer/paratimer/dag"
)

// A Hub asks a cluster on behalf of many sources: what they would all ask is asked once, by Refresh. Its sources see only
// the applications that may be of their workflow, and the others' load in sums. Several goroutines may use it.
type Hub struct {
	cluster Cluster
	view    atomic.Pointer[view]

	mu     sync.RWMutex
	confs  map[string]*jobConf // by application
	denied map[string]bool     // applications whose conf may not be read
	flows  map[string][]string // workflow id to applications
	needs  needs               // asked by Refresh alone
	whole  dag.Instant         // when applications that have ended were listed last
	room   room                // for the tasks of all sources
}

// NewHub returns a hub that has asked nothing yet.
func NewHub(cluster Cluster) *Hub {
	h := &Hub{cluster: cluster, confs: map[string]*jobConf{}, denied: map[string]bool{}, flows: map[string][]string{}, needs: needs{}, whole: dag.NoInstant}
	h.view.Store(&view{err: fmt.Errorf("hadoop: the applications have not been listed yet")})
	return h
}

// Source is a source of the workflow of an application. It asks its masters and the history server itself.
func (h *Hub) Source(app string) *Source {
	s := NewSource(h.cluster, Target{ID: app})
	s.hub, s.room = h, &h.room
	return s
}

// wholeEach is how many rounds lie between two lists that hold applications which have ended: a short job may come and go
// between two rounds.
const wholeEach = 3

// endedLate is how much longer ago than at the list before this one an application may have ended by its own word and not have
// been on that list: its end is noted before it is told, and after a failover by another ResourceManager's clock.
const endedLate = time.Minute

// maxEnded bounds the applications that are remembered after their end; a ResourceManager keeps 1,000 by default.
const maxEnded = 10_000

// Refresh lists the applications and the state of the cluster. After an error sources miss their observations.
func (h *Hub) Refresh(ctx context.Context) error {
	old := h.view.Load()
	v := &view{round: old.round + 1, w: old.w, nodes: old.nodes, queues: old.queues, world: old.world}
	err := h.ask(ctx, v, old)
	if err != nil {
		failed := *old
		failed.round, failed.err = v.round, err
		v = &failed
	}
	h.view.Store(v)
	return err
}

func (h *Hub) ask(ctx context.Context, v, old *view) error {
	var runs, ended appsBody
	var runsErr, endedErr error
	v.at = h.cluster.Now()
	path := appsRunning
	if len(old.runs) > busy {
		path = appsBriefly
	}
	questions := []func(context.Context){
		func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, path)
			runs, runsErr = get[appsBody](ctx, "apps", body, err)
		},
		func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, "metrics")
			v.w.metrics, v.w.metricsErr = get[metricsBody](ctx, "metrics", body, err)
		},
	}
	listed := v.round%wholeEach == 1 || old.apps == nil
	if listed {
		since := ""
		if h.whole.Known() {
			since = fmt.Sprintf("&finishedTimeBegin=%d", int64(h.whole)-endedLate.Milliseconds())
		}
		questions = append(questions, func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, appsAll+appsBrief+"&states=FINISHED,FAILED,KILLED"+since)
			ended, endedErr = get[appsBody](ctx, "apps", body, err)
		})
		defer func() {
			if endedErr == nil {
				h.whole = v.at
			}
		}()
	}
	nodes := func(ctx context.Context) {
		body, err := h.cluster.RM(ctx, "nodes")
		v.w.nodes, v.w.nodesErr = get[nodesBody](ctx, "nodes", body, err)
		if err == nil {
			v.nodes = v.round
		}
	}
	if v.round%nodesEach == 1 || old.nodes == 0 {
		questions = append(questions, nodes)
	}
	if v.round%queuesEach == 1 || old.queues == 0 {
		questions = append(questions, func(ctx context.Context) {
			body, err := h.cluster.RM(ctx, "scheduler")
			v.w.queues, v.w.queuesErr = get[schedulerBody](ctx, "scheduler", body, err)
			v.queues = v.round
		})
	}
	ask(ctx, questions...)
	if runsErr != nil {
		return runsErr
	}
	if old.apps == nil {
		v.at = h.cluster.Now() // before its first answer the cluster's clock was not known
	}
	if v.nodes != v.round && v.w.metricsErr == nil && old.apps != nil && old.w.metricsErr == nil && v.moved(old) {
		ask(ctx, nodes)
	}
	if v.nodes == v.round {
		v.list(h.cluster.Now())
	}
	v.take(old, &runs, &ended)
	v.miss(old, listed && endedErr == nil)
	h.observeNeeds(ctx, v)
	h.forget(v)
	h.room.keep(func(app string) bool { return v.known(app) != nil })
	return nil
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
		if left := slices.DeleteFunc(slices.Clone(h.flows[c.workflow]), func(id string) bool { return id == app }); len(left) > 0 {
			h.flows[c.workflow] = left
		} else {
			delete(h.flows, c.workflow)
		}
	}
	maps.DeleteFunc(h.denied, func(app string, _ bool) bool { return v.known(app) == nil })
}

// deny notes that an application's conf may not be read, so that nobody waits for it.
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

func (h *Hub) keep(app string, c *jobConf) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.confs[app] == nil && c.workflow != "" {
		h.flows[c.workflow] = append(slices.Clip(h.flows[c.workflow]), app)
	}
	h.confs[app] = c
}

// serve tells a source what the newest round said of its workflow.
func (h *Hub) serve(s *Source) error {
	v := h.view.Load()
	if v.err != nil {
		return v.err
	}
	s.seenAt = v.at
	s.listed = s.listed[:0]
	for _, id := range h.related(v, s) {
		s.apps[id] = v.known(id)
		s.listed = append(s.listed, id)
	}
	slices.SortFunc(s.listed, byID)
	s.listed = slices.Compact(s.listed)
	w := v.w
	w.nodesAsked, w.queuesAsked = false, v.queues > s.round
	if v.nodes > s.round && v.world != nil && !s.world.adopt(v.world) {
		s.world.relist(v.world)
	}
	s.round = v.round
	s.world.take(&w, s)
	return nil
}

// related are the applications that are of a source's workflow, or may be: those whose conf says so, and those that look
// like its first one and have not been asked.
func (h *Hub) related(v *view, s *Source) []string {
	var out []string
	add := func(id string) {
		if v.apps[id] != nil || v.missed[id] != nil && s.apps[id] == nil { // a source asks for what it knows and is not listed
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
	if first == nil {
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
		if c == nil && !(a.ended() && a.Started.instant() < since) || c != nil && c.workflow == workflow && workflow != "" {
			add(id)
		}
	}
	return out
}

// Identify asks an application that runs for its conf, once. A conf that may not be read is that of a job by itself.
func (h *Hub) Identify(ctx context.Context, app string) error {
	a := h.view.Load().apps[app]
	if a == nil || h.conf(app) != nil {
		return nil
	}
	ctx, done := holding(ctx)
	defer done()
	body, err := h.cluster.AM(ctx, app, "jobs/"+a.job()+"/conf")
	conf, err := getConf(ctx, a.job()+"/conf", body, err)
	switch st := status(err); {
	case st == http.StatusUnauthorized || st == http.StatusForbidden:
		h.deny(app)
		return nil
	case err != nil:
		return err
	}
	h.keep(app, conf.conf())
	return nil
}
