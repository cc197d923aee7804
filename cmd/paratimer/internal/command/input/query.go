package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/naming"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A Target is a query that a user named: a Spark application by its driver or its event log, or a query on YARN.
type Target struct {
	// Source watches the query, or the one with an id, which may be a part of a Spark application.
	Source func(id string) Query

	client *engine.Client // nil: it is a log
	query  yarn.Target    // on YARN
	driver spark.Driver   // nil: on YARN, or a log
}

// Connect returns the query with an id, at the address of a driver, or the newest one. tap may be nil.
func Connect(c *cli.Context, typed string, tap rest.Layer) (*Target, error) {
	if log, err := logOf(c, typed); log != nil || err != nil {
		return &Target{Source: func(string) Query { return log }}, err
	}
	t, err := sparkTarget(c, typed, tap)
	if t != nil || err != nil {
		return t, err
	}
	t = &Target{}
	if t.query, err = yarn.TargetOf(typed, UserName(c)); err != nil {
		return nil, command.Usage("%w", err)
	}
	t.Source = func(id string) Query {
		target := t.query
		target.ID = cmp.Or(id, target.ID)
		return workflow{engine.Watch(t.client, target, optionsOfQuery(c))}
	}
	t.client, err = NewClient(c, tap)
	return t, err
}

// ConnectByName is Connect for the id or the name of a query, which stays the same from run to run.
func ConnectByName(c *cli.Context, typed string) (*Target, error) {
	t, err := Connect(c, typed, nil)
	if err != nil || t.driver != nil || t.client == nil {
		return t, err
	}
	if t.query, err = Pick(c.Context, t.client, typed, UserName(c)); err != nil {
		t.Close()
	}
	return t, err
}

// Close closes the connections.
func (t *Target) Close() {
	if t.client != nil {
		t.client.Close()
	}
}

// Now returns the clock of the services.
func (t *Target) Now() dag.Instant {
	if t.client == nil {
		return now()
	}
	return t.client.Now()
}

// IsNewest reports whether no id was typed.
func (t *Target) IsNewest() bool { return t.client != nil && t.query.ID == "" }

// A Query is a source that another one of its application may follow.
type Query interface {
	watch.Source
	engine.Follower
}

// Check checks the API server of --kubernetes or the page of --spark-master with the newest driver there, the driver of
// --spark, else the cluster, else a driver on this machine.
func Check(c *cli.Context) ([]yarn.Check, error) {
	if c.Bool("kubernetes") || c.String("spark-master") != "" {
		m, err := managerOf(c, "", nil, nil)
		if err != nil {
			return nil, err
		}
		defer m.client.Close()
		return m.drivers.Check(c.Context, m.listing, m.where, m.rights), nil
	}
	t, err := Connect(c, "", nil)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if t.driver != nil {
		return spark.Doctor(c.Context, t.driver), nil
	}
	return engine.Check(c.Context, t.client), nil
}

// optionsOfQuery returns the flags' choice of a part, and the address of --spark-history, which clientOf checks.
func optionsOfQuery(c *cli.Context) engine.Options {
	base, _ := spark.Address(c.String("spark-history"))
	return engine.Options{Part: unitOf(c), History: base}
}

// logOf returns the event log that a user typed: the path of a file or a folder, or an address of HDFS or HTTP. It
// returns nil if the text is something else.
func logOf(c *cli.Context, typed string) (*engine.Workflow, error) {
	place, ok, err := logPlace(c, typed)
	if !ok || err != nil {
		return nil, err
	}
	if err := CheckUnit(c); err != nil {
		return nil, err
	}
	log, err := engine.Follow(c.Context, place, optionsOfQuery(c), now)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	return log, nil
}

func logPlace(c *cli.Context, typed string) (p recording.Place, ok bool, err error) {
	switch {
	case history.IsAddress(typed):
		p, err = hdfsPlace(c, typed)
		return p, true, err
	case webLog.MatchString(typed):
		in, file, err := history.OpenWeb(c.Context, typed, ByKerberos(c)(history.WebTransport()))
		name, _, _ := strings.Cut(typed, "?") // what follows may be a signature
		return recording.Place{Name: name, In: in, File: file}, true, err
	}
	p = recording.LocalPlace(typed)
	_, missing := os.Stat(typed)
	if missing != nil && (filepath.IsAbs(typed) || strings.HasPrefix(typed, ".")) {
		return p, false, command.Usage("cannot read it: %w", missing)
	}
	return p, typed != "" && missing == nil && (isPath(typed) || engine.IsPast(p)), nil
}

// webLog matches the address of an event log. Addresses without the name of a log or a query are those of drivers.
var webLog = regexp.MustCompile(`^https?://[^/]+/[^?]*(\.inprogress|\.zstd|\.zst|\.lz4|\.snappy|\.lzf|\.gz|/events_\d+_[^/?]+|/eventlog[^/?]*|\?.+)$`)

// now is the time of this machine.
func now() dag.Instant { return dag.InstantOf(time.Now()) }

// A workflow is a query on a cluster.
type workflow struct{ *engine.Workflow }

// Next observes once.
func (w workflow) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := w.Workflow.Next(ctx)
	if errors.Is(err, engine.ErrNoParts) {
		err = command.Usage("--sql and --group choose in a Spark application, and the workflow is none")
	}
	return s, err
}

// A Cluster is a place where workflows run, and the client that requests it.
type Cluster struct {
	engine.Cluster
	Client  *engine.Client
	IsLocal bool // nothing was named, so it is this machine
}

// OpenCluster returns what the flags or the environment name, else this machine's drivers of Spark. --budget limits the
// requests to a YARN cluster.
func OpenCluster(c *cli.Context) (*Cluster, error) {
	m, err := managerOf(c, "", nil, nil)
	if err != nil {
		return nil, err
	}
	if m != nil {
		return &Cluster{m.drivers, m.client, m.isLocal}, nil
	}
	client, err := NewClient(c, nil)
	if err != nil {
		return nil, err
	}
	return &Cluster{engine.NewHub(fleet.Budget(client, c.Float64("budget")), client), client, false}, nil
}

// ErrIdle means that nothing runs.
var ErrIdle = errors.New("nothing runs")

// LookEvery is the wait before a second poll, which may have speeds that the first one lacks: these need samples
// over 4 s, and reports are up to 3 s old.
const LookEvery = 3 * time.Second

// Pick finds the query for check: by an id as for attach, or by the name of a workflow, which stays the same from
// run to run. If several run it is the newest.
func Pick(ctx context.Context, client *engine.Client, typed, user string) (yarn.Target, error) {
	target, err := yarn.TargetOf(typed, user)
	if err != nil {
		return target, command.Usage("%w", err)
	}
	if target.ID == "" || engine.Owns(target.ID) {
		return target, nil
	}
	hub := engine.NewHub(client, client)
	if err := hub.Refresh(ctx); err != nil {
		return target, err
	}
	hub.IdentifyNewest(ctx)
	running := slices.DeleteFunc(hub.Running(), func(s yarn.Submitted) bool {
		return !GoesBy(typed, s.Name) && !(s.Title != "" && GoesBy(typed, s.Title))
	})
	if len(running) == 0 {
		return target, fmt.Errorf("%w that is called %s", ErrIdle, typed)
	}
	newest := slices.MaxFunc(running, func(a, b yarn.Submitted) int { return cmp.Compare(a.At, b.At) })
	if newest.Engine != "" && newest.Workflow != "" {
		return yarn.Target{ID: newest.Workflow}, nil
	}
	return yarn.Target{ID: newest.App}, nil
}

// GoesBy reports whether a pattern, such as nightly_*, matches a name, with the engine's prefix or without it.
func GoesBy(pattern, name string) bool {
	glob, _ := fleet.Glob(pattern) // nil if it fails
	return slices.ContainsFunc([]string{name, naming.PigScript(name)}, func(n string) bool {
		return n == pattern || glob != nil && glob.MatchString(n)
	})
}
