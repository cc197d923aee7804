package live

import (
	"context"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// hubCluster is a hub of workflows of both engines, whose sources are the loop's.
type hubCluster struct {
	*hadoop.Hub
	sessions *tez.Sessions
}

func newHubCluster(c tez.Cluster) hubCluster {
	hub := hadoop.NewHub(c)
	return hubCluster{hub, tez.NewSessions(c, hub)}
}

// Running lists the applications of MapReduce, then those of Tez.
func (h hubCluster) Running() []hadoop.Submitted {
	return append(h.Hub.Running(), h.sessions.Running()...)
}

// Identify asks an application which workflow it is of.
func (h hubCluster) Identify(ctx context.Context, app string) error {
	if ok, err := h.sessions.Identify(ctx, app); ok {
		return err
	}
	return h.Hub.Identify(ctx, app)
}

// Source is a source of a DAG, or of the workflow of an application.
func (h hubCluster) Source(id string) watch.Source {
	if _, is := tez.IsDAG(id); is {
		return h.sessions.Source(id)
	}
	return h.Hub.Source(id)
}
