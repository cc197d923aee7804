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
	all map[string]*Session // by application
}

// NewSessions returns sessions without requests so far. The caller refreshes the hub.
func NewSessions(cluster Cluster, hub *yarn.Hub) *Sessions {
	return &Sessions{cluster: cluster, hub: hub, all: map[string]*Session{}}
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
	left := make(map[string]*Session, len(apps))
	for i := range apps {
		a := &apps[i]
		session := s.all[a.App]
		if session == nil {
			continue
		}
		left[a.App] = session
		if d := session.newest.Load(); d != nil && !d.Ended {
			a.Read, a.Workflow, a.Title = true, d.ID, d.Name
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
	session := s.all[app]
	if session == nil {
		session = NewSession(s.cluster)
		s.all[app] = session
	}
	s.mu.Unlock()
	_, err = session.Observe(ctx, *a)
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
