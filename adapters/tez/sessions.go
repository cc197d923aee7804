package tez

import (
	"context"
	"sync"

	"github.com/paratimer/paratimer/adapters/hadoop"
)

// Sessions tells which DAGs the applications of a hub run. Several goroutines may use it.
type Sessions struct {
	cluster Cluster
	hub     *hadoop.Hub

	mu  sync.Mutex
	all map[string]*running // by application
}

// A running is a session with its newest DAG.
type running struct {
	asking  sync.Mutex // of session
	session *Session
	newest  DAG // of Sessions.mu
}

// NewSessions returns sessions that have asked nothing yet. The hub is refreshed by others.
func NewSessions(cluster Cluster, hub *hadoop.Hub) *Sessions {
	return &Sessions{cluster: cluster, hub: hub, all: map[string]*running{}}
}

// Running lists the applications of Tez that the hub's newest round found, by id, each with the newest DAG of those
// that Identify has found; without one if that has ended.
func (s *Sessions) Running() []hadoop.Submitted {
	apps := s.hub.Tez()
	s.mu.Lock()
	defer s.mu.Unlock()
	left := make(map[string]*running, len(apps))
	for i := range apps {
		a := &apps[i]
		r := s.all[a.App]
		if r == nil {
			continue
		}
		left[a.App] = r
		if r.newest.ID != "" && !r.newest.Ended {
			a.Read, a.Workflow, a.Title = true, r.newest.ID, r.newest.Name
		}
	}
	s.all = left
	return apps
}

// Identify finds the newest DAG of an application of Tez. ok is false if it is none of Tez.
func (s *Sessions) Identify(ctx context.Context, app string) (ok bool, err error) {
	a, known := s.hub.App(app)
	if !known || a.Type != "TEZ" {
		return false, nil
	}
	s.mu.Lock()
	r := s.all[app]
	if r == nil {
		r = &running{session: NewSession(s.cluster)}
		s.all[app] = r
	}
	s.mu.Unlock()
	r.asking.Lock()
	defer r.asking.Unlock()
	dags, err := r.session.Observe(ctx, a)
	if len(dags) > 0 {
		s.mu.Lock()
		r.newest = dags[len(dags)-1]
		s.mu.Unlock()
	}
	return true, err
}

// Look identifies the DAGs of the newest applications that run, as far as their masters tell.
func (s *Sessions) Look(ctx context.Context) {
	apps := s.hub.Tez()
	for _, a := range apps[max(0, len(apps)-mostSessions):] {
		if a.Readable {
			_, _ = s.Identify(ctx, a.App) // one that says nothing is known by its application alone
		}
	}
}

// Source is a source of a DAG. What the hub's newest round told is not asked again.
func (s *Sessions) Source(id string) *Source {
	app, _ := IsDAG(id)
	return NewSource(s.cluster, Target{ID: id, Over: s.hub.Overview(app)})
}
