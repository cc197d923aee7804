package input

import (
	"context"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// A HubCluster is a hub of workflows of both engines, whose sources are the loop's.
type HubCluster struct {
	*hadoop.Hub
	sessions *tez.Sessions
}

// NewHubCluster returns the workflows of both engines on a cluster.
func NewHubCluster(c tez.Cluster) HubCluster {
	hub := hadoop.NewHub(c)
	return HubCluster{hub, tez.NewSessions(c, hub)}
}

// Running lists the applications of MapReduce, then those of Tez.
func (h HubCluster) Running() []hadoop.Submitted {
	return append(h.Hub.Running(), h.sessions.Running()...)
}

// Identify asks an application which workflow it is of.
func (h HubCluster) Identify(ctx context.Context, app string) error {
	if ok, err := h.sessions.Identify(ctx, app); ok {
		return err
	}
	return h.Hub.Identify(ctx, app)
}

// Source is a source of a DAG, or of the workflow of an application.
func (h HubCluster) Source(id string) watch.Source {
	if _, is := tez.IsDAG(id); is {
		return h.sessions.Source(id)
	}
	return h.Hub.Source(id)
}
