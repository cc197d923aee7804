package input

import (
	"context"
	"slices"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// A HubCluster has the workflows of all engines, as a fleet.Cluster.
type HubCluster struct {
	*mapreduce.Hub
	client   *mapreduce.Client // for Spark drivers
	sessions *tez.Sessions
}

// NewHubCluster returns the workflows of all engines on a cluster. client requests from Spark drivers: each
// application has its own, so these requests do not count against the budget of c.
func NewHubCluster(c fleet.Services, client *mapreduce.Client) HubCluster {
	hub := mapreduce.NewHub(c)
	return HubCluster{Hub: hub, client: client, sessions: tez.NewSessions(c, hub.Hub)}
}

// Running lists the applications of MapReduce, then those of Tez, then those of Spark.
func (h HubCluster) Running() []yarn.Submitted {
	return slices.Concat(h.Submitted(), h.sessions.Running(), spark.Submitted(h.Hub.Hub))
}

// Identify reads the workflow of an application.
func (h HubCluster) Identify(ctx context.Context, app string) error {
	if ok, err := h.sessions.Identify(ctx, app); ok {
		return err
	}
	return h.Hub.Identify(ctx, app)
}

// Source returns a source of a DAG, of a Spark application, or of the workflow of a MapReduce application.
func (h HubCluster) Source(id string) watch.Source {
	if _, is := tez.IsDAG(id); is {
		return h.sessions.Source(id)
	}
	if a := h.App(id); a != nil && a.Type == "SPARK" {
		return spark.OnYARN(h.client.Client, id, "")
	}
	return h.Hub.Source(id)
}
