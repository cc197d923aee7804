package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// ErrNoParts means that a part of an application was chosen, and that its engine has none.
var ErrNoParts = errors.New("the workflow is not an application with parts to choose")

// A Workflow watches a target of any engine on a cluster. The ResourceManager reports which engine runs it. It is not
// safe for concurrent use.
type Workflow struct {
	client *Client
	target yarn.Target
	opt    Options
	source Source // nil before the engine is known
}

// Watch returns a workflow for a target: an application, or what another id names, or the user's newest running
// application. The id may end in a part, as in application_1_0001/sql/3, which overrides that of the options.
func Watch(c *Client, t yarn.Target, o Options) *Workflow {
	if app, part, found := strings.Cut(t.ID, "/"); found && yarn.IsApplication(app) {
		t.ID, o.Part = app, "/"+part
	}
	return &Workflow{client: c, target: t, opt: o}
}

// Follow returns a workflow for a run in files that are still written. now is the time of this machine.
func Follow(ctx context.Context, p recording.Place, o Options, now func() dag.Instant) (*Workflow, error) {
	for _, e := range table {
		if e.Follow != nil {
			source, err := e.Follow(ctx, p, o.Part, now)
			return &Workflow{source: source}, err
		}
	}
	return nil, errors.ErrUnsupported
}

// Next observes once. Its errors are those of the engines' sources, and ErrNoParts.
func (w *Workflow) Next(ctx context.Context) (*dag.Snapshot, error) {
	if w.source == nil {
		e, target, err := find(ctx, w.client, w.target)
		switch {
		case err != nil:
			return nil, err
		case w.opt.Part != "" && !e.HasParts:
			return nil, ErrNoParts
		}
		w.source = e.Open(w.client, target, w.opt)
	}
	s, err := w.source.Next(ctx)
	if _, none := errors.AsType[*yarn.NoWorkflowError](err); none && w.target.ID == "" {
		w.source = nil // the next one may be of another engine
	}
	return s, err
}

// A Follower is a source of a query in an application that runs one after another.
type Follower interface {
	// Follows names what may follow, such as "DAG of the session"; "" if nothing can. byDefault means that something
	// usually does.
	Follows() (what string, byDefault bool)
	// After returns the id of the query after the watched one, or "" while there is none. over reports that none can
	// follow.
	After(ctx context.Context) (id string, over bool, err error)
}

// Follows is that of the source; "" if its engine runs one query in an application.
func (w *Workflow) Follows() (what string, byDefault bool) {
	if f, ok := w.source.(Follower); ok {
		return f.Follows()
	}
	return "", false
}

// After is that of the source.
func (w *Workflow) After(ctx context.Context) (id string, over bool, err error) {
	if f, ok := w.source.(Follower); ok {
		return f.After(ctx) //nolint:wrapcheck // it names the request
	}
	return "", true, nil
}

// find returns the engine of a target and what the engine shall open.
func find(ctx context.Context, c Services, t yarn.Target) (*Engine, yarn.Target, error) {
	owner := ownerOf(t.ID)
	if owner != nil && owner.Resolve == nil {
		return owner, t, nil
	}
	over := yarn.NewOverview(c, t.Made)
	if err := over.Observe(ctx); err != nil {
		return nil, t, &dag.MissedError{At: over.Now(), Err: err}
	}
	if owner != nil {
		id, ok := owner.Resolve(ctx, c, over.Listed(), t.ID)
		if t.ID = id; !ok {
			owner = &table[0]
		}
		return owner, t, nil
	}
	app := newest(over.Listed(), t.User)
	if t.ID != "" {
		app, _ = over.App(ctx, t.ID)
	}
	e := ofType(app.Type)
	if e != &table[0] { // MapReduce chooses by workflow
		t.ID = app.ID
	}
	return e, t, nil
}

// ownerOf returns the engine of an id that is not an application's; nil for an application and for "".
func ownerOf(id string) *Engine {
	if id == "" || yarn.IsApplication(id) {
		return nil
	}
	return &table[max(owner(id), 0)]
}

// Owns reports whether a text is the id of an application, or of a workflow of some engine.
func Owns(id string) bool {
	return strings.HasPrefix(id, "application_") || owner(id) >= 0
}

// owner returns the row of the engine that has a workflow of this id, or -1.
func owner(id string) int {
	return slices.IndexFunc(table, func(e Engine) bool { return e.Owns != nil && e.Owns(id) })
}

// ofType returns the engine that watches a type of applications, or the first one for an unknown type.
func ofType(kind string) *Engine { return &table[max(indexOf(kind), 0)] }

// indexOf returns the row of the engine that watches a type of applications, or -1.
func indexOf(kind string) int {
	return slices.IndexFunc(table, func(e Engine) bool { return e.Type == kind && e.Open != nil })
}

// newest returns the application of a known engine that was submitted last and has not ended; the zero App if there
// is none. The user "" is any user.
func newest(all []*yarn.App, user string) yarn.App {
	apps := slices.DeleteFunc(slices.Clone(all), func(a *yarn.App) bool {
		return a.Ended || indexOf(a.Type) < 0 || user != "" && a.User != user
	})
	if len(apps) == 0 {
		return yarn.App{}
	}
	return *slices.MaxFunc(apps, func(x, y *yarn.App) int { return cmp.Compare(x.Submitted, y.Submitted) })
}

// Check checks the services of all engines.
func Check(ctx context.Context, c *Client) (all []yarn.Check) {
	for _, e := range table {
		if e.Check != nil {
			all = append(all, e.Check(ctx, c)...)
		}
	}
	return all
}

// Replay returns a source that replays recorded answers through that for live clusters.
func Replay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	for _, e := range slices.Backward(table) {
		if e.Replay == nil {
			continue
		}
		if r, err := e.Replay(rec, o); r != nil || err != nil {
			return r, err
		}
	}
	return nil, errors.New("recording: it has no answers of a known engine")
}
