package tez

import (
	"context"
	"sync"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/adapters/recording"
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

// Update does nothing: Identify requests what a session runs.
func (s *Sessions) Update(context.Context) {}

// Submitted returns the Tez applications of the hub's newest poll, by id. An application includes the newest DAG that
// Identify has found, unless that DAG has ended: only the masters report which DAG they run.
func (s *Sessions) Submitted() []yarn.Submitted {
	apps := s.hub.Submitted(func(a *yarn.App) bool { return a.Type == "TEZ" })
	s.mu.Lock()
	defer s.mu.Unlock()
	left := make(map[string]*Session, len(apps))
	for i := range apps {
		a := &apps[i]
		a.Engine = engine.Tez
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

// Identify finds the newest DAG of an application.
func (s *Sessions) Identify(ctx context.Context, app string) error {
	a := s.hub.App(app)
	if a == nil || a.Type != "TEZ" {
		return nil
	}
	s.mu.Lock()
	session := s.all[app]
	if session == nil {
		session = NewSession(s.cluster)
		s.all[app] = session
	}
	s.mu.Unlock()
	_, err := session.Observe(ctx, *a)
	return err
}

// Source returns a source of a DAG. It reuses the results of the hub's newest poll.
func (s *Sessions) Source(id string) recording.Source {
	app, _ := IsDAG(id)
	return NewSource(s.cluster, Target{ID: id, Over: s.hub.Overview(func() []string { return []string{app} })})
}
