package spark

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A Listed is a Spark application in the list of a manager.
type Listed struct {
	ID, Name, User string
	Queue          string // or its namespace; "" if the manager has none
	// State is Submitted until the driver's page answers, then Running. Of an application that has ended it is how it
	// ended, or EndedUnconfirmed if the manager does not report that.
	State        dag.State
	Began, Ended dag.Instant // NoInstant if unknown
	URL          string      // of the driver's page; "" if it has none
	Why          string      // why it waits or has failed; "" if unknown
}

// A Manager lists Spark applications and reaches their drivers: a master, an API server, or a machine. Several
// goroutines may use it.
type Manager interface {
	// List returns the applications that run or wait, and those that have ended as far as the manager has them.
	List(ctx context.Context) ([]Listed, error)
	// Driver returns the driver of an application in the list. It does not connect.
	Driver(l Listed) Driver
	// ListsAll reports whether an application that was listed once, and is not any more, has ended.
	ListsAll() bool
	Now() dag.Instant
}

const (
	// mostOfManager bounds the applications of a manager. The newest are kept.
	mostOfManager = 1000
	// listedFor is how long a source uses a list. A list that is refreshed as often serves any number of sources.
	listedFor = 5 * time.Second
)

// Drivers are the applications of a manager. Several goroutines may use them.
type Drivers struct {
	manager Manager

	mu       sync.Mutex
	list     []Listed // the newest first
	listedAt dag.Instant
}

// NewDrivers returns the applications of a manager. It sends no request.
func NewDrivers(m Manager) *Drivers { return &Drivers{manager: m, listedAt: dag.NoInstant} }

// Refresh lists the applications. After an error the earlier list stays.
func (d *Drivers) Refresh(ctx context.Context) error {
	list, err := d.manager.List(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it names the request
	}
	slices.SortStableFunc(list, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(b.Began, a.Began), strings.Compare(a.ID, b.ID))
	})
	ended := input.Only(list, func(l Listed) bool { return l.State.Ended() })
	open := input.Only(list, func(l Listed) bool { return !l.State.Ended() })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = slices.Concat(open[:min(len(open), mostOfManager)], ended[:min(len(ended), mostOfManager)])
	d.listedAt = d.manager.Now()
	return nil
}

// Now returns the manager's clock.
func (d *Drivers) Now() dag.Instant { return d.manager.Now() }

// Open returns the applications that run or wait, the newest first.
func (d *Drivers) Open() []Listed {
	d.mu.Lock()
	defer d.mu.Unlock()
	return input.Only(d.list, func(l Listed) bool { return !l.State.Ended() })
}

// Check checks the manager's list, what rights adds, and the newest driver. name is the check of the list, where the
// place of the manager. rights may be nil.
func (d *Drivers) Check(
	ctx context.Context, name, where string, rights func(context.Context, *yarn.Examination),
) []yarn.Check {
	e := &yarn.Examination{}
	err := d.Refresh(ctx)
	open := d.Open()
	if !e.Try(name, yarn.Fail, err, "%s %s", units.Count(len(open), "driver"), where) {
		return e.Checks
	}
	if rights != nil {
		rights(ctx, e)
	}
	if i := slices.IndexFunc(open, func(l Listed) bool { return l.URL != "" }); i >= 0 {
		e.Checks = append(e.Checks, Doctor(ctx, d.manager.Driver(open[i]))...)
	}
	return e.Checks
}

// Running lists the applications that run or wait as workflows.
func (d *Drivers) Running() []yarn.Submitted {
	var out []yarn.Submitted
	for _, l := range d.Open() {
		s := yarn.Submitted{
			App: l.ID, Name: cmp.Or(l.Name, "(starting up)"), User: l.User, Queue: l.Queue, URL: l.URL,
			Engine: naming.Spark, At: l.Began, Readable: l.URL != "",
		}
		if s.Read = s.Readable; s.Read {
			s.Workflow, s.Title = s.App, s.Name
		}
		out = append(out, s)
	}
	return out
}

// Room returns 0: memory of the manager's machines is unknown.
func (d *Drivers) Room() (totalMB, freeMB int) { return 0, 0 }

// Identify does nothing: an application is its own workflow.
func (d *Drivers) Identify(context.Context, string) error { return nil }

// Source watches an application in the list, or a unit of it.
func (d *Drivers) Source(id string) recording.Source { return d.Watch(id) }

// Watch is Source.
func (d *Drivers) Watch(id string) *Source {
	app, _ := AppOf(id)
	s := NewSource(d.Driver(app), id)
	s.manager = func(ctx context.Context) (Listed, bool) {
		if s.app.lastSeen.Known() && !d.manager.ListsAll() {
			return Listed{}, false
		}
		return d.find(ctx, app)
	}
	return s
}

// Driver returns the driver of an application in the list.
func (d *Drivers) Driver(app string) Driver {
	l, _ := d.listed(app)
	return d.manager.Driver(l)
}

func (d *Drivers) listed(app string) (l Listed, at dag.Instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.IndexFunc(d.list, func(l Listed) bool { return l.ID == app }); i >= 0 {
		return d.list[i], d.listedAt
	}
	return Listed{ID: app, State: dag.EndedUnconfirmed, Ended: d.listedAt}, d.listedAt // the manager has forgotten it
}

// find returns an application, from a new list if the list is old; false if there is none.
func (d *Drivers) find(ctx context.Context, app string) (Listed, bool) {
	l, at := d.listed(app)
	if at.Known() && d.manager.Now().Sub(at) < listedFor {
		return l, true
	}
	err := d.Refresh(ctx)
	l, _ = d.listed(app)
	return l, err == nil
}
