// Package engine has the table of engines. A row names what the program does with an engine: find its applications,
// watch one, play its recorded answers, read its histories, check its services. Nothing else chooses an engine.
package engine

import (
	"context"

	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A Source yields snapshots of one query.
type Source = recording.Source

// A Client sends requests to a cluster's services.
type Client = mapreduce.Client

// Services are a cluster's services, such as a *Client or one with a budget.
type Services interface {
	mapreduce.Cluster
	tez.Cluster
}

// An Engine is a row of the table. A field that is nil or empty is nothing that the engine has.
type Engine struct {
	Name string
	Type string // of its applications on YARN
	// Owns reports whether an id is the engine's own, such as that of a DAG or a job. The engine of an application is
	// known by its type.
	Owns func(id string) bool
	// Resolve finds what an id of its own names, among the applications. Without it such an id is opened as it is.
	Resolve func(ctx context.Context, c Services, apps []*yarn.App, id string) (found string, ok bool)
	// Open watches a target on a cluster.
	Open func(c *Client, t yarn.Target, o Options) Source
	// HasParts means that Options.Part can choose a part of an application.
	HasParts bool
	// Applications lists the engine's applications of a hub. c has no budget: it is for services that an application
	// has for itself.
	Applications func(s Services, c *Client, hub *yarn.Hub) Applications
	// Check checks the services that only this engine has.
	Check func(ctx context.Context, c *Client) []yarn.Check
	// Replay plays recorded answers through the engine's source. It returns nil if they are of another engine.
	Replay func(rec *recording.Answers, o recording.Options) (*recording.Replay, error)
	// IsPast reports whether a file or folder may have finished runs, and Past returns a reader of these.
	IsPast func(p recording.Place) bool
	Past   func() recording.PastReader
}

// Options select what to watch.
type Options struct {
	Part    string // of an application, such as /sql/3; "" is all of it
	History string // address of the engine's history server, if flags name it
}

// Applications are those of one engine on a cluster. Their hub is refreshed by its owner.
type Applications interface {
	// Update requests what the engine needs after each refresh of the hub.
	Update(ctx context.Context)
	// Submitted lists the applications that run or wait to, by id.
	Submitted() []yarn.Submitted
	// Identify finds the workflow of an application.
	Identify(ctx context.Context, app string) error
	// Source watches an application, or what an id of the engine's own names. It uses the results of the hub.
	Source(id string) Source
}

// table lists the engines. The first row is that of ids and applications that no other row claims.
var table = []Engine{
	{
		Name: "MapReduce", Type: "MAPREDUCE", Owns: mapreduce.Owns,
		Open: func(c *Client, t yarn.Target, _ Options) Source { return mapreduce.NewSource(c, t) },
		Applications: func(s Services, _ *Client, hub *yarn.Hub) Applications {
			return mapreduce.HubOn(s, hub)
		},
		Check: mapreduce.Doctor, Replay: mapreduce.NewReplay,
		IsPast: history.IsHistory, Past: history.NewPastReader,
	},
	{
		Name: "Tez", Type: "TEZ", Owns: tez.Owns,
		Resolve: func(ctx context.Context, c Services, apps []*yarn.App, id string) (string, bool) {
			return tez.Resolve(ctx, c, apps, id)
		},
		Open: func(c *Client, t yarn.Target, _ Options) Source {
			return tez.NewSource(c, t)
		},
		Applications: func(s Services, _ *Client, hub *yarn.Hub) Applications { return tez.NewSessions(s, hub) },
		Check:        func(ctx context.Context, c *Client) []yarn.Check { return tez.Doctor(ctx, c) },
		Replay:       tez.NewReplay,
		IsPast:       func(p recording.Place) bool { return tez.HoldsHistory(p.In, p.File) },
		Past:         tez.NewPastReader,
	},
	{
		Name: "Spark", Type: "SPARK", HasParts: true,
		Open: func(c *Client, t yarn.Target, o Options) Source {
			return spark.OnYARN(c.Client, t.ID+o.Part, o.History)
		},
		Applications: func(_ Services, c *Client, hub *yarn.Hub) Applications {
			return spark.NewApplications(c.Client, hub)
		},
		Replay: spark.NewReplay,
		IsPast: spark.IsHistory,
		Past:   spark.NewPastReader,
	},
}
