package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster sends a source's requests. Its methods return the bodies of JSON responses with status 200. Everything
// else is an error, an *rest.Error if the server responded. *Client is a Cluster.
type Cluster interface {
	yarn.Cluster
	AM(ctx context.Context, app, path string) ([]byte, error)
	JHS(ctx context.Context, path string) ([]byte, error)
	// HDFS sends a WebHDFS operation on an absolute path to one of several bases, such as http://nn:9870.
	HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error)
}

// limits are what one source may cost.
type limits struct {
	attempts int // most requests for a task's attempts in one tick (0.4 KB each)
	counters int // most requests for counters of running tasks in one tick (1.4 KB)
	tenants  int // most other applications that snapshots show one by one
}

var (
	// The tasks beyond the limit follow in the next ticks: two fifths of a thousand running tasks are a sufficient
	// sample.
	onlySource = limits{attempts: 400, counters: 200, tenants: math.MaxInt}
	// For a source among many it takes a few ticks to read all tasks of a job that is already under way.
	oneOfMany = limits{attempts: 20, counters: 10, tenants: fewTenants}
)

// A Source yields snapshots of one workflow. It is not safe for concurrent use.
type Source struct {
	cluster Cluster
	target  yarn.Target
	hub     *Hub           // sends the requests that sources share
	view    *yarn.Overview // of the cluster
	limits  limits
	tenants needs // of other applications, if no Refresh polls their masters; else nil

	now   dag.Instant // time of this tick
	ticks int

	jobs     map[string]*job // by application id: jobs that may belong to the workflow
	chosen   string          // application that stands for the workflow; "" until one is chosen
	workflow string          // its id; "" until a conf is known
	member   []*job          // jobs of the workflow, by application id
	plan     *dag.Plan       // of the newest snapshot
	large    string          // why the workflow is too large to be estimated, "" if it is not
	relisted bool            // it is small enough again, and the lists are requested anew
	inLists  atomic.Int64    // tasks in the lists of this tick
	missedAt dag.Instant     // the last tick for which the hub had no response
	ended    bool
	warned   []dag.Warning // of this tick
}

// NewSource watches target on cluster, as the only source of a hub. Its observations refresh the hub. It sees all
// applications, and lists those that have ended while its workflow is between two jobs.
func NewSource(cluster Cluster, target yarn.Target) *Source {
	h := newHub(cluster, target.Made)
	s := h.source(target, onlySource)
	s.view, s.tenants = h.OnlyOverview(s.idle), needs{}
	return s
}

// Source returns a source for the workflow of an application, one of several: Refresh is called by others. It sees the
// applications that may be of its workflow, and the load of others in sums.
func (h *Hub) Source(app string) *Source {
	s := h.source(yarn.Target{ID: app}, oneOfMany)
	s.view = h.Overview(func() []string { return h.related(s) })
	return s
}

func (h *Hub) source(target yarn.Target, most limits) *Source {
	return &Source{
		cluster: h.cluster, target: target, hub: h, limits: most, jobs: map[string]*job{}, missedAt: dag.NoInstant,
	}
}

// Next observes once. It neither waits nor retries. It returns a *yarn.NoWorkflowError while there is nothing to watch,
// a *dag.MissedError if an observation failed and a later one may succeed, and io.EOF after a snapshot with a final
// state.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.ended {
		return nil, io.EOF
	}
	defer func() { s.ticks++ }()
	s.now = s.cluster.Now()
	s.warned = nil
	if err := s.poll(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, none := errors.AsType[*yarn.NoWorkflowError](err); none {
			return nil, err
		}
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	snap := s.snapshot()
	if s.ended = snap.State.Ended(); s.ended {
		s.hub.room.hold(s.chosen, 0)
	}
	return snap, nil
}

func (s *Source) warn(code, format string, args ...any) {
	s.warned = append(s.warned, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// made returns when the response for path was made. A recording has that time; on a live cluster it is now.
func (s *Source) made(path string) dag.Instant {
	if s.target.Made != nil {
		if at := s.target.Made(path); at.Known() {
			return at
		}
	}
	return s.now
}

// poll sends this tick's requests, none of them twice. It fails only if nothing can be reported at all.
func (s *Source) poll(ctx context.Context) error {
	if err := s.view.Observe(ctx); err != nil {
		s.missedAt = s.now
		return err
	}
	s.warned = append(s.warned, s.view.Warnings()...)
	s.catchUp()
	if s.ticks == 0 {
		s.now = s.cluster.Now() // the cluster's clock was unknown before the first response
	}
	if err := s.choose(); err != nil {
		return err
	}
	for range searches {
		if asked := s.observeConfs(ctx); asked == 0 || !s.byWorkflow() || s.choose() == nil && s.chosen != "" {
			break
		}
	}
	if s.workflow == "" && s.conf() != nil && s.conf().Workflow != "" {
		s.observeConfs(ctx) // of its siblings, now that they can be recognized
	}
	if err := s.enlist(); err != nil {
		return err
	}
	s.observeUnlisted(ctx)
	s.observeInputs(ctx)
	err := s.observeJobs(ctx)
	s.observeAvoided(ctx)
	s.observeTenants(ctx)
	s.view.Guess()
	return cmp.Or(ctx.Err(), err)
}

// idle reports whether all jobs of the workflow have ended. Without jobs it is false.
func (s *Source) idle() bool {
	for _, j := range s.member {
		if !j.state.Ended() {
			return false
		}
	}
	return len(s.member) > 0
}

// observeUnlisted requests members that the list leaves out: they have ended, or the ResourceManager has forgotten
// them. Then the history server is queried.
func (s *Source) observeUnlisted(ctx context.Context) {
	var ids []string
	for _, j := range s.member {
		a := s.view.Known(j.app)
		if a != nil && !s.view.IsListed(j.app) && !(a.Ended && j.state.Ended() && a.HeldMB == 0) {
			ids = append(ids, j.app)
		}
	}
	s.view.Request(ctx, ids...)
}

// observeTenants polls the masters of other applications, after the source's own requests.
func (s *Source) observeTenants(ctx context.Context) {
	if s.tenants == nil {
		return
	}
	others := slices.DeleteFunc(s.view.Listed(), func(a *yarn.App) bool {
		return slices.ContainsFunc(s.member, func(j *job) bool { return j.app == a.ID })
	})
	s.tenants.poll(ctx, s.cluster, others, s.now, s.made, func(app string) dag.MapReduceLimits {
		if j := s.jobs[app]; j != nil && j.conf != nil {
			return j.conf.Limits
		}
		return dag.MapReduceLimits{}
	})
	s.hub.SetNeeds(s.tenants.reported())
}
