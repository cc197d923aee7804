// Package engine has the table of engines. A row names what the program does with an engine: find its applications,
// watch one, play its recorded answers, read its histories, check its services. Nothing else chooses an engine.
package engine

import (
	"context"
	"slices"

	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
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

// An Engine is a row of the table. The engine lacks what a nil or empty field describes.
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
	// Follow watches a run in files that are still written.
	Follow func(ctx context.Context, p recording.Place, part string, now func() dag.Instant) (Source, error)
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

// A Cluster is a place where workflows run, such as the Hub of a YARN cluster or spark.Drivers. Refresh is called by
// one goroutine at a time; the other methods may be called by several.
type Cluster interface {
	// Refresh lists the applications. After an error sources may miss their observations.
	Refresh(ctx context.Context) error
	// Running lists the applications that run or wait to.
	Running() []yarn.Submitted
	// Room returns the memory for containers and the free part of it, in MB. Both are 0 if unknown.
	Room() (totalMB, freeMB int)
	// Identify finds the workflow of an application.
	Identify(ctx context.Context, app string) error
	// Source watches an application, or a part of one, such as a DAG of Tez.
	Source(id string) Source
}

// A Hub has the workflows of all engines on a YARN cluster. Refresh is called by one goroutine at a time; the other
// methods may be called by several.
type Hub struct {
	*yarn.Hub
	engines []applications // of the rows that have any
}

// NewHub returns a hub without requests so far. client sends those that have no budget.
func NewHub(s Services, client *Client) *Hub {
	h := &Hub{Hub: yarn.NewHub(s, nil)}
	for i := range table {
		if e := &table[i]; e.Applications != nil {
			h.engines = append(h.engines, applications{e.Applications(s, client, h.Hub), e})
		}
	}
	return h
}

// applications are those of a row.
type applications struct {
	Applications
	of *Engine
}

// Refresh lists the applications and the state of the cluster. After an error sources miss their observations.
func (h *Hub) Refresh(ctx context.Context) error {
	if err := h.Hub.Refresh(ctx); err != nil {
		return err //nolint:wrapcheck // it is of this hub
	}
	for _, e := range h.engines {
		e.Update(ctx)
	}
	return nil
}

// Running lists the applications that run or wait to, those of each engine by id.
func (h *Hub) Running() (all []yarn.Submitted) {
	for _, e := range h.engines {
		all = append(all, e.Submitted()...)
	}
	return all
}

// Identify finds the workflow of an application.
func (h *Hub) Identify(ctx context.Context, app string) error {
	return h.of(app).Identify(ctx, app) //nolint:wrapcheck // it names the request
}

// Source watches an application, or what another id names.
func (h *Hub) Source(id string) Source { return h.of(id).Source(id) }

// of returns the applications of the engine of an id.
func (h *Hub) of(id string) Applications {
	e := ownerOf(id)
	if a := h.App(id); e == nil && a != nil {
		e = ofType(a.Type)
	}
	i := slices.IndexFunc(h.engines, func(a applications) bool { return a.of == e })
	return h.engines[max(i, 0)]
}

// mostIdentified bounds the applications that IdentifyNewest identifies.
const mostIdentified = 20

// IdentifyNewest finds the workflows of the newest applications that run several, such as sessions of Tez.
func (h *Hub) IdentifyNewest(ctx context.Context) {
	all := slices.DeleteFunc(h.Running(), func(s yarn.Submitted) bool { return s.Engine == "" || s.Read || !s.Readable })
	slices.SortStableFunc(all, func(a, b yarn.Submitted) int { return yarn.ByID(a.App, b.App) })
	for _, s := range all[max(0, len(all)-mostIdentified):] {
		_ = h.Identify(ctx, s.App) // on an error only the application is shown
	}
}

// A Past has the finished runs of all engines that files contain.
type Past struct {
	Runs    []recording.Run
	LeftOut []recording.Skipped
	Failed  []PastError // places without anything usable
}

// A PastError is the error of a place.
type PastError struct {
	Place recording.Place
	Err   error
}

// IsPast reports whether a file or folder may have finished runs of some engine.
func IsPast(p recording.Place) bool {
	return slices.ContainsFunc(table, func(e Engine) bool { return e.IsPast != nil && e.IsPast(p) })
}

// ReadPast reads the finished runs in places. A place may have those of several engines.
func ReadPast(ctx context.Context, places ...recording.Place) (Past, error) {
	have := input.Only(table, func(e Engine) bool { return e.Past != nil })
	readers := units.Each(have, func(e Engine) recording.PastReader { return e.Past() })
	var past Past
	for _, p := range places {
		isUsed, failure := false, history.ErrOther
		for i := len(readers) - 1; i >= 0; i-- {
			has, err := readers[i].Read(ctx, p)
			if ctx.Err() != nil {
				return past, context.Cause(ctx)
			}
			isUsed = isUsed || has && err == nil
			if err != nil {
				failure = err
			}
			if has && !p.IsFolder() {
				break // a file is of one engine
			}
		}
		if !isUsed {
			past.Failed = append(past.Failed, PastError{p, failure})
		}
	}
	for i := len(readers) - 1; i >= 0; i-- {
		runs, leftOut := readers[i].Runs()
		past.Runs, past.LeftOut = append(past.Runs, runs...), append(past.LeftOut, leftOut...)
	}
	return past, nil
}

// table lists the engines. The first row is that of ids and applications that no other row claims.
var table = []Engine{
	{
		Name: "MapReduce", Type: "MAPREDUCE", Owns: mapreduce.Owns,
		Open:         func(c *Client, t yarn.Target, _ Options) Source { return mapreduce.NewSource(c, t) },
		Applications: func(s Services, _ *Client, hub *yarn.Hub) Applications { return mapreduce.HubOn(s, hub) },
		Check:        mapreduce.Doctor, Replay: mapreduce.NewReplay,
		IsPast: history.IsHistory, Past: history.NewPastReader,
	},
	{
		Name: "Tez", Type: "TEZ", Owns: tez.Owns,
		Resolve: func(ctx context.Context, c Services, apps []*yarn.App, id string) (string, bool) {
			return tez.Resolve(ctx, c, apps, id)
		},
		Open:         func(c *Client, t yarn.Target, _ Options) Source { return tez.NewSource(c, t) },
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
			return &spark.Applications{Client: c.Client, Hub: hub}
		},
		Replay: spark.NewReplay,
		IsPast: spark.IsHistory,
		Past:   spark.NewPastReader,
		Follow: spark.Follow,
	},
}
