package tez

import (
	"context"
	"sync"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// Sessions finds the DAGs that the applications of a hub run. It is safe for concurrent use.
type Sessions struct {
	cluster Cluster
	hub     *yarn.Hub

	mu  sync.Mutex
	all map[string]*running // by application
}

// A running is a session with its newest DAG.
type running struct {
	asking  sync.Mutex // guards session
	session *Session
	newest  DAG // guarded by Sessions.mu
}

// NewSessions returns sessions without requests so far. The caller refreshes the hub.
func NewSessions(cluster Cluster, hub *yarn.Hub) *Sessions {
	return &Sessions{cluster: cluster, hub: hub, all: map[string]*running{}}
}

// submitted lists the applications of Tez, by id. Only their masters report which DAG they run.
func (s *Sessions) submitted() []yarn.Submitted {
	all := s.hub.Submitted(func(a *yarn.App) bool { return a.Type == "TEZ" })
	for i := range all {
		all[i].Engine = engine.Tez
	}
	return all
}

// Running returns the Tez applications of the hub's newest poll, by id. An application includes the newest DAG that
// Identify has found, unless that DAG has ended.
func (s *Sessions) Running() []yarn.Submitted {
	apps := s.submitted()
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

// Identify finds the newest DAG of a Tez application. ok is false for other applications.
func (s *Sessions) Identify(ctx context.Context, app string) (ok bool, err error) {
	a := s.hub.App(app)
	if a == nil || a.Type != "TEZ" {
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
	dags, err := r.session.Observe(ctx, *a)
	if len(dags) > 0 {
		s.mu.Lock()
		r.newest = dags[len(dags)-1]
		s.mu.Unlock()
	}
	return true, err
}

// Look identifies the DAGs of the newest running applications.
func (s *Sessions) Look(ctx context.Context) {
	apps := s.submitted()
	for _, a := range apps[max(0, len(apps)-mostSessions):] {
		if a.Readable {
			_, _ = s.Identify(ctx, a.App) // on an error only the application is shown
		}
	}
}

// Source returns a source of a DAG. It reuses the results of the hub's newest poll.
func (s *Sessions) Source(id string) *Source {
	app, _ := IsDAG(id)
	return NewSource(s.cluster, Target{ID: id, Over: s.hub.Overview(func() []string { return []string{app} })})
}
